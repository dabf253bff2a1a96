"""Each piece of advice: given where its evidence is there, with its figures, and not on less."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from observe.records import GIB, MIB, gpu, record, sample

from engine.advice_notes import ADVICE_NOTES
from engine.messages import NOTES, Phrase
from engine.observe.advice import Seen, advise
from engine.observe.advice_memory import smaller_batch
from engine.observe.types import Missing, RequestRecord, Sample
from engine.types import Note

UNKNOWN = Missing(Phrase("no_cuda_device"))


def advice(
    samples: Iterable[Sample] = (), requests: Iterable[RequestRecord] = (), **given: Any
) -> dict[str, dict[str, object]]:
    """Details by code; every note can be said."""
    notes = advise(Seen(list(samples), list(requests), **given))
    assert all(note.text for note in notes)
    assert len({(note.code, str(note.details.get("where"))) for note in notes}) == len(notes)
    return {note.code: note.details for note in notes}


def samples(count: int = 10, every: float = 1.0, **given: Any) -> list[Sample]:
    return [sample(number * every, **given) for number in range(count)]


def test_nothing_seen_is_no_advice() -> None:
    assert advise(Seen([], [])) == ()
    assert advise(Seen(samples(400), [record(float(number), id=str(number)) for number in range(400)])) == ()


def test_the_codes_are_notes() -> None:
    assert set(ADVICE_NOTES) <= set(NOTES)
    assert all(code.startswith("advice_") for code in ADVICE_NOTES)


# Memory that is nearly full.


def test_a_machine_that_is_nearly_full() -> None:
    details = advice(samples(system_used=int(14.5 * GIB)))["advice_full"]
    assert (str(details["where"]), details["share"]) == ("The machine's memory", "91%")
    assert (details["used"], details["total"]) == ("14.5 GiB", "16.0 GiB")
    assert "advice_full" not in advice(samples(system_used=int(14.3 * GIB)))


def test_a_moment_alone_says_nothing() -> None:
    full = sample(9.0, system_used=16 * GIB)
    assert advice([*samples(9), full]) == {}
    assert advice([full] * 4) == {}
    assert "advice_full" in advice([*samples(7), full, full, full])


def test_a_budget_that_is_nearly_full() -> None:
    assert advice(samples(rss=GIB), budget=2 * GIB) == {}
    details = advice(samples(rss=1.9 * GIB), budget=2 * GIB)["advice_full"]
    assert (str(details["where"]), details["share"]) == ("The limit that --max-memory sets", "95%")


def test_the_budget_of_a_gpu_is_of_torch_s_memory_there() -> None:
    given = samples(rss=1.9 * GIB, gpus=(gpu(reserved=5 * GIB),))
    assert advice(given, budget=8 * GIB) == {}
    assert advice(given, budget=int(5.1 * GIB))["advice_full"]["used"] == "5.0 GiB"


def test_a_gpu_that_is_nearly_full() -> None:
    details = advice(samples(gpus=(gpu(), gpu(1, used=23 * GIB))))["advice_full"]
    assert str(details["where"]) == "GPU 1 (Test GPU)"
    assert advice(samples(gpus=(gpu(used=UNKNOWN), gpu(1, used=23 * GIB, total=UNKNOWN)))) == {}
    assert advice(samples(gpus=(gpu(allocated=UNKNOWN, reserved=UNKNOWN),))) == {}


def batch(count: int, together: int, at: float = 5.0, **given: Any) -> list[RequestRecord]:
    """Steps of so many texts; the peak is `base` and 100 MiB a text."""
    return [
        record(at, id=f"{step}-{place}", step=f"s{step}", batch=True, together=together, **given)
        for step in range(count)
        for place in range(together)
    ]


def test_the_smaller_batch_to_try() -> None:
    given = samples(rss=15 * GIB, system_used=15 * GIB)
    details = advice(given, batch(3, 16))["advice_full_batch"]
    assert (details["size"], details["current"]) == (8, 16)
    assert "advice_full" in advice(given, batch(3, 1))
    assert "advice_full" in advice(samples(400, rss=15 * GIB, system_used=15 * GIB), batch(3, 16)), "long ago"


def test_the_peaks_of_steps_say_how_much_smaller() -> None:
    steps = batch(3, 16, peak=10 * GIB + 1600 * MIB)
    assert smaller_batch(steps, 16, 10 * GIB, 10 * GIB + 510 * MIB) == 5
    assert smaller_batch(steps, 16, 10 * GIB, 14 * GIB) == 8
    assert smaller_batch(steps, 16, 10 * GIB, 9 * GIB) == 1
    assert smaller_batch([], 16, 0, 0) == 8
    assert smaller_batch(batch(3, 16, peak=9 * GIB), 16, 10 * GIB, 14 * GIB) == 8
    assert smaller_batch([], 1, 0, 0) == 1


@given(st.integers(2, 4096), st.integers(0, 2**40), st.integers(0, 2**40), st.integers(1, 2**40))
def test_the_smaller_batch_is_smaller(current: int, base: int, room: int, peak: int) -> None:
    assert 1 <= smaller_batch(batch(1, 4, peak=peak), current, base, room) < current


def test_a_full_cpu_says_no_batch_of_a_model_on_a_gpu() -> None:
    given = samples(system_used=15 * GIB, gpus=(gpu(),))
    assert set(advice(given, batch(3, 16))) == {"advice_full"}
    given = samples(gpus=(gpu(used=23 * GIB),))
    assert set(advice(given, batch(3, 16))) == {"advice_full_batch"}


# Reserved far above allocated.


def reserving(reserved: int, allocated: int, count: int = 100) -> list[Sample]:
    return samples(count, gpus=(gpu(reserved=reserved, allocated=allocated),))


def test_memory_that_torch_has_reserved_and_not_used() -> None:
    details = advice(reserving(12 * GIB, 4 * GIB))["advice_fragmented"]
    assert (str(details["where"]), details["reserved"], details["used"]) == ("GPU 0 (Test GPU)", "12.0 GiB", "4.0 GiB")
    assert details["minutes"] == 2


@pytest.mark.parametrize(
    ("reserved", "allocated", "count"),
    [
        (5 * GIB, 4 * GIB, 100),  # a fifth
        (900 * MIB, 500 * MIB, 100),  # little
        (12 * GIB, 0, 100),  # no model
        (12 * GIB, 4 * GIB, 20),  # not for long
    ],
)
def test_memory_reserved_for_a_reason_is_no_news(reserved: int, allocated: int, count: int) -> None:
    assert advice(reserving(reserved, allocated, count)) == {}


def test_what_requests_take_between_the_samples_is_used() -> None:
    given = reserving(12 * GIB, 4 * GIB)
    assert advice(given, [record(90.0, peak=11 * GIB)]) == {}
    assert "advice_fragmented" in advice(given, [record(90.0, peak=6 * GIB)])


def test_reserved_memory_that_is_not_known_is_none() -> None:
    assert advice(samples(100, gpus=(gpu(reserved=UNKNOWN),))) == {}
    assert advice(samples(100, gpus=(gpu(allocated=UNKNOWN),))) == {}


# One slow request blocks others.


def waiting(
    count: int, queue_ms: float, slow_ms: float = 20_000.0, start: float = 100.0, usual_ms: float = 20.0
) -> list[RequestRecord]:
    """A slow request from `start` on, and others that were asked while it ran and answered after it."""
    end = start + slow_ms / 1e3
    others = [
        record(end + 0.02 * (number + 1), id=f"w{number}", queue_ms=queue_ms, latency_ms=20.0)
        for number in range(count)
    ]
    usual = [record(float(number), id=f"u{number}", latency_ms=usual_ms) for number in range(20)]
    slow = record(end, id="slow", task="prompt", latency_ms=slow_ms, characters=9000, output_tokens=700)
    return [*usual, slow, *others]


def test_one_slow_request_that_others_waited_for() -> None:
    details = advice(requests=waiting(4, 15_000.0))["advice_blocked"]
    assert (details["count"], details["seconds"], details["wait"]) == (4, "20.0", "15.0")
    assert (details["id"], details["task"], details["characters"], details["tokens"]) == ("slow", "prompt", 9000, 740)


@pytest.mark.parametrize(
    "requests",
    [
        waiting(2, 15_000.0),  # two wait
        waiting(6, 900.0),  # they wait a moment
        waiting(6, 2000.0, 2500.0),  # it is not that slow
        waiting(6, 15_000.0, usual_ms=5000.0),  # nor beside the others
        waiting(6, 60_000.0),  # most of the wait was for others
        [record(float(n), id=str(n), latency_ms=5000.0, queue_ms=4000.0) for n in range(0, 100, 5)],  # all are slow
        [record(100.0, id=str(n), queue_ms=90_000.0, latency_ms=20) for n in range(5)],  # for a load, not a request
        [record(100.0, id=str(n), queue_ms=90_000.0, batch=True) for n in range(50)],  # batches wait by design
    ],
)
def test_other_waits_are_no_blockade(requests: list[RequestRecord]) -> None:
    assert "advice_blocked" not in advice(requests=requests)


def test_a_step_of_a_batch_blocks_as_one() -> None:
    step = [
        record(120.0, id=f"b{number}", step="s", batch=True, together=8, latency_ms=20_000.0, queue_ms=0.0)
        for number in range(8)
    ]
    others = [record(120.1, id=f"w{number}", queue_ms=10_000.0, latency_ms=10.0) for number in range(3)]
    usual = [record(float(number), id=f"u{number}") for number in range(20)]
    details = advice(requests=usual + step + others)["advice_blocked"]
    assert (details["count"], details["seconds"]) == (3, "20.0")


# Mixed lengths.


def lengths(*steps: Iterable[int]) -> list[RequestRecord]:
    return [
        record(1.0, id=f"{number}-{place}", step=f"s{number}", batch=True, together=len(list(step)), characters=length)
        for number, step in enumerate(steps)
        for place, length in enumerate(step)
    ]


def test_texts_of_very_different_lengths_in_a_step() -> None:
    details = advice(requests=lengths(*[[100] * 7 + [900]] * 6))["advice_mixed"]
    assert (details["filled"], details["texts"], details["steps"], details["size"]) == ("22%", 48, 6, 4)


@pytest.mark.parametrize(
    "steps",
    [
        [[700] * 7 + [900]] * 6,  # alike
        [[100] * 7 + [900]] * 4,  # few
        [[900]] * 60,  # alone
        [[0] * 8] * 6,  # nothing in them
    ],
)
def test_other_lengths_are_no_news(steps: list[list[int]]) -> None:
    assert advice(requests=lengths(*steps)) == {}


# First requests, kept answers, values, errors.


def test_first_requests_that_make_the_slowest_ones() -> None:
    requests = [record(float(n), id=str(n), latency_ms=100.0) for n in range(12)]
    requests += [record(20.0, id="c", latency_ms=9000.0, warm=False)]
    details = advice(requests=requests)["advice_cold"]
    assert (details["count"], details["without"]) == (13, 100)
    assert int(str(details["with_cold"])) > 3000
    many = [record(float(n), id=str(n), latency_ms=100.0) for n in range(60)]
    assert advice(requests=[*many, *requests[12:]]) == {}, "one of sixty"
    assert advice(requests=requests[4:]) == {}, "few"
    quick = [*requests[:12], record(20.0, id="c", latency_ms=140.0, warm=False)]
    assert advice(requests=quick) == {}


def test_a_cache_that_is_never_hit() -> None:
    requests = [record(float(n), id=str(n)) for n in range(200)]
    held = samples(answers=20 * MIB)
    assert advice(held, requests)["advice_cache_unused"] == {"count": 200, "kept": "20.0 MiB"}
    assert advice(held, requests[1:]) == {}
    assert advice(held, [*requests, record(1.0, cached=True)]) == {}
    assert advice(samples(answers=MIB), requests) == {}
    assert advice(samples(), requests) == {}
    assert advice(held, [record(float(n), id=str(n), batch=True) for n in range(300)]) == {}


def test_values_that_are_not_in_their_text() -> None:
    found = [record(task="extract", values=10, grounded=10), record(task="extract", values=10, grounded=9)]
    assert advice(requests=found)["advice_ungrounded"] == {"count": 1, "values": 20, "share": "95.0%"}
    assert advice(requests=[record(task="extract", values=19, grounded=0)]) == {}
    assert advice(requests=[record(task="extract", values=5000, grounded=5000)]) == {}
    almost = advice(requests=[record(task="extract", values=100_000, grounded=99_999)])
    assert almost["advice_ungrounded"]["share"] == "99.9%", "never rounded to all"


def test_requests_that_fail() -> None:
    fine = [record(float(n), id=str(n)) for n in range(18)]
    failed = [record(20.0, id="x", error="out_of_memory"), record(21.0, id="y", error="internal")]
    failed += [record(22.0, id="z", error="out_of_memory")]
    details = advice(requests=fine + failed)["advice_failing"]
    assert details == {"failed": 3, "count": 21, "most": 2, "code": "out_of_memory"}
    assert advice(requests=fine[:8] + failed) == {}
    assert advice(requests=fine * 5 + failed) == {}
    stopped = [record(30.0, id=str(n), error="cancelled") for n in range(40)]
    assert advice(requests=fine * 2 + stopped) == {}


# Whatever is seen.

RECORDS = st.builds(
    record,
    time=st.floats(0, 2000),
    id=st.text(max_size=3),
    task=st.sampled_from(["classify", "extract", "prompt"]),
    batch=st.booleans(),
    characters=st.integers(0, 10**6),
    latency_ms=st.floats(0, 1e6),
    queue_ms=st.floats(0, 1e6),
    cached=st.booleans(),
    together=st.integers(1, 64),
    values=st.integers(0, 50),
    grounded=st.integers(0, 50),
    warm=st.booleans(),
    error=st.sampled_from(["", "", "", "internal", "cancelled"]),
    peak=st.none() | st.integers(0, 2**40),
    step=st.sampled_from(["", "a", "b"]),
)
BYTES = st.just(UNKNOWN) | st.integers(0, 2**40)
GPUS = st.builds(gpu, st.integers(0, 2), allocated=BYTES, reserved=BYTES, used=BYTES, total=BYTES)
SAMPLES = st.builds(
    sample,
    time=st.floats(0, 2000),
    rss=st.integers(0, 2**40),
    system_used=st.integers(0, 2**40),
    system_total=st.integers(0, 2**40),
    gpus=st.lists(GPUS, max_size=3, unique_by=lambda one: one.index).map(tuple),
    mapped=st.none() | st.integers(0, 2**40),
    answers=st.none() | st.integers(0, 2**40),
    texts=st.none() | st.integers(0, 2**40),
)


@settings(max_examples=40)
@given(
    st.lists(SAMPLES, max_size=60).map(lambda all_: sorted(all_, key=lambda one: one.time)),
    st.lists(RECORDS, max_size=80).map(lambda all_: sorted(all_, key=lambda one: one.time)),
    st.none() | st.integers(1, 2**40),
)
def test_advice_is_always_said_in_whole_sentences(
    seen: list[Sample], requests: list[RequestRecord], budget: int | None
) -> None:
    for note in advise(Seen(seen, requests, (), budget)):
        assert isinstance(note, Note)
        assert note.text.endswith(".")
        assert "Missing" not in note.text
        assert "nan" not in note.text
