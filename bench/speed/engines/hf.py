"""What papers and articles show: `transformers` in fp32, with beams, greedy, and without a cache."""

import time
from pathlib import Path
from typing import Any, ClassVar

from bench.speed.engines import Engine, Timed
from bench.speed.work import Work

_TOGETHER = 4
"""Prompts of a padded batch."""


class _Transformers(Engine):
    """A model of `transformers` in fp32."""

    precision = "fp32"
    gigabytes = 2.9

    def load(self, checkpoint: Path, threads: int, scratch: Path) -> None:
        """Load it as the model's card does, on the CPU."""
        import torch
        from transformers import AutoModelForCausalLM

        torch.set_num_threads(threads)
        model = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32, local_files_only=True)
        self._model: Any = model.eval()

    def batch(self, work: Work) -> int:
        """The scripts answer one text at a time."""
        raise NotImplementedError


class _Generating(_Transformers):
    """Free answers by `generate`. `beams`: 1 is greedy."""

    beams: ClassVar[int]

    def prefill(self, work: Work) -> int:
        """One pass with the last position's logits."""
        import torch

        with torch.inference_mode():
            self._model(input_ids=torch.tensor([work.prompt]), use_cache=True, logits_to_keep=1)
        return 0

    def classify(self, work: Work) -> int:
        """As many tokens as the longest label has."""
        return self._generate([work.prompt], work.longest_label)

    def relabel(self, work: Work) -> int:
        """All anew."""
        return self._generate([work.relabel_prompt], work.longest_relabel)

    def extract(self, work: Work) -> int:
        """As many tokens as the right answer has."""
        return self._generate([work.extract_prompt], len(work.extract_answer))

    def _generate(self, prompts: list[tuple[int, ...]], count: int) -> int:
        """Exactly `count` new tokens a prompt, shorter prompts padded on the left."""
        import torch

        pad, longest = self._model.generation_config.pad_token_id, max(map(len, prompts))
        ids = torch.full((len(prompts), longest), pad)
        mask = torch.zeros_like(ids)
        for row, prompt in enumerate(prompts):
            ids[row, longest - len(prompt) :] = torch.tensor(prompt)
            mask[row, longest - len(prompt) :] = 1
        with torch.inference_mode():
            output = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                num_beams=self.beams,
                do_sample=False,
                min_new_tokens=count,
                max_new_tokens=count,
            )
        return int(output.shape[1] - longest) * len(prompts)


class Official(_Generating):
    """SeqGPT's published script."""

    name = "official"
    how = "transformers' generate, 4 beams: as many tokens as the longest label, and as the right answer, has"
    beams = 4


class Greedy(_Generating):
    """The same without a search."""

    name = "hf-greedy"
    how = "transformers' generate, 1 beam: the same tokens; a batch is padded, 4 prompts at once"
    gigabytes = 3.5
    beams = 1

    def batch(self, work: Work) -> int:
        """Some prompts at once, in the order they come in."""
        groups = [work.batch[at : at + _TOGETHER] for at in range(0, len(work.batch), _TOGETHER)]
        return sum(self._generate(list(group), work.longest_label) for group in groups)


class ArticleA(_Transformers):
    """A loop as articles show it: every token by a pass over all before it, and all positions' logits."""

    name = "article-a"
    how = "a greedy loop without a KV cache: the first and the last token are timed, those between worked out from them"
    gigabytes = 3.2

    def prefill(self, work: Work) -> int:
        """One pass."""
        return self._write(work.prompt, 1) - 1

    def classify(self, work: Work) -> int:
        """As many tokens as the longest label has."""
        return self._write(work.prompt, work.longest_label)

    def relabel(self, work: Work) -> int:
        """All anew."""
        return self._write(work.relabel_prompt, work.longest_relabel)

    def extract(self, work: Work) -> int:
        """As many tokens as the right answer has."""
        return self._write(work.extract_prompt, len(work.extract_answer))

    def timed(self, kind: str, work: Work) -> Timed:
        """The mean of the first and the last token, as often as there are tokens: a pass grows by a token each time."""
        prompt, count = {
            "classify": (work.prompt, work.longest_label),
            "relabel": (work.relabel_prompt, work.longest_relabel),
            "extract": (work.extract_prompt, len(work.extract_answer)),
        }.get(kind, ((), 0))
        if count <= 2:
            return super().timed(kind, work)
        first = self._seconds(prompt)
        last = self._seconds((*prompt, *prompt[: count - 1]))
        mean = (first + last) / 2
        return Timed(mean * count, count, extrapolated=True, step_seconds=mean)

    def _seconds(self, ids: tuple[int, ...]) -> float:
        started = time.perf_counter()
        self._write(ids, 1)
        return time.perf_counter() - started

    def _write(self, ids: tuple[int, ...], count: int) -> int:
        import torch

        with torch.inference_mode():
            written = torch.tensor([ids])
            for _ in range(count):
                best = self._model(input_ids=written, use_cache=False).logits[:, -1:].argmax(-1)
                written = torch.cat([written, best], dim=1)
        return count
