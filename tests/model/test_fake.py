"""The fake backend keeps a backend's promises, so that tests over it mean something."""

import math
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled, WorkbenchError
from engine.model.fake import FAKE_CONTEXT, FakeBackend
from engine.text.protocol import Prompt, SeqGPTProtocol

PROTOCOL = SeqGPTProtocol()


def score(text: str, labels: list[str], **options: Any) -> Any:
    backend = FakeBackend(delay=0)
    prompt = backend.encode_prompt(PROTOCOL.score(text, labels), 30)
    return backend.score(prompt.ids, [backend.encode_answer(label) for label in labels], **options)


def test_it_is_a_small_seqgpt() -> None:
    backend = FakeBackend(delay=0)
    assert (backend.info.name, backend.info.protocol, backend.protocol.name) == ("fake", "seqgpt", "seqgpt")
    assert backend.info.context == FAKE_CONTEXT
    assert backend.info.capabilities == ("score", "generate")


def test_a_control_token_is_one_id_in_the_frame_and_five_in_a_text(cases: dict[str, Any]) -> None:
    case = cases["inject-gen"]
    backend = FakeBackend(delay=0)
    encoded = backend.encode_prompt(PROTOCOL.score(case["text"], case["labels"]), 10)
    plain = encoded.prompt.string.removesuffix("[GEN]")
    assert "".join(map(chr, encoded.ids[:-1])) == plain
    assert encoded.ids[-1] > 0x10FFFF
    assert encoded.neutralised == ("[GEN]",)
    assert backend.encode_prompt(PROTOCOL.score("x", ["a"]), 10).neutralised == ()


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), min_size=1, max_size=12, unique=True))
def test_sibling_probabilities_sum_to_one_over_the_label_set(labels: list[str]) -> None:
    answers = score("今天的体育新闻", labels)
    assert sum(math.exp(sum(tokens)) for tokens in answers.siblings) == pytest.approx(1)
    assert answers.vocabulary is None
    assert all(log <= 1e-9 for tokens in answers.siblings for log in tokens)


def test_scores_are_reproducible_and_prefer_what_the_text_says() -> None:
    first, second = score("体育新闻", ["财经", "体育"]), score("体育新闻", ["财经", "体育"])
    assert first == second
    assert sum(first.siblings[1]) > sum(first.siblings[0])
    assert score("x", ["a"], vocabulary=True).vocabulary is not None
    assert score("x", ["ab", "ac"]).scored_tokens == len("ab\nc\n")


def test_a_text_is_cut_to_the_context_and_a_frame_is_not() -> None:
    backend = FakeBackend(delay=0)
    encoded = backend.encode_prompt(PROTOCOL.score("字" * 5000, ["a", "b"]), 24)
    assert len(encoded.ids) == FAKE_CONTEXT - 24
    with pytest.raises(WorkbenchError) as caught:
        backend.encode_prompt(Prompt("", "", "x", "y" * 2000, ""), 10, labels=7)
    assert caught.value.details["count"] == 7


def test_generation_is_the_best_label_and_obeys_its_limit() -> None:
    backend = FakeBackend(delay=0)
    ids = backend.encode_prompt(PROTOCOL.ask("体育新闻", ["财经", "体育"]), 30).ids
    whole = backend.generate(ids, beams=4, max_new_tokens=256)
    assert (whole.text, whole.output_tokens, whole.finished) == ("体育\n", 3, True)
    cut = backend.generate(ids, beams=4, max_new_tokens=1)
    assert (cut.text, cut.output_tokens, cut.finished) == ("体", 1, False)


def test_a_delay_comes_from_the_environment_and_a_stop_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_FAKE_DELAY", "3600")
    backend = FakeBackend()
    stop = threading.Event()
    outcome: list[BaseException] = []

    def run() -> None:
        try:
            backend.score([1, 2], [(3, 4)], stop=stop)
        except Cancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    stop.set()
    thread.join(30)
    assert len(outcome) == 1
    with pytest.raises(Cancelled):
        backend.generate([1, 2], beams=1, max_new_tokens=1, stop=stop)
