"""How well the index in memory finds what an exact search finds, on real vectors."""
