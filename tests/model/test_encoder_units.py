"""Texts of few pieces and many units, and of many things to look for: read in slices, as if at once."""

from threading import Event
from typing import Any

import pytest
from tiny_e5 import tiny_backend

from engine.errors import Cancelled
from engine.model.backend import Query
from engine.model.encoder import offline
from engine.model.encoder.windows import WINDOW

pytestmark = pytest.mark.usefixtures("one_thread")
TEXT = "张三在北京的公司签订合同，金额2024元。the date of Berlin and London in " * 8
QUERIES = [Query("人名", ("person",)), Query("zorp", ()), Query("date or money", ("date", "money"))]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_backend(tmp_path_factory.mktemp("encoder"))


def test_slices_of_units_give_what_the_whole_gives(encoder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = encoder.find_spans([TEXT], QUERIES)
    for name, size in (("_UNITS", 50), ("_PROBABILITIES", 10_000)):
        with monkeypatch.context() as patch:
            patch.setattr(offline, name, size)
            (sliced,) = encoder.find_spans([TEXT], QUERIES)
        assert [(one.start, one.end, one.query) for one in sliced.spans] == [
            (one.start, one.end, one.query) for one in whole.spans
        ]
        assert [one.probability for one in sliced.spans] == pytest.approx(
            [one.probability for one in whole.spans], abs=1e-4
        )
        assert sliced.best == pytest.approx(whole.best, abs=1e-4)


def test_no_more_units_at_a_time_than_memory_is_counted_for(encoder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    score = encoder._head.scorer.score

    def spy(spans: Any, concepts: Any) -> Any:
        seen.append(spans.shape[0] * spans.shape[1])
        return score(spans, concepts)

    monkeypatch.setattr(encoder._head.scorer, "score", spy)
    text = "".join(chr(0x20000 + at) for at in range(12_000))  # unknown characters: one piece
    (reading,) = encoder.find_spans([text], QUERIES[:1])
    assert reading.windows == 1
    assert reading.tokens < WINDOW
    assert len(seen) > 1
    assert max(seen) <= offline._UNITS + 3 * 40
    assert all(text[one.start : one.end] for one in reading.spans)


def test_labels_are_not_read_to_the_end_once_stopped(encoder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = Event()
    states, read = encoder._reader.states, list[int]()

    def late(ids: Any, layers: int) -> Any:
        read.append(len(ids))
        if len(read) == 2:  # the text is read, and a first batch of labels
            stop.set()
        return states(ids, layers)

    monkeypatch.setattr(encoder._reader, "states", late)
    with pytest.raises(Cancelled):
        encoder.weigh_labels(["北京"], [f"label {number} " * 40 for number in range(60)], stop)
    assert len(read) == 2
