"""What an engine is to the bench, and which there are.

An engine lives in a process of its own (`bench.speed.worker`), loads one checkpoint and does pieces of work. Every
method does its work once, from token ids, and returns how many tokens it scored or generated after the prompt.
"""

import importlib
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bench.speed.work import Work

KINDS = ("prefill", "classify", "relabel", "extract", "batch")
"""The pieces of work, in the order they are done: a method of `Engine` each. relabel comes right after classify."""

REGISTRY = {
    "official": "bench.speed.engines.hf:Official",
    "hf-greedy": "bench.speed.engines.hf:Greedy",
    "article-a": "bench.speed.engines.hf:ArticleA",
    "ours-fp32": "bench.speed.engines.ours:OursFp32",
    "ours-fp16": "bench.speed.engines.ours:OursFp16",
    "ours-int8": "bench.speed.engines.ours:OursInt8",
    "ctranslate2-int8": "bench.speed.engines.ctranslate2_int8:CTranslate2Int8",
    "llama.cpp-q8_0": "bench.speed.engines.llama_cpp:LlamaCppQ8",
    "llama.cpp-q4_0": "bench.speed.engines.llama_cpp:LlamaCppQ4",
    "onnxruntime-int8": "bench.speed.engines.onnx_int8:OnnxInt8",
    "openvino-int8": "bench.speed.engines.openvino_int8:OpenVinoInt8",
}
"""Where each engine's class is, as module:class. Modules import what they run on only in `load` and its like."""


@dataclass(frozen=True)
class Timed:
    """One piece of work, timed.

    tokens: scored or generated after the prompt.
    extrapolated: a part was run, and the whole worked out from it.
    step_seconds: of one pass over one new token, where the engine can tell.
    cpu_seconds: of all its threads together: on a busy machine they say more than the clock.
    """

    seconds: float
    tokens: int
    extrapolated: bool = False
    step_seconds: float | None = None
    cpu_seconds: float | None = None


class Engine(ABC):
    """One way to run the checkpoint. Work that it cannot do raises NotImplementedError, and its cell stays empty."""

    name: ClassVar[str]
    precision: ClassVar[str]
    """Of the weights that are multiplied: a key of `bench.speed.floor.WEIGHT_BYTES`."""
    how: ClassVar[str]
    """One line: what is done here as equal work."""
    gigabytes: ClassVar[float] = 2.0
    """Memory that it takes, roughly: so many engines are loaded side by side as fit."""

    @classmethod
    def missing(cls) -> str:
        """Why it cannot run here; empty if it can."""
        return ""

    @abstractmethod
    def load(self, checkpoint: Path, threads: int, scratch: Path) -> None:
        """Load the checkpoint. scratch: the engine's own folder, where a conversion is kept for the next time."""

    @abstractmethod
    def prefill(self, work: Work) -> int:
        """Read `work.prompt`, up to the next token's logits."""

    @abstractmethod
    def classify(self, work: Work) -> int:
        """Answer `work.prompt`: score `work.labels`, or generate as many tokens as the longest label has."""

    @abstractmethod
    def relabel(self, work: Work) -> int:
        """The same with `work.relabel_prompt`; right after `classify`, so what is kept of the text may be used."""

    @abstractmethod
    def extract(self, work: Work) -> int:
        """Answer `work.extract_prompt` with as many tokens as `work.extract_answer` has."""

    @abstractmethod
    def batch(self, work: Work) -> int:
        """Classify all of `work.batch` with `work.labels`."""

    def prepare(self, kind: str, work: Work) -> None:  # noqa: B027 - most engines keep nothing
        """What must be done before a piece of work, outside of its time: forget what earlier work left behind."""

    def timed(self, kind: str, work: Work) -> Timed:
        """Do a piece of work and time it; one that cannot be done whole overrides this."""
        self.prepare(kind, work)
        started, cpu = time.perf_counter(), time.process_time()
        tokens = getattr(self, kind)(work)
        return Timed(time.perf_counter() - started, tokens, cpu_seconds=time.process_time() - cpu)


def engine_class(name: str) -> type[Engine]:
    """The class of a registered engine.

    Raises:
        ImportError: its module is not there, or needs one that is not.
    """
    module, _, member = REGISTRY[name].partition(":")
    found: type[Engine] = getattr(importlib.import_module(module), member)
    return found
