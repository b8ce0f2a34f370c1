"""Ingest: from a captured turn to memories and episodes."""
