"""The encoder as a backend: many texts as one, long texts in windows, any characters, and what it remembers."""

import math
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_e5 import tiny_backend

from engine.errors import Cancelled
from engine.model.backend import Query, SpanReading, WeighedLabels, generates, understands, writes
from engine.model.encoder import sentences
from engine.model.encoder.head import unit_batch
from engine.model.encoder.offline import language_of
from engine.model.encoder.units import units
from engine.model.encoder.windows import WINDOW

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = ["张三在北京的公司签订合同，金额2024元。", "the date of Berlin", "a", "李雷 in London, 今天天气很好 " * 4]
QUERIES = [Query("人名", ("person",)), Query("zorp", ()), Query("date or money", ("date", "money"))]
WORDS = ["the", "a", "of", "and", "to", "in", "is", "was", "date", "name", "price", "Berlin", "London", "Apple"]
LONG = " ".join(WORDS[at * at % 14] for at in range(700))
Spans = dict[tuple[int, int, int], float]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_backend(tmp_path_factory.mktemp("encoder"))


def spans(reading: SpanReading) -> Spans:
    return {(one.start, one.end, one.query): one.probability for one in reading.spans}


def same(one: Spans, other: Spans) -> bool:
    """What is barely likely enough to be reported may be so in one of them only."""
    return all(abs(one.get(key, 0.02) - other.get(key, 0.02)) < 1e-3 for key in one.keys() | other.keys())


def stopped() -> threading.Event:
    stop = threading.Event()
    stop.set()
    return stop


def test_it_understands_and_does_not_write(encoder: Any) -> None:
    assert understands(encoder)
    assert not writes(encoder)
    assert not generates(encoder)


def test_it_warms_up(encoder: Any) -> None:
    encoder.warm_up()


# Labels.


def test_labels_of_texts_together_are_as_alone(encoder: Any) -> None:
    labels = ("财经", "体育", "travel")
    together = encoder.weigh_labels(TEXTS, labels)
    for text, weighed in zip(TEXTS, together, strict=True):
        (alone,) = encoder.weigh_labels([text], labels)
        assert weighed.logits == pytest.approx(alone.logits, abs=1e-3)
        assert weighed.fits == pytest.approx(alone.fits, abs=1e-4)
        assert weighed.tokens == alone.tokens


def test_a_label_weighs_the_same_whatever_stands_beside_it(encoder: Any) -> None:
    (few,) = encoder.weigh_labels(TEXTS[:1], ("财经", "体育"))
    (many,) = encoder.weigh_labels(TEXTS[:1], ("体育", "travel", "财经"))
    assert few.logits == pytest.approx((many.logits[2], many.logits[0]), abs=1e-3)


def test_whether_any_label_fits_is_a_probability_of_the_best(encoder: Any) -> None:
    weighed: WeighedLabels = encoder.weigh_labels(["北京"], ("a", "b"))[0]
    cosine = max(weighed.logits) * encoder._head.fitted.temperature
    assert weighed.fits == pytest.approx(1 / (1 + math.exp(-20 * (cosine - 0.3))), abs=1e-4)


def test_more_labels_than_are_remembered(encoder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = tuple(f"{word} {number}" for number in range(3) for word in WORDS)
    (usual,) = encoder.weigh_labels(["北京"], labels)
    monkeypatch.setattr(sentences, "_KEPT", 8)
    (cramped,) = encoder.weigh_labels(["北京"], labels)
    assert cramped.logits == pytest.approx(usual.logits, abs=1e-3)


def test_a_long_text_is_weighed_by_all_of_its_windows(encoder: Any) -> None:
    (whole,) = encoder.weigh_labels([LONG], ("a", "b"))
    (start,) = encoder.weigh_labels([LONG[: len(LONG) // 2]], ("a", "b"))
    assert whole.tokens == 700
    assert whole.logits != pytest.approx(start.logits, abs=1e-3)


@torch.inference_mode()
def test_a_texts_vector_is_the_mean_of_its_own_pieces(encoder: Any) -> None:
    reader = encoder._reader
    framed = reader.framed(reader.tokenizer(TEXTS[0]).ids)
    states, _ = reader.encoder.embed([framed])
    for layer in reader.encoder.layers[: encoder._head.labels_from]:
        states = layer(states, None)
    mean = encoder._head.labels(states, None)[0, reader.before : -1].mean(0)
    assert torch.allclose(encoder.vectors(TEXTS)[0], mean / mean.norm(), atol=1e-4)


def test_the_language_of_a_text() -> None:
    assert [language_of(text) for text in ("今天Apple发布", "Apple in 北京", "", "123", "日本")] == [
        "zh", "zh", "en", "en", "zh"
    ]  # fmt: skip
    assert language_of("The company of Zhang San, called 张三") == "en"


# Spans.


def test_spans_of_texts_together_are_as_alone(encoder: Any) -> None:
    together = encoder.find_spans(TEXTS, QUERIES)
    for text, reading in zip(TEXTS, together, strict=True):
        (alone,) = encoder.find_spans([text], QUERIES)
        assert same(spans(reading), spans(alone))
        assert reading.best == pytest.approx(alone.best, abs=1e-4)
        assert (reading.tokens, reading.windows) == (alone.tokens, 1)


def test_a_query_finds_the_same_whatever_stands_beside_it(encoder: Any) -> None:
    (together,) = encoder.find_spans(TEXTS[:1], QUERIES)
    for number, query in enumerate(QUERIES):
        (alone,) = encoder.find_spans(TEXTS[:1], [query])
        own = {(start, end, 0): value for (start, end, whose), value in spans(together).items() if whose == number}
        assert same(own, spans(alone))


def test_there_is_something_to_compare(encoder: Any) -> None:
    found = spans(encoder.find_spans(TEXTS[:1], QUERIES)[0])
    assert len(found) > 50
    assert {query for _, _, query in found} == {0, 1, 2}


def test_the_best_is_that_of_the_spans(encoder: Any) -> None:
    (reading,) = encoder.find_spans(TEXTS[:1], QUERIES)
    for number, best in enumerate(reading.best):
        assert best == pytest.approx(max(value for (_, _, query), value in spans(reading).items() if query == number))


def test_of_several_concepts_the_best_counts(encoder: Any) -> None:
    (reading,) = encoder.find_spans(TEXTS[:1], [Query("x", ("date", "money")), Query("y", ("person",))])
    (single,) = encoder.find_spans(TEXTS[:1], [Query("x", ("date",)), Query("x", ("money",)), Query("y", ("person",))])
    best: Spans = {}
    for (start, end, query), value in spans(single).items():
        key = (start, end, query // 2)
        best[key] = max(best.get(key, 0.0), value)
    assert same(spans(reading), best)


def test_concepts_that_the_head_does_not_know_count_for_nothing(encoder: Any) -> None:
    (reading,) = encoder.find_spans(TEXTS[:1], [Query("x", ("no_such_concept", "date"))])
    (known,) = encoder.find_spans(TEXTS[:1], [Query("x", ("date",))])
    assert same(spans(reading), spans(known))


def test_a_name_of_no_known_concept_is_looked_for_by_itself(encoder: Any) -> None:
    (reading,) = encoder.find_spans(TEXTS[:1], [Query("zorp", ("no_such_concept",)), Query("blorp", ()), Query("", ())])
    assert len(reading.best) == 3
    assert len({round(one, 5) for one in reading.best}) == 3


@torch.inference_mode()
def test_a_spans_probability_is_of_the_states_of_its_own_pieces(encoder: Any) -> None:
    """Step by step for one text, without what frames it."""
    text, reader, head = TEXTS[0], encoder._reader, encoder._head
    pieces = reader.tokenizer(text)
    framed = reader.framed(pieces.ids)
    assert framed[reader.before : -1] == pieces.ids
    below, _ = reader.encoder.embed([framed])
    below = reader.encoder.layers[0](below, None)
    above = head.adapted(below, None)
    own = units(text, pieces)
    states = head.scorer(below[:, reader.before : -1], above[:, reader.before : -1], unit_batch([text], [own]))
    wanted = torch.sigmoid(head.scorer.score(states, head.scorer.concepts.weight[None]))[0, ..., head.rows["person"]]
    (reading,) = encoder.find_spans([text], [Query("人名", ("person",))])
    for one in reading.spans:
        first = [start for start, _ in own.places].index(one.start)
        last = [end for _, end in own.places].index(one.end)
        assert one.probability == pytest.approx(wanted[first, last - first].item(), abs=1e-4)


# Long texts.


def test_a_long_text_is_read_in_windows(encoder: Any) -> None:
    (reading,) = encoder.find_spans([LONG], QUERIES)
    assert (reading.tokens, reading.windows) == (700, 2)


def test_spans_of_a_later_window_stand_where_the_text_has_them(encoder: Any) -> None:
    """The second window begins at the 384th word; read by itself it gives the same spans, moved."""
    (reading,) = encoder.find_spans([LONG], QUERIES)
    places = encoder._reader.tokenizer(LONG).places
    offset, overlapped = places[384][0], places[WINDOW][0]
    (alone,) = encoder.find_spans([LONG[offset:]], QUERIES)
    moved = {(start + offset, end + offset, query): value for (start, end, query), value in spans(alone).items()}
    later = {key: value for key, value in spans(reading).items() if key[0] >= overlapped}
    assert later
    assert same(later, {key: value for key, value in moved.items() if key[0] >= overlapped})


def test_what_two_windows_hold_is_as_probable_as_in_the_better(encoder: Any) -> None:
    (reading,) = encoder.find_spans([LONG], QUERIES)
    places = encoder._reader.tokenizer(LONG).places
    offset, border = places[384][0], places[WINDOW - 1][1]
    (head,), (tail,) = encoder.find_spans([LONG[:border]], QUERIES), encoder.find_spans([LONG[offset:]], QUERIES)
    first = spans(head)
    second = {(start + offset, end + offset, query): value for (start, end, query), value in spans(tail).items()}
    either = {key: max(first.get(key, 0.0), second.get(key, 0.0)) for key in first.keys() | second.keys()}
    assert same(spans(reading), either)


def test_long_and_short_texts_together_keep_their_own(encoder: Any) -> None:
    together = encoder.find_spans([LONG, TEXTS[0], LONG], QUERIES)
    assert [one.windows for one in together] == [2, 1, 2]
    assert same(spans(together[0]), spans(together[2]))
    assert same(spans(together[1]), spans(encoder.find_spans([TEXTS[0]], QUERIES)[0]))


# Any characters.


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t\u3000", "\x01\x07", "\u200b", "👨‍👩‍👧🇨🇳", "\ud800", "\x00", "½", "▁", "<s></s>", "龘" * 900]
)
def test_any_characters_are_read(encoder: Any, text: str) -> None:
    (reading,) = encoder.find_spans([text], QUERIES)
    assert all(0 <= one.start < one.end <= len(text) for one in reading.spans)
    (weighed,) = encoder.weigh_labels([text], ["a", text])
    assert all(map(math.isfinite, (*weighed.logits, weighed.fits)))


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([*WORDS, " ", "张三", "北京", "½", "\n", "👍🏽", "2024"]) | st.text(max_size=3)).map(
        "".join
    )
)
def test_spans_begin_and_end_with_units(encoder: Any, text: str) -> None:
    own = units(text, encoder._reader.tokenizer(text)).places
    starts, ends = {start for start, _ in own}, {end for _, end in own}
    (reading,) = encoder.find_spans([text], QUERIES)
    for one in reading.spans:
        assert (one.start in starts, one.end in ends) == (True, True)
        assert 0.02 < one.probability <= 1
        assert sum(one.start <= start < one.end for start, _ in own) <= encoder._head.shape.widest


# Stopping, remembering, closing.


def test_it_stops(encoder: Any) -> None:
    with pytest.raises(Cancelled):
        encoder.find_spans(TEXTS, QUERIES, stopped())
    with pytest.raises(Cancelled):
        encoder.weigh_labels(TEXTS, ("a", "b"), stopped())


def test_stopped_once_it_answers_the_next(encoder: Any) -> None:
    before = encoder.weigh_labels(TEXTS, ("q", "r"))
    with pytest.raises(Cancelled):
        encoder.weigh_labels(TEXTS, ("s", "t"), stopped())
    assert encoder.weigh_labels(TEXTS, ("q", "r")) == before


def test_no_more_names_are_remembered_than_it_may(encoder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "_KEPT", 5)
    for number in range(4):
        encoder.find_spans(["a"], [Query(f"zorp {number} {word}", ()) for word in WORDS[:3]])
        assert len(encoder._names._known) <= 5


def test_what_is_remembered_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "_KEPT", 2)
    made: list[str] = []

    def make(names: Any, _stop: Any) -> Any:
        made.extend(names)
        return torch.tensor([[float(ord(name))] for name in names])

    remembered = sentences.Remembered(make)
    assert remembered(["a", "b", "a"]).flatten().tolist() == [97, 98, 97]
    remembered(["a", "c"])
    remembered(["a", "c"])
    assert made == ["a", "b", "c"], "the oldest went"
    remembered(["b"])
    assert made == ["a", "b", "c", "b"]


def test_closed_it_holds_no_weights(tmp_path: Path) -> None:
    backend = tiny_backend(tmp_path)
    backend.warm_up()
    backend.close()
    assert vars(backend).keys() == {"info"}
