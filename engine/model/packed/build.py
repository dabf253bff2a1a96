"""Builds a packed model's folder from a loaded model: once for a precision, with checksums.

`layers.safetensors` holds the linear layers, `rest.safetensors` all else: norms and biases in fp32, tables in fp16. The
names are those of the modules, so that reading them again asks nothing of `transformers`' own loading.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import torch
from torch import Tensor, nn

from engine.model import tensor_file
from engine.model.cache import Manifest, Report, building, require_space, sha256_of, write_manifest
from engine.model.packed.smoothing import Activations, fit
from engine.model.tensor_file import TensorSpec, as_bytes

LAYERS = "layers.safetensors"
REST = "rest.safetensors"
_OTHERS = 0.1
"""The largest share of a model that may stay in fp32."""
_TYPES = {torch.int8: "I8", torch.float16: "F16", torch.float32: "F32", torch.int64: "I64", torch.bool: "BOOL"}


def linear_layers(model: Any) -> dict[str, nn.Module]:
    """The layers that are packed, by name: every linear one but the output layer, which shares the table."""
    from transformers.pytorch_utils import Conv1D

    head = model.get_output_embeddings()
    return {name: one for name, one in model.named_modules() if isinstance(one, nn.Linear | Conv1D) and one is not head}


def is_packable(model: Any) -> bool:
    """Whether linear layers make up nearly all of it, beside a plain table, a plain output layer, and a few others.

    Experts that are no linear layers would stay in fp32; without any other parameter a model has no type.
    """
    embedding, head, layers = model.get_input_embeddings(), model.get_output_embeddings(), linear_layers(model)
    if type(embedding) is not nn.Embedding or type(head) is not nn.Linear or not layers:
        return False
    tables = [one for one in model.modules() if isinstance(one, nn.Embedding)]
    known = {id(one) for layer in (head, *tables, *layers.values()) for one in layer.parameters()}
    others = sum(one.numel() for one in model.parameters() if id(one) not in known)
    return bool(0 < others < _OTHERS * sum(one.numel() for one in model.parameters()))


def weight_of(layer: nn.Module) -> Tensor:
    """A linear layer's weight, shape (outputs, inputs), in fp32. GPT-2's layers hold it the other way round."""
    weight: Tensor = layer.weight.detach().float()  # type: ignore[operator]
    return weight if isinstance(layer, nn.Linear) else weight.T.contiguous()


def build(
    model: Any,
    precision: str,
    given: Mapping[str, Activations],
    out: Path,
    manifest: Manifest,
    report: Report,
    stop: Event,
) -> None:
    """Write the folder `out`. given: what `smoothing.measure` saw, for int8.

    Raises:
        Cancelled: `stop` was set.
        WorkbenchError: `disk_full`.
    """
    layers = linear_layers(model)
    specs = [spec for name, one in layers.items() for spec in _layer_specs(name, one, precision)]
    rest = _rest(model, layers)
    rest_specs = [TensorSpec(name, _TYPES[one.dtype], tuple(one.shape)) for name, one in rest.items()]
    require_space(out, sum(spec.nbytes for spec in (*specs, *rest_specs)))
    with building(out) as draft:
        payloads = (part for name, one in layers.items() for part in _layer_bytes(one, precision, given.get(name)))
        tensor_file.write(draft / LAYERS, specs, payloads, report, stop)
        tensor_file.write(draft / REST, rest_specs, map(as_bytes, rest.values()), report, stop)
        sums = {name: sha256_of(draft / name, lambda _: None, stop) for name in (LAYERS, REST)}
        write_manifest(draft, replace(manifest, sha256=sums))


def _layer_specs(name: str, layer: nn.Module, precision: str) -> list[TensorSpec]:
    outputs, inputs = weight_of(layer).shape
    bias = [TensorSpec(f"{name}.bias", "F32", (outputs,))] if layer.bias is not None else []
    if precision == "fp16":
        return [TensorSpec(f"{name}.weight", "F16", (outputs, inputs)), *bias]
    return [
        TensorSpec(f"{name}.scale", "F32", (outputs,)),
        TensorSpec(f"{name}.smooth", "F32", (inputs,)),
        TensorSpec(f"{name}.zero", "I64", (1,)),
        TensorSpec(f"{name}.passes", "I64", (1,)),
        *bias,
        TensorSpec(f"{name}.weight", "I8", (inputs, outputs)),  # last: bytes, after which nothing would be aligned
    ]


def _layer_bytes(layer: nn.Module, precision: str, given: Activations | None) -> Iterator[memoryview]:
    """The bytes of `_layer_specs`, in their order."""
    weight = weight_of(layer)
    bias = [] if layer.bias is None else [layer.bias.detach().float()]  # type: ignore[operator]
    if precision == "fp16":
        parts = [weight.half(), *bias]
    else:
        values, numbers = fit(weight, given)
        counts = [torch.tensor([count]) for count in (numbers.zero, numbers.passes)]
        parts = [numbers.scale, numbers.smooth, *counts, *bias, values.T.contiguous()]
    yield from map(as_bytes, parts)


def _rest(model: Any, layers: Mapping[str, nn.Module]) -> dict[str, Tensor]:
    """What is no linear layer's, by name; a head that is the token table itself is left out."""
    halved = {id(one.weight) for one in (model.get_input_embeddings(), model.get_output_embeddings())}
    inside = {f"{name}.{part}" for name, one in layers.items() for part, _ in one.named_parameters()}
    rest = {}
    for name, one in (*model.named_parameters(), *model.named_buffers()):  # names the tied once
        if name in inside or _is_passing(model, name):
            continue
        rest[name] = _stored(one.detach(), halved=id(one) in halved)
    return rest


def _stored(tensor: Tensor, *, halved: bool) -> Tensor:
    if not tensor.is_floating_point():
        return tensor
    return tensor.half() if halved else tensor.float()


def _is_passing(model: Any, name: str) -> bool:
    """Whether a buffer is made anew with the module, as rotary frequencies are."""
    path, _, last = name.rpartition(".")
    return last in model.get_submodule(path)._non_persistent_buffers_set
