"""The head's file: safetensors in fp16, with its sizes, concepts and fitted numbers as JSON in the metadata."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from engine.errors import WorkbenchError
from engine.model.encoder.head import AdaptedLayers, HeadShape, SpanHead
from engine.model.encoder.languages import LANGUAGES
from engine.model.encoder.transformer import Encoder

HEAD = Path(__file__).parents[3] / "assets" / "offline" / "head.safetensors"


@dataclass(frozen=True)
class Fitted:
    """Numbers that were fitted after training, on the development split; see `training`.

    threshold: the probability from which a span is a value.
    temperature: cosines are divided by it to make a label's logit.
    fit_centre, fit_slope: of the best label's cosine, the logistic that says whether any label fits.
    name_scale: a name's centred vector is multiplied by it.
    rules: by rule of `engine.text.patterns`, the share of what it found that was right.
    """

    threshold: float = 0.5
    temperature: float = 0.05
    fit_centre: float = 0.3
    fit_slope: float = 20.0
    name_scale: float = 8.0


@dataclass
class LoadedHead:
    """A head over an encoder, ready to run.

    rows: the row of each concept id in the table of concepts.
    centres: by language, what its texts' vectors have in common. name_centre: the same of fields' names.
    labels: the layers from `labels_from` on, for vectors of texts and labels.
    revision: of its file.
    """

    shape: HeadShape
    adapted: AdaptedLayers
    scorer: SpanHead
    rows: dict[str, int]
    centres: dict[str, Tensor]
    name_centre: Tensor
    labels: AdaptedLayers
    fitted: Fitted
    revision: str = ""

    @property
    def labels_from(self) -> int:
        """Layers of the encoder under `labels`."""
        return self.shape.labels_from


def save_head(path: Path, head: LoadedHead) -> None:
    """Write a head whose adapters are not merged yet."""
    tensors = {f"adapted.{name}": one for name, one in head.adapted.state_dict().items()}
    tensors |= {f"scorer.{name}": one for name, one in head.scorer.state_dict().items()}
    tensors |= {f"labels.{name}": one for name, one in head.labels.state_dict().items() if "norm" not in name}
    tensors |= {f"centre.{name}": one for name, one in head.centres.items()}
    tensors["name_centre"] = head.name_centre
    about = {
        "shape": asdict(head.shape),
        "concepts": list(head.rows),
        "fitted": asdict(head.fitted),
    }
    save_file({name: one.half().contiguous() for name, one in tensors.items()}, path, {"head": json.dumps(about)})


def load_head(path: Path, encoder: Encoder) -> LoadedHead:
    """A head over `encoder`, its adapters merged.

    Raises:
        WorkbenchError: `head_damaged` where it is missing, or no head of this encoder.
    """
    try:
        about, tensors = _read(path)
        shape = HeadShape(**about["shape"])
        adapted, scorer = AdaptedLayers(encoder, shape.first, shape.last, shape.rank), SpanHead(shape)
        labels = AdaptedLayers(encoder, shape.labels_from, len(encoder.layers), shape.labels_rank)
        adapted.load_state_dict(_part(tensors, "adapted."))
        scorer.load_state_dict(_part(tensors, "scorer."))
        labels.load_state_dict(labels.state_dict() | _part(tensors, "labels."))
        if not _part(tensors, "labels.") or _part(tensors, "centre.").keys() != set(LANGUAGES):
            raise KeyError("it is not whole")
        fitted = Fitted(**about["fitted"])
        rows = {name: row for row, name in enumerate(about["concepts"])}
        name_centre = tensors["name_centre"]
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise WorkbenchError("head_damaged", path=path, reason=reason) from error
    adapted.merge()
    labels.merge()
    for module in (adapted, labels, scorer):
        module.requires_grad_(False).eval()
    return LoadedHead(
        shape,
        adapted,
        scorer,
        rows,
        _part(tensors, "centre."),
        name_centre,
        labels,
        fitted,
        hashlib.sha256(path.read_bytes()).hexdigest()[:8],
    )


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    with safe_open(path, framework="pt") as file:
        about = json.loads((file.metadata() or {})["head"])
        return about, {name: file.get_tensor(name).to(torch.float32) for name in file.keys()}  # noqa: SIM118 - no dict


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): one for name, one in tensors.items() if name.startswith(prefix)}
