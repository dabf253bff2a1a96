"""Text in and text out: prompts, label sets, parsing of raw answers. Knows nothing of tensors."""
