"""Finding, fetching, checking and running models. Knows nothing of tasks."""
