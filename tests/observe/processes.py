"""Made processes: samples of a workbench that is asked for a while, with the noise of a real one. Deterministic."""

import random
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from observe.records import MIB, gpu, record, sample

from engine.observe.seen import Seen
from engine.observe.types import Marker, RequestRecord, Sample

Bytes = Callable[[int, float], float]
"""Bytes by the number of requests that are over and the seconds that have passed."""


@dataclass
class Process:
    """A process that holds 900 MiB, asked `rate` times a second at random moments, looked at every `every` seconds.

    moment: bytes at most that a request takes while it is worked on, with half of the samples inside one.
    block: the allocator takes and gives back memory in pieces of so many bytes.
    held: what else is held by then. answers, texts, mapped: what is kept on purpose, or pages of files; None: not told.
    """

    seed: int = 1
    rate: float = 3.0
    requests: int = 500
    every: float = 1.0
    moment: float = 60 * MIB
    block: int = 2 * MIB
    held: tuple[Bytes, ...] = ()
    answers: Bytes | None = lambda _count, _time: 0
    texts: Bytes | None = lambda _count, _time: 0
    mapped: Bytes | None = lambda _count, _time: 0
    on_gpu: bool = False
    markers: tuple[Marker, ...] = ()
    records: list[RequestRecord] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    def run(self) -> "Process":
        """Make all requests and samples."""
        chance = random.Random(self.seed)
        time = 0.0
        for number in range(self.requests):
            time += chance.expovariate(self.rate)
            self.records.append(record(time, id=f"r{number}", characters=chance.randint(10, 900)))
        times = [one.time for one in self.records]
        now = 0.0
        while now <= times[-1]:
            self.samples.append(self._sample(now, bisect_right(times, now), chance))
            now += self.every * chance.uniform(0.95, 1.1)
        return self

    def _sample(self, now: float, count: int, chance: random.Random) -> Sample:
        kept = {
            name: None if part is None else int(part(count, now))
            for name, part in (("answers", self.answers), ("texts", self.texts), ("mapped", self.mapped))
        }
        busy = chance.random() * self.moment if chance.random() < 0.5 else 0.0
        held = 900 * MIB + sum(part(count, now) for part in self.held) + busy
        held += 0 if self.on_gpu else sum(one or 0 for one in kept.values())
        held = held // self.block * self.block
        if not self.on_gpu:
            return sample(now, held, **kept)
        reading = gpu(allocated=int(held), reserved=int(held * 1.1))
        return sample(now, 2000 * MIB + busy, gpus=(reading,), **kept)

    def seen(self, until: float = float("inf"), **given: object) -> Seen:
        """What is known at that time."""
        return Seen(
            [one for one in self.samples if one.time <= until],
            [one for one in self.records if one.time <= until],
            [one for one in self.markers if one.time <= until],
            **given,  # type: ignore[arg-type]
        )

    def codes(self, step: float = 5.0) -> dict[str, float]:
        """When each piece of advice was first given, looked at every `step` seconds."""
        from engine.observe.advice import advise

        found: dict[str, float] = {}
        now, end = step, self.samples[-1].time + step
        while now < end:
            for note in advise(self.seen(now)):
                found.setdefault(note.code, now)
            now += step
        return found


def leak(each: float, first: int = 0) -> Bytes:
    """So many bytes more with every request from the first one on."""
    return lambda count, _: each * max(0, count - first)


def saw(height: float, period: int) -> Bytes:
    """Garbage that piles up over so many requests until it is collected."""
    return lambda count, _: height * (count % period) / period


def trimmed(height: float, seconds: float) -> Bytes:
    """Freed pages that pile up until the heap is trimmed."""
    return lambda _, time: height * (time % seconds) / seconds


def steps(size: float, *counts: int) -> Bytes:
    """An arena more at each of these numbers of requests."""
    return lambda count, _: size * sum(count >= one for one in counts)


def filling(each: float, most: float) -> Bytes:
    """A cache that fills until it is full."""
    return lambda count, _: min(each * count, most)


def slowing(scale: float) -> Bytes:
    """New maxima, which come ever more rarely: the longest text so far."""
    return lambda count, _: scale * (1 - 0.97 ** (count / 2))


def loaded(size: float, count: int) -> Bytes:
    """Another model beside the first one, from that request on; while it is loaded memory is higher still."""
    return lambda now, _: size if now >= count else 0.0
