"""Writes ONNX graphs whose large weights stay in a packed model's file, and opens them in ONNX Runtime.

A linear layer in int8 is what `ByteLinear` computes, row by row, in one chain of nodes that the runtime's own threads
work through. Only here are `onnx` and `onnxruntime` imported: they are extras (`[fast]`).
"""

import importlib.util
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.model.packed.linear import MOST, ByteNumbers, quantise_weight
from engine.model.tensor_file import TensorSpec, as_bytes

_log = logging.getLogger(__name__)

MICROSOFT = "com.microsoft"
_OPSET, _IR = 20, 10
_TINY = np.float32(1e-30)

Stored = tuple[TensorSpec, int]
"""A tensor of a file, and its offset there in bytes."""


class Graph:
    """Nodes and constants, as they are written. Values go by name. file: where `stored` weights lie."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._nodes: list[Any] = []
        self._count = count()
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def takes(self, name: str, shape: Sequence[str | int], kind: str = "FLOAT") -> str:
        """An input."""
        from onnx import TensorProto, helper

        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.DataType.Value(kind), shape))
        return name

    def gives(self, name: str, shape: Sequence[str | int]) -> None:
        """Make a value an output, of fp32."""
        from onnx import TensorProto, helper

        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def op(self, kind: str, *inputs: str, outputs: int = 1, domain: str = "", **settings: Any) -> Any:
        """A node; the name of its output, or the names of its outputs."""
        from onnx import helper

        names = [f"{kind}_{next(self._count)}" for _ in range(outputs)]
        self._nodes.append(helper.make_node(kind, inputs, names, domain=domain, **settings))
        return names if outputs > 1 else names[0]

    def choose(self, condition: str, then: Callable[[], str], otherwise: Callable[[], str]) -> str:
        """The value that one of two functions writes the nodes for, of which only the chosen ones are run."""
        return str(self.op("If", condition, then_branch=self._branch(then), else_branch=self._branch(otherwise)))

    def _branch(self, write: Callable[[], str]) -> Any:
        from onnx import ValueInfoProto, helper

        outer, self._nodes = self._nodes, []
        out = write()
        branch = helper.make_graph(self._nodes, f"branch_{next(self._count)}", [], [ValueInfoProto(name=out)])
        self._nodes = outer
        return branch

    def constant(self, values: Tensor | NDArray[Any] | np.generic) -> str:
        """A small constant."""
        from onnx import numpy_helper

        name = f"constant_{len(self._constants)}"
        held = values.numpy() if isinstance(values, Tensor) else np.asarray(values)
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(held), name))
        return name

    def stored(self, place: Stored) -> str:
        """A constant of int8 that stays in the file."""
        from onnx import TensorProto

        spec, offset = place
        tensor = TensorProto(
            name=f"constant_{len(self._constants)}",
            data_type=TensorProto.INT8,
            dims=spec.shape,
            data_location=TensorProto.EXTERNAL,
        )
        for key, value in (("location", self._file.name), ("offset", offset), ("length", spec.nbytes)):
            tensor.external_data.add(key=key, value=str(value))
        self._constants.append(tensor)
        return str(tensor.name)

    def byte_linear(self, rows: str, numbers: ByteNumbers, weight: Stored) -> str:
        """The product of rows, already divided by `smooth`, with a weight in the file; without a bias."""
        axis, one = self.constant(np.array([1])), self.constant(np.float32(1))
        zero = self.constant(np.uint8(numbers.zero))
        steps, step = self._quantised(rows, numbers.zero, zero, axis)
        if numbers.passes == 2:
            spread = self._spread(zero, step, axis)
            kept = self.op("DequantizeLinear", steps, *spread, axis=0)
            more, more_step = self._quantised(self.op("Sub", rows, kept), numbers.zero, zero, axis)
            steps = self.op("Concat", steps, more, axis=0)
            step = self.op("Concat", step, more_step, axis=0)
        scale = self.constant(numbers.scale)
        product = self.op("MatMulIntegerToFloat", steps, self.stored(weight), one, scale, zero, domain=MICROSOFT)
        product = self.op("Mul", product, step)
        if numbers.passes == 2:
            product = self.op("Add", *self.op("Split", product, outputs=2, axis=0, num_outputs=2))
        return str(product)

    def _quantised(self, rows: str, zero: int, zero_name: str, axis: str) -> tuple[str, str]:
        """What `quantise_rows` gives, in uint8."""
        high = self.op("Mul", self.op("ReduceMax", rows, axis), self.constant(np.float32(1 / (MOST - zero))))
        low = self.op("Mul", self.op("ReduceMin", rows, axis), self.constant(np.float32(-1 / zero)))
        step = self.op("Max", high, low, self.constant(_TINY))
        return self.op("QuantizeLinear", rows, *self._spread(zero_name, step, axis), axis=0), step

    def _spread(self, zero: str, step: str, axis: str) -> tuple[str, str]:
        flat = self.op("Squeeze", step, axis)
        return flat, self.op("Expand", zero, self.op("Shape", flat))

    def open(self, threads: int) -> "Session":
        """Load it into the runtime."""
        import onnxruntime
        from onnx import helper

        graph = helper.make_graph(self._nodes, "layers", self._inputs, self._outputs, self._constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        for key, value in (
            ("session.model_external_initializers_file_folder_path", str(self._file.parent)),
            ("session.intra_op.allow_spinning", "1"),
            ("session.force_spinning_stop", "1"),  # between runs threads sleep: others have these cores too
            ("session.disable_quant_qdq", "1"),  # nodes as they are written
        ):
            options.add_session_config_entry(key, value)
        opened = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return Session(opened)


class Session:
    """A loaded graph."""

    def __init__(self, session: Any) -> None:
        import onnxruntime

        self._session = session
        self._options = onnxruntime.RunOptions()
        # Else it keeps the room that the longest prompt took.
        self._options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")

    def run(self, given: Mapping[str, Tensor]) -> list[Tensor]:
        """The outputs, in their order, for inputs by name, in fp32."""
        feeds = {name: tensor.contiguous().numpy() for name, tensor in given.items()}
        return [torch.from_numpy(out) for out in self._session.run(None, feeds, self._options)]


@cache
def works() -> bool:
    """Whether ONNX Runtime is here and multiplies as it should: found by asking it for a product, as its version and
    its libraries may not be those that this needs.
    """
    if any(importlib.util.find_spec(name) is None for name in ("onnx", "onnxruntime")):
        return False
    weight = torch.arange(-128, 128, dtype=torch.float32).reshape(8, 32).div_(8)
    rows = torch.arange(3 * 32, dtype=torch.float32).reshape(3, 32).sub_(40)
    try:
        made = _product(rows, weight)
    except Exception as error:
        _log.warning("ONNX Runtime is installed, and is not used: %s", error)
        return False
    right = rows @ weight.T
    return bool((made - right).norm() < 0.01 * right.norm())


def _product(rows: Tensor, weight: Tensor) -> Tensor:
    values, scale = quantise_weight(weight)
    outputs, inputs = weight.shape
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "weight"
        file.write_bytes(as_bytes(values.T.contiguous()))
        graph = Graph(file)
        numbers = ByteNumbers(scale, torch.ones(inputs))
        stored = TensorSpec("weight", "I8", (inputs, outputs)), 0
        graph.gives(graph.byte_linear(graph.takes("rows", ["rows", inputs]), numbers, stored), ["rows", outputs])
        return graph.open(1).run({"rows": rows})[0]
