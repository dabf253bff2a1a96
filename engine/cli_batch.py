"""`workbench batch`: a file in, a file out, resumable with the same command."""
