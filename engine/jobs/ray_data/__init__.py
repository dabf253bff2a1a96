"""Jobs on Ray Data, beyond one process and one machine."""
