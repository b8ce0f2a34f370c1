"""Lookup: what is read by its id, its name or its likeness, without ranking."""
