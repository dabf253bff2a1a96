"""What the process does and holds: samples, requests, snapshots, the log, advice. It knows no models."""
