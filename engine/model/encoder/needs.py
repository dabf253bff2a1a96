"""How much memory the offline model takes, known without loading it."""

from engine.model.memory import MemoryEstimate

MEMORY = MemoryEstimate("fp32", weights=290 << 20, kv_cache=0, activations=60 << 20, load_peak=320 << 20)
"""Measured: word table in 4 bits, layers in fp32, vocabulary, head."""
