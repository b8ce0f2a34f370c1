"""Weigh: what a memory is worth beside how well it matches."""

import math

from memoria.model import Memory

_CONCLUSION = 1.1
"""A memory before a turn that says the same: somebody thought it worth keeping."""
_IMPORTANCE = 0.2
_PINNED = 0.15
_VERIFIED = 0.05
_VOTES = 0.1


def memory_weight(memory: Memory) -> float:
    """A factor around 1: importance, pin, confirmation and votes."""
    votes = math.tanh((memory.upvotes - memory.downvotes) / 2)
    return _CONCLUSION * (
        1
        + _IMPORTANCE * (memory.importance - 0.5)
        + _PINNED * memory.pinned
        + _VERIFIED * memory.verified
        + _VOTES * votes
    )
