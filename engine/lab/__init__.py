"""Experiments: sweeps of settings, evaluation against gold, comparison of runs. It knows no pages."""
