"""One model, one worker, and the tasks that run on them. Knows nothing of files and pages."""
