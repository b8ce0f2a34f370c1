"""Graph algorithms, and the rules for each type of edge: pure functions, no I/O."""
