"""The floor: how fast this machine could do the work at best, by what its memory and its multiplications give.

A phase of the work is one or more passes over the layers' weights. It takes at least its multiplications at the rate
that torch reaches with the model's own matrices, and at least the reading of the weights, once a pass. Attention, the
embedding and the head are left out: the least that any engine must do.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.speed.checkpoint import Shape
from bench.speed.work import Work

WEIGHT_BYTES = {"fp32": 4.0, "fp16": 2.0, "int8": 1.0, "q8_0": 34 / 32, "q4_0": 18 / 32}
"""Bytes of a weight, scales included where a block has its own."""
_RATE_OF = {"q8_0": "int8", "q4_0": "int8"}
_READ_BYTES = 1 << 29
_ROWS = 256
_TRIES = 7


@dataclass(frozen=True)
class Rates:
    """What the machine reached with so many threads.

    read: bytes a second, from an array far larger than the caches.
    multiply: operations a second by precision, a multiplication and an addition counted as two.
    """

    threads: int
    read: float
    multiply: dict[str, float]

    def seconds(self, tokens: int, passes: int, precision: str, weights: int) -> float:
        """The least time of so many tokens in so many passes over so many weights."""
        rate = self.multiply[_RATE_OF.get(precision, precision)]
        return max(2 * weights * tokens / rate, passes * weights * WEIGHT_BYTES[precision] / self.read)


def measure_rates(threads: int, shape: Shape) -> Rates:
    """Measure, best of some tries; takes some seconds. A precision is no slower than a wider one: it can be widened."""
    import torch

    torch.set_num_threads(threads)
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message=".*quantize", category=UserWarning
        )  # to be removed from torch one day
        fp32 = _multiply_rate(shape, lambda weight: lambda rows: torch.nn.functional.linear(rows, weight))
        fp16 = max(fp32, _multiply_rate(shape, _prepared("fp16")))
        int8 = max(fp32, _multiply_rate(shape, _prepared("int8")))
        return Rates(threads, _read_rate(), {"fp32": fp32, "fp16": fp16, "int8": int8})


def floor_seconds(kind: str, precision: str, work: Work, shape: Shape, rates: Rates) -> float:
    """The least time of a piece of work, phase by phase. `step`: one pass over one token."""

    def phase(tokens: int, passes: int = 1) -> float:
        return rates.seconds(tokens, passes, precision, shape.weights)

    labels = _read_after(work.labels)
    if kind == "step":
        return phase(1)
    if kind == "prefill":
        return phase(len(work.prompt))
    if kind == "classify":
        return phase(len(work.prompt)) + phase(labels)
    if kind == "relabel":
        changed = len(work.relabel_prompt) - _common(work.prompt, work.relabel_prompt)
        return phase(changed) + phase(_read_after(work.relabel_labels))
    if kind == "extract":
        return phase(len(work.extract_prompt)) + phase(len(work.extract_answer), work.extract_passes)
    if kind == "batch":
        return phase(sum(map(len, work.batch)) + labels * len(work.batch))
    raise ValueError(f"no such work: {kind}")


def _read_after(labels: Sequence[Sequence[int]]) -> int:
    """Tokens of the labels that a model must read: shared beginnings once, last tokens not."""
    return len({tuple(label[:end]) for label in labels for end in range(1, len(label))})


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


def _best(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(_TRIES):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def _read_rate() -> float:
    """By a sum and by a product with a vector, whichever is faster."""
    import torch

    table = torch.ones(_READ_BYTES // 4096, 1024)
    vector = torch.ones(1024)
    return _READ_BYTES / min(_best(table.sum), _best(lambda: table @ vector))


def _multiply_rate(shape: Shape, prepare: Callable[[Any], Callable[[Any], object]]) -> float:
    """Over the matrices of a layer, `_ROWS` tokens at once; 0 where torch has no such multiplication here."""
    import torch

    operations, seconds = 0, 0.0
    for outputs, inputs in shape.matrices:
        rows = torch.randn(_ROWS, inputs)
        try:
            multiply = prepare(torch.randn(outputs, inputs))
            multiply(rows)
        except (RuntimeError, AttributeError, NotImplementedError):
            return 0.0
        seconds += _best(lambda multiply=multiply, rows=rows: multiply(rows))  # type: ignore[misc]
        operations += 2 * _ROWS * outputs * inputs
    return operations / seconds


def _prepared(precision: str) -> Callable[[Any], Callable[[Any], object]]:
    """A product with weights that torch has packed: activations are quantised to int8 as they come, or stay fp32."""
    import torch

    own = torch.ops.quantized

    def prepare(weight: Any) -> Callable[[Any], object]:
        if precision == "fp16":
            halves = own.linear_prepack_fp16(weight, None)
            return lambda rows: own.linear_dynamic_fp16(rows, halves)
        scale = float(weight.abs().max()) / 127
        packed = own.linear_prepack(torch.quantize_per_tensor(weight, scale, 0, torch.qint8), None)
        return lambda rows: own.linear_dynamic(rows, packed, True)

    return prepare
