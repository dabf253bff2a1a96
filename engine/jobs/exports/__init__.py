"""A job's rows as files, each with a manifest of what made them."""
