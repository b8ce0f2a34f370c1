"""Nightly maintenance: its steps, how they are run in transactions, and how a run is undone."""
