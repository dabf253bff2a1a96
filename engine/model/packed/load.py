"""Reads a packed model's folder: the model of `transformers`, with packed linear layers and mapped tables.

Nothing is read twice and no tensor is held beside its packed form, so that loading takes little more than what stays.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import torch
from torch import Tensor, nn

from engine.errors import Cancelled
from engine.model.cache import Report
from engine.model.packed import bloom_graph
from engine.model.packed.build import LAYERS, REST, linear_layers
from engine.model.packed.linear import ByteLinear, HalfLinear
from engine.model.packed.onnx_graph import works
from engine.model.packed.packed_file import PackedFile
from engine.model.packed.table import TableEmbedding, TableHead
from engine.types import LoadProgress


def load_packed(folder: Path, config: Any, report: Report, stop: Event) -> Any:
    """The model, without a tokenizer. config: of `transformers`.

    Raises:
        Cancelled: `stop` was set.
    """
    from transformers import AutoModelForCausalLM

    with _parameters_nowhere():
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    read, layers = PackedFile(folder / LAYERS), linear_layers(model)
    if read.in_bytes and bloom_graph.fits(model) and works():
        report(LoadProgress("weights"))
        bloom_graph.lay_out(model, read, PackedFile(folder / REST), torch.get_num_threads())
    else:
        for done, (name, one) in enumerate(layers.items(), 1):
            if stop.is_set():
                raise Cancelled
            _replace(model, name, _packed(read, name, has_bias=one.bias is not None))
            report(LoadProgress("weights", done, len(layers), "tensors"))
    _put_rest(model, folder / REST)
    return model.eval()


def _packed(read: PackedFile, name: str, *, has_bias: bool) -> nn.Module:
    bias = read(f"{name}.bias") if has_bias else None
    weight = read(f"{name}.weight")
    if weight.dtype == torch.float16:
        return HalfLinear(weight, bias)
    return ByteLinear(weight.T, read.numbers(name), bias)


def _put_rest(model: Any, path: Path) -> None:
    """Norms, biases and tables into a model whose parameters are nowhere yet."""
    read = PackedFile(path)
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
