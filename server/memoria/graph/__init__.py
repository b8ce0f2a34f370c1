"""Links: pure functions over a graph of values, no I/O."""
