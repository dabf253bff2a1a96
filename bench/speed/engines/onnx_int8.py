"""ONNX Runtime, int8: a graph written here, with its own attention over one cache that stays in place.

A scale for each token's activations takes no longer than one for all (`tensor`), and keeps a token's result free of
those beside it. Weights in blocks (`blocks8`) read a prompt more than twice as slowly.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bench.speed.engines.peers import Peer, alibi_slopes, converted

_CONTEXT = 2048
_GRAPH, _WEIGHTS = "model.onnx", "weights.bin"
_ALIGNED = 4096
"""Offsets of weights in their file: so that they can be mapped."""
_MOST = 63
"""Of a weight: AVX2 adds two products of bytes in 16 bits, and saturates with more."""


class OnnxInt8(Peer):
    """The graph's greedy loop, by bound buffers."""

    name = "onnxruntime-int8"
    precision = "int8"
    how = (
        "greedy: as many tokens as the longest label, and as the right answer, has; one pass a token over one cache, "
        "the last token's logits only; batch: one prompt after the other"
    )
    gigabytes = 1.4
    packages = ("onnxruntime", "onnx")
    kind: ClassVar[str] = "rows"
    """How matrices are multiplied: see `_Graph.linear`."""

    def load(self, checkpoint: Path, threads: int, scratch: Path) -> None:
        """Write the graph, load it, and bind what stays in place."""
        import onnxruntime

        folder = converted(checkpoint, scratch / self.kind, convert, "onnx")
        config = json.loads((checkpoint / "config.json").read_text("utf-8"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others have these cores too
        self._session: Any = onnxruntime.InferenceSession(
            str(folder / _GRAPH), options, providers=["CPUExecutionProvider"]
        )
        own = onnxruntime.OrtValue.ortvalue_from_numpy
        heads = config["n_head"]
        cache = (1, heads, _CONTEXT, config["hidden_size"] // heads)
        self.logits = np.zeros((1, config["vocab_size"]), np.float32)
        self._binding: Any = self._session.io_binding()
        self._bound = [own(self.logits)]
        self._binding.bind_ortvalue_output("logits", self._bound[0])
        for layer in range(config["n_layer"]):
            for part in ("key", "value"):
                kept = own(np.zeros(cache, np.float32))
                self._bound.append(kept)
                self._binding.bind_ortvalue_input(f"past_{part}_{layer}", kept)
                self._binding.bind_ortvalue_output(f"present_{part}_{layer}", kept)

    def generate(self, prompt: Sequence[int], count: int, *, kept: bool = False) -> list[int]:
        """All of the prompt in one pass, then token by token."""
        written: list[int] = []
        read, new = 0, list(prompt)
        while True:
            read += len(new)
            self.read(new, read)
            written.append(int(self.logits.argmax()))
            if len(written) == count:
                return written
            new = written[-1:]

    def read(self, new: Sequence[int], read: int) -> None:
        """read: tokens in the cache after these."""
        self._binding.bind_cpu_input("ids", np.array(new, np.int64))
        self._binding.bind_cpu_input("last", np.array([read - 1], np.int32))
        self._binding.bind_cpu_input("length", np.array(read, np.int32))
        self._session.run_with_iobinding(self._binding)


def convert(checkpoint: Path, folder: Path) -> None:
    """Write the graph and its weights; the folder's name says how matrices are multiplied."""
    from safetensors import safe_open

    config = json.loads((checkpoint / "config.json").read_text("utf-8"))
    with safe_open(checkpoint / "model.safetensors", "numpy") as file, (folder / _WEIGHTS).open("wb") as weights:
        names = {name.removeprefix("transformer."): name for name in file.keys()}  # noqa: SIM118 - it is no dict
        graph = _Graph(folder.name, weights)
        _write(graph, config, lambda name: file.get_tensor(names[name]).astype(np.float32))
    graph.save(folder / _GRAPH)


def _write(graph: "_Graph", config: dict[str, Any], read: Any) -> None:
    """BLOOM over the tokens `ids`, after what the cache holds."""
    heads, wide = config["n_head"], config["hidden_size"]
    epsilon = config["layer_norm_epsilon"]

    def norm(name: str) -> list[str]:
        return [graph.weight(f"{name}.{part}", read(f"{name}.{part}")) for part in ("weight", "bias")]

    embedding = read("word_embeddings.weight")
    graph.takes("ids", np.int64, ["new"])
    graph.takes("last", np.int32, [1])
    graph.takes("length", np.int32, [])
    rows = graph.embedded("ids", embedding)
    rows = graph.op("LayerNormalization", rows, *norm("word_embeddings_layernorm"), epsilon=epsilon, axis=-1)
    bias = _alibi(graph, heads)
    normed, skipped, skip_bias = "", rows, ""
    for layer in range(config["n_layer"]):
        at = f"h.{layer}"
        gains = norm(f"{at}.input_layernorm")
        if layer == 0:
            normed = graph.op("LayerNormalization", rows, *gains, epsilon=epsilon, axis=-1)
        else:
            normed, rows = graph.normed(rows, skipped, gains, skip_bias, epsilon)
        attended = _attention(graph, layer, normed, bias, heads, wide, read)
        out = f"{at}.self_attention.dense"
        skipped = graph.linear(attended, out, read(f"{out}.weight"))
        skip_bias = graph.weight(f"{out}.bias", read(f"{out}.bias"))
        normed, rows = graph.normed(rows, skipped, norm(f"{at}.post_attention_layernorm"), skip_bias, epsilon)
        up, down = f"{at}.mlp.dense_h_to_4h", f"{at}.mlp.dense_4h_to_h"
        inner = graph.linear(normed, up, read(f"{up}.weight"))
        inner = graph.op("FastGelu", inner, graph.weight(f"{up}.bias", read(f"{up}.bias")), domain="com.microsoft")
        skipped = graph.linear(inner, down, read(f"{down}.weight"))
        skip_bias = graph.weight(f"{down}.bias", read(f"{down}.bias"))
    only = graph.weight("only_last", np.array([-1], np.int64))
    rows, skipped = (graph.op("Gather", each, only, axis=0) for each in (rows, skipped))
    normed, _ = graph.normed(rows, skipped, norm("ln_f"), skip_bias, epsilon)
    graph.gives("logits", graph.linear(normed, "head", embedding), [1, config["vocab_size"]])


def _alibi(graph: "_Graph", heads: int) -> str:
    """A key's bias grows with its place; where it counts from makes no difference to a softmax."""
    slopes = np.array(alibi_slopes(heads), np.float32).reshape(1, heads, 1, 1)
    zero, one = (graph.weight(f"f{number}", np.array(number, np.float32)) for number in (0, 1))
    places = graph.op("Range", zero, graph.op("Cast", "length", to=1), one)
    bias = graph.op("Mul", places, graph.weight("slopes", slopes))
    tokens = graph.op("Shape", "ids")
    spread = [graph.weight(f"i{number}", np.array([number], np.int64)) for number in (1, heads)]
    shape = graph.op("Concat", *spread, tokens, graph.weight("i1", None), axis=0)
    return graph.op("Expand", bias, shape)


def _attention(graph: "_Graph", layer: int, normed: str, bias: str, heads: int, wide: int, read: Any) -> str:
    """Queries, keys and values from one matrix; keys and values are added to the cache where they lie."""
    name = f"h.{layer}.self_attention.query_key_value"
    size = wide // heads

    def in_turn(values: Any) -> Any:  # from head by head to all queries, all keys, all values
        return values.reshape(heads, 3, size, -1).swapaxes(0, 1).reshape(values.shape)

    mixed = graph.linear(normed, name, in_turn(read(f"{name}.weight")))
    mixed = graph.op("Add", mixed, graph.weight(f"{name}.bias", in_turn(read(f"{name}.bias"))))
    mixed = graph.op("Unsqueeze", mixed, graph.weight("axis0", np.array([0], np.int64)))
    past = [f"past_{part}_{layer}" for part in ("key", "value")]
    present = [f"present_{part}_{layer}" for part in ("key", "value")]
    for one, other in zip(past, present, strict=True):
        graph.takes(one, np.float32, [1, heads, "kept", size])
        graph.gives(other, other, [1, heads, "held", size])
    inputs = [mixed, "", "", *past, "last", "length", "", "", "", bias]
    attended = f"attended_{layer}"
    settings = {"num_heads": heads, "kv_num_heads": heads, "scale": size**-0.5}
    graph.add("GroupQueryAttention", inputs, [attended, *present], "com.microsoft", **settings)
    return graph.op("Squeeze", attended, graph.weight("axis0", None))


class _Graph:
    """Nodes as they are written; weights go to a file at once."""

    def __init__(self, kind: str, file: Any) -> None:
        self._kind = kind
        self._file = file
        self._nodes: list[Any] = []
        self._weights: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def add(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **settings: Any) -> None:
        """A node."""
        from onnx import helper

        self._nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **settings))

    def op(self, kind: str, *inputs: str, domain: str = "", **settings: Any) -> str:
        """A node with one output; its name."""
        name = f"{kind}_{len(self._nodes)}"
        self.add(kind, inputs, [name], domain, **settings)
        return name

    def takes(self, name: str, kind: Any, shape: list[Any]) -> None:
        """An input."""
        from onnx import helper

        kinds = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
        self._inputs.append(helper.make_tensor_value_info(name, kinds, shape))

    def gives(self, name: str, value: str, shape: list[Any]) -> None:
        """An output, in fp32."""
        from onnx import TensorProto, helper

        if name != value:
            self.add("Identity", [value], [name])
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def weight(self, name: str, values: Any) -> str:
        """A constant; None for one that is there already."""
        from onnx import TensorProto, helper, numpy_helper

        if name in self._weights:
            return name
        if values.nbytes < _ALIGNED:
            self._weights[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
            return name
        self._file.write(bytes(-self._file.tell() % _ALIGNED))
        kind = helper.np_dtype_to_tensor_dtype(values.dtype)
        tensor = TensorProto(name=name, data_type=kind, dims=values.shape, data_location=TensorProto.EXTERNAL)
        for key, value in (("location", _WEIGHTS), ("offset", self._file.tell()), ("length", values.nbytes)):
            tensor.external_data.add(key=key, value=str(value))
        self._file.write(np.ascontiguousarray(values).data)
        self._weights[name] = tensor
        return name

    def embedded(self, ids: str, values: Any) -> str:
        """Rows of the embedding: in 8 bits with a scale each, or as they are."""
        if self._kind == "float32":
            return self.op("Gather", self.weight("embedding", values), ids)
        scales = np.abs(values).max(1, keepdims=True) / 127
        table = self.weight("embedding", np.rint(values / scales).astype(np.int8))
        rows = self.op("Cast", self.op("Gather", table, ids), to=1)
        return self.op("Mul", rows, self.op("Gather", self.weight("embedding.scales", scales), ids))

    def normed(self, rows: str, more: str, gains: list[str], bias: str, epsilon: float) -> tuple[str, str]:
        """rows + more + bias, normed and as they are."""
        normed, whole = (f"{part}_{len(self._nodes)}" for part in ("normed", "whole"))
        inputs = [rows, more, *gains, bias]
        self.add("SkipLayerNormalization", inputs, [normed, "", "", whole], "com.microsoft", epsilon=epsilon)
        return normed, whole

    def linear(self, rows: str, name: str, values: Any) -> str:
        """The product with a matrix of (outputs, inputs), by kind.

        float32: as it is. tensor: what `quantize_dynamic` with reduce_range becomes when loaded, one scale for the
        activations of all tokens of a call. rows: a scale for each token. blocks8, blocks4: weights in blocks of 32.
        """
        own = "com.microsoft"
        if self._kind == "float32":
            return self.op("MatMul", rows, self.weight(name, values.T))
        if self._kind.startswith("blocks"):
            return self._by_blocks(rows, name, values, int(self._kind.removeprefix("blocks")))
        scales = np.abs(values).max(1) / _MOST
        matrix = self.weight(name, np.rint(values / scales[:, None]).astype(np.int8).T)
        scales = self.weight(f"{name}.scales", scales.astype(np.float32))
        if self._kind == "tensor":
            return self.op("DynamicQuantizeMatMul", rows, matrix, scales, domain=own)
        axis = self.weight("axis1", np.array([1], np.int64))
        most = self.op("ReduceMax", self.op("Abs", rows), axis, keepdims=1)
        per_row = self.op("Mul", most, self.weight("127th", np.array(1 / 127, np.float32)))
        flat = self.op("Squeeze", per_row, axis)
        middle = self.weight("middle", np.array(128, np.uint8))
        middles = self.op("Expand", middle, self.op("Shape", flat))
        quantised = self.op("QuantizeLinear", rows, flat, middles, axis=0)
        one = self.weight("f1", np.array(1, np.float32))
        product = self.op("MatMulIntegerToFloat", quantised, matrix, one, scales, middle, domain=own)
        return self.op("Mul", product, per_row)

    def _by_blocks(self, rows: str, name: str, values: Any, bits: int, block: int = 32) -> str:
        """Symmetric: the zero is the middle of the range."""
        outputs, inputs = values.shape
        blocks = values.reshape(outputs, -1, block)
        middle = 1 << (bits - 1)
        scales = np.abs(blocks).max(2) / (middle - 1)
        codes = (np.rint(blocks / np.maximum(scales, 1e-12)[:, :, None]) + middle).astype(np.uint8)
        if bits == 4:
            codes = codes[:, :, 0::2] | codes[:, :, 1::2] << 4
        weights = [self.weight(name, codes), self.weight(f"{name}.scales", scales.astype(np.float32).reshape(-1))]
        sizes = {"K": inputs, "N": outputs, "bits": bits, "block_size": block, "accuracy_level": 4}
        return self.op("MatMulNBits", rows, *weights, domain="com.microsoft", **sizes)

    def save(self, path: Path) -> None:
        """Write the graph."""
        import onnx

        graph = onnx.helper.make_graph(self._nodes, "bloom", self._inputs, self._outputs, list(self._weights.values()))
        domains = [onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid("com.microsoft", 1)]
        onnx.save(onnx.helper.make_model(graph, opset_imports=domains, ir_version=10), path)
