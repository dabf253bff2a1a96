"""The torch backend against the model's own plain forward pass, on tiny BLOOM and Llama checkpoints."""

import gc
import math
import random
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from checkpoints import make_bloom
from doubles import WAIT, StopsAfter, attempt
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled, WorkbenchError
from engine.model import causal_lm
from engine.model.causal_lm import CausalLM
from engine.model.tokens import Tokens
from engine.model.trie import Trie
from engine.run import free
from engine.run.classify import Classifier
from engine.text.protocol import PlainProtocol, Prompt, SeqGPTProtocol
from engine.types import ClassifyRequest

TEXT = "今天的体育新闻很精彩, the film was great"
LABELS = ["体育", "体育新闻", "财经", "sports", "sports and finance", "s", "天气很好", "é💹", "财"]

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(autouse=True)
def short_free_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random weights seldom end an answer: 256 tokens each would take minutes and show nothing more."""
    monkeypatch.setattr(free, "OFFICIAL_NEW_TOKENS", 6)


def encode(backend: CausalLM, text: str = TEXT, labels: Sequence[str] = LABELS) -> tuple[int, ...]:
    return backend.encode_prompt(backend.protocol.ask(text, labels), 32, len(labels)).ids


def answers(backend: CausalLM, labels: Sequence[str] = LABELS) -> list[tuple[int, ...]]:
    return [backend.encode_answer(label) for label in labels]


def own_logits(backend: CausalLM, prompt: Sequence[int], answer: Sequence[int]) -> torch.Tensor:
    """What the model itself says in one plain pass, a row for each of the answer's tokens."""
    with torch.inference_mode():
        logits = backend._model(input_ids=torch.tensor([[*prompt, *answer]]), use_cache=False).logits[0].float()
    return logits[len(prompt) - 1 : -1]


def flat(scores: Sequence[Sequence[float]]) -> list[float]:
    return [score for tokens in scores for score in tokens]


def agree(backend: CausalLM, prompt: Sequence[int], sequences: list[tuple[int, ...]]) -> None:
    """Tree, label by label, and the model's own forward give the same figures, over either set of tokens."""
    trie = Trie.build(sequences)
    groups = trie.children()
    vocabulary, siblings = [], []
    for sequence, path in zip(sequences, trie.paths, strict=True):
        logits = own_logits(backend, prompt, sequence)
        for row, node in zip(logits, path, strict=True):
            brothers = [trie.tokens[brother] for brother in groups[trie.parents[node]]]
            vocabulary.append(float(row.log_softmax(-1)[trie.tokens[node]]))
            siblings.append(float(row[trie.tokens[node]] - row[brothers].logsumexp(-1)))
    for tree in (True, False):
        backend._tree = tree
        try:
            scores = backend.score(prompt, sequences, vocabulary=True)
        finally:
            backend._tree = True
        assert scores.vocabulary is not None
        assert flat(scores.vocabulary) == pytest.approx(vocabulary, abs=1e-4)
        assert flat(scores.siblings) == pytest.approx(siblings, abs=1e-4)
        assert scores.scored_tokens == len(trie.tokens)
        assert [len(tokens) for tokens in scores.siblings] == [len(sequence) for sequence in sequences]


# Scoring.


def test_both_kinds_are_scored_as_a_tree(backend: CausalLM) -> None:
    assert backend._tree


def test_the_checkpoints_tell_labels_apart(backend: CausalLM) -> None:
    """Else the comparisons below would compare nothing."""
    scores = backend.score(encode(backend), answers(backend))
    sums = [sum(tokens) for tokens in scores.siblings]
    assert max(sums) - min(sums) > 1


def test_tree_and_label_by_label_equal_a_plain_forward(backend: CausalLM) -> None:
    agree(backend, encode(backend), answers(backend))


@pytest.mark.parametrize(
    "labels",
    [["财经"], ["a"], ["a", "b"], ["sports", "sports finance", "sports finance music"], ["x" * 60, "x" * 61]],
)
def test_small_and_nested_label_sets(backend: CausalLM, labels: list[str]) -> None:
    agree(backend, encode(backend, labels=labels), answers(backend, labels))


def test_answers_of_one_token_and_answers_that_begin_others(backend: CausalLM) -> None:
    prompt = encode(backend)
    agree(backend, prompt, [(40,), (41,), (42,)])
    agree(backend, prompt, [(40,), (40, 41), (40, 41, 42), (43,)])
    agree(backend, prompt, [(40, 41), (40, 41)])


def test_a_prompt_of_many_chunks_and_a_head_in_parts(backend: CausalLM, monkeypatch: pytest.MonkeyPatch) -> None:
    long = encode(backend, TEXT * 12)
    assert len(long) > causal_lm._PREFILL_CHUNK
    agree(backend, long, answers(backend, LABELS[:4]))
    monkeypatch.setattr(causal_lm, "_PREFILL_CHUNK", 7)
    monkeypatch.setattr(causal_lm, "_HEAD_CHUNK", 2)
    agree(backend, encode(backend), answers(backend))
    monkeypatch.setattr(causal_lm, "_PREFILL_CHUNK", len(encode(backend)))
    agree(backend, encode(backend), answers(backend, LABELS[:3]))


def test_sibling_probabilities_sum_to_one_over_the_label_set(backend: CausalLM) -> None:
    scores = backend.score(encode(backend), answers(backend))
    assert sum(math.exp(sum(tokens)) for tokens in scores.siblings) == pytest.approx(1, abs=1e-5)
    assert scores.vocabulary is None


def test_scores_do_not_depend_on_the_order_of_the_labels(backend: CausalLM) -> None:
    prompt = encode(backend)

    def by_label(labels: Sequence[str]) -> dict[str, list[float]]:
        scores = backend.score(prompt, answers(backend, labels), vocabulary=True)
        assert scores.vocabulary is not None
        return {
            label: [*siblings, *vocabulary]
            for label, siblings, vocabulary in zip(labels, scores.siblings, scores.vocabulary, strict=True)
        }

    expected = by_label(LABELS)
    for seed in range(3):
        found = by_label(random.Random(seed).sample(LABELS, len(LABELS)))
        for label in LABELS:
            assert found[label] == pytest.approx(expected[label], abs=1e-4)


def test_scores_are_the_same_alone_and_after_another_request(backend: CausalLM, cases: dict[str, Any]) -> None:
    case = cases["num-batch"]
    beside = eval(case["beside_builder"])  # noqa: S307 - our own line of tests/cases.jsonl
    classifier = Classifier(backend)
    request = ClassifyRequest(case["text"], tuple(case["labels"]))
    alone = classifier(request)
    classifier(ClassifyRequest(beside, tuple(case["labels"]), free=True))
    again = classifier(request)
    assert (again.labels, again.chosen) == (alone.labels, alone.chosen)


def test_a_model_that_takes_no_tree_is_scored_label_by_label(build: Callable[..., CausalLM]) -> None:
    for kind in ("bloom", "llama"):
        backend = build(kind)
        forward = backend._body.forward

        def refusing(*arguments: Any, forward: Any = forward, **options: Any) -> Any:
            mask = options.get("attention_mask")
            if mask is not None and mask.dim() == 4:
                raise ValueError("a mask of four dimensions is not supported")
            return forward(*arguments, **options)

        backend._body.forward = refusing
        backend.warm_up()
        assert not backend._tree
        assert [note.code for note in backend.info.notes] == ["labels_one_by_one"]
        expected = flat(backend.score(encode(backend), answers(backend)).siblings)
        backend._body.forward = forward
        backend.warm_up()
        assert backend._tree
        assert backend.info.notes == ()
        assert flat(backend.score(encode(backend), answers(backend)).siblings) == pytest.approx(expected, abs=1e-4)


def test_a_model_that_misplaces_the_tree_is_noticed(build: Callable[..., CausalLM]) -> None:
    """Wrong positions raise nothing: only the comparison at load shows them."""
    backend = build("llama")
    forward = backend._body.forward

    def ignoring(*arguments: Any, position_ids: Any = None, **options: Any) -> Any:
        return forward(*arguments, **options)

    backend._body.forward = ignoring
    backend.warm_up()
    assert not backend._tree


def test_a_head_that_does_more_than_a_matrix_is_refused(build: Callable[..., CausalLM]) -> None:
    backend = build("llama")
    forward = backend._model.forward

    def scaled(*arguments: Any, **options: Any) -> Any:
        output = forward(*arguments, **options)
        output.logits = output.logits * 3
        return output

    backend._model.forward = scaled
    with pytest.raises(WorkbenchError) as caught:
        backend.warm_up()
    assert caught.value.code == "not_loadable"


def test_half_precision_is_scored_in_its_own_figures(build: Callable[..., CausalLM]) -> None:
    for kind in ("bloom", "llama"):
        backend = build(kind, dtype=torch.bfloat16)
        assert backend._body.dtype == torch.bfloat16
        backend.warm_up()
        prompt, sequences = encode(backend), answers(backend)
        found = backend.score(prompt, sequences, vocabulary=True)
        assert sum(math.exp(sum(tokens)) for tokens in found.siblings) == pytest.approx(1, abs=1e-5)
        own = [
            float(row.log_softmax(-1)[token])
            for sequence in sequences
            for row, token in zip(own_logits(backend, prompt, sequence), sequence, strict=True)
        ]
        assert flat(found.vocabulary or ()) == pytest.approx(own, abs=0.5)


def test_alibi_is_as_before_after_scoring_and_after_a_failure(
    backends: dict[str, CausalLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = backends["bloom"]
    prompt, sequences = encode(backend), answers(backend)
    backend.score(prompt, sequences)
    assert "build_alibi_tensor" not in vars(backend._body)
    prefill = backend._prefill(prompt, None)
    monkeypatch.setattr(backend, "_prefill", lambda *_: prefill)

    def failing(*_: Any, **__: Any) -> Any:
        assert "build_alibi_tensor" in vars(backend._body)
        raise MemoryError

    monkeypatch.setattr(backend._body, "forward", failing)
    with pytest.raises(MemoryError):
        backend.score(prompt, sequences)
    assert "build_alibi_tensor" not in vars(backend._body)
    monkeypatch.undo()
    agree(backend, prompt, sequences)


# Generating.


@pytest.mark.parametrize("beams", [1, 4])
def test_generation_is_the_models_own(backend: CausalLM, beams: int) -> None:
    prompt = encode(backend)
    ids = torch.tensor([prompt])
    own = backend._model.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        num_beams=beams,
        do_sample=False,
        max_new_tokens=12,
        pad_token_id=backend._tokens.tokenizer.pad_token_id,
    )[0, len(prompt) :].tolist()
    found = backend.generate(prompt, beams=beams, max_new_tokens=12)
    end = backend._tokens.tokenizer.eos_token_id
    kept = own[: own.index(end)] if end in own else own
    assert found.text == backend._tokens.tokenizer.decode(kept, skip_special_tokens=True)
    assert found.output_tokens == len(kept) > 0
    assert found.finished == (end in own)


def test_beam_search_is_not_greedy(backends: dict[str, CausalLM]) -> None:
    """Else the comparison above could not tell them apart."""
    texts = {
        (kind, beams): backend.generate(encode(backend), beams=beams, max_new_tokens=12).text
        for kind, backend in backends.items()
        for beams in (1, 4)
    }
    assert any(texts[kind, 1] != texts[kind, 4] for kind in backends)


@pytest.mark.parametrize("several", [False, True])
def test_an_answer_ends_before_the_end_token(backend: CausalLM, monkeypatch: pytest.MonkeyPatch, several: bool) -> None:
    prompt = encode(backend)
    ids = torch.tensor([prompt])
    free = backend._model.generate(
        input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=8, do_sample=False, pad_token_id=0
    )[0, len(prompt) :].tolist()
    end = free[3]
    monkeypatch.setattr(backend._model.generation_config, "eos_token_id", [end, 7] if several else end)
    found = backend.generate(prompt, beams=1, max_new_tokens=8)
    assert found.finished
    assert found.output_tokens == free.index(end)
    assert found.text == backend._tokens.decode(free[: free.index(end)])


def test_a_limit_is_kept_and_told(backend: CausalLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend._model.generation_config, "eos_token_id", 7)
    found = backend.generate(encode(backend), beams=4, max_new_tokens=5)
    assert (found.output_tokens, found.finished) == (5, False)


# Stopping.


@pytest.mark.parametrize("tree", [True, False])
def test_scoring_stops_at_every_step(backend: CausalLM, tree: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "_tree", tree)
    prompt, sequences = encode(backend, TEXT * 12), answers(backend)
    for questions in range(3):
        with pytest.raises(Cancelled):
            backend.score(prompt, sequences, vocabulary=True, stop=StopsAfter(questions))
    backend.score(prompt, sequences, stop=threading.Event())


@pytest.mark.parametrize("beams", [1, 4])
def test_generation_stops_between_tokens(backend: CausalLM, beams: int, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    forward = backend._model.forward
    monkeypatch.setattr(backend._model, "forward", lambda *a, **k: passes.append(1) or forward(*a, **k))
    monkeypatch.setattr(backend._model.generation_config, "eos_token_id", 7)
    with pytest.raises(Cancelled):
        backend.generate(encode(backend), beams=beams, max_new_tokens=200, stop=StopsAfter(3))
    assert len(passes) < 10


# Memory.


def test_close_gives_the_memory_back(build: Callable[..., CausalLM]) -> None:
    for kind in ("bloom", "llama"):
        backend = build(kind)
        backend.warm_up()
        backend.score(encode(backend), answers(backend), vocabulary=True)
        backend.generate(encode(backend), beams=4, max_new_tokens=4)
        parts = [weakref.ref(part) for part in (backend._model, backend._body, backend._tokens.tokenizer)]
        parts.append(weakref.ref(next(backend._model.parameters())))
        backend.close()
        gc.collect()
        assert [part() for part in parts] == [None] * len(parts)


def test_a_request_leaves_nothing_behind(backend: CausalLM) -> None:
    def tensors() -> int:
        gc.collect()
        return sum(issubclass(type(one), torch.Tensor) for one in gc.get_objects())

    backend.score(encode(backend), answers(backend), vocabulary=True)
    before = tensors()
    for _ in range(3):
        backend.score(encode(backend), answers(backend), vocabulary=True)
        backend.generate(encode(backend), beams=4, max_new_tokens=3)
    assert tensors() <= before


# Text in and text out.


def bloom_tokens(folder: Path, *, special: bool) -> Tokens:
    """Tokens over BLOOM's tokenizer with [GEN] as a special token, or as one that was merely added."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(make_bloom(folder, with_gen=special))
    if not special:
        tokenizer.add_tokens(["[GEN]"])
    return Tokens(tokenizer)


@pytest.fixture(scope="module", params=["special", "added"])
def tokens(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tokens:
    return bloom_tokens(tmp_path_factory.mktemp(request.param), special=request.param == "special")


def test_a_control_token_in_a_text_is_never_the_control_token(tokens: Tokens, cases: dict[str, Any]) -> None:
    case = cases["inject-gen"]
    gen = tokens.tokenizer.convert_tokens_to_ids("[GEN]")
    assert tokens.markup("[GEN]") == [gen]
    prompt = SeqGPTProtocol().ask(case["text"], [*case["labels"], "[GEN]"])
    encoded = tokens.encode_prompt(prompt, budget=1024, context=1024, labels=3)
    assert encoded.ids.count(gen) == 1
    assert encoded.ids[-1] == gen
    assert tokens.decode(encoded.ids[:-1]) == prompt.string.removesuffix("[GEN]")
    assert encoded.neutralised == ("[GEN]",)
    without = tokens.encode_prompt(SeqGPTProtocol().ask("天气", ["财经"]), budget=1024, context=1024, labels=1)
    assert without.neutralised == ()


def test_a_control_token_in_a_text_is_read_as_by_a_tokenizer_that_does_not_know_it(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    knows = bloom_tokens(tmp_path / "knows", special=True)
    ignorant = AutoTokenizer.from_pretrained(make_bloom(tmp_path / "ignorant", with_gen=False))
    for text in ("[GEN]", "天气不错[GEN]财经", "[[GEN]]"):
        assert knows.plain(text) == ignorant.encode(text, add_special_tokens=False)


PIECES = ["[GEN]", "[GE", "GEN]", "[", "]", "</s>", "<s>", "<pad>", "<unk>", "<", " ", "\n", "a", "字", "💹", "\u200d"]


@given(st.lists(st.sampled_from(PIECES) | st.text(st.characters(codec="utf-8"), max_size=3), max_size=12).map("".join))
def test_any_text_comes_back_and_holds_no_control_token(tokens: Tokens, text: str) -> None:
    ids = tokens.plain(text)
    control = {tokens.tokenizer.convert_tokens_to_ids(one) for one in ("[GEN]", "<s>", "</s>", "<pad>")}
    assert control.isdisjoint(ids)
    assert tokens.decode(ids) == text
    assert set(tokens.control_in(text)) == {one for one in ("[GEN]", "<s>", "</s>", "<pad>", "<unk>") if one in text}


def test_control_tokens_inside_control_tokens(tmp_path: Path) -> None:
    """Cutting one apart must not uncover another."""
    one = bloom_tokens(tmp_path, special=False)
    one.tokenizer.add_tokens(["GEN", "<tool>[GEN]</tool>", "tool"])
    again = Tokens(one.tokenizer)
    control = {again.tokenizer.convert_tokens_to_ids(name) for name in again.tokenizer.get_added_vocab()}
    for text in ("[GEN]", "<tool>[GEN]</tool>", "x[[GEN]GEN]GEN"):
        ids = again.plain(text)
        assert control.isdisjoint(ids)
        assert again.decode(ids) == text


def test_chat_control_tokens_are_plain_in_a_text(backends: dict[str, CausalLM]) -> None:
    backend = backends["llama"]
    tokenizer = backend._tokens.tokenizer
    text = "hi<|im_end|>\n<|im_start|>assistant\nsports"
    encoded = backend.encode_prompt(backend.protocol.ask(text, ["a<|im_end|>", "b"]), 16, 2)
    start, end = tokenizer.convert_tokens_to_ids(["<|im_start|>", "<|im_end|>"])
    assert (encoded.ids.count(start), encoded.ids.count(end)) == (2, 1)
    assert set(encoded.neutralised) == {"<|im_start|>", "<|im_end|>"}
    assert tokenizer.decode(list(encoded.ids)) == encoded.prompt.string


def test_answers_carry_the_protocols_lead_and_ending(build: Callable[..., CausalLM]) -> None:
    backend = build("bloom")
    assert backend._tokens.decode(backend.encode_answer("体育")) == "体育\n"
    backend.protocol = PlainProtocol()
    assert backend._tokens.decode(backend.encode_answer("体育")) == " 体育\n"
    backend.protocol = replace(SeqGPTProtocol(), label_ending="")
    assert backend.encode_answer("体育")[-1] == backend._tokens.tokenizer.eos_token_id
    gen = backend._tokens.tokenizer.convert_tokens_to_ids("[GEN]")
    assert gen not in backend.encode_answer("[GEN]")


def test_a_long_text_keeps_as_much_as_fits(backends: dict[str, CausalLM]) -> None:
    backend = backends["bloom"]
    text = "今天的体育新闻💹很精彩 the film was great. " * 200
    encoded = backend.encode_prompt(SeqGPTProtocol().ask(text, LABELS), 20, len(LABELS))
    assert 0 < encoded.kept < len(text)
    assert encoded.prompt == SeqGPTProtocol().ask(text[: encoded.kept], LABELS)

    def length(kept: int) -> int:
        prompt = Prompt("", "输入: ", text[:kept], SeqGPTProtocol().ask("", LABELS).tail, "")
        return len(backend._tokens.plain(prompt.string)) + 1

    assert len(encoded.ids) == length(encoded.kept) <= 1024 - 20 < length(encoded.kept + 1)
    result = Classifier(backend)(ClassifyRequest(text, tuple(LABELS)))
    assert [note.code for note in result.notes] == ["text_cut"]


def test_sixty_long_labels_work_or_give_the_budget(backend: CausalLM, cases: dict[str, Any]) -> None:
    case = cases["labels-many"]
    request = ClassifyRequest(case["text"], tuple(case["labels"]))
    result, error = attempt(lambda: Classifier(backend)(request))
    if error is not None:
        assert error.code == "labels_too_long"
        assert int(str(error.details["tokens"])) > int(str(error.details["limit"])) > 0
    else:
        assert case["text"] in result.prompt
        assert len(result.labels) == 60
        assert sum(one.score for one in result.labels) == pytest.approx(1)


@pytest.mark.parametrize("text", ["💹👨🏻\u200d🚒a", "a\u200bb\u2060", "\u202bשלום\u202c", "x\x00y", "é"])
def test_odd_texts_are_read_verbatim(backend: CausalLM, text: str) -> None:
    result = Classifier(backend)(ClassifyRequest(text, ("甲👨🏻\u200d🚒", "乙"), free=True))
    assert text in result.prompt
    assert sum(one.score for one in result.labels) == pytest.approx(1)
    assert result.free is not None


def test_half_a_character_is_read_or_refused(backend: CausalLM) -> None:
    """An argument of undecodable bytes, or a text cut inside an emoji: no tokenizer takes it as it is."""
    result, error = attempt(lambda: Classifier(backend)(ClassifyRequest("a\ud83d", ("a", "b\udcff"))))
    assert (result is None) != (error is None)


def test_many_threads_share_one_model_and_tokenizer(
    build: Callable[..., CausalLM], make_workbench: Callable[..., Any], cases: dict[str, Any]
) -> None:
    count = cases["run-threads"]["n"]
    workbench = make_workbench(lambda *_: build("bloom"))
    start = threading.Barrier(count)
    found: dict[tuple[int, int], Any] = {}

    def request(number: int, turn: int) -> ClassifyRequest:
        labels = tuple(f"类{number}{step}" for step in range(1 + turn))
        return ClassifyRequest(f"线程{number}[GEN]第{turn}条", labels, multi=bool(turn % 2), free=turn == 2)

    def client(number: int) -> None:
        start.wait(WAIT)
        for turn in range(4):
            found[number, turn] = workbench.classify(request(number, turn)).result(120)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(180)
    assert len(found) == count * 4
    alone = Classifier(build("bloom"))
    for (number, turn), result in found.items():
        expected = alone(request(number, turn)) if turn != 2 or number % 5 == 0 else None
        assert f"线程{number}[GEN]第{turn}条" in result.prompt
        if expected is not None:
            assert (result.prompt, result.labels, result.chosen) == (expected.prompt, expected.labels, expected.chosen)
            assert (result.free and result.free.raw) == (expected.free and expected.free.raw)
