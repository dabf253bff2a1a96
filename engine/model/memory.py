"""How much memory a model needs, estimated before it is loaded, and the check against what may be used.

Byte counts are plain bytes; `engine.observe.machine` reads what is held and what is free. The estimate covers the
official free decoding, the most demanding task: 4 beams over a prompt of 1024 tokens and 256 new ones. A longer
prompt takes more. `max_memory` is a budget of the whole process: a model may take what is not held yet.
"""

import ctypes
import gc
import logging
import sys
from dataclasses import dataclass

from engine.errors import WorkbenchError
from engine.model.preflight import ModelFiles
from engine.observe.machine import free_bytes, human_bytes, process_memory
from engine.settings import Settings

__all__ = [
    "MemoryEstimate",
    "building_bytes",
    "estimate",
    "fits",
    "free_bytes",
    "give_memory_back",
    "give_pages_back",
    "held_bytes",
    "human_bytes",
    "process_memory",
    "require",
    "room",
    "trim_heap",
]

_log = logging.getLogger(__name__)

VALUE_BYTES: dict[str, int] = {"fp32": 4, "bf16": 2, "fp16": 2, "int8": 1}
NEAR = 0.85
"""The share of `max_memory` that what is kept between requests stays below, and from which on batches take smaller
steps (`engine.run.budget`)."""

_PROGRAM = 320 << 20
"""About what the process holds when it begins to load a model: Python, the pages, torch. 300 MiB were measured."""

_BEAMS = 4
_PROMPT_TOKENS = 1024
_NEW_TOKENS = 256
_LAYER_COPIES = 6
"""Buffers of a layer's width that live at once, and two of the attention scores: with them the estimate for
SmolLM2-135M in fp32, 4 beams over 512 tokens, is 271 MiB; 297 MiB were measured."""


@dataclass(frozen=True)
class MemoryEstimate:
    """Bytes that a model takes beyond the program itself.

    weights: the parameters in `precision`.
    kv_cache: keys and values of 4 beams over the prompt and the new tokens.
    activations: attention scores and layers of the beams' whole prompts, which are read at once, and logits.
    load_peak: the most that is held while loading; the source file is mapped, one tensor of it at a time is
    copied.
    """

    precision: str
    weights: int
    kv_cache: int
    activations: int
    load_peak: int

    @property
    def total(self) -> int:
        """The most that is needed at any time, loading included."""
        return max(self.load_peak, self.weights + self.kv_cache + self.activations)

    @property
    def explanation(self) -> str:
        """The sum in one English line."""
        parts = ", ".join(
            f"{label} {human_bytes(size)}"
            for label, size in (
                ("weights", self.weights),
                ("KV cache of 4 beams", self.kv_cache),
                ("activations", self.activations),
                ("peak while loading", self.load_peak),
            )
        )
        return f"{self.precision}: {parts}"


def estimate(files: ModelFiles, precision: str, *, packed: bool = False) -> MemoryEstimate:
    """What `files` need in `precision`; `auto` is taken as fp32, the largest.

    packed: linear layers in `precision`, all that is computed in fp32, and tables mapped from a file, whose pages the
        system takes back when it needs them: they do not count.

    The keys that describe the shape are read under their Llama and their BLOOM names; where a config has
    neither, the cache and the activations count as nothing, and the weights alone decide.
    """
    size = VALUE_BYTES.get(precision, 4)
    config = files.config
    layers = _first(config, "num_hidden_layers", "n_layer")
    hidden = _first(config, "hidden_size", "n_embed", "n_embd")
    heads = _first(config, "num_attention_heads", "n_head")
    head_dim = _first(config, "head_dim") or (hidden // heads if heads else 0)
    kv_heads = _first(config, "num_key_value_heads") or heads
    prompt = min(files.context, _PROMPT_TOKENS)
    weights = (files.parameters - (_table_values(files) if packed else 0)) * size
    size = 4 if packed else size
    scores = _BEAMS * heads * prompt * prompt * 4  # the softmax is in fp32
    widest = _BEAMS * prompt * max(_first(config, "intermediate_size"), 4 * hidden) * size
    logits = _BEAMS * _first(config, "vocab_size") * 4
    return MemoryEstimate(
        precision=precision if precision in VALUE_BYTES else "fp32",
        weights=weights,
        kv_cache=2 * layers * kv_heads * head_dim * (prompt + _NEW_TOKENS) * _BEAMS * size,
        activations=2 * scores + _LAYER_COPIES * widest + logits,
        load_peak=weights + files.largest_tensor_bytes,
    )


def building_bytes(files: ModelFiles, precision: str) -> int:
    """The most that is held while a packed model is built: the model as it is loaded for that, and a tensor more."""
    held = files.parameters * 4 if precision == "int8" else files.total_bytes
    return held + files.largest_tensor_bytes * 2


def _table_values(files: ModelFiles) -> int:
    """Numbers in the token table, and in the output layer where that is another."""
    one = _first(files.config, "vocab_size") * _first(files.config, "hidden_size", "n_embed", "n_embd")
    tied = files.config.get("tie_word_embeddings", True) is not False
    return min(files.parameters, one if tied else 2 * one)


def require(
    needed: MemoryEstimate,
    settings: Settings,
    available: int | None = None,
    *,
    name: str = "it",
    device: str = "cpu",
) -> None:
    """Refuse a model that does not fit.

    name: what the message calls the model.
    available: free bytes of the memory in question; None asks the operating system, or torch for a GPU.

    Raises:
        WorkbenchError: `memory_short` when it needs more than `room`.
    """
    limit = room(settings, available, device=device)
    if needed.total > limit:
        raise WorkbenchError(
            "memory_short",
            name=name,
            needed=human_bytes(needed.total),
            precision=needed.precision,
            limit=human_bytes(limit),
        )


def fits(needed: MemoryEstimate, settings: Settings, available: int | None = None) -> bool:
    """Whether a model fits into what is available and allowed; None asks the operating system."""
    return needed.total <= room(settings, available)


def room(
    settings: Settings, available: int | None = None, *, freed: int = 0, share: float = 1, device: str = "cpu"
) -> int:
    """Bytes of a device's memory that may be taken now: of what is free, and of `max_memory` beside what is held.

    available: free bytes; None asks. freed: bytes that will be free before that. share: of `max_memory`, to stay below.
    """
    available = (_free(device) if available is None else available) + freed
    if settings.max_memory is None:
        return available
    now = held_bytes(device)
    left = max(now - freed, min(now, _PROGRAM))  # `freed` may be an estimate, of more than was ever held
    return max(0, min(available, int(settings.max_memory * share) - left))


def held_bytes(device: str = "cpu") -> int:
    """Bytes of the memory that `max_memory` is of: what torch took of a GPU of NVIDIA's, else what the process holds.

    Before torch is there, what the process will then hold by itself: a launcher asks that early.
    """
    torch = sys.modules.get("torch")
    if torch is not None and device.startswith("cuda"):
        return int(torch.cuda.memory_reserved())
    now = process_memory()[0]
    return now if torch is not None else max(now, _PROGRAM)


def give_pages_back(device: str = "cpu") -> None:
    """Return to the system what was freed on a device, as far as allocators keep it for later."""
    torch = sys.modules.get("torch")
    if torch is not None and device.startswith("cuda"):
        torch.cuda.empty_cache()
    trim_heap()


def _free(device: str) -> int:
    torch = sys.modules.get("torch")
    if torch is not None and device.startswith("cuda"):
        unused = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
        return int(torch.cuda.mem_get_info()[0]) + int(unused)
    return free_bytes()


def give_memory_back() -> None:
    """Collect, then return freed heap pages to the system."""
    gc.collect()
    trim_heap()


def trim_heap() -> None:
    """Return freed heap pages to the system: glibc keeps them otherwise. It takes some milliseconds."""
    if sys.platform == "linux":
        try:
            ctypes.CDLL("libc.so.6").malloc_trim(0)
        except (OSError, AttributeError):  # another libc: nothing to trim
            _log.debug("malloc_trim is not available")


def _first(config: dict[str, object], *keys: str) -> int:
    for key in keys:
        value = config.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return 0
