"""Ingest: what comes in from conversations, from a captured turn to memories and episodes."""
