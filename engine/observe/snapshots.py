"""Snapshots: samples with a name, to compare later. Bounded; those that were made by hand stay the longest."""

import itertools
import threading
from dataclasses import dataclass

from engine.messages import Phrase
from engine.observe.types import Bytes, Missing, Sample, Snapshot

MOST = 200
_LONGEST_TAG = 80
REQUEST_COUNTS = (100, 1_000, 10_000)
"""After so many answered requests a snapshot is made."""


class Snapshots:
    """The snapshots of a process, in the order in which they were made. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Snapshot] = []
        self._ids = itertools.count(1)

    def add(self, tag: str, sample: Sample, *, automatic: bool, requests: int, model: str) -> Snapshot:
        """Keep one; the tag of one made by hand is cut to 80 characters and one line."""
        tag = tag if automatic else " ".join(tag.split())[:_LONGEST_TAG]
        with self._lock:
            made = Snapshot(next(self._ids), tag, automatic, requests, model, sample)
            self._kept.append(made)
            if len(self._kept) > MOST:
                self._kept.remove(next((one for one in self._kept if one.automatic), self._kept[0]))
        return made

    def all(self) -> tuple[Snapshot, ...]:
        """The oldest first."""
        with self._lock:
            return tuple(self._kept)

    def forget(self, number: int) -> None:
        """Let one go; one that is gone already is no error."""
        with self._lock:
            self._kept = [one for one in self._kept if one.id != number]


def label(snapshot: Snapshot) -> str:
    """What a page calls it: a phrase, which can be translated, for one that was made by itself, else the name given."""
    if not snapshot.automatic:
        return snapshot.tag or Phrase("snapshot_unnamed")
    if snapshot.tag == "snapshot_requests":
        return Phrase("snapshot_requests", count=snapshot.requests)
    return Phrase(snapshot.tag)


@dataclass(frozen=True)
class Change:
    """One figure of two snapshots, in bytes. figure: rss, peak, system_used, allocated, reserved, used or others.

    gpu: the index of the GPU that it is of; None: it is of the process or the machine.
    change: after less before; Missing, with its reason, where one of them is.
    """

    figure: str
    gpu: int | None
    before: Bytes
    after: Bytes
    change: Bytes


def difference(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """What changed between two: every figure of memory. A GPU that only one of them has is left out."""
    found = [
        _change(name, None, getattr(before.sample, name), getattr(after.sample, name))
        for name in ("rss", "peak", "system_used")
    ]
    later = {gpu.index: gpu for gpu in after.sample.gpus}
    for gpu in before.sample.gpus:
        if gpu.index in later:
            for name in ("allocated", "reserved", "used", "others"):
                found.append(_change(name, gpu.index, getattr(gpu, name), getattr(later[gpu.index], name)))
    return tuple(found)


def _change(name: str, gpu: int | None, before: Bytes, after: Bytes) -> Change:
    if isinstance(before, Missing):
        return Change(name, gpu, before, after, before)
    if isinstance(after, Missing):
        return Change(name, gpu, before, after, after)
    return Change(name, gpu, before, after, after - before)
