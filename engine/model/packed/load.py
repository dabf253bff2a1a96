"""Reads a packed model's folder: the model of `transformers`, with packed linear layers and mapped tables.

Nothing is read twice and no tensor is held beside its packed form, so that loading takes little more than what stays.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.errors import Cancelled
from engine.model.cache import Report
from engine.model.packed.build import LAYERS, REST, linear_layers
from engine.model.packed.linear import ByteLinear, HalfLinear
from engine.model.packed.table import TableEmbedding, TableHead, map_table
from engine.model.tensor_file import places
from engine.types import LoadProgress

_NUMPY: dict[str, Any] = {"I8": np.int8, "F16": np.float16, "F32": np.float32, "I64": np.int64, "BOOL": np.bool_}


def load_packed(folder: Path, config: Any, report: Report, stop: Event) -> Any:
    """The model, without a tokenizer. config: of `transformers`.

    Raises:
        Cancelled: `stop` was set.
    """
    from transformers import AutoModelForCausalLM

    with _parameters_nowhere():
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    read = _Reader(folder / LAYERS)
    layers = linear_layers(model)
    for done, (name, one) in enumerate(layers.items(), 1):
        if stop.is_set():
            raise Cancelled
        _replace(model, name, _packed(read, name, has_bias=one.bias is not None))
        report(LoadProgress("weights", done, len(layers), "tensors"))
    _put_rest(model, folder / REST)
    return model.eval()


def _packed(read: "_Reader", name: str, *, has_bias: bool) -> nn.Module:
    bias = read(f"{name}.bias") if has_bias else None
    weight = read(f"{name}.weight")
    if weight.dtype == torch.float16:
        return HalfLinear(weight, bias)
    passes = int(read(f"{name}.passes"))
    return ByteLinear(weight, read(f"{name}.scale"), read(f"{name}.smooth"), bias, passes)


def _put_rest(model: Any, path: Path) -> None:
    """Norms, biases and tables into a model whose parameters are nowhere yet."""
    read = _Reader(path)
    embedding, head = model.get_input_embeddings(), model.get_output_embeddings()
    names = {id(one): name for name, one in model.named_modules()}
    table = read.mapped(f"{names[id(embedding)]}.weight")
    own = f"{names[id(head)]}.weight"
    head_table = read.mapped(own) if own in read else table
    bias = read(f"{names[id(head)]}.bias") if head.bias is not None else None
    model.set_input_embeddings(TableEmbedding(table))
    _replace(model, names[id(head)], TableHead(head_table, bias))
    for name, one in (*model.named_parameters(), *model.named_buffers()):
        if name in read and not name.startswith((f"{names[id(embedding)]}.", f"{names[id(head)]}.")):
            _put(model, name, read(name), parameter=isinstance(one, nn.Parameter))
    nowhere = [name for name, one in model.named_parameters() if one.is_meta]
    if nowhere:
        raise RuntimeError(f"the packed model has no {nowhere[0]}")


def _replace(model: Any, name: str, module: nn.Module) -> None:
    path, _, last = name.rpartition(".")
    setattr(model.get_submodule(path), last, module)


def _put(model: Any, name: str, tensor: Tensor, *, parameter: bool) -> None:
    path, _, last = name.rpartition(".")
    owner = model.get_submodule(path)
    if parameter:
        owner._parameters[last] = nn.Parameter(tensor, requires_grad=False)
    else:
        owner._buffers[last] = tensor


class _Reader:
    """Tensors of one file, each read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self._path, self._places = path, places(path)

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __call__(self, name: str) -> Tensor:
        spec, offset = self._places[name]
        values: Any = np.fromfile(self._path, _NUMPY[spec.dtype], spec.values, offset=offset)
        return torch.from_numpy(values.reshape(spec.shape))

    def mapped(self, name: str) -> Tensor:
        spec, offset = self._places[name]
        return map_table(self._path, offset, spec.shape)


@contextmanager
def _parameters_nowhere() -> Iterator[None]:
    """While it lasts, modules are made without memory for their parameters; buffers are made as ever."""
    original = nn.Module.register_parameter

    def nowhere(module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        moved = None if parameter is None else nn.Parameter(parameter.to("meta"), requires_grad=False)
        original(module, name, moved)

    nn.Module.register_parameter = nowhere  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        nn.Module.register_parameter = original  # type: ignore[method-assign]
