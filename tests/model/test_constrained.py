"""Constrained decoding against the plain way: the whole vocabulary masked, one token at a time, no cache."""

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from text.test_grammar import legal, texts

from engine.errors import Cancelled
from engine.model.backend import Decoded
from engine.text.grammar import ExtractGrammar, GrammarLine

pytestmark = pytest.mark.usefixtures("one_thread")
SOURCES = [
    "张三在北京买了三本书，花了120元。",
    "Ann Lee moved to Paris; the price of the film was 12.50",
    "💹👨🏻‍🚒张三在杭州🇨🇳买了茶 הסרט é́ مرحبا",
    "today",
]
LABELS = ("人名", "地名: 城市", "price", "日期")


def grammar(source: str, labels: Sequence[str] = LABELS, *, many: bool = True) -> ExtractGrammar:
    return ExtractGrammar(source, tuple(GrammarLine(label, many) for label in labels))


def encode(backend: Any, source: str, labels: Sequence[str] = LABELS) -> tuple[int, ...]:
    return tuple(backend.encode_prompt(backend.protocol.extract(source, labels), 64).ids)


def plain_decoding(backend: Any, prompt: Sequence[int], rules: ExtractGrammar, limit: int) -> Decoded:
    """Each token from a forward pass over everything before it, the head whole, illegal tokens at minus infinity."""
    constraint = backend._constrainer.start(rules)
    tokens: list[int] = []
    logs: list[float] = []
    forced = 0
    while not constraint.done and len(tokens) < limit:
        without_choice = constraint.forced()[:1]
        legal_ids = constraint.legal()
        if without_choice:
            assert without_choice[0] in legal_ids
        elif len(legal_ids) == 1:
            without_choice = legal_ids.tolist()
        if without_choice:
            chosen, log = int(without_choice[0]), 0.0
            forced += 1
        else:
            with torch.inference_mode():
                logits = backend._model(input_ids=torch.tensor([[*prompt, *tokens]]), use_cache=False).logits[0, -1]
            masked = torch.full_like(logits, -math.inf)
            masked[legal_ids] = logits[legal_ids]
            chosen = int(masked.argmax())
            log = float(masked.log_softmax(-1)[chosen])
        constraint.accept([chosen])
        tokens.append(chosen)
        logs.append(log)
    return Decoded(tuple(map(constraint.piece, tokens)), tuple(logs), forced, len(constraint.answer))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("many", [True, False])
def test_restricted_head_and_jumps_equal_the_masked_vocabulary_token_by_token(
    backend: Any, source: str, many: bool
) -> None:
    rules = grammar(source, many=many)
    prompt = encode(backend, source)
    (ours,), forwards = backend.decode([prompt], [rules], limits=[600])
    plain = plain_decoding(backend, prompt, rules, 600)
    assert ours.pieces == plain.pieces
    assert ours.log_probabilities == pytest.approx(plain.log_probabilities, abs=1e-4)
    assert ours.forced == plain.forced > 0
    assert ours.written == plain.written == len(ours.answer)
    assert forwards < len(ours.pieces)


def test_together_equals_alone(backend: Any) -> None:
    assert backend._batch
    rules = [grammar(source) for source in SOURCES]
    prompts = [encode(backend, source) for source in SOURCES]
    together, forwards = backend.decode(prompts, rules, limits=[600] * 4)
    alone = [backend.decode([one], [rule], limits=[600]) for one, rule in zip(prompts, rules, strict=True)]
    for one, ((other,), _) in zip(together, alone, strict=True):
        assert one.pieces == other.pieces
        assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-4)
    assert forwards < sum(passes for _, passes in alone)


def test_each_answer_has_a_limit_of_its_own(backend: Any) -> None:
    rules = [grammar(source) for source in SOURCES]
    prompts = [encode(backend, source) for source in SOURCES]
    limits = [8, 600, 20, 40]
    together, _ = backend.decode(prompts, rules, limits=limits)
    alone = [
        backend.decode([one], [rule], limits=[limit])[0][0]
        for one, rule, limit in zip(prompts, rules, limits, strict=True)
    ]
    assert [(one.answer, one.written) for one in together] == [(one.answer, one.written) for one in alone]


def test_a_common_beginning_is_read_once(build: Callable[..., Any]) -> None:
    backend = build("bloom", prefix_bytes=2**24)
    source = SOURCES[1] * 4
    labels = [LABELS[:2], LABELS[2:], LABELS[:1]]
    prompts = [encode(backend, one, names) for one in (source, SOURCES[0]) for names in labels]
    rules = [grammar(one, names) for one in (source, SOURCES[0]) for names in labels]
    read: list[int] = []
    own = backend._read
    backend._read = lambda tokens, *rest: (read.append(len(tokens)), own(tokens, *rest))[1]
    together, _ = backend.decode(prompts, rules, limits=[200] * 6)
    assert sum(read) < sum(map(len, prompts)) - len(prompts[0]), "the first text is read once, not three times"
    backend._read = own
    backend.forget()
    alone = [backend.decode([one], [rule], limits=[200])[0][0] for one, rule in zip(prompts, rules, strict=True)]
    assert [one.answer for one in together] == [one.answer for one in alone]


def test_caches_that_are_not_plain_take_turns(build: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    backend = build("llama")
    monkeypatch.setattr("engine.model.ragged.is_plain", lambda _: False)
    backend.warm_up()
    assert not backend._batch
    prompts, rules = [encode(backend, one) for one in SOURCES[:2]], [grammar(one) for one in SOURCES[:2]]
    turns, _ = backend.decode(prompts, rules, limits=[60, 60])
    backend._batch = True
    together, _ = backend.decode(prompts, rules, limits=[60, 60])
    assert [one.answer for one in turns] == [one.answer for one in together]


def test_a_batch_that_gives_other_states_is_found_at_load(
    build: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.model.ragged import RaggedBatch

    backend = build("bloom")
    read = RaggedBatch.read
    monkeypatch.setattr(RaggedBatch, "read", lambda self, tokens: read(self, tokens) + 1)
    backend.warm_up()
    assert not backend._batch


@pytest.mark.parametrize("limit", range(1, 60, 3))
def test_an_answer_at_its_limit_is_closed_legally(backend: Any, limit: int) -> None:
    rules = grammar(SOURCES[1])
    prompt = encode(backend, SOURCES[1])
    (cut,), _ = backend.decode([prompt], [rules], limits=[limit])
    (whole,), _ = backend.decode([prompt], [rules], limits=[1000])
    assert legal(rules, cut.answer)
    assert len(cut.log_probabilities) == len(cut.pieces)
    assert len(cut.pieces) + cut.taken_back >= max(limit, cut.forced) or cut.written == len(cut.answer)
    assert cut.answer[: cut.written] == whole.answer[: cut.written]
    if cut.written < len(cut.answer):
        values = [(line.start, cut.answer[start:end]) for line in rules.read(cut.answer) for start, end in line.values]
        model_s = [
            (line.start, whole.answer[start:end]) for line in rules.read(whole.answer) for start, end in line.values
        ]
        assert values == model_s[: len(values)], "no value is shorter than the model wrote it"


def test_a_stop_ends_the_decoding(backend: Any) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        backend.decode([encode(backend, SOURCES[0])], [grammar(SOURCES[0])], limits=[50], stop=stop)


def test_control_tokens_are_never_written(backend: Any) -> None:
    control = sorted(backend._tokens.control_ids)
    source = " ".join(backend._tokens.tokenizer.convert_ids_to_tokens(control))
    constraint = backend._constrainer.start(grammar(source, ["x"]))
    constraint.accept(constraint.forced())
    seen: list[int] = []
    while not constraint.done and len(seen) < 200:
        ids = constraint.legal()
        assert not set(ids.tolist()) & set(control)
        constraint.accept([int(ids[-1])])
        seen.append(int(ids[-1]))


@given(texts(), st.lists(st.text(min_size=1, max_size=8).filter(str.isalnum), min_size=1, max_size=3, unique=True))
@settings(max_examples=40)
def test_any_text_gives_a_legal_answer(backends: dict[str, Any], text: str, labels: list[str]) -> None:
    backend = backends["bloom"]
    rules = grammar(text, labels)
    (ours,), _ = backend.decode([encode(backend, text, labels)], [rules], limits=[400])
    assert legal(rules, ours.answer)
    for line in rules.read(ours.answer):
        assert all(ours.answer[start:end] in text.encode(errors="replace") for start, end in line.values)
