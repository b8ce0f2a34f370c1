"""Lookup: reading by id, by name or by likeness, without ranking."""
