"""The Batch page: a file in, a job that runs by itself, its rows looked through, corrected, judged and exported."""
