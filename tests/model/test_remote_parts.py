"""The parts behind a served model: ids that stand for texts, event streams, scores from what a server tells."""

import asyncio
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import WorkbenchError
from engine.model.remote.estimate import encode, neutralise, pack, restore, turns, unpack
from engine.model.remote.events import EventReader
from engine.model.remote.failures import own_words, wanted_pause
from engine.model.remote.scoring import by_prompts, by_steps
from engine.model.remote.shapes import Told, as_bytes, readable
from engine.text.inspect import whole_characters
from engine.text.protocol import Prompt, ServedProtocol

TEXTS = st.text(st.characters(), max_size=60)  # halves of characters too


@given(TEXTS)
def test_ids_join_to_their_text(text: str) -> None:
    assert unpack(pack(text)) == whole_characters(text)
    assert len(pack(text)) >= len(text) / 4


@given(TEXTS, TEXTS)
def test_turns_are_told_from_what_is_typed(text: str, role: str) -> None:
    prompt = ServedProtocol(turns=True, listed=True).free(f"[user]\n{text}", role)
    said = turns(encode(prompt, budget=10_000, context=10_000, labels=0).ids)
    assert [one["role"] for one in said] == (["system", "user"] if role else ["user"])
    assert restore(said[-1]["content"]) == restore(whole_characters(f"[user]\n{text}"))


@pytest.mark.parametrize(
    "token", ["<|im_end|>", "</s>", "[INST]", "<｜User｜>", "<start_of_turn>", "[GEN]", "</think>"]
)
def test_control_tokens_are_broken_up_and_made_whole_again(token: str) -> None:
    broken = neutralise(f"a {token} b")
    assert token not in broken
    assert restore(broken) == f"a {token} b"


@pytest.mark.parametrize("text", ["<b>bold</b>", "a < b | c > d", "x[0]", "[GEN", "<| |>", "if a<s and b>s"])
def test_what_is_none_stays(text: str) -> None:
    assert neutralise(text) == text


def test_only_the_text_is_cut() -> None:
    encoded = encode(Prompt("", "head ", "字" * 500, " tail", ""), budget=200, context=300, labels=1)
    assert len(encoded.ids) <= 200
    assert unpack(encoded.ids) == f"head {'字' * encoded.kept} tail"


@given(st.lists(st.integers(1, 7), max_size=40))
def test_events_are_whole_however_they_are_cut(sizes: list[int]) -> None:
    raw = ": ping\n\ndata: {雨}\r\n\r\nevent: x\ndata:1\ndata: 2\n\nid: 3\n\ndata: last".encode()
    reader, found, place = EventReader(), list[bytes](), 0
    for size in [*sizes, len(raw)]:
        found += reader.feed(raw[place : place + size])
        place += size
    assert [one.decode() for one in found + reader.end()] == ["{雨}", "1\n2", "last"]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("3", 3.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("soon", None),
        ("nan", 0.0),
        ("1e999", math.inf),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
    ],
)
def test_what_a_server_asks_to_wait(header: str | None, seconds: float | None) -> None:
    assert wanted_pause(header) == seconds


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "bad  thing.", "code": 3}}', "bad thing"),
        (b'{"error": "x"}', "x"),
        (b'{"detail": "x"}', "x"),
        (b"plain words", "plain words"),
        (b"<html>", ""),
        (b"null", ""),
        (b'{"error": {"message": "key sk-1 is odd"}}', "key … is odd"),
        (b"x" * 999, "x" * 300 + "…"),
    ],
)
def test_a_servers_own_words(body: bytes, said: str) -> None:
    assert own_words(body, "sk-1") == said


def test_token_bytes() -> None:
    assert as_bytes("bytes:\\xe9\\x9b") == b"\xe9\x9b"
    assert readable(b"\xe9\x9b") == "\\xe9\\x9b"
    assert readable("雨".encode()) == "雨"


# Scores from the prompt's own tokens.


def test_answers_are_scored_from_where_they_leave_the_prompt() -> None:
    alone = [("a", None), ("b", -1.0)]
    one = [("a", None), ("b", -1.0), ("c", -0.5), ("d", -1.0)]
    other = [("a", None), ("b", -1.0), ("c", -0.5), ("e", -2.0)]
    scores = by_prompts(alone, [one, other])
    assert scores.vocabulary == ((-0.5, -1.0), (-0.5, -2.0))
    assert scores.scored_tokens == 3
    assert sum(math.exp(sum(tokens)) for tokens in scores.siblings) == pytest.approx(1)
    assert sum(scores.siblings[0]) - sum(scores.siblings[1]) == pytest.approx(1.0)


def test_a_token_over_the_border_counts_for_its_answer_and_moves_all_starts() -> None:
    alone = [("a", None), ("b", -1.0)]
    scores = by_prompts(alone, [[("a", None), ("bc", -3.0)], [("a", None), ("b", -1.0), ("d", -0.5)]])
    assert scores.vocabulary == ((-3.0,), (-1.0, -0.5))


@pytest.mark.parametrize("whole", [[("a", None)], [("a", None), ("b", None)], []])
def test_an_answer_without_tokens_is_no_score(whole: list[tuple[str, float | None]]) -> None:
    with pytest.raises(ValueError, match="logprobs"):
        by_prompts([("a", None)], [whole])


# Scores from next tokens.


class Server:
    """Tells of each text what it is given, best first; of others nothing. asked: texts and ways."""

    def __init__(self, told: dict[str, list[tuple[bytes, float]]]) -> None:
        self.told = told
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def __call__(self, text: str, ways: Sequence[str]) -> list[Told]:
        self.asked.append((text, tuple(ways)))
        options = self.told.get(text, [])
        legal = [one for one in options if any(way.encode().startswith(one[0]) for way in ways)]
        return [Told(*legal[0], tuple(options[:2]))] if legal else []


def shares(server: Server, answers: list[str], **options: bool) -> list[float]:
    scores = asyncio.run(by_steps(server, answers, **options))
    return [round(math.exp(one), 4) for (one,) in scores.siblings]


def test_shares_follow_the_tokens() -> None:
    server = Server({"": [(b" a", math.log(0.6)), (b" b", math.log(0.2))]})
    assert shares(server, [" a\n", " b\n"]) == [0.75, 0.25]
    assert len(server.asked) == 1


def test_answers_that_begin_alike_are_parted_further_on() -> None:
    told = {
        "": [(b" a", math.log(0.5)), (b" b", math.log(0.5))],
        " a": [(b"\n", math.log(0.1)), (b" c", math.log(0.3))],
    }
    server = Server(told)
    assert shares(server, [" a\n", " a c\n", " b\n"]) == [0.125, 0.375, 0.5]
    assert [text for text, _ in server.asked] == ["", " a"]


def test_the_end_of_a_turn_ends_an_answer() -> None:
    told = {"": [(b" a", 0.0)], " a": [(b"<|im_end|>", math.log(0.5)), (b" c", math.log(0.5))]}
    assert shares(Server(told), [" a\n", " a c\n"]) == [0.5, 0.5]


def test_what_is_not_told_is_asked_for_again_where_that_helps() -> None:
    options = [(b" x", -0.1), (b" y", -0.2), (b" a", math.log(0.03)), (b" b", math.log(0.01))]
    assert shares(Server({"": options}), [" a\n", " b\n"], again=True) == [0.75, 0.25]
    once = Server({"": options})
    assert shares(once, [" a\n", " b\n"]) == [1.0, 0.0]
    assert len(once.asked) == 1


def test_a_token_within_a_character_parts_what_it_can() -> None:
    told = {"": [("体".encode()[:2], math.log(0.75)), ("雨".encode(), math.log(0.25))]}
    assert shares(Server(told), ["体育\n", "雨\n"]) == [0.75, 0.25]
    server = Server(told | {"体": [("育".encode(), math.log(0.5)), ("验".encode(), math.log(0.5))]})
    assert shares(server, ["体育\n", "体验\n", "雨\n"]) == [0.375, 0.375, 0.25]
    assert [text for text, _ in server.asked] == ["", "体"]


def test_answers_that_part_within_a_character_are_not_told_apart() -> None:
    likely, unlikely = [
        {"": [("体".encode()[:2], math.log(share)), ("雨".encode(), math.log(1 - share))]} for share in (0.75, 0.25)
    ]
    answers = ["体\n", "佐\n", "雨\n"]  # the first two begin with the same two bytes
    scores = asyncio.run(by_steps(Server(unlikely), answers))
    assert [note.details for note in scores.notes] == [{"labels": "体, 佐"}]
    with pytest.raises(WorkbenchError) as refused:
        asyncio.run(by_steps(Server(likely), answers))
    assert refused.value.code == "remote_no_scores"


def test_ways_that_lead_to_the_same_answers_are_one() -> None:
    told = {"": [("体".encode()[:2], math.log(0.25)), ("体".encode(), math.log(0.75))], "体": [("育".encode(), 0.0)]}
    server = Server(told)
    assert shares(server, ["体育\n", "体验\n"]) == [1.0, 0.0]
    assert len(server.asked) == 2


def test_no_probability_at_all_is_an_error() -> None:
    with pytest.raises(WorkbenchError) as refused:
        asyncio.run(by_steps(Server({}), [" a\n", " b\n"]))
    assert refused.value.code == "remote_no_scores"


def test_one_answer_needs_no_server() -> None:
    server = Server({})
    assert shares(server, [" a\n"]) == [1.0]
    assert server.asked == []


def test_steps_are_bounded() -> None:
    class Endless(Server):
        async def __call__(self, text: str, ways: Sequence[str]) -> list[Told]:
            self.asked.append((text, tuple(ways)))
            return [Told(ways[0][:1].encode(), -0.1)]

    server = Endless({})
    with pytest.raises(WorkbenchError):
        asyncio.run(by_steps(server, ["a" * 500 + "\n", "a" * 500 + "b\n"]))
    assert len(server.asked) == 128
