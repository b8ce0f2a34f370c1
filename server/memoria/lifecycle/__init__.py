"""Nightly maintenance: its steps, their transactions, and the undo of a run."""
