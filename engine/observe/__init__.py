"""What the process uses: memory now. Knows nothing of models."""
