"""The rules: pure decisions over values, no I/O."""
