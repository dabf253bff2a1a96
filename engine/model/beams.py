"""Beam search, and greedy decoding, by `transformers`' own `generate`, which every model of it has."""

from collections.abc import Sequence
from threading import Event
from typing import Any

import torch
from torch import Tensor

from engine.errors import Cancelled


def search(
    model: Any,
    prompt: Sequence[int],
    *,
    beams: int,
    most: int,
    pad: int,
    ends: set[int],
    penalty: float = 1.0,
    stop: Event | None = None,
) -> tuple[list[int], bool]:
    """The tokens of the best answer before its end token, and whether there was one.

    most: new tokens. penalty: of tokens that an answer holds already; those of the prompt do not count.

    Raises:
        Cancelled: `stop` was set.
    """
    ids = torch.tensor([list(prompt)], device=model.device)
    output = model.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        num_beams=beams,
        do_sample=False,
        max_new_tokens=most,
        repetition_penalty=1.0,
        pad_token_id=pad,
        stopping_criteria=[_stop_when(stop)],
        logits_processor=_penalty(penalty, len(prompt)),
    )[0, len(prompt) :].tolist()
    if stop is not None and stop.is_set():
        raise Cancelled
    length = next((place for place, token in enumerate(output) if token in ends), len(output))
    return output[:length], length < len(output)


def _penalty(penalty: float, prompt: int) -> Any:
    from transformers import LogitsProcessorList, RepetitionPenaltyLogitsProcessor

    if penalty == 1:
        return LogitsProcessorList()
    return LogitsProcessorList([RepetitionPenaltyLogitsProcessor(penalty, prompt_ignore_length=prompt)])


def _stop_when(stop: Event | None) -> Any:
    def stopped(ids: Tensor, _scores: Tensor, **_: object) -> Tensor:
        return torch.full((len(ids),), stop is not None and stop.is_set(), device=ids.device, dtype=torch.bool)

    return stopped
