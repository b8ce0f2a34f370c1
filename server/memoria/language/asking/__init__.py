"""Asking: what the wording of a question tells about where its answer lies."""
