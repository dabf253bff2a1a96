"""Models in GGUF files, computed by llama.cpp on the CPU."""
