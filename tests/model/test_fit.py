"""Fitting a prompt: only the text is cut, as little as possible, and never in silence."""

from collections.abc import Sequence

import pytest
from doubles import attempt
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import WorkbenchError
from engine.model.backend import Encoded
from engine.model.fit import fit_prompt
from engine.text.protocol import Prompt

LEAST_TEXT = 64


def characters(text: str) -> list[int]:
    """A token a character."""
    return [ord(character) for character in text]


def pairs(text: str) -> list[int]:
    """A token for two equal neighbours, as BPE merges: tokens span the borders between text and frame."""
    ids, place = [], 0
    while place < len(text):
        double = text[place : place + 1] * 2 == text[place : place + 2]
        ids.append(ord(text[place]) * 2 + double)
        place += 1 + double
    return ids


def bytes_of(text: str) -> list[int]:
    """A token a byte, so that one character may be four."""
    return list(text.encode("utf-8", "surrogatepass"))


class Counting:
    """A tokenizer that remembers the longest piece it was given."""

    def __init__(self) -> None:
        self.longest = 0
        self.calls = 0

    def __call__(self, text: str) -> Sequence[int]:
        self.longest = max(self.longest, len(text))
        self.calls += 1
        return characters(text)


def fit(prompt: Prompt, budget: int, plain: object = characters) -> Encoded:
    return fit_prompt(
        prompt,
        budget=budget,
        context=budget,
        labels=2,
        markup=lambda text: [-1] if text else [],
        plain=plain,  # type: ignore[arg-type]
    )


def whole(prompt: Prompt, plain: object = characters) -> tuple[int, ...]:
    frame = [-1] if prompt.before else [], [-1] if prompt.after else []
    return (*frame[0], *plain(prompt.head + prompt.text + prompt.tail), *frame[1])  # type: ignore[operator]


def test_a_prompt_that_fits_is_left_alone() -> None:
    prompt = Prompt("<", "in: ", "text", " out:", ">")
    encoded = fit(prompt, len(whole(prompt)))
    assert encoded == Encoded(whole(prompt), prompt, 4)


def test_the_frame_survives_and_the_text_keeps_its_beginning() -> None:
    text = "".join(map(chr, range(1000, 1400)))
    prompt = Prompt("<", "in: ", text, " out:", ">")
    encoded = fit(prompt, 111)
    assert encoded.kept == 100
    assert encoded.prompt == Prompt("<", "in: ", text[:100], " out:", ">")
    assert encoded.ids == whole(encoded.prompt)
    assert len(encoded.ids) == 111


def test_a_frame_that_leaves_no_room_is_an_error_with_the_budget() -> None:
    prompt = Prompt("", "in: ", "字" * 300, "L" * 500, ">")
    with pytest.raises(WorkbenchError) as caught:
        fit(prompt, 560)
    assert caught.value.code == "labels_too_long"
    assert caught.value.details == {"count": 2, "tokens": 500, "limit": 560 - 5 - LEAST_TEXT, "context": 560}
    assert fit(prompt, 505 + LEAST_TEXT).kept == LEAST_TEXT


def test_a_short_text_beside_many_labels_is_read_whole_or_refused() -> None:
    prompt = Prompt("", "in: ", "字" * 8, "L" * 500, ">")
    assert fit(prompt, 513).kept == 8
    with pytest.raises(WorkbenchError):
        fit(prompt, 512)


@pytest.mark.parametrize("text", ["", "字"])
def test_a_frame_over_the_budget_is_an_error_with_or_without_a_text(text: str) -> None:
    with pytest.raises(WorkbenchError) as caught:
        fit(Prompt("", "in: ", text, "L" * 500, ">"), 400)
    assert caught.value.code == "labels_too_long"


@pytest.mark.parametrize("budget", [0, -5])
def test_no_budget_at_all_is_an_error(budget: int) -> None:
    with pytest.raises(WorkbenchError) as caught:
        fit(Prompt("", "in: ", "abc", "out", ">"), budget)
    assert caught.value.details["limit"] == 0


def test_a_long_text_is_never_encoded_whole() -> None:
    plain = Counting()
    fit(Prompt("", "in: ", "x" * 5_000_000, " out", ">"), 1000, plain)
    assert plain.longest <= 2 * 1000 + 100
    assert plain.calls < 30


@settings(max_examples=300)
@given(
    head=st.text("ab ", max_size=5),
    text=st.text("aab💹é\u200d", max_size=400),
    tail=st.text("ab ", max_size=90),
    before=st.sampled_from(["", "<"]),
    after=st.sampled_from(["", ">"]),
    budget=st.integers(0, 260),
    plain=st.sampled_from([characters, pairs, bytes_of]),
)
def test_fitting(head: str, text: str, tail: str, before: str, after: str, budget: int, plain: object) -> None:
    prompt = Prompt(before, head, text, tail, after)
    frame = len(whole(prompt.cut(0), plain))
    assume(text)
    encoded, error = attempt(lambda: fit(prompt, budget, plain))
    if error is not None:
        assert error.code == "labels_too_long"
        assert budget - frame < LEAST_TEXT, "there was room for a text worth reading"
        assert len(whole(prompt, plain)) > budget, "all of it would have fitted"
        tokens, limit = int(str(error.details["tokens"])), int(str(error.details["limit"]))
        assert tokens > limit >= 0 or limit == 0
        return
    assert encoded is not None
    assert len(encoded.ids) <= budget
    assert encoded.prompt == prompt.cut(encoded.kept)
    assert encoded.prompt.text == text[: encoded.kept]
    assert encoded.ids == whole(encoded.prompt, plain)
    if encoded.kept < len(text):
        assert budget - frame >= LEAST_TEXT
        assert len(whole(prompt.cut(encoded.kept + 1), plain)) > budget, "one more character would have fitted"


@given(text=st.text("aab💹", min_size=1, max_size=300), budget=st.integers(70, 200))
def test_more_room_never_reads_less(text: str, budget: int) -> None:
    prompt = Prompt("", "", text, "", ">")
    assert fit(prompt, budget).kept <= fit(prompt, budget + 1).kept
