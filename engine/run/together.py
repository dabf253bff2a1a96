"""Requests that are answered together: which go together, what each bears of the cost. It asks no model."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from threading import Event
from typing import ParamSpec, TypeVar

from engine.errors import WorkbenchError
from engine.run.failures import forget_frames

CHARACTERS = 8192
"""Characters of text that a model which understands is given at a time; it cuts them into batches of its own."""

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


def attempt(
    call: Callable[Arguments, Result], *arguments: Arguments.args, **options: Arguments.kwargs
) -> Result | WorkbenchError:
    """What a call answers, or how it refuses, a stop included; any other error goes through."""
    try:
        return call(*arguments, **options)
    except WorkbenchError as error:
        forget_frames(error)  # it is kept in the place of an answer
        return error


def stopped(stop: Event | None) -> bool:
    """Whether a stop was asked for."""
    return stop is not None and stop.is_set()


def grouped(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """The places of each key, keys and places in order."""
    groups: dict[Key, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault(key, []).append(place)
    return groups


def packed(sizes: Sequence[int], budget: int, most: int | None = None) -> Iterator[list[int]]:
    """Places of things of like size together, the smallest first: `most` at a time, and by the largest within a budget.

    One that is beyond the budget goes alone.
    """
    batch: list[int] = []
    for place in sorted(range(len(sizes)), key=lambda one: sizes[one]):
        if batch and (len(batch) == most or sizes[place] * (len(batch) + 1) > budget):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def shares(total: float, weights: Sequence[int]) -> list[float]:
    """A total by weights; equal shares where nothing weighs anything."""
    weights = weights if any(weights) else [1] * len(weights)
    return [total * weight / sum(weights) for weight in weights]


def whole_shares(total: int, weights: Sequence[int]) -> list[int]:
    """A count by weights, in whole numbers that add up to it."""
    ends, seen = [0], 0.0
    for share in shares(total, weights):
        seen += share
        ends.append(round(seen))
    return [end - start for start, end in pairwise(ends)]
