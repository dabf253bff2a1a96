"""Snapshots: bounded, those by hand kept the longest, and the difference of two."""

from dataclasses import replace

from engine.messages import Phrase
from engine.observe.snapshots import MOST, Change, Snapshots, difference, label
from engine.observe.types import GpuReading, Missing, Sample
from engine.phrases import PHRASES

WHY = Missing(Phrase("gpu_container"))
GPU = GpuReading(0, "One", 10, 20, 30, 100, WHY, 5.0, 40.0)
SAMPLE = Sample(1.0, 1000, 1500, 3.0, 5000, 9000, 4.0, 0, (GPU,))


def kept(*tags: str, automatic: bool = False) -> Snapshots:
    made = Snapshots()
    for tag in tags:
        made.add(tag, SAMPLE, automatic=automatic, requests=7, model="m int8 cpu")
    return made


def test_they_are_kept_in_order_with_numbers_of_their_own() -> None:
    made = kept("a", "b", "a")
    assert [(one.id, one.tag) for one in made.all()] == [(1, "a"), (2, "b"), (3, "a")]
    made.forget(2)
    made.forget(2)
    assert [one.id for one in made.all()] == [1, 3]
    made.add("d", SAMPLE, automatic=False, requests=0, model="")
    assert made.all()[-1].id == 4


def test_names_are_one_short_line_and_nothing_else_is_done_to_them() -> None:
    made = kept("  two\nlines\t{x} %s ", "长" * 300, " \n ")
    assert [one.tag for one in made.all()] == ["two lines {x} %s", "长" * 80, ""]


def test_labels() -> None:
    made = kept("snapshot_load", "snapshot_warm", "snapshot_requests", "snapshot_release", automatic=True)
    phrases = [label(one) for one in made.all()]
    assert [str(phrase) for phrase in phrases] == [
        "after the load", "after the first request", "after 7 requests", "after a release",
    ]  # fmt: skip
    assert all(isinstance(phrase, Phrase) for phrase in phrases)
    named = [label(one) for one in kept("snapshot_load", "").all()]
    assert named == ["snapshot_load", PHRASES["snapshot_unnamed"]]  # what a user types is no code
    assert not isinstance(named[0], Phrase)


def test_the_bound_takes_the_oldest_automatic_one_first() -> None:
    made = kept("mine")
    for _ in range(MOST + 50):
        made.add("snapshot_load", SAMPLE, automatic=True, requests=0, model="")
    assert len(made.all()) == MOST
    assert made.all()[0].tag == "mine"
    for number in range(MOST + 50):
        made.add(str(number), SAMPLE, automatic=False, requests=0, model="")
    assert [one.tag for one in made.all()] == [str(number) for number in range(50, MOST + 50)]


def test_the_difference_of_two() -> None:
    gpu = replace(GPU, allocated=4, reserved=20, used=WHY)
    before, after = kept("a", "b").all()
    after = replace(after, sample=replace(SAMPLE, rss=400, system_used=5100, gpus=(gpu,)))
    assert difference(before, after) == (
        Change("rss", None, 1000, 400, -600),
        Change("peak", None, 1500, 1500, 0),
        Change("system_used", None, 5000, 5100, 100),
        Change("allocated", 0, 10, 4, -6),
        Change("reserved", 0, 20, 20, 0),
        Change("used", 0, 30, WHY, WHY),
        Change("others", 0, WHY, WHY, WHY),
    )


def test_a_gpu_that_only_one_of_them_has_is_left_out() -> None:
    before, after = kept("a", "b").all()
    after = replace(after, sample=replace(SAMPLE, gpus=(replace(GPU, index=1),)))
    assert {change.gpu for change in difference(before, after)} == {None}
