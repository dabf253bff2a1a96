"""Other tokenizers and architectures than BLOOM's and Llama's: constrained decoding, scoring, the check at load."""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from checkpoints import WORDS, backend_over, byte_level
from text.test_grammar import legal
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from engine.errors import WorkbenchError
from engine.model.constrained import Row
from engine.model.ragged import RaggedBatch
from engine.run.extract import Extractor
from engine.text.grammar import ExtractGrammar, GrammarLine
from engine.types import ExtractRequest, FieldSpec

pytestmark = pytest.mark.usefixtures("one_thread")

TEXTS = [
    "Ann Lee lives in Paris (b)\nAnn\t张三 甲乙 12",
    "Ann Lee e\u0301\u0301 💹👨🏻\u200d🚒 مرحبا\r\n12 e\u0301 \ufb01 Ａ",
    "Lee Lee  Lee Lee",
    "Ann \x04 x\x06y \U00050000 Bo " + "b" * 1500,
]
NAMES = ["人名", "a: N", "price", "\U00050000"]
CORPUS = [*WORDS.split(), "Ann Lee", "Lee\tAnn\n", "e\t", "b)\n", "\t甲乙", "三\t", "None\nprice: None\n", "Lee\t"] * 4
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def merges() -> Tokenizer:
    """Tokens that hold the end of a value, the separator and what follows."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=1100, initial_alphabet=alphabet))
    return tokenizer


def normalising(normalizer: Any) -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.normalizer = normalizer
    return tokenizer


def with_added() -> Tokenizer:
    """Plain words, blanks and a line end as added tokens, which are never written."""
    tokenizer = byte_level()
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in ("Ann", "Lee", "  ", "\n", "None", "张三")])
    return tokenizer


def without_bytes() -> Tokenizer:
    """As SmolLM2's: some control characters and the first byte of planes that hold no characters are no tokens."""
    state = json.loads(byte_level().to_str())
    shown = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    lost = {shown.pre_tokenize_str(char)[0][0][0] for char in "\x04\x06\U00050000"}
    kept = [token for token in state["model"]["vocab"] if token not in lost]
    state["model"]["vocab"] = {token: number for number, token in enumerate(kept)}
    return Tokenizer.from_str(json.dumps(state))


def sentencepiece(*, byte_fallback: bool = True) -> Tokenizer:
    """As Llama 2's: ▁ for blanks, tokens <0x00> to <0xFF> for what is not in the vocabulary."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=600, special_tokens=["<unk>"]))
    state = json.loads(tokenizer.to_str())
    first, *others = sorted(state["model"]["vocab"], key=state["model"]["vocab"].__getitem__)
    tokens = [first, *(BYTES if byte_fallback else []), *others]
    state["model"] |= {"vocab": {token: number for number, token in enumerate(tokens)}, "byte_fallback": byte_fallback}
    blank = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    state["decoder"] = {"type": "Sequence", "decoders": [blank, {"type": "ByteFallback"}, {"type": "Fuse"}, strip]}
    return Tokenizer.from_str(json.dumps(state))


def wordpiece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=500, special_tokens=["<unk>"]))
    return tokenizer


TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "merges over separators": merges,
    "NFC": lambda: normalising(normalizers.NFC()),
    "NFKC": lambda: normalising(normalizers.NFKC()),
    "words as added tokens": with_added,
    "bytes missing": without_bytes,
    "SentencePiece with bytes": sentencepiece,
}


def asked(backend: Any, text: str, names: Sequence[str] = NAMES) -> tuple[tuple[int, ...], ExtractGrammar]:
    prompt = backend.encode_prompt(backend.protocol.extract(text, names), 300).ids
    return prompt, ExtractGrammar(text, tuple(GrammarLine(name, True) for name in names))


@pytest.fixture(scope="module", params=TOKENIZERS)
def backend(request: pytest.FixtureRequest) -> Any:
    made = backend_over(TOKENIZERS[request.param](), "Llama", context=4096)
    made.warm_up()
    return made


@pytest.mark.parametrize("text", TEXTS)
def test_every_tokenizer_writes_legal_answers(backend: Any, text: str) -> None:
    result = Extractor(backend)(ExtractRequest(text, tuple(map(FieldSpec, NAMES))))
    for field in result.fields:
        for value in field.values:
            assert value.status == "exact"
            assert text[value.start : value.end] == value.text
    assert [line.asked for line in result.prompts[0].lines] == NAMES


@pytest.mark.parametrize("text", TEXTS[:3])
def test_every_tokenizer_closes_an_answer_at_any_limit(backend: Any, text: str) -> None:
    prompt, rules = asked(backend, text, NAMES[:3])
    (whole,), _ = backend.decode([prompt], [rules], limits=[300])
    said = [(line.start, whole.answer[start:end]) for line in rules.read(whole.answer) for start, end in line.values]
    for limit in range(1, 45, 2):
        (cut,), _ = backend.decode([prompt], [rules], limits=[limit])
        assert legal(rules, cut.answer)
        assert len(cut.log_probabilities) == len(cut.pieces)
        assert cut.answer[: cut.written] == whole.answer[: cut.written]
        values = [(line.start, cut.answer[start:end]) for line in rules.read(cut.answer) for start, end in line.values]
        assert values == said[: len(values)], "no value is other than the model wrote it"


def test_a_separator_taken_back_with_its_value_still_counts() -> None:
    backend = backend_over(merges(), "Llama", context=4096)
    rules = ExtractGrammar("Lee Bo", (GrammarLine("a", True),))
    row = Row(backend._constrainer.start(rules), 99)
    token = backend._tokens.tokenizer.convert_tokens_to_ids
    ids = [*backend._tokens.plain("a: "), token("Leeĉ"), *backend._tokens.plain("B")]
    row._write(ids, [0.0] * (len(ids) - 2) + [-2.0, -3.0])
    closed = row.result()
    assert closed.answer == b"a: Lee\n"
    assert sum(closed.log_probabilities) == -2.0


@pytest.mark.parametrize("make", [lambda: sentencepiece(byte_fallback=False), wordpiece])
def test_a_tokenizer_that_cannot_write_every_text_is_refused(make: Callable[[], Tokenizer]) -> None:
    backend = backend_over(make(), "Llama", context=4096)
    with pytest.raises(WorkbenchError) as refused:
        Extractor(backend)(ExtractRequest("Ann", (FieldSpec("a"),)))
    assert refused.value.code == "extract_unsupported"


@pytest.mark.parametrize("more", [-3, 64])
def test_an_output_layer_may_have_fewer_or_more_rows_than_the_tokenizer_has_tokens(more: int) -> None:
    tokenizer = byte_level()
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in ("</s>", "<a>", "<b>", "<c>")])
    backend = backend_over(tokenizer, "Llama", more_rows=more)
    for text in TEXTS[:2]:
        prompt, rules = asked(backend, text)
        assert legal(rules, backend.decode([prompt], [rules], limits=[100])[0][0].answer)


# Architectures.

SIZES = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
ANSWERS = ("one", "one two", "three")


@pytest.mark.parametrize(
    ("kind", "settings", "tree", "batch"),
    [
        ("GPT2", {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 256}, True, True),
        ("Mistral", SIZES | {"num_key_value_heads": 1, "sliding_window": 32}, False, False),
        ("Mistral", SIZES | {"num_key_value_heads": 1, "sliding_window": 512}, True, False),
        ("Lfm2", SIZES | {"num_key_value_heads": 1, "layer_types": ["conv", "full_attention"]}, False, False),
        ("Qwen2", SIZES | {"num_key_value_heads": 1}, True, True),
    ],
)
def test_the_check_at_load_finds_the_way_that_is_right(
    kind: str, settings: dict[str, Any], tree: bool, batch: bool
) -> None:
    backend = backend_over(byte_level(), kind, context=256, **settings)
    backend.warm_up()
    assert (backend._tree, backend._batch) == (tree, batch)
    texts = [TEXTS[0] * 3, TEXTS[1] * 2, TEXTS[0]]  # longer than a window, of unlike lengths
    names = NAMES[:2]
    prompts = [backend.encode_prompt(backend.protocol.extract(one, names), 60).ids for one in texts]
    rules = [ExtractGrammar(one, tuple(GrammarLine(name, True) for name in names)) for one in texts]
    together, _ = backend.decode(prompts, rules, limits=[60] * 3)
    alone = [backend.decode([one], [rule], limits=[60])[0][0] for one, rule in zip(prompts, rules, strict=True)]
    assert [one.answer for one in together] == [one.answer for one in alone]
    answers = [backend.encode_answer(word) for word in ANSWERS]
    scores = backend.score(prompts[0], answers)
    backend._tree = False
    each = backend.score(prompts[0], answers)
    for one, other in zip(scores.siblings, each.siblings, strict=True):
        assert one == pytest.approx(other, abs=1e-4)


def test_a_model_that_forgets_what_it_has_read_is_refused() -> None:
    settings = {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}
    backend = backend_over(byte_level(), "Mamba", **settings)
    with pytest.raises(WorkbenchError) as refused:
        backend.warm_up()
    assert refused.value.code == "not_loadable"


@pytest.mark.parametrize(("dtype", "batch"), [(torch.bfloat16, True), (torch.float32, False)])
def test_states_may_differ_by_a_hundredth_in_half_precision(
    dtype: Any, batch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As SmolLM2's do, whose states reach 30, where bfloat16's steps are 0.125."""
    backend = backend_over(byte_level(), "Llama", dtype=dtype)
    read = RaggedBatch.read
    monkeypatch.setattr(RaggedBatch, "read", lambda self, tokens: read(self, tokens) * 1.01)
    backend.warm_up()
    assert backend._batch == batch


def test_a_tokenizer_that_names_no_end_token_can_still_generate() -> None:
    backend = backend_over(byte_level(), "Llama")
    tokenizer = backend._tokens.tokenizer
    tokenizer.eos_token = tokenizer.pad_token = None
    backend._model.generation_config.eos_token_id = None
    made = backend.generate(backend._tokens.plain("one two"), beams=2, max_new_tokens=5)
    assert (made.output_tokens, made.finished) == (5, False)


def test_logits_that_are_no_numbers_are_no_probability() -> None:
    backend = backend_over(byte_level(), "Llama")
    prompt, rules = asked(backend, TEXTS[0])
    backend._head.weight.data *= math.nan
    with pytest.raises(FloatingPointError):
        backend.decode([prompt], [rules], limits=[20])


def test_a_prompt_that_is_the_beginning_of_those_before_it() -> None:
    backend = backend_over(byte_level(), "Llama")
    start = backend._tokens.plain("one two three four five six seven eight nine ten eleven twelve")
    rules = ExtractGrammar("Ann", (GrammarLine("a", True),))
    prompts = [(*start, 5, 6), (*start, 7, 8), tuple(start)]
    together, _ = backend.decode(prompts, [rules] * 3, limits=[20] * 3)
    assert together[2].answer == backend.decode(prompts[2:], [rules], limits=[20])[0][0].answer
