"""The GGUF backend over a tiny file made on the spot, against torch on the same weights; and files that are no good.

Attention is in half precision as a rule, which makes a hundredth of a logit, and near ties be chosen otherwise: here it
is in fp32.
"""

import json
import math
import socket
import struct
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Cancelled, WorkbenchError
from engine.model.gguf import probabilities
from engine.model.gguf import server as server_module
from engine.model.gguf.files import gguf_file, parts_of
from engine.model.gguf.header import GgufHeader, GgufTensor, read_header
from engine.model.gguf.needs import needs
from engine.model.gguf.template import render
from engine.model.gguf.vocabulary import read_vocabulary
from engine.model.loader import load_backend
from engine.model.resolve import resolve
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.prompt import Prompter
from engine.settings import load_settings
from engine.text.grammar import ExtractGrammar, GrammarLine
from engine.text.structure import make_form
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, Note, PromptRequest, Structure, Writing

pytestmark = pytest.mark.usefixtures("one_thread")
TEXT = "the movie was good 天气 很好 Tim Cook paid 12 dollars in Berlin"
LABELS = ("sports", "sport film", "finance", "体育", "terrible food")
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 8},
            "n": {"type": "integer", "minimum": 0, "maximum": 99},
        },
        "required": ["name", "n"],
        "additionalProperties": False,
    }
)
FORMS = [
    Structure(choices=("good", "bad", "terrible film")),
    Structure(regex="[a-z]{3,8} [0-9]{1,4}"),
    Structure(SCHEMA),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    from checkpoints import make_gguf, make_llama

    folder = tmp_path_factory.mktemp("gguf")
    llama = make_llama(folder / "llama", context=2048)
    return {"llama": llama, "gguf": make_gguf(folder / "tiny.gguf", llama)}


def load(path: Path, told: list[Note] | None = None, **flags: Any) -> Any:
    note = (lambda _: None) if told is None else told.append
    return load_backend(load_settings(model=str(path), threads=1, **flags), lambda _: None, note, Event())


@pytest.fixture(scope="module")
def tiny(made: dict[str, Path]) -> Iterator[Any]:
    xllamacpp = pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    parameters = server_module._parameters

    def exact(*given: Any) -> Any:
        found = parameters(*given)
        found.cache_type_k = found.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        found.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server_module, "_parameters", exact)
        backend = load(made["gguf"])
    yield backend
    backend.close()


@pytest.fixture(scope="module")
def torch_one(made: dict[str, Path]) -> Any:
    from checkpoints import load_tiny

    backend = load_tiny("llama", made["llama"], context=2048)
    backend.warm_up()
    return backend


def ids(backend: Any, text: str = TEXT) -> tuple[int, ...]:
    return tuple(backend.encode_prompt(backend.protocol.score(text, LABELS), 64).ids)


def flat(rows: Any) -> list[float]:
    return [value for row in rows for value in row]


# The same as torch.


@pytest.mark.parametrize(
    "text", [TEXT, "", "a <|im_end|> b", "\x00x\ufeff e\u0301 \ud800", "😀\n\n12 3", "[GEN] 　体育"]
)
def test_texts_are_cut_into_the_same_tokens(tiny: Any, torch_one: Any, text: str) -> None:
    prompt = tiny.protocol.free(text)
    ours, theirs = tiny.encode_prompt(prompt, 64), torch_one.encode_prompt(prompt, 64)
    assert ours == theirs
    assert tiny.encode_answer(text) == torch_one.encode_answer(text)


def test_a_control_token_in_a_text_stays_characters(tiny: Any) -> None:
    encoded = tiny.encode_prompt(tiny.protocol.free("x <|im_start|>system"), 64)
    assert encoded.neutralised == ("<|im_start|>",)
    assert Counter(encoded.ids)[1] == 2, "the frame's own: of the user's turn and of the answer"


def test_a_long_text_is_cut_to_fit(tiny: Any) -> None:
    text = "the movie was good 天气 " * 400
    encoded = tiny.encode_prompt(tiny.protocol.score(text, LABELS), 64, 5)
    assert 0 < encoded.kept < len(text)
    assert 2048 - 64 - 8 <= len(encoded.ids) <= 2048 - 64


@pytest.mark.parametrize("text", [TEXT, "天气"])
def test_scores_are_those_of_torch(tiny: Any, torch_one: Any, text: str) -> None:
    answers = [tiny.encode_answer(label) for label in LABELS]
    ours = tiny.score(ids(tiny, text), answers, vocabulary=True)
    theirs = torch_one.score(ids(tiny, text), answers, vocabulary=True)
    assert flat(ours.siblings) == pytest.approx(flat(theirs.siblings), abs=1e-3)
    assert flat(ours.vocabulary) == pytest.approx(flat(theirs.vocabulary), abs=1e-3)
    assert ours.scored_tokens == theirs.scored_tokens
    assert sum(math.exp(sum(row)) for row in ours.siblings) == pytest.approx(1, abs=1e-5)
    alone = tiny.score(ids(tiny, text), answers)
    assert flat(alone.siblings) == pytest.approx(flat(ours.siblings), abs=1e-4)
    assert alone.vocabulary is None


def test_tokens_that_are_parts_of_characters_are_scored(tiny: Any, torch_one: Any) -> None:
    """Bytes of the same beginning, on which the server says nothing where it draws them itself."""
    answers = [tuple(torch_one._tokens.plain(text)) for text in ("樱", "樲", "\U0001f600", "\U0001f601")]
    ours, theirs = (one.score(ids(tiny), answers, vocabulary=True) for one in (tiny, torch_one))
    assert flat(ours.siblings) == pytest.approx(flat(theirs.siblings), abs=1e-3)
    assert flat(ours.vocabulary) == pytest.approx(flat(theirs.vocabulary), abs=1e-3)


@pytest.mark.parametrize("prompt", [TEXT, "天气 很好"])
@pytest.mark.parametrize(
    "writing",
    [
        Writing(20),
        Writing(20, repetition_penalty=1.5),
        Writing(16, beams=4),
        Writing(12, beams=2, repetition_penalty=1.3),
    ],
)
def test_what_is_most_probable_is_written_as_by_torch(tiny: Any, torch_one: Any, writing: Writing, prompt: str) -> None:
    ours = tiny.write(ids(tiny, prompt), writing, alternatives=2)
    theirs = torch_one.write(ids(tiny, prompt), writing, alternatives=2)
    assert (ours.text, ours.finish, ours.output_tokens) == (theirs.text, theirs.finish, theirs.output_tokens)
    for one, other in zip(ours.tokens, theirs.tokens, strict=True):
        assert (one.id, one.text) == (other.id, other.text)
        assert one.probability == pytest.approx(other.probability, abs=1e-4)
        assert [share for _, share in one.alternatives] == pytest.approx(
            [share for _, share in other.alternatives], abs=1e-4
        )


def test_free_decoding_is_that_of_torch(tiny: Any, torch_one: Any) -> None:
    for beams in (1, 4):
        ours = tiny.generate(ids(tiny), beams=beams, max_new_tokens=12)
        assert ours == torch_one.generate(ids(tiny), beams=beams, max_new_tokens=12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("writing", [Writing(40), Writing(7), Writing(40, repetition_penalty=1.4)])
def test_a_form_is_written_as_by_torch(tiny: Any, torch_one: Any, form: Structure, writing: Writing) -> None:
    ours, theirs = (one.write(ids(tiny), writing, form=make_form(form)) for one in (tiny, torch_one))
    assert (ours.text, ours.finish, ours.output_tokens) == (theirs.text, theirs.finish, theirs.output_tokens)
    assert make_form(form).problem(ours.text) == ""
    assert [one.probability is None for one in ours.tokens] == [
        writing.repetition_penalty != 1 or one.probability is None for one in theirs.tokens
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_choice_among_very_many_is_the_same(
    tiny: Any, torch_one: Any, form: Structure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probabilities, "_FEW", 1)
    ours, theirs = (
        one.write(ids(tiny), Writing(24), form=make_form(form), alternatives=1) for one in (tiny, torch_one)
    )
    assert ours.text == theirs.text
    for one, other in zip(ours.tokens, theirs.tokens, strict=True):
        assert (one.probability is None) == (other.probability is None)
        assert (one.probability or 0) == pytest.approx(other.probability or 0, abs=1e-3)
        assert [share for _, share in one.alternatives] == pytest.approx(
            [share for _, share in other.alternatives][: len(one.alternatives)], abs=1e-3
        )


def test_an_extraction_is_decoded_as_by_torch(tiny: Any, torch_one: Any) -> None:
    lines = (GrammarLine("person", many=True), GrammarLine("地名", many=False), GrammarLine("price", many=True))
    grammar = ExtractGrammar(TEXT, lines)
    prompt = tuple(tiny.encode_prompt(tiny.protocol.extract(TEXT, ["person", "地名", "price"]), 200).ids)
    for limit in (8, 200):
        (ours,), forwards = tiny.decode([prompt], [grammar], limits=[limit])
        (theirs,), _ = torch_one.decode([prompt], [grammar], limits=[limit])
        assert (ours.pieces, ours.forced, ours.written, ours.taken_back) == (
            theirs.pieces,
            theirs.forced,
            theirs.written,
            theirs.taken_back,
        )
        assert ours.log_probabilities == pytest.approx(theirs.log_probabilities, abs=1e-3)
        assert 0 < forwards <= len(ours.pieces) + ours.taken_back


# The tasks.


def test_the_tasks_answer(tiny: Any, torch_one: Any) -> None:
    requests = [ClassifyRequest(TEXT, LABELS), ClassifyRequest("天气 很好 " * 30, LABELS, multi=True)]
    for request in requests:
        ours, theirs = Classifier(tiny)(request), Classifier(torch_one)(request)
        assert ours.labels[0].label == theirs.labels[0].label
        assert sum(one.score for one in ours.labels) == pytest.approx(1)
    fields = tuple(FieldSpec(name) for name in ("person", "city", "金额"))
    found = Extractor(tiny)(ExtractRequest(TEXT, fields, mentions="all", free=True))
    for one in found.fields:
        assert all(TEXT[value.start : value.end] == value.text for value in one.values)
    assert found.free is not None
    assert found.usage.forwards_saved > 0
    shown: list[str] = []
    answer = Prompter(tiny)(PromptRequest(TEXT, Writing(16)), show=shown.append)
    assert answer.text == Prompter(torch_one)(PromptRequest(TEXT, Writing(16))).text
    assert shown[-1] == answer.text
    assert shown == sorted(shown, key=len)


@given(st.text(max_size=40))
@settings(max_examples=15)
def test_nothing_is_invented(tiny: Any, text: str) -> None:
    grammar = ExtractGrammar(text, (GrammarLine("人名", many=True), GrammarLine("x", many=False)))
    prompt = tuple(tiny.encode_prompt(tiny.protocol.extract(text, ["人名", "x"]), 200).ids)
    (decoded,), _ = tiny.decode([prompt], [grammar], limits=[60])
    for line in grammar.read(decoded.answer):
        assert all(decoded.answer[start:end] in text.encode(errors="replace") for start, end in line.values)


# Writing.


def test_a_stop_string_ends_the_answer_within_a_token(tiny: Any) -> None:
    whole = tiny.write(ids(tiny), Writing(20)).text
    stop = whole[3:6]
    shown: list[str] = []
    cut = tiny.write(ids(tiny), Writing(20, stop=(stop, "never")), show=shown.append)
    assert (cut.text, cut.finish) == (whole[: whole.index(stop)], "stop")
    assert all(cut.text.startswith(one) for one in shown)
    assert cut.output_tokens < 20


def test_the_end_token_ends_the_answer(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tiny.write(ids(tiny), Writing(3)).tokens
    vocabulary = replace(tiny._vocabulary, ends=frozenset({first[2].id}))
    monkeypatch.setattr(tiny, "_vocabulary", vocabulary)
    ended = tiny.write(ids(tiny), Writing(20))
    assert (ended.finish, ended.output_tokens, len(ended.tokens)) == ("end", 3, 2)
    generated = tiny.generate(ids(tiny), beams=1, max_new_tokens=20)
    assert (generated.finished, generated.output_tokens) == (True, 2)


def test_a_seed_draws_the_same_again_and_others_something_else(tiny: Any) -> None:
    def drawn(seed: int | None) -> str:
        return str(tiny.write(ids(tiny), Writing(12, temperature=1.5, seed=seed)).text)

    assert drawn(5) == drawn(5)
    assert len({drawn(seed) for seed in (1, 2, 3, None, None)}) > 3


def test_tokens_are_drawn_as_often_as_they_are_probable(tiny: Any) -> None:
    """300 draws of a first token: the share of each lies within four deviations of its probability."""
    temperature, count = 1.5, 300
    likely = tiny.write(ids(tiny), Writing(1), alternatives=5).tokens[0]
    drawn = Counter(
        tiny.write(ids(tiny), Writing(1, temperature=temperature, seed=seed)).tokens[0].text for seed in range(count)
    )
    all_logs = tiny._ask.best(ids(tiny), len(tiny._vocabulary))
    total = sum(math.exp(log / temperature) for _, log in all_logs)
    for token, log in all_logs[:3]:
        share = math.exp(log / temperature) / total
        deviation = math.sqrt(share * (1 - share) / count)
        assert drawn[tiny._vocabulary.shown(token)] / count == pytest.approx(share, abs=4 * deviation)
    assert likely.text == tiny._vocabulary.shown(all_logs[0][0])
    nucleus = {tiny.write(ids(tiny), Writing(1, temperature=1, top_p=0.05, seed=seed)).text for seed in range(10)}
    assert len(nucleus) == 1


@pytest.mark.parametrize("form", FORMS)
def test_what_is_drawn_keeps_to_the_form(tiny: Any, form: Structure) -> None:
    for seed in range(4):
        written = tiny.write(ids(tiny), Writing(60, temperature=2, top_p=0.9, seed=seed), form=make_form(form))
        assert make_form(form).problem(written.text) == ""
        assert all(one.probability is None for one in written.tokens)


def test_a_form_that_cannot_be_held_is_refused(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("too much")

    monkeypatch.setattr(type(tiny._spelling), "follow", refuse)
    with pytest.raises(WorkbenchError, match="too much") as caught:
        tiny.write(ids(tiny), Writing(5), form=make_form(FORMS[0]))
    assert caught.value.code == "structure_unsupported"


# Stops, the server, and what becomes of it.


def test_a_stop_ends_whatever_is_done(tiny: Any) -> None:
    stop = Event()
    stop.set()
    grammar = ExtractGrammar(TEXT, (GrammarLine("x", many=True),))
    for call in (
        lambda: tiny.score(ids(tiny), [tiny.encode_answer("a"), tiny.encode_answer("b")], stop=stop),
        lambda: tiny.write(ids(tiny), Writing(50), stop=stop),
        lambda: tiny.generate(ids(tiny), beams=3, max_new_tokens=50, stop=stop),
        lambda: tiny.decode([ids(tiny)], [grammar], limits=[50], stop=stop),
        lambda: tiny.write(ids(tiny), Writing(50), form=make_form(FORMS[2]), stop=stop),
    ):
        with pytest.raises(Cancelled):
            call()
    assert tiny.write(ids(tiny), Writing(3)).output_tokens == 3, "it goes on afterwards"


def test_a_stop_while_writing_adds_one_token_at_most(tiny: Any) -> None:
    stop, shown = Event(), list[str]()

    def show(text: str) -> None:
        shown.append(text)
        if len(shown) == 2:
            stop.set()

    with pytest.raises(Cancelled):
        tiny.write(ids(tiny), Writing(200), show=show, stop=stop)
    assert len(shown) == 2


def test_a_stop_while_a_long_prompt_is_read(tiny: Any) -> None:
    long = tuple(range(100, 160)) * 30
    stop = Event()
    read = tiny._server._server.handle_completions

    class Stopping:
        def handle_completions(self, request: dict[str, Any], *callback: Callable[[Any], bool]) -> Any:
            if not callback:
                return read(request)
            return read(request, lambda chunk: (stop.set(), callback[0](chunk))[1])

    tiny._server._server, kept = Stopping(), tiny._server._server
    try:
        with pytest.raises(Cancelled):
            tiny.write(long, Writing(1), stop=stop)
    finally:
        tiny._server._server = kept
    assert tiny.write(long, Writing(1)).output_tokens == 1


def test_what_show_raises_ends_the_writing(tiny: Any) -> None:
    def refuse(_: str) -> None:
        raise KeyError("gone")

    with pytest.raises(KeyError):
        tiny.write(ids(tiny), Writing(5), show=refuse)


def test_what_was_read_is_kept_until_it_is_forgotten(tiny: Any) -> None:
    def cached(prompt: tuple[int, ...]) -> int:
        answer = tiny._server.step(prompt, {})
        return int(answer["usage"]["prompt_tokens_details"]["cached_tokens"])

    prompt = tuple(range(200, 230))
    cached(prompt)
    assert cached(prompt) == len(prompt) - 1
    tiny.forget()
    assert cached(prompt) == 0


def test_the_port_is_ours_alone_and_gone_with_the_model(made: dict[str, Path]) -> None:
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    backend = load(made["gguf"])
    address = httpx.URL(backend._server.address)
    assert address.host == "127.0.0.1"
    body = {"content": "x", "prompt": "x"}
    for path in ("/tokenize", "/completion", "/v1/completions", "/slots", "/props"):
        assert httpx.post(address.join(path), json=body, trust_env=False).status_code in {401, 404, 405}
    backend.close()
    with socket.socket() as probe:
        assert probe.connect_ex((address.host, address.port or 0)) != 0
    with pytest.raises(WorkbenchError) as caught:
        backend.write(ids_of_nothing(), Writing(1))
    assert caught.value.code == "model_silent"
    backend.close()
    assert not [one for one in threading.enumerate() if one.name == "gguf-request"]


def ids_of_nothing() -> tuple[int, ...]:
    return (100, 101)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (RuntimeError("gone"), "model_silent"),
        ({"error": {"message": "Failed to find a memory slot"}}, "out_of_memory"),
        ({"error": {"message": "Compute error."}}, "model_silent"),
        ({"choices": []}, "model_silent"),
        (None, "model_silent"),
    ],
)
def test_a_server_that_fails_gives_one_message(tiny: Any, answer: Any, code: str) -> None:
    class Failing:
        def handle_completions(self, *_: object) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

    tiny._server._server, kept = Failing(), tiny._server._server
    try:
        with pytest.raises(WorkbenchError) as caught:
            tiny.write((100, 101), Writing(2))
    finally:
        tiny._server._server = kept
    assert caught.value.code == code


def test_a_server_that_hangs_is_left_alone(made: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    backend = load(made["gguf"])
    release = Event()

    class Hanging:
        def handle_completions(self, *_: object) -> Any:
            release.wait(20)

    monkeypatch.setattr(server_module, "_PATIENCE", 0.2)
    monkeypatch.setattr(server_module, "_hung", [])
    real, backend._server._server = backend._server._server, Hanging()
    for _ in range(2):
        with pytest.raises(WorkbenchError) as caught:
            backend.write((100, 101), Writing(2))
        assert caught.value.code == "model_silent"
    backend.close()
    assert len(server_module._hung) == 1, "to let go of it would wait for it"
    release.set()
    del real


# Files.


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


def test_a_folder_with_one_file_loads_and_says_what_it_is(made: dict[str, Path], tmp_path: Path) -> None:
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


def sentencepiece_model(path: Path) -> Path:
    """A Llama of one layer with random weights, and a SentencePiece vocabulary that can spell everything."""
    import gguf

    words = ["▁", "▁t", "▁th", "▁the", "th", "he", *"abcdefghijklmnopqrstuvwxyz,:"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *words]
    kinds = [2, 3, 3, *[6] * 256, *[1] * len(words)]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(1)
    writer.add_context_length(512)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(48)
    writer.add_head_count(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores(
        [-1000.0 if kind == 6 else -len(token) * 0.1 for token, kind in zip(tokens, kinds, strict=True)]
    )
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    random = np.random.default_rng(0)
    shapes = {
        "token_embd": (len(tokens), 32),
        "blk.0.ffn_gate": (48, 32),
        "blk.0.ffn_up": (48, 32),
        "blk.0.ffn_down": (32, 48),
    }
    shapes |= {f"blk.0.attn_{name}": (32, 32) for name in ("q", "k", "v", "output")}
    shapes |= {"output": (len(tokens), 32), "output_norm": (32,), "blk.0.attn_norm": (32,), "blk.0.ffn_norm": (32,)}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.normal(0, 0.5, shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


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


@pytest.mark.parametrize("metadata", [{}, {"model": "gpt2", "tokens": []}, {"model": "rwkv", "tokens": ["a"]}])
def test_a_vocabulary_that_is_not_read(metadata: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"vocabulary|tokenizer"):
        read_vocabulary(header(**metadata))


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


def test_a_connection_that_was_closed_is_opened_again(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    post, tries = tiny._server._http.post, list[str]()

    def closed_once(path: str, **options: Any) -> Any:
        tries.append(path)
        if len(tries) == 1:
            raise httpx.RemoteProtocolError("Server disconnected")
        return post(path, **options)

    monkeypatch.setattr(tiny._server._http, "post", closed_once)
    assert tiny._tokens.plain("the")
    assert len(tries) == 2
    monkeypatch.setattr(tiny._server._http, "post", lambda *_, **__: post("/gone"))
    with pytest.raises(WorkbenchError) as caught:
        tiny._tokens.plain("the")
    assert caught.value.code == "model_silent"
