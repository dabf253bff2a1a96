"""Answers of a GGUF model as they are written: stops, settings of drawing, structures."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiny_gguf import FORMS, exact, ids, make_tiny

from engine.errors import WorkbenchError
from engine.text.structure import make_form
from engine.types import Structure, Writing

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_tiny(tmp_path_factory.mktemp("gguf"))


@pytest.fixture(scope="module")
def tiny(made: dict[str, Path]) -> Iterator[Any]:
    with exact(made["gguf"]) as backend:
        yield backend


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
