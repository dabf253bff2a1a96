"""BLOOM's layers as one graph of ONNX Runtime, in the place of torch's, for int8.

A pass is one call: some thousand small operations of torch, each of which wakes its threads, cost more time than the
products. Keys and values go in as they lie in the cache, and those of new tokens come out; the cache stays torch's and
`transformers'. What is around the layers (the table, the mask, the output layer) is as ever.
"""

from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.cache_utils import DynamicCache
from transformers.masking_utils import create_causal_mask
from transformers.modeling_outputs import BaseModelOutputWithPast
from transformers.models.bloom.modeling_bloom import BloomForCausalLM, BloomModel

from engine.model.kv_cache import place_of
from engine.model.packed.onnx_graph import MICROSOFT, Graph, Session
from engine.model.packed.packed_file import PackedFile


def fits(model: Any) -> bool:
    """Whether the graph is this model's: a BLOOM of the usual build."""
    if not isinstance(model, BloomForCausalLM):
        return False
    config = model.config
    in_slices = config.pretraining_tp > 1 and config.slow_but_exact
    return not (config.apply_residual_connection_post_layernorm or in_slices)


class GraphBloom(BloomModel):  # type: ignore[misc]
    """A `BloomModel` whose layers are a graph: made of one by `lay_out`."""

    gives_last_only = True
    passes: list[int]
    """Of each linear layer."""
    _session: Session

    def forward(
        self,
        input_ids: Tensor | None = None,
        cache: Any = None,
        attention_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        use_cache: bool | None = None,
        last_only: bool = False,
        **_: object,
    ) -> BaseModelOutputWithPast:
        """As the model's own; the cache is a `DynamicCache` of plain layers. last_only: states of each row's last token
        alone, so that the last layer is not computed for others.
        """
        embedded = self.word_embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        states = self.word_embeddings_layernorm(embedded)
        rows, length, hidden = states.shape
        cache = DynamicCache(config=self.config) if cache is None else cache
        held = cache.get_seq_length()
        if attention_mask is None:
            attention_mask = states.new_ones(rows, held + length, dtype=torch.long)
        alibi = self.build_alibi_tensor(attention_mask, self.num_heads, dtype=states.dtype)
        mask = create_causal_mask(config=self.config, inputs_embeds=states, attention_mask=attention_mask, cache=cache)
        bias = alibi.view(rows, self.num_heads, 1, -1)
        bias = (bias if mask is None else bias + mask).expand(-1, -1, length, -1)
        given = {"states": states.view(-1, hidden), "bias_new": bias[..., held:]}
        nothing = states.new_zeros(rows, self.num_heads, 0, hidden // self.num_heads)
        for number in range(self.config.n_layer):
            keys, values = place_of(cache, number) or (nothing, nothing)
            given |= {f"keys_{number}": keys, f"values_{number}": values}
        room = given["keys_0"].shape[-2] - held
        tokens = torch.arange(rows * length)
        given["wanted"] = tokens[length - 1 :: length] if last_only else tokens
        given["bias_past"] = functional.pad(bias[..., :held], (0, room), value=torch.finfo(states.dtype).min)
        out, *added = self._session.run(given)
        for number in range(self.config.n_layer):
            cache.update(added[2 * number], added[2 * number + 1], number)
        return BaseModelOutputWithPast(
            last_hidden_state=out.view(rows, -1, hidden), cache=cache if use_cache in (None, True) else None
        )


def lay_out(model: Any, layers: PackedFile, rest: PackedFile, threads: int) -> None:
    """Replace the layers of a BLOOM, in place. layers: its linear ones, in int8; rest: its norms."""
    body, graph = model.transformer, Graph(layers.path)
    _write(graph, model.config, layers, rest)
    body.__class__ = GraphBloom
    body._session, body.passes = graph.open(threads), layers.passes
    body.h = nn.ModuleList()


def _write(graph: Graph, config: Any, layers: PackedFile, rest: PackedFile) -> None:
    heads, hidden = config.n_head, config.hidden_size
    size = hidden // heads
    states = graph.takes("states", ["tokens", hidden])
    bias = [graph.takes(f"bias_{part}", ["rows", heads, "length", part]) for part in ("past", "new")]
    rows, length = (graph.op("Shape", bias[1], start=axis, end=axis + 1) for axis in (0, 2))
    shape = graph.op("Concat", rows, length, graph.constant(np.array([heads, 3 * size])), axis=0)
    is_first = graph.op("Equal", graph.op("Shape", bias[0], start=3), graph.constant(np.array([0])))
    wanted = graph.takes("wanted", ["wanted"], "INT64")
    added = []
    for number in range(config.n_layer):
        at = f"transformer.h.{number}"
        past = [graph.takes(f"{part}_{number}", ["rows", heads, "past", size]) for part in ("keys", "values")]
        layer = _Layer(graph, layers, rest, config.layer_norm_epsilon)
        normed = layer.norm(states, f"{at}.input_layernorm", f"{at}.self_attention.query_key_value")
        mixed = graph.op("Add", *layer.linear(normed, f"{at}.self_attention.query_key_value", smoothed=False))
        mixed = graph.op("Transpose", graph.op("Reshape", mixed, shape), perm=[0, 2, 1, 3])
        query, key, value = graph.op("Split", mixed, outputs=3, axis=3, num_outputs=3)
        added += [key, value]
        parts = [(past[0], past[1], bias[0]), (key, value, bias[1])]
        write = partial(_attended, graph, query, size)
        attended = graph.choose(is_first, partial(write, parts[1:]), partial(write, parts))
        flat = graph.op("Transpose", attended, perm=[0, 2, 1, 3])
        flat = graph.op("Reshape", flat, graph.constant(np.array([-1, hidden])))
        if number == config.n_layer - 1:
            flat, states = (graph.op("Gather", each, wanted) for each in (flat, states))
        states = layer.rest(flat, states, at)
    gains = [graph.constant(rest(f"transformer.ln_f.{part}")) for part in ("weight", "bias")]
    states = graph.op("LayerNormalization", states, *gains, epsilon=config.layer_norm_epsilon)
    for name in (states, *added):
        graph.gives(name, ["wanted", hidden] if name == states else ["rows", heads, "length", size])


def _attended(graph: Graph, query: str, size: int, parts: list[tuple[str, str, str]]) -> str:
    """Attention over keys and values in two places, as if they were one."""
    scores = [
        graph.op("Add", graph.op("FusedMatMul", query, keys, domain=MICROSOFT, transB=1, alpha=size**-0.5), bias)
        for keys, _, bias in parts
    ]
    if len(parts) == 1:
        return str(graph.op("MatMul", graph.op("Softmax", scores[0], axis=-1), parts[0][1]))
    weights = graph.op("Softmax", graph.op("Concat", *scores, axis=-1), axis=-1)
    sizes = [graph.op("Shape", keys, start=2, end=3) for keys, _, _ in parts]
    shares = graph.op("Split", weights, graph.op("Concat", *sizes, axis=0), outputs=2, axis=-1)
    outs = [graph.op("MatMul", share, values) for share, (_, values, _) in zip(shares, parts, strict=True)]
    return str(graph.op("Add", *outs))


class _Layer:
    """The parts of a layer but for its attention."""

    def __init__(self, graph: Graph, layers: PackedFile, rest: PackedFile, epsilon: float) -> None:
        self._graph, self._layers, self._rest, self._epsilon = graph, layers, rest, epsilon

    def norm(self, states: str, name: str, layer: str) -> str:
        """Normed states, divided by what smooths the linear layer that they are for."""
        return str(self._graph.op("LayerNormalization", states, *self._gains(name, layer), epsilon=self._epsilon))

    def rest(self, attended: str, states: str, at: str) -> str:
        """What follows attention, with both residuals."""
        graph = self._graph
        up, down = f"{at}.mlp.dense_h_to_4h", f"{at}.mlp.dense_4h_to_h"
        dense, dense_bias = self.linear(attended, f"{at}.self_attention.dense", smoothed=True)
        gains = self._gains(f"{at}.post_attention_layernorm", up)
        normed, _, _, states = graph.op(
            "SkipLayerNormalization", states, dense, *gains, dense_bias,
            outputs=4, domain=MICROSOFT, epsilon=self._epsilon,
        )  # fmt: skip
        inner, inner_bias = self.linear(normed, up, smoothed=False)
        inner = graph.op("FastGelu", inner, inner_bias, domain=MICROSOFT)
        out, out_bias = self.linear(inner, down, smoothed=True)
        return str(graph.op("Add", graph.op("Add", out, out_bias), states))

    def linear(self, rows: str, name: str, *, smoothed: bool) -> tuple[str, str]:
        """A product, and the bias to be added to it. smoothed: rows are divided by what smooths it here."""
        graph, numbers = self._graph, self._layers.numbers(name)
        if smoothed:
            rows = graph.op("Mul", rows, graph.constant(1 / numbers.smooth))
        product = graph.byte_linear(rows, numbers, self._layers.place(f"{name}.weight"))
        return product, graph.constant(self._layers(f"{name}.bias"))

    def _gains(self, name: str, layer: str) -> list[str]:
        smooth = self._layers(f"{layer}.smooth")
        return [self._graph.constant(self._rest(f"{name}.{part}") / smooth) for part in ("weight", "bias")]
