"""The speed bench: our engine and others over one checkpoint, the same work, side by side in one run."""
