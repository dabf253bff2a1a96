"""How much memory a GGUF model takes, estimated from its head before it is loaded. Bytes."""

from engine.model.gguf.header import GgufHeader
from engine.model.memory import MemoryEstimate

_BATCH = 256
"""Prompt tokens of one pass, as the server is told."""
_KEY_BYTES = 2
"""Keys and values are kept in half precision."""
_LAYER_COPIES = 6
"""Buffers of a layer's width that live at once."""


def needs(header: GgufHeader, context: int) -> MemoryEstimate:
    """The weights are the file, mapped and in part copied into an order that the CPU reads faster.

    The cache holds twice the context, for all of the server's slots together.

    context: tokens of one prompt and its answer.
    """
    layers, hidden = header.number("block_count"), header.number("embedding_length")
    heads = header.number("attention.head_count")
    kv_heads = header.number("attention.head_count_kv") or heads
    width = hidden // heads if heads else 0
    keys = header.number("attention.key_length") or width
    values = header.number("attention.value_length") or width
    held = 2 * context
    widest = max(header.number("feed_forward_length"), 4 * hidden)
    vocabulary = len(header.metadata.get("tokenizer.ggml.tokens") or ())
    scores = _BATCH * heads * held * 4
    return MemoryEstimate(
        precision=header.precision,
        weights=header.file_bytes,
        kv_cache=layers * kv_heads * (keys + values) * held * _KEY_BYTES,
        activations=scores + _LAYER_COPIES * _BATCH * widest * 4 + 2 * vocabulary * _BATCH,
        load_peak=header.file_bytes,
    )
