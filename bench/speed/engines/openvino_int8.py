"""OpenVINO, weights in int8: a stateful graph written here."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bench.speed.engines.peers import Peer, alibi_slopes, converted

_GRAPH = "model.xml"
_PROPERTIES = {"PERFORMANCE_HINT": "LATENCY", "KV_CACHE_PRECISION": "f32"}
"""Tried on AVX2: a cache in 8 bits is no faster, the size of dynamic quantisation's groups changes nothing, and int8
activations by fixed ranges make a step slower."""


class OpenVinoInt8(Peer):
    """The graph's greedy loop; keys and values are its state."""

    name = "openvino-int8"
    precision = "int8"
    how = (
        "greedy: as many tokens as the longest label, and as the right answer, has; one pass a token over a stateful "
        "cache, the last token's logits only; batch: one prompt after the other"
    )
    gigabytes = 1.6
    packages = ("openvino",)
    kind: ClassVar[str] = "int8"
    """Of the weights: int8, or float32."""

    def load(self, checkpoint: Path, threads: int, scratch: Path) -> None:
        """Write the graph, and compile it."""
        import openvino

        folder = converted(checkpoint, scratch / self.kind, convert, "openvino")
        settings = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, **_PROPERTIES}
        compiled = openvino.Core().compile_model(str(folder / _GRAPH), "CPU", settings)
        self._request: Any = compiled.create_infer_request()

    def generate(self, prompt: Sequence[int], count: int, *, kept: bool = False) -> list[int]:
        """All of the prompt in one pass, then token by token."""
        self._request.reset_state()
        written: list[int] = []
        new = list(prompt)
        while len(written) < count:
            written.append(int(self._run(new).argmax()))
            new = written[-1:]
        return written

    def _run(self, new: Sequence[int]) -> Any:
        """The logits after these tokens."""
        inputs = {"ids": np.array([new], np.int64), "beams": np.zeros(1, np.int32)}
        results = self._request.infer(inputs, share_inputs=True, share_outputs=True)
        return results[0]


def convert(checkpoint: Path, folder: Path) -> None:
    """Write the graph; the folder's name says the weights' kind."""
    import openvino
    from safetensors import safe_open

    config = json.loads((checkpoint / "config.json").read_text("utf-8"))
    with safe_open(checkpoint / "model.safetensors", "numpy") as file:
        names = {name.removeprefix("transformer."): name for name in file.keys()}  # noqa: SIM118 - it is no dict
        graph = _Graph(folder.name, config, lambda name: file.get_tensor(names[name]).astype(np.float32))
        openvino.save_model(graph.model(), folder / _GRAPH, compress_to_fp16=False)


class _Graph:
    """BLOOM in OpenVINO's operations."""

    def __init__(self, kind: str, config: dict[str, Any], read: Callable[[str], Any]) -> None:
        from openvino import opset13

        self._ops: Any = opset13
        self._kind = kind
        self._config = config
        self._read = read
        self._heads, self._wide = config["n_head"], config["hidden_size"]
        self._size = self._wide // self._heads
        self._stores: list[Any] = []

    def model(self) -> Any:
        """From tokens to the last one's logits."""
        import openvino

        ops = self._ops
        ids = ops.parameter([1, -1], np.int64, name="ids")
        self._beams = ops.parameter([1], np.int32, name="beams")
        embedding = self._read("word_embeddings.weight")
        rows = self._norm(self._embedded(ids, embedding), "word_embeddings_layernorm")
        mask = None
        for layer in range(self._config["n_layer"]):
            at = f"h.{layer}"
            query, keys, values = self._query_keys_values(self._norm(rows, f"{at}.input_layernorm"), layer)
            mask = self._mask(query, keys) if mask is None else mask
            attended = ops.scaled_dot_product_attention(query, keys, values, mask)
            attended = ops.reshape(ops.transpose(attended, [0, 2, 1, 3]), [1, -1, self._wide], False)
            rows = ops.add(rows, self._linear(attended, f"{at}.self_attention.dense"))
            inner = self._linear(self._norm(rows, f"{at}.post_attention_layernorm"), f"{at}.mlp.dense_h_to_4h")
            rows = ops.add(rows, self._linear(ops.gelu(inner, "tanh"), f"{at}.mlp.dense_4h_to_h"))
        last = ops.gather(rows, np.array([-1]), np.array(1))
        logits = self._multiplied(self._norm(last, "ln_f"), embedding)
        return openvino.Model([ops.result(logits, name="logits")], self._stores, [ids, self._beams], "bloom")

    def _embedded(self, ids: Any, values: Any) -> Any:
        ops, zero = self._ops, np.array(0)
        if self._kind == "float32":
            return ops.gather(values, ids, zero)
        scales = np.abs(values).max(1, keepdims=True) / 127
        table = ops.constant(np.rint(values / scales).astype(np.int8))
        return ops.multiply(ops.convert(ops.gather(table, ids, zero), "f32"), ops.gather(scales, ids, zero))

    def _norm(self, rows: Any, name: str) -> Any:
        ops = self._ops
        gain, bias = (self._read(f"{name}.{part}") for part in ("weight", "bias"))
        flat = ops.mvn(rows, np.array([-1]), True, self._config["layer_norm_epsilon"], "INSIDE_SQRT")
        return ops.add(ops.multiply(flat, gain), bias)

    def _linear(self, rows: Any, name: str, order: Callable[[Any], Any] = lambda values: values) -> Any:
        product = self._multiplied(rows, order(self._read(f"{name}.weight")))
        return self._ops.add(product, order(self._read(f"{name}.bias")))

    def _multiplied(self, rows: Any, values: Any) -> Any:
        """With a matrix of (outputs, inputs), in 8 bits with a scale a row, as `nncf.compress_weights` writes it."""
        ops = self._ops
        if self._kind == "float32":
            return ops.matmul(rows, ops.constant(values), False, True)
        scales = np.abs(values).max(1, keepdims=True) / 127
        codes = ops.convert(ops.constant(np.rint(values / scales).astype(np.int8)), "f32")
        return ops.matmul(rows, ops.multiply(codes, scales), False, True)

    def _query_keys_values(self, rows: Any, layer: int) -> tuple[Any, Any, Any]:
        """Keys and values with all that were before."""
        ops = self._ops

        def in_turn(values: Any) -> Any:  # from head by head to all queries, all keys, all values
            return values.reshape(self._heads, 3, self._size, -1).swapaxes(0, 1).reshape(values.shape)

        mixed = self._linear(rows, f"h.{layer}.self_attention.query_key_value", in_turn)
        parts = ops.split(mixed, np.array(2), 3)
        shape = [1, -1, self._heads, self._size]
        query, keys, values = (ops.transpose(ops.reshape(part, shape, False), [0, 2, 1, 3]) for part in parts.outputs())
        return query, self._stored(keys, f"keys.{layer}"), self._stored(values, f"values.{layer}")

    def _stored(self, new: Any, name: str) -> Any:
        from openvino import PartialShape, Type, opset6

        nothing = self._ops.constant(np.zeros((1, self._heads, 0, self._size), np.float32))
        before = opset6.read_value(nothing, name, Type.f32, PartialShape([1, self._heads, -1, self._size]))
        # by the order of beams, though there is one: only so are cache and attention fused
        before = self._ops.gather(before, self._beams, np.array(0))
        whole = self._ops.concat([before, new], 2)
        self._stores.append(opset6.assign(whole, name))
        return whole

    def _mask(self, query: Any, keys: Any) -> Any:
        """ALiBi: a key's bias grows with its place; keys after a query's place are out."""
        ops = self._ops
        slopes = np.array(alibi_slopes(self._heads), np.float32).reshape(1, self._heads, 1, 1)
        axis, zero, one = np.array(2), np.array(0), np.array(1)
        held, new = (ops.gather(ops.shape_of(each), axis, zero) for each in (keys, query))
        places = ops.range(zero, held, one, "i64")
        own = ops.unsqueeze(ops.range(ops.subtract(held, new), held, one, "i64"), one)
        bias = ops.multiply(ops.convert(places, "f32"), slopes)
        return ops.select(ops.less_equal(places, own), bias, np.float32(-1e9))
