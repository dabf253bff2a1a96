"""What the peer runtimes share: answers by greedy generation, and conversions that are kept."""

import importlib.util
import multiprocessing
import shutil
from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import ClassVar

from bench.speed.engines import Engine
from bench.speed.work import Work

Convert = Callable[[Path, Path], None]
"""Writes a checkpoint's conversion into an empty folder: a function of a module, as it runs in another process."""

_WRITTEN = 1
"""Raised when a conversion is written in another way; those of before are made again."""


class Peer(Engine):
    """A runtime that writes its answers: as many tokens as the longest label, or as the right answer, has."""

    packages: ClassVar[tuple[str, ...]]
    """What it needs beside the project's own requirements, named as pip and Python do alike."""
    keeps: ClassVar[bool] = False
    """Whether it can read on from what it kept of the prompt before."""
    _last = ""

    @classmethod
    def missing(cls) -> str:
        """Packages that are not installed."""
        gone = [name for name in cls.packages if importlib.util.find_spec(name) is None]
        return f"not installed: {', '.join(gone)}" if gone else ""

    @abstractmethod
    def generate(self, prompt: Sequence[int], count: int, *, kept: bool = False) -> list[int]:
        """Exactly `count` greedy tokens. kept: what is left of the prompt before may be used."""

    def prepare(self, kind: str, work: Work) -> None:
        """A changed label set follows the first one at once: where something is kept, it is kept of that."""
        if self.keeps and kind == "relabel" and self._last != "classify":
            self.classify(work)
        self._last = kind

    def prefill(self, work: Work) -> int:
        """The prompt and the best next token."""
        self.generate(work.prompt, 1)
        return 0

    def classify(self, work: Work) -> int:
        """As many tokens as the longest label has."""
        return len(self.generate(work.prompt, work.longest_label))

    def relabel(self, work: Work) -> int:
        """The same; what was kept of the text is used."""
        return len(self.generate(work.relabel_prompt, work.longest_relabel, kept=self.keeps))

    def extract(self, work: Work) -> int:
        """As many tokens as the right answer has."""
        return len(self.generate(work.extract_prompt, len(work.extract_answer)))

    def batch(self, work: Work) -> int:
        """One prompt after the other."""
        return sum(len(self.generate(prompt, work.longest_label)) for prompt in work.batch)


def alibi_slopes(heads: int) -> list[float]:
    """By how much a key's bias grows from place to place, for each head."""
    even = 2 ** (heads.bit_length() - 1)
    between = (2 ** (-4 * place / even) for place in range(1, 2 * even, 2))
    return [*(2 ** (-8 * place / even) for place in range(1, even + 1)), *between][:heads]


def converted(checkpoint: Path, folder: Path, convert: Convert, *packages: str) -> Path:
    """`folder` with the checkpoint's conversion, made unless it is there and of these versions of the packages.

    It is made in a process of its own: the peak memory of this one shall be the runtime's.
    """
    weights = (checkpoint / "model.safetensors").stat()
    versions = " ".join(f"{package} {metadata.version(package)}" for package in packages)
    made_of = f"{_WRITTEN} {weights.st_size} {weights.st_mtime_ns} {versions}"
    stamp = folder / "made_of.txt"
    if stamp.is_file() and stamp.read_text("utf-8") == made_of:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        pool.submit(convert, checkpoint, folder).result()
    stamp.write_text(made_of, "utf-8")
    return folder
