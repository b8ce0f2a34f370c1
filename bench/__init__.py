"""Benchmarks: every speed or quality claim in docs/ comes from here."""
