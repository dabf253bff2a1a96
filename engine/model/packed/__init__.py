"""A causal language model on a CPU whose weights stay small: packed linear layers, a mapped embedding."""
