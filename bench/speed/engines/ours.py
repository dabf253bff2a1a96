"""Our engine, through its backend: every label scored after one prefill, answers decoded under their grammar."""

import statistics
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, get_args

from bench.speed.engines import Engine, Timed
from bench.speed.work import Work

_HOW = (
    "classify: the probability of every label; relabel: the same of the edited set, right after; extract: the right "
    "answer under its grammar, each choice led there after its logits"
)


class _Ours(Engine):
    """The backend that the loader gives for the checkpoint, in one precision."""

    how = _HOW

    @classmethod
    def missing(cls) -> str:
        """A precision may be unknown to this version."""
        from engine.types import Precision

        return "" if cls.precision in get_args(Precision) else f"the engine has no {cls.precision}"

    def load(self, checkpoint: Path, threads: int, scratch: Path) -> None:
        """As every page and command does.

        Raises:
            RuntimeError: the engine chose another precision for this device.
        """
        from engine.model.loader import load_backend
        from engine.settings import load_settings

        settings = load_settings(model=str(checkpoint), precision=self.precision, threads=threads, device="cpu")
        backend: Any = load_backend(settings, lambda _: None, lambda _: None, Event())
        if backend.info.precision != self.precision:
            raise RuntimeError(f"the engine takes {backend.info.precision} in place of {self.precision} here")
        self._backend = backend
        self._last = ""
        self._steps: list[float] = []

    def prepare(self, kind: str, work: Work) -> None:
        """Forget what the engine keeps of earlier prompts; a changed label set follows the first one at once."""
        if kind == "relabel" and self._last != "classify":
            self.prepare("classify", work)
            self.classify(work)
        elif kind != "relabel" and hasattr(self._backend, "forget"):
            self._backend.forget()
        self._last = kind

    def prefill(self, work: Work) -> int:
        """The prompt, and the probability of one token."""
        self._backend.score(work.prompt, [work.labels[0][:1]])
        return 0

    def classify(self, work: Work) -> int:
        """Every label."""
        return int(self._backend.score(work.prompt, work.labels).scored_tokens)

    def relabel(self, work: Work) -> int:
        """Every label of the edited set."""
        return int(self._backend.score(work.relabel_prompt, work.relabel_labels).scored_tokens)

    def batch(self, work: Work) -> int:
        """One prompt after the other."""
        return sum(self._backend.score(prompt, work.labels).scored_tokens for prompt in work.batch)

    def extract(self, work: Work) -> int:
        """The right answer under its grammar.

        Raises:
            RuntimeError: the answer is another.
        """
        from bench.speed.gold import Guide, led_by

        tokens = {bytes.fromhex(piece): token for piece, token in work.extract_parts}
        guide = Guide(work.answer.encode(), tokens)
        limit = 2 * len(work.extract_answer)
        with led_by(guide):
            (answer,), _ = self._backend.decode([work.extract_prompt], [work.grammar], limits=[limit])
        if answer.answer != guide.answer:
            raise RuntimeError(f"it wrote {answer.answer.decode(errors='replace')!r}")
        self._steps = guide.steps()
        return len(answer.pieces)

    def timed(self, kind: str, work: Work) -> Timed:
        """With the median time of a step, where an answer was decoded."""
        timed = super().timed(kind, work)
        if kind != "extract" or not self._steps:
            return timed
        return replace(timed, step_seconds=statistics.median(self._steps))


class OursFp32(_Ours):
    """In single precision."""

    name = "ours-fp32"
    precision = "fp32"
    gigabytes = 3.1


class OursFp16(_Ours):
    """Weights in half precision."""

    name = "ours-fp16"
    precision = "fp16"
    gigabytes = 1.7


class OursInt8(_Ours):
    """Weights in 8-bit integers."""

    name = "ours-int8"
    precision = "int8"
    gigabytes = 1.3
