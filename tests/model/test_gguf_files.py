"""GGUF files: what a name means, what a file says of itself, and files that are no good."""

import math
import struct
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_gguf import load, make_tiny, sentencepiece_model

from engine.errors import WorkbenchError
from engine.model.gguf.files import gguf_file, parts_of
from engine.model.gguf.header import GgufHeader, GgufTensor, read_header
from engine.model.gguf.needs import needs
from engine.model.gguf.template import render
from engine.model.gguf.vocabulary import read_vocabulary
from engine.model.resolve import resolve
from engine.run.classify import Classifier
from engine.settings import load_settings
from engine.text.grammar import ExtractGrammar, GrammarLine
from engine.types import ClassifyRequest, Note, Writing


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_tiny(tmp_path_factory.mktemp("gguf"))


def test_what_a_name_means(made: dict[str, Path], tmp_path: Path) -> None:
    found = resolve(str(made["gguf"]), load_settings())
    assert (found.name, found.folder, found.revision(made["gguf"])) == ("tiny", made["gguf"].resolve(), "local")
    with pytest.raises(WorkbenchError) as caught:
        resolve(str(tmp_path / "none.gguf"), load_settings())
    assert caught.value.code == "unknown_model"


def test_the_file_of_a_folder(tmp_path: Path) -> None:
    assert gguf_file(tmp_path) is None
    for name in ("a-00001-of-00002.gguf", "a-00002-of-00002.gguf", "mmproj-a.gguf", "README.md"):
        (tmp_path / name).write_bytes(b"")
    assert gguf_file(tmp_path) == tmp_path / "a-00001-of-00002.gguf"
    assert [one.name[:7] for one in parts_of(tmp_path / "a-00001-of-00002.gguf")] == ["a-00001", "a-00002"]
    (tmp_path / "b.GGUF").write_bytes(b"")
    with pytest.raises(WorkbenchError, match="2 GGUF files") as caught:
        gguf_file(tmp_path)
    assert "a-00001" in caught.value.hint
    (tmp_path / "config.json").write_text("{}")
    assert gguf_file(tmp_path) is None, "another model lies there"


def test_a_folder_with_one_file_loads_and_says_what_it_is(
    made: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.model.memory.held_bytes", lambda _: 0)
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    (tmp_path / "tiny.gguf").write_bytes(made["gguf"].read_bytes())
    notes: list[Note] = []
    backend = load(tmp_path, notes, precision="int8", max_memory="1g")
    info = backend.info
    backend.close()
    assert (info.name, info.device, info.precision, info.context) == (tmp_path.name, "cpu", "f32", 2048)
    assert info.parameters > 50_000
    assert info.memory > made["gguf"].stat().st_size
    assert [one.code for one in notes] == ["gguf_placed"]


def test_a_missing_package_is_named(made: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(WorkbenchError, match="not installed") as caught:
        load(made["gguf"])
    assert caught.value.code == "extra_missing"
    assert "[gguf]" in caught.value.hint


def test_too_little_memory_is_told_before_the_load(made: dict[str, Path]) -> None:
    with pytest.raises(WorkbenchError) as caught:
        load(made["gguf"], max_memory="1m")
    assert caught.value.code == "memory_short"
    assert "f32" in caught.value.message


@pytest.mark.parametrize("share", [0, 0.001, 0.01, 0.03, 0.1, 0.5, 0.999])
def test_a_file_that_is_cut_off(made: dict[str, Path], tmp_path: Path, share: float) -> None:
    data = made["gguf"].read_bytes()
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(WorkbenchError) as caught:
        load(cut)
    assert caught.value.code == "file_damaged"


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"PK\x03\x04" + b"\0" * 60, "no GGUF file"),
        (b"GGUF" + struct.pack("<I", 99) + b"\0" * 60, "version 99"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 1) + b"\0" * 60, "damaged"),
        (b"version https://git-lfs.github.com/spec/v1 oid", "pointer"),
    ],
)
def test_a_file_that_is_something_else(tmp_path: Path, start: bytes, said: str) -> None:
    (tmp_path / "odd.gguf").write_bytes(start)
    with pytest.raises(WorkbenchError, match=said) as caught:
        load(tmp_path / "odd.gguf")
    assert caught.value.code == "file_damaged"


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), min_size=1, max_size=8))
@settings(max_examples=150)
def test_a_damaged_head_is_read_or_refused(made: dict[str, Path], changes: list[tuple[int, int]]) -> None:
    data = bytearray(made["gguf"].read_bytes())
    for place, byte in changes:
        data[place] = byte
    path = made["gguf"].with_name("damaged.bin")
    path.write_bytes(data)
    with suppress(ValueError):  # and nothing else
        header = read_header(path)
        read_vocabulary(header)
        needs(header, 100)


def test_an_architecture_that_nobody_knows(made: dict[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    other = tmp_path / "other.gguf"
    other.write_bytes(made["gguf"].read_bytes().replace(b"llama", b"zzzzz"))
    with pytest.raises(WorkbenchError, match="zzzzz") as caught:
        load(other)
    assert caught.value.code == "not_loadable"


def test_weights_that_do_not_fit_their_head(made: dict[str, Path], tmp_path: Path) -> None:
    """A head that tells of more layers than are there: llama.cpp refuses it, in one sentence."""
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    data = made["gguf"].read_bytes()
    key = b"llama.block_count"
    at = data.index(key) + len(key) + 4
    other = tmp_path / "other.gguf"
    other.write_bytes(data[:at] + struct.pack("<I", 3) + data[at + 4 :])
    with pytest.raises(WorkbenchError) as caught:
        load(other)
    assert caught.value.code == "not_loadable"
    assert "\n" not in caught.value.message


def header(**metadata: Any) -> GgufHeader:
    named = {f"tokenizer.ggml.{key}": value for key, value in metadata.items()}
    return GgufHeader({"general.architecture": "llama", **named}, (GgufTensor("x", (32,), 2, 0),), 100)


def test_a_sentencepiece_vocabulary_is_spelled() -> None:
    tokens = ["<unk>", "<s>", "</s>", "<0x0A>", "▁the", "体"]
    found = read_vocabulary(
        header(model="llama", tokens=tokens, token_type=[2, 3, 3, 6, 1, 1], bos_token_id=1, eos_token_id=2)
    )
    assert found.spell(range(6)) == "\n the体".encode()
    assert (found.ends, found.begin, found.adds_begin) == ({2}, 1, True)
    assert found.shown(2) == "</s>"


def test_a_byte_level_vocabulary_is_spelled() -> None:
    tokens = ["Ġthe", "ä½", "ĵ", "<|im_end|>", "[PAD4]", "<think>"]
    found = read_vocabulary(header(model="gpt2", tokens=tokens, token_type=[1, 1, 1, 3, 5, 4], eos_token_id=3))
    assert found.pieces[:3] == (b" the", b"\xe4\xbd", b"\x93")
    assert [found.is_whole(token) for token in range(3)] == [True, False, False]
    assert (set(found.control), found.unused, found.adds_begin) == ({"<|im_end|>", "<think>"}, {4}, False)


def test_a_sentencepiece_model_works(tmp_path: Path) -> None:
    """It has a token at the beginning of every text, and no blank that nobody typed."""
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    backend = load(sentencepiece_model(tmp_path / "pieces.gguf"))
    try:
        assert backend.protocol.name == "plain"
        pieces = backend._vocabulary.pieces
        for text in ("the hat", " the hat", "体 x", "a\nb", "</s>"):
            encoded = backend.encode_prompt(backend.protocol.free(text), 8)
            assert encoded.ids[0] == 1
            assert b"".join(pieces[token] for token in encoded.ids[1:]).decode() == text
            assert 2 not in encoded.ids
        text = "the cat, the hat"
        result = Classifier(backend)(ClassifyRequest(text, ("cat", "hat")))
        assert sum(one.score for one in result.labels) == pytest.approx(1)
        grammar = ExtractGrammar(text, (GrammarLine("x", many=True),))
        prompt = backend.encode_prompt(backend.protocol.free(text), 60)
        (decoded,), _ = backend.decode([prompt.ids], [grammar], limits=[40])
        for line in grammar.read(decoded.answer):
            assert all(decoded.answer[start:end].decode() in text for start, end in line.values)
        written = backend.write(prompt.ids, Writing(12))
        spelled = b"".join(pieces[one.id] for one in written.tokens).decode(errors="replace")
        assert spelled.removeprefix(" ").startswith(written.text.rstrip("\ufffd"))
    finally:
        backend.close()


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"model": "gpt2", "tokens": []},
        {"model": "gpt2", "tokens": [1, 2]},
        {"model": "gpt2", "tokens": ["a", "b"], "token_type": [1]},
        {"model": "gpt2", "tokens": ["a"], "token_type": 1},
        {"model": "rwkv", "tokens": ["a"]},
    ],
)
def test_a_vocabulary_that_is_not_read(metadata: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"vocabulary|tokenizer"):
        read_vocabulary(header(**metadata))


def test_steering_tokens_beyond_the_vocabulary_are_none() -> None:
    found = read_vocabulary(
        header(model="llama", tokens=["a", "<0xZZ>"], token_type=[1, 6], bos_token_id=9, eos_token_id="x")
    )
    assert (found.begin, found.end, found.ends, found.adds_begin) == (None, None, frozenset(), False)
    assert found.pieces == (b"a", b"<0xZZ>")


def test_numbers_that_are_none_count_as_nothing() -> None:
    odd = {"llama.block_count": math.inf, "llama.embedding_length": [3, 5], "llama.context_length": "x"}
    found = replace(header(), metadata=odd | {"general.architecture": "llama"})
    assert (found.number("block_count"), found.number("embedding_length"), found.context) == (0, 5, 1024)


def test_the_precision_is_the_files() -> None:
    assert header().precision == "q4_0"
    assert replace(header(), metadata={"general.file_type": 15}).precision == "q4_k_m"
    assert replace(header(), metadata={"general.file_type": 0}).precision == "f32"


def test_the_memory_is_the_file_and_its_cache() -> None:
    shape = {"llama.block_count": 28, "llama.embedding_length": 3584, "llama.attention.head_count": 28}
    shape |= {"llama.attention.head_count_kv": 4, "llama.feed_forward_length": 18944, "general.architecture": "llama"}
    found = needs(GgufHeader(shape, (), 4_683_000_000), 4096)
    assert found.kv_cache == 2 * 28 * 4 * 128 * 2 * 2 * 4096
    assert 5.1e9 < found.total < 5.8e9


def test_a_chat_template_is_rendered_in_a_sandbox() -> None:
    turns = [{"role": "user", "content": "hi"}]
    template = "{% for m in messages %}\n{{ bos_token + m.role + m['content'] | tojson }}\n{% endfor %}"
    assert render(template, turns, bos_token="<s>") == '<s>user"hi"\n'
    for refused in (
        "{{ raise_exception('no') }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{% if %}",
        "{{ 1/0 }}",
    ):
        with pytest.raises(ValueError, match=r"."):
            render(refused, turns)
