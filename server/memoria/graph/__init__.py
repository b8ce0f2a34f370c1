"""Graph algorithms and the rules that find names and roles: pure functions, no I/O."""
