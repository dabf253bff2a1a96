"""Exports of what was observed: they can be read back, are safe in a spreadsheet, and say what is missing."""

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from observe.records import GIB, gpu, record, sample

from engine.messages import Phrase
from engine.observe.export import requests_csv, samples_csv, samples_json, snapshots_csv
from engine.observe.snapshots import Snapshots
from engine.observe.types import Marker, Missing

NOON = datetime(2026, 11, 30, 12, 0, 0, 250_000, UTC).timestamp()
UNKNOWN = Missing(Phrase("no_cuda_device"))


def read(data: bytes) -> list[dict[str, str]]:
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_samples_as_csv() -> None:
    rows = read(samples_csv([sample(NOON, 2 * GIB, waiting=3), sample(NOON + 1, mapped=5, gpus=(gpu(),))]))
    assert len(rows) == 2
    assert rows[0]["time"] == "2026-11-30T12:00:00.250+00:00"
    assert (rows[0]["rss"], rows[0]["waiting"], rows[0]["mapped"]) == (str(2 * GIB), "3", "")
    assert (rows[0]["gpu0_allocated"], rows[1]["gpu0_allocated"]) == ("", str(4 * GIB))
    assert (rows[1]["gpu0_name"], rows[1]["mapped"]) == ("Test GPU", "5")


def test_each_gpu_has_its_columns_and_a_missing_figure_is_empty() -> None:
    (row,) = read(samples_csv([sample(NOON, gpus=(gpu(0, used=UNKNOWN), gpu(3, temperature=55.5)))]))
    assert (row["gpu0_used"], row["gpu0_reserved"]) == ("", str(5 * GIB))
    assert row["gpu3_temperature"] == "55.5"
    assert "gpu1_used" not in row


def test_nothing_is_a_head_alone() -> None:
    assert read(samples_csv([])) == read(requests_csv([])) == read(snapshots_csv([])) == []
    assert samples_csv([]).decode("utf-8-sig").startswith("time,rss,peak,")
    assert json.loads(samples_json([])) == {"samples": [], "requests": [], "markers": []}


def test_requests_as_csv_and_json() -> None:
    records = [record(NOON, id="ab", values=3, error="internal"), record(NOON + 1, cached=True)]
    first, second = read(requests_csv(records))
    assert (first["time"], first["id"], first["values"], first["error"]) == (
        "2026-11-30T12:00:00.250+00:00",
        "ab",
        "3",
        "internal",
    )
    assert (first["peak"], second["cached"]) == ("", "True")
    listed = json.loads(samples_json([], records))["requests"]
    assert (listed[0]["id"], listed[0]["peak"], listed[1]["cached"]) == ("ab", None, True)
    assert listed[0]["time"] == first["time"]


def test_samples_as_json_say_why_a_figure_is_missing() -> None:
    seen = [sample(NOON, gpus=(gpu(0, used=UNKNOWN),))]
    whole = json.loads(samples_json(seen, [record(NOON)], [Marker(NOON, "load", {"model": "体育"})]))
    (reading,) = whole["samples"][0]["gpus"]
    assert (reading["used"], reading["allocated"]) == (None, 4 * GIB)
    assert reading["missing"] == {"used": "no NVIDIA GPU or driver was found"}
    assert whole["markers"] == [{"time": "2026-11-30T12:00:00.250+00:00", "kind": "load", "details": {"model": "体育"}}]
    assert whole["requests"][0]["task"] == "classify"


def snapshot_rows(*tags: str, automatic: bool = False, model: str = "m fp32 cpu") -> list[dict[str, str]]:
    kept = Snapshots()
    for tag in tags:
        kept.add(tag, sample(NOON, gpus=(gpu(),)), automatic=automatic, requests=7, model=model)
    return read(snapshots_csv(kept.all()))


def test_snapshots_as_csv() -> None:
    (row,) = snapshot_rows("before the change")
    assert (row["id"], row["tag"], row["automatic"], row["requests"]) == ("1", "before the change", "False", "7")
    assert (row["model"], row["rss"], row["gpu0_used"]) == ("m fp32 cpu", str(GIB), str(6 * GIB))
    (row,) = snapshot_rows("snapshot_load", automatic=True)
    assert row["tag"] == str(Phrase("snapshot_load"))


def test_no_cell_runs_in_a_spreadsheet() -> None:
    for start in ("=1+1", "+1", "-1", "@x", "＝1"):
        (row,) = snapshot_rows(start, model=start)
        assert row["tag"] == f"'{start}"
        assert row["model"] == f"'{start}"
        (other,) = read(requests_csv([record(NOON, error=start)]))
        assert other["error"] == f"'{start}"
        (third,) = read(samples_csv([sample(NOON, gpus=(gpu(name=start),))]))
        assert third["gpu0_name"] == f"'{start}"


@given(st.text(max_size=30, alphabet=st.characters()), st.dictionaries(st.text(max_size=5), st.integers(), max_size=3))
def test_any_text_can_be_written_and_read(text: str, details: dict[str, Any]) -> None:
    (row,) = read(requests_csv([record(NOON, error=text)]))
    assert row["error"].removeprefix("'") == text.encode("utf-8", "replace").decode().removeprefix("'")
    whole = json.loads(samples_json([], [record(NOON, error=text)], [Marker(NOON, "budget", details)]))
    assert whole["requests"][0]["error"] == text
    assert whole["markers"][0]["details"] == details


def test_half_of_a_character_is_no_error() -> None:
    assert read(requests_csv([record(NOON, error="\ud83d")]))[0]["error"] == "?"
    listed = json.loads(samples_json([], [record(NOON, error="\ud83d")]))["requests"]
    assert listed[0]["error"] == "\ud83d"
