"""Writing token by token: against `transformers`, its settings, what is shown, stops, and answers held to a form."""

import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import packed
import pytest
import torch
from doubles import StopsAfter
from random_schemas import schema, whole_object
from tokenizers import AddedToken

from engine.errors import Cancelled, WorkbenchError
from engine.model.answer_text import AnswerText
from engine.model.closing import ending, shortest
from engine.model.fake import FakeBackend
from engine.model.sampling import Sampler
from engine.text.grounded import ungrounded
from engine.text.json_schema import breach
from engine.text.structure import AnswerForm, make_form
from engine.types import Structure, Writing

pytestmark = pytest.mark.usefixtures("one_thread")
TEXT = "the good film 今天 💹 was"
SOURCE = 'Tim "Bo" Cook\tlives in\\at 北京市💹, flat 12b.'
PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": ["integer", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["name", "age", "tags"],
}


def encode(backend: Any, text: str = TEXT) -> tuple[int, ...]:
    return tuple(backend.encode_prompt(backend.protocol.free(text), 64).ids)


def by_schema(made: Any, source: str = "") -> AnswerForm:
    return make_form(Structure(schema=json.dumps(made), grounded=bool(source)), source)


def keeps_to(made: Any, answer: str, source: str = "") -> bool:
    """Whether an answer keeps to a schema, by another library than the one that it was written under."""
    value = json.loads(answer)
    return not breach(made, value) and (not source or ungrounded(made, value, source) is None)


def whole_logits(backend: Any, prompt: tuple[int, ...], tokens: list[int]) -> torch.Tensor:
    with torch.inference_mode():
        ids = torch.tensor([[*prompt, *tokens]])
        logits: torch.Tensor = backend._model(input_ids=ids, use_cache=False).logits[0, -1].float()
    return logits.clone()


# Freely.


def test_greedy_writing_is_what_transformers_generates(backend: Any) -> None:
    prompt = encode(backend)
    right = backend.generate(prompt, beams=1, max_new_tokens=24)
    ours = backend.write(prompt, Writing(24))
    assert ours.text.rstrip("\ufffd") == right.text.rstrip("\ufffd")
    assert len(ours.tokens) == right.output_tokens
    assert ours.finish == ("end" if right.finished else "limit")
    assert ours.output_tokens == right.output_tokens + right.finished


def test_probabilities_and_alternatives_are_those_of_a_pass_over_everything(backend: Any) -> None:
    prompt = encode(backend)
    writing = Writing(8, temperature=1.5, top_p=0.9, repetition_penalty=1.3, seed=1)
    ours = backend.write(prompt, writing, alternatives=3)
    ids = [token.id for token in ours.tokens]
    for place, token in enumerate(ours.tokens):
        chances = whole_logits(backend, prompt, ids[:place]).softmax(-1)
        assert token.probability == pytest.approx(float(chances[token.id]), abs=1e-4)
        best = [at for at in chances.topk(4).indices.tolist() if at != token.id][:3]
        assert [share for _, share in token.alternatives] == pytest.approx(chances[best].tolist(), abs=1e-4)
        assert [text for text, _ in token.alternatives] == [backend._token_text.shown(at) for at in best]


def test_the_end_token_ends_and_is_not_written(backend: Any) -> None:
    prompt = encode(backend)
    writing = Writing(9, temperature=5.0, seed=4)
    first = backend.write(prompt, writing).tokens
    assert len({token.id for token in first[:3]}) == 3
    backend._end_tokens, own = (lambda: {first[2].id}), backend._end_tokens
    try:
        ended = backend.write(prompt, writing)
    finally:
        backend._end_tokens = own
    assert (ended.finish, ended.output_tokens, ended.tokens) == ("end", 3, first[:2])


def test_a_kept_prompt_is_not_read_again(build: Callable[..., Any]) -> None:
    backend = build("bloom", prefix_bytes=2**24)
    prompt = encode(backend, TEXT * 3)
    first = backend.write(prompt, Writing(6))
    read: list[int] = []
    own = backend._read
    backend._read = lambda tokens, *rest: (read.append(len(tokens)), own(tokens, *rest))[1]
    again = backend.write(prompt, Writing(6))
    assert (again.text, read) == (first.text, [])


def test_a_seed_draws_the_same_and_others_differ(backend: Any) -> None:
    prompt = encode(backend)
    drawn = [backend.write(prompt, Writing(12, temperature=2.0, seed=seed)).text for seed in (1, 1, 2, 3)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1
    assert len({backend.write(prompt, Writing(12, temperature=3.0)).text for _ in range(4)}) > 1


def test_the_repetition_penalty_is_of_the_answers_tokens_alone(backend: Any) -> None:
    prompt = encode(backend)
    plain = backend.write(prompt, Writing(30))
    held = backend.write(prompt, Writing(30, repetition_penalty=5.0))
    assert held.tokens[0].id == plain.tokens[0].id, "no token of the prompt is held against the first"
    repeats = [max(Counter(token.id for token in one.tokens).values()) for one in (plain, held)]
    assert repeats[1] <= repeats[0]
    ids: list[int] = []
    for token in held.tokens[:10]:
        logits = whole_logits(backend, prompt, ids)
        for seen in set(ids):
            logits[seen] = logits[seen] / 5 if logits[seen] > 0 else logits[seen] * 5
        assert int(logits.argmax()) == token.id
        ids.append(token.id)


@pytest.mark.parametrize("beams", [2, 4])
def test_beams_are_those_of_transformers(backend: Any, beams: int) -> None:
    prompt = encode(backend)
    shown: list[str] = []
    right = backend.generate(prompt, beams=beams, max_new_tokens=12)
    ours = backend.write(prompt, Writing(12, beams), show=shown.append)
    assert ours.text == right.text.rstrip("\ufffd")
    assert (ours.tokens, ours.finish) == ((), "end" if right.finished else "limit")
    cut = backend.write(prompt, Writing(12, beams, stop=(ours.text[2:4],)))
    assert cut.finish == "stop"
    assert ours.text.startswith(cut.text)
    assert len(cut.text) < len(ours.text)


def test_the_penalty_of_a_beam_search_leaves_the_prompt_out(backend: Any) -> None:
    plain = backend.write(encode(backend), Writing(1, 2))
    held = backend.write(encode(backend), Writing(1, 2, repetition_penalty=5.0))
    assert plain.text == held.text


@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.parametrize("form", [None, by_schema(PERSON)])
def test_a_stop_is_noticed_within_a_token(backend: Any, beams: int, form: AnswerForm | None) -> None:
    if beams > 1 and form is not None:
        return
    stop, shown = threading.Event(), list[str]()

    def show(text: str) -> None:
        shown.append(text)
        if len(shown) == 3:
            stop.set()

    backend.write(encode(backend), Writing(8), form=form)  # what is compiled once
    with pytest.raises(Cancelled):
        backend.write(
            encode(backend), Writing(200, beams), form=form, show=show, stop=stop if beams == 1 else StopsAfter(3)
        )
    assert len(shown) <= 4


def test_an_exception_of_who_is_shown_the_text_ends_the_writing(backend: Any) -> None:
    def show(_: str) -> None:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        backend.write(encode(backend), Writing(200), show=show)


def test_logits_that_are_no_numbers_are_no_choice() -> None:
    with pytest.raises(FloatingPointError):
        Sampler(Writing(), 0).choose(torch.tensor([float("nan"), 1.0]), None, [])


# Sampling.


def test_drawn_tokens_are_as_often_as_they_are_probable() -> None:
    chances = torch.tensor([0.5, 0.3, 0.15, 0.05])
    for temperature, top_p, right in (
        (1.0, 1.0, chances),
        (1.0, 0.75, torch.tensor([0.625, 0.375, 0, 0])),
        (0.5, 1.0, chances**2 / (chances**2).sum()),
        (1.0, 0.01, torch.tensor([1.0, 0, 0, 0])),
    ):
        sampler = Sampler(Writing(temperature=temperature, top_p=top_p, seed=7), 0)
        drawn = Counter(sampler.choose(chances.log(), None, []).token for _ in range(3000))
        for token, share in enumerate(right.tolist()):
            assert drawn[token] / 3000 == pytest.approx(share, abs=0.03)


def test_a_large_vocabulary_and_tiny_temperatures_are_no_trouble() -> None:
    logits = torch.randn(5000, generator=torch.Generator().manual_seed(0)) * 0.01
    flat = Sampler(Writing(temperature=5.0, top_p=0.9, seed=1), 2).choose(logits, None, [])
    assert 0 <= flat.token < 5000
    cold = Sampler(Writing(temperature=1e-6, seed=1), 0).choose(torch.tensor([300.0, 301.0, -300.0]), None, [])
    assert (cold.token, cold.probability) == (1, pytest.approx(0.731, abs=1e-3))


# What is shown.


def test_what_is_shown_only_grows_and_is_whole(backend: Any) -> None:
    shown: list[str] = []
    ours = backend.write(encode(backend), Writing(40, temperature=3.0, seed=5), show=shown.append)
    assert shown == sorted(set(shown), key=len)
    assert all(later.startswith(earlier) for earlier, later in pairwise(shown))
    assert shown[-1] == ours.text


def test_half_a_character_is_never_shown_and_left_out_at_the_end() -> None:
    shown: list[str] = []
    text = AnswerText((), shown.append)
    for byte in "a北💹".encode()[:-1]:
        text.add(bytes([byte]))
    assert text.end() == "a北"
    assert shown == ["a", "a北"]
    text = AnswerText()
    text.add(b"\xff\xe5\x8cx")
    assert text.end() == "\ufffd\ufffdx"


@pytest.mark.parametrize("stop", ["\n\n", "北京", "b北", "💹", "aab", "END"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_a_stop_string_ends_the_text_before_it_however_tokens_fall(stop: str, size: int) -> None:
    whole = f"x aaa\nb北E EN 北 aa{stop}rest {stop}"
    shown: list[str] = []
    text = AnswerText((stop, "never"), shown.append)
    raw = whole.encode()
    for start in range(0, len(raw), size):
        text.add(raw[start : start + size])
        if text.stopped:
            break
    assert text.stopped
    assert text.end() == whole[: whole.index(stop)]
    assert all(text.text.startswith(one) for one in shown), "no part of a stop string was shown"


def test_what_only_began_a_stop_string_is_told_at_the_end() -> None:
    shown: list[str] = []
    text = AnswerText(("END", "NDX"), shown.append)
    text.add(b"the EN")
    assert shown == ["the "]
    text.add(b"D")
    assert (text.stopped, text.end()) == (True, "the ")
    text = AnswerText(("END",), shown.append)
    text.add(b"the EN")
    assert text.end() == shown[-1] == "the EN"


def test_stop_strings_of_a_real_answer(backend: Any) -> None:
    prompt = encode(backend)
    whole = backend.write(prompt, Writing(30, temperature=2.0, seed=11))
    for start in (1, 3, len(whole.text) // 2):
        stop = whole.text[start : start + 2]
        cut = backend.write(prompt, Writing(30, temperature=2.0, seed=11, stop=(stop,)))
        assert (cut.text, cut.finish) == (whole.text[: whole.text.index(stop)], "stop")
        assert cut.output_tokens == len(cut.tokens) <= 30


# Forms.


def test_every_step_chooses_among_the_legal_tokens_alone(backend: Any) -> None:
    prompt, form = encode(backend), by_schema(PERSON, SOURCE)
    ours = backend.write(prompt, Writing(80), form=form, alternatives=2)
    constraint = backend._constrainer.follow(form)
    ids: list[int] = []
    ends = backend._end_tokens()
    for token in ours.tokens:
        legal = constraint.legal().tolist() + (sorted(ends) if constraint.may_end else [])
        if token.probability is not None:
            logits = whole_logits(backend, prompt, ids)[legal]
            assert legal[int(logits.argmax())] == token.id
            assert token.probability == pytest.approx(float(logits.softmax(-1).max()), abs=1e-4)
            assert len(token.alternatives) == min(2, len(legal) - 1)
        assert token.id not in backend._tokens.control_ids
        constraint.accept([token.id])
        ids.append(token.id)
    assert form.problem(ours.text) == ""
    assert any(token.probability is None for token in ours.tokens), "some tokens are forced"


@pytest.mark.parametrize("choices", [("to", "today", "tomorrow"), ("北京", "北", "北京市"), ('a"b', "a\\n", "a\n")])
def test_one_of_the_choices_is_written_to_its_end(backend: Any, choices: tuple[str, ...]) -> None:
    form = make_form(Structure(choices=choices))
    drawn = {backend.write(encode(backend), Writing(30, temperature=5.0, seed=n), form=form) for n in range(12)}
    assert {one.text for one in drawn} <= set(choices)
    assert len({one.text for one in drawn}) > 1
    assert {one.finish for one in drawn} == {"end"}


def test_the_most_probable_choice_at_the_first_difference(backend: Any) -> None:
    prompt = encode(backend)
    form = make_form(Structure(choices=("yes", "no")))
    chosen = backend.write(prompt, Writing(), form=form)
    logits = whole_logits(backend, prompt, [])
    legal = backend._constrainer.follow(form).legal().tolist()
    assert chosen.tokens[0].id == legal[int(logits[legal].argmax())]


def test_a_regular_expression_may_end_or_go_on(backend: Any) -> None:
    form = make_form(Structure(regex="[a-z]+( [a-z]+)*"))
    texts = [backend.write(encode(backend), Writing(12, temperature=4.0, seed=n), form=form) for n in range(8)]
    assert all(form.problem(one.text) == "" for one in texts)
    form = make_form(Structure(regex="(ab)*"))
    assert form.problem(backend.write(encode(backend), Writing(7), form=form).text) == ""


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8, 13, 21, 34, 55])
@pytest.mark.parametrize("source", ["", SOURCE])
def test_an_answer_at_its_limit_is_whole_and_keeps_what_was_written(backend: Any, limit: int, source: str) -> None:
    form, shown = by_schema(PERSON, source), list[str]()
    whole = backend.write(encode(backend), Writing(60, temperature=2.0, seed=3), form=form)
    assert keeps_to(PERSON, whole.text, source)
    cut = backend.write(encode(backend), Writing(limit, temperature=2.0, seed=3), form=form, show=shown.append)
    assert keeps_to(PERSON, cut.text, source)
    assert cut.output_tokens <= limit
    assert all(cut.text.startswith(one) for one in shown)
    if cut.finish == "limit":
        kept = len(shown[-2]) if len(shown) > 1 else 0
        assert whole.text.startswith(cut.text[:kept])
        assert b"".join(map(bytes_of(backend), (token.id for token in cut.tokens))).decode() == cut.text


def bytes_of(backend: Any) -> Callable[[int], bytes]:
    names: Callable[[int], bytes] = backend._token_text.bytes_of
    return names


@pytest.mark.parametrize("part", range(5))
def test_random_schemas_are_whole_at_any_limit(backends: dict[str, Any], part: int) -> None:
    """500 schemas in all, drawn with their seeds and limits; half of the answers end by themselves or not at all."""
    backend = backends["bloom" if part % 2 else "llama"]
    for number in range(100):
        draw = random.Random(1000 * part + number)
        source = SOURCE if number % 3 == 0 else ""
        make = whole_object if number % 2 else schema
        made = make(draw, grounded=bool(source))
        try:
            form = by_schema(made, source)
        except WorkbenchError:  # two bounds that leave nothing between them, say
            continue
        writing = Writing(draw.randint(1, 60), temperature=draw.choice([0, 1.0, 4.0]), seed=draw.randrange(99))
        ours = backend.write(encode(backend), writing, form=form)
        assert keeps_to(made, ours.text, source), (made, writing, ours.text)
        assert ours.output_tokens <= writing.max_new_tokens


def test_random_schemas_are_seldom_refused() -> None:
    """Else the test above would say little."""
    refused = 0
    for number in range(100):
        try:
            by_schema(whole_object(random.Random(number)))
        except WorkbenchError:
            refused += 1
    assert refused < 10


@pytest.mark.parametrize(
    ("made", "begun", "right"),
    [
        ({"type": "array", "items": {"type": "integer"}}, "[1,2", "]"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 3}, "[1", ",0,0]"),
        (PERSON, '{"name":"Ti', '","age":null,"tags":[]}'),
        (PERSON, '{"name":"Ti\\"', '","age":null,"tags":[]}'),
        ({"type": "integer", "multipleOf": 7}, "1", "4"),
        ({"type": "string", "minLength": 4}, '"a', '???"'),
        ({"enum": ["red", "reddish"]}, '"re', 'd"'),
        (
            {"$ref": "#/$defs/n", "$defs": {"n": {"type": ["object", "null"], "properties": {"n": {"$ref": "#"}}}}},
            "",
            "null",
        ),
        ({"type": "string", "format": "email"}, '"Tim?', '@a.aa"'),
        ({"type": "string", "pattern": "no: (foo|quux)/"}, '"x', 'no: foo/"'),
        ({"type": "string", "pattern": "^[a-z]*z$"}, '"x', 'z"'),
    ],
)
def test_an_ending_is_short_and_leaves_empty_what_it_can(made: Any, begun: str, right: str) -> None:
    matcher = by_schema(made).over_bytes()
    assert matcher.consume_tokens(list(begun.encode()))
    found = ending(matcher, {byte: byte for byte in range(256)}, begun.encode(), by_schema(made))
    assert found == (None if right is None else right.encode())
    assert not matcher.is_stopped(), "the matcher stays as it was"


def test_what_cannot_be_closed_ends_at_the_limit_and_says_so(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.model.closing.MOST", 3)
    form = by_schema(PERSON)
    cut = backend.write(encode(backend), Writing(2), form=form)
    assert cut.finish == "limit"
    assert form.problem(cut.text)


def test_a_tokenizer_that_cannot_write_the_form_is_refused() -> None:
    from checkpoints import backend_over
    from model.test_kinds import without_bytes, wordpiece

    lacking = backend_over(without_bytes(), "Llama")
    for structure in (Structure(choices=("a", "\x04")), Structure(regex="\U00050000")):
        with pytest.raises(WorkbenchError) as refused:
            lacking.write(encode(lacking), Writing(5), form=make_form(structure))
        assert refused.value.code == "structure_unsupported"
    form = by_schema({"type": "string"}, "a\x04b \U00050000c \x06")
    for seed in range(5):
        ours = lacking.write(encode(lacking), Writing(9, temperature=4.0, seed=seed), form=form)
        assert form.problem(ours.text) == ""
    words = backend_over(wordpiece(), "Llama")
    with pytest.raises(WorkbenchError) as refused:
        words.write(encode(words), Writing(5), form=form)
    assert refused.value.code == "structure_unsupported"
    assert words.write(encode(words), Writing(5)).output_tokens == 5


def test_every_tokenizers_tokens_add_up_to_its_own_text() -> None:
    from checkpoints import backend_over
    from model.test_kinds import TOKENIZERS

    for name, make in TOKENIZERS.items():
        backend = backend_over(make(), "Llama")
        for text in ("Ann Lee 张三  甲乙\n12", "💹👨🏻\u200d🚒 e\u0301 the film"):
            ids = backend._tokens.plain(text)
            made = AnswerText(drops_first_blank=backend._token_text.drops_first_blank)
            for token in ids:
                made.add(backend._token_text.bytes_of(token))
            assert made.end() == backend._tokens.decode(ids), name


def test_control_tokens_have_a_name_and_no_text() -> None:
    from checkpoints import backend_over, byte_level

    tokenizer = byte_level()
    tokenizer.add_special_tokens([AddedToken("<reserved>", special=True)])
    tokenizer.add_tokens([AddedToken("é word", special=False, normalized=False)])
    names = backend_over(tokenizer, "Llama")._token_text
    reserved, word, half = (tokenizer.token_to_id(one) for one in ("<reserved>", "é word", "å"))
    assert (names.bytes_of(reserved), names.shown(reserved)) == (b"", "<reserved>")
    assert (names.bytes_of(word), names.shown(word)) == ("é word".encode(), "é word")
    assert (names.bytes_of(half), names.shown(half)) == (b"\xe5", "\\xe5")
    assert names.bytes_of(10_000) == b""


# The output layer of a packed model.


@pytest.mark.parametrize("precision", ["fp16", "int8"])
def test_a_packed_models_output_layer_is_held_for_writing_and_given_back(precision: str, tmp_path: Path) -> None:
    checkpoint = packed.make(tmp_path, "BLOOM")
    backend = packed.backend(checkpoint, tmp_path / "cache", precision)
    prompt = encode(backend)
    backend.write(prompt, Writing(), form=make_form(Structure(choices=("yes", "no"))))
    assert backend._head.packed_bytes > 0, "a few rows are all that this needs"
    backend._spare_bytes = 0
    mapped = backend.write(prompt, Writing(16), alternatives=1)
    assert backend._head.packed_bytes == backend._head.weight.numel() * 2
    backend._spare_bytes = 2**40
    held = backend.write(prompt, Writing(16), alternatives=1)
    assert backend._head.packed_bytes == 0
    assert (held.text, [one.id for one in held.tokens]) == (mapped.text, [one.id for one in mapped.tokens])
    shares = [[one.probability for one in answer.tokens] for answer in (held, mapped)]
    assert shares[0] == pytest.approx(shares[1], abs=1e-5)
    backend.forget()
    assert backend._head.packed_bytes > 0
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        backend.write(prompt, Writing(16), stop=stop)
    assert backend._head.packed_bytes > 0


def test_a_packed_output_layer_gives_the_same_logits() -> None:
    from engine.model.packed.table import TableHead

    drawn = torch.Generator().manual_seed(0)
    table, bias = torch.randn(40_000, 32, generator=drawn).half(), torch.randn(40_000, generator=drawn)
    head, states = TableHead(table, bias), torch.randn(2, 3, 32, generator=drawn)
    before = head(states)
    head.pack(lambda: None)
    torch.testing.assert_close(head(states), before, rtol=1e-5, atol=1e-4)
    head.shown = 100
    assert torch.equal(head(states), before[..., :100])


# The fake.


def test_the_fake_says_the_prompt_again_within_its_settings() -> None:
    fake, shown = FakeBackend(delay=0), list[str]()
    ids = encode(fake, "abc STOP d")
    ours = fake.write(ids, Writing(stop=("STOP",)), show=shown.append, alternatives=2)
    assert (ours.text, ours.finish, shown[-1]) == ("abc ", "stop", "abc ")
    assert [len(token.alternatives) for token in ours.tokens] == [2] * len(ours.tokens)
    assert fake.write(ids, Writing(3)).finish == "limit"
    assert fake.write(ids, Writing(3)) == fake.write(ids, Writing(3, temperature=2.0))
    assert fake.write(ids, Writing(30, beams=2)).tokens == ()
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        fake.write(ids, Writing(), stop=stop)


@pytest.mark.parametrize("number", range(20))
def test_the_fake_gives_a_valid_answer_of_any_form(number: int) -> None:
    fake = FakeBackend(delay=0)
    source = SOURCE if number % 2 == 0 else ""
    made = whole_object(random.Random(number), grounded=bool(source))
    form = by_schema(made, source)
    ours = fake.write(encode(fake), Writing(2), form=form)
    assert keeps_to(made, ours.text, source)
    assert ours.text == shortest(form)


def test_the_fakes_delay_is_spread_over_its_answer() -> None:
    fake, stop, shown = FakeBackend(delay=30), threading.Event(), list[str]()

    def show(text: str) -> None:
        shown.append(text)
        stop.set()

    with pytest.raises(Cancelled):
        fake.write(encode(fake, "x" * 1000), Writing(900), show=show, stop=stop)
    assert shown == ["x"]
