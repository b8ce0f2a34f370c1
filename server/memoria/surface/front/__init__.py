"""The console script, and answers of `serve` while the server loads: standard library only."""
