"""The console script, and what speaks for `serve` while the server loads: standard library only."""
