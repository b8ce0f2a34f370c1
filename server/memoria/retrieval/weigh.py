"""Weigh: what a first-level hit is worth beside how well it matches."""

import math

from memoria.model import Memory, Role, StoredTurn

_CONCLUSION = 1.1
"""A memory before a turn that says the same: somebody thought it worth keeping."""
_IMPORTANCE = 0.2
_PINNED = 0.15
_VERIFIED = 0.05
_VOTES = 0.1
_TOOL_TRAFFIC = 0.6
"""What a tool printed is seldom the conclusion, and vouched for by nobody."""


def stand_in_weight(turn: StoredTurn) -> float:
    """A factor for a turn that stands in for a memory."""
    return _TOOL_TRAFFIC if turn.role is Role.TOOL else 1.0


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
