"""CTranslate2, int8: weights by row, activations by token."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

from bench.speed.engines.peers import Peer, converted
from bench.speed.work import Work

_TOGETHER = 8
"""Prompts of one length in a call."""


class CTranslate2Int8(Peer):
    """Its own converter's model, and its `Generator`."""

    name = "ctranslate2-int8"
    precision = "int8"
    how = (
        "greedy: as many tokens as the longest label, and as the right answer, has; relabel: what both prompts begin "
        "with is its static prompt, read before; batch: prompts of one length together, others alone"
    )
    gigabytes = 1.2
    packages = ("ctranslate2",)
    keeps = True
    compute: ClassVar[str] = "int8"
    """Of the conversion, and of the products."""

    def load(self, checkpoint: Path, threads: int, scratch: Path) -> None:
        """Convert, then load."""
        import ctranslate2

        folder = converted(checkpoint, scratch / self.compute, _CONVERT[self.compute], "ctranslate2")
        self._generator: Any = ctranslate2.Generator(
            str(folder), device="cpu", compute_type=self.compute, inter_threads=1, intra_threads=threads
        )
        self._tokens: list[str] = json.loads((folder / "vocabulary.json").read_text("utf-8"))
        self._static = 0

    def prepare(self, kind: str, work: Work) -> None:
        """A static prompt is read at its first use: here, as classifying would have read it."""
        if kind == "relabel":
            pairs = zip(work.prompt, work.relabel_prompt, strict=False)
            same = next((place for place, (one, other) in enumerate(pairs) if one != other), len(work.prompt))
            self._static = min(same, len(work.relabel_prompt) - 1)
            self.generate(work.relabel_prompt, 1, kept=True)

    def generate(self, prompt: Sequence[int], count: int, *, kept: bool = False) -> list[int]:
        """By its own loop. Kept is only what `prepare` made the static prompt."""
        return self._write([prompt], count, self._static if kept else 0)[0]

    def batch(self, work: Work) -> int:
        """Prompts of one length together: a shorter one's neighbours are read token by token where it ends."""
        count = work.longest_label
        made = 0
        for _, same in groupby(sorted(work.batch, key=len), key=len):
            prompts = list(same)
            for at in range(0, len(prompts), _TOGETHER):
                made += sum(map(len, self._write(prompts[at : at + _TOGETHER], count)))
        return made

    def _write(self, prompts: Sequence[Sequence[int]], count: int, static: int = 0) -> list[list[int]]:
        """static: tokens that all prompts begin with, kept from call to call."""
        words = [[self._tokens[token] for token in prompt] for prompt in prompts]
        results = self._generator.generate_batch(
            [prompt[static:] for prompt in words],
            static_prompt=words[0][:static] or None,
            min_length=count,
            max_length=count,
            beam_size=1,
            sampling_topk=1,
            end_token=[],
            include_prompt_in_result=False,
        )
        return [result.sequences_ids[0] for result in results]


def _convert(checkpoint: Path, folder: Path, quantization: str | None) -> None:
    from ctranslate2.converters import TransformersConverter

    converter = TransformersConverter(str(checkpoint), load_as_float16=quantization is not None, low_cpu_mem_usage=True)
    converter.convert(str(folder), quantization=quantization, force=True)


def _to_int8(checkpoint: Path, folder: Path) -> None:
    _convert(checkpoint, folder, "int8")


def _to_float32(checkpoint: Path, folder: Path) -> None:
    _convert(checkpoint, folder, None)


_CONVERT = {"int8": _to_int8, "float32": _to_float32}
