"""The rules for each type of edge: how many a node may have, and how graph expansion weighs them.

In a dense graph expansion from any node reaches every other node, so the graph would tell nothing.
A node therefore keeps a bounded number of edges of each type; when it is full, the weakest and
oldest edge is dropped. Most caps are generous: they stop a runaway and nothing else.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from memoria.model import EdgeType, Trust


class EdgeRule(NamedTuple):
    """Treatment of the edges of one type."""

    cap: int
    """Most edges of the type at one node, in and out together; for ROLE, of each role."""
    expansion_factor: float
    """Factor that graph expansion multiplies the weight by."""


_NO_CAP = 2**31
"""For edges by which a memory is forgotten with what it rests on: none may be dropped."""
EDGE_RULES: Mapping[EdgeType, EdgeRule] = {
    EdgeType.TEMPORAL_NEXT: EdgeRule(1024, 0.3),
    EdgeType.ABOUT: EdgeRule(256, 1.0),
    EdgeType.MENTIONS: EdgeRule(512, 0.6),
    EdgeType.ROLE: EdgeRule(512, 0.8),
    EdgeType.CAUSES: EdgeRule(1024, 0.8),
    EdgeType.SUPPORTS: EdgeRule(_NO_CAP, 0.8),
    EdgeType.CONTRADICTS: EdgeRule(1024, 0.8),
    EdgeType.DERIVED_FROM: EdgeRule(_NO_CAP, 0.5),
    EdgeType.REFERS_TO: EdgeRule(_NO_CAP, 0.5),
    EdgeType.SIMILAR_TO: EdgeRule(64, 0.5),
    EdgeType.SAME_AS: EdgeRule(1024, 1.0),
    EdgeType.VERSION_NEXT: EdgeRule(1024, 0.5),
}
SOURCE_TRUST: Mapping[Trust, float] = {Trust.USER: 1.0, Trust.REPORTED: 0.7, Trust.TOOL: 0.4}
_TAU_MS = 14 * 86_400_000
"""Time constant of a full node's ranking: each two weeks of age divide a rank by e."""


def initial_weight(confidence: float, trust: Trust, age_ms: int) -> float:
    """Return the weight of a new edge, from 0 to 1.

    Args:
        confidence: how certain the extraction was.
        trust: the trust of the channel that the source came through.
        age_ms: how long ago the source was said.
    """
    recency = math.exp(-max(0, age_ms) / _TAU_MS)
    return 0.5 * confidence + 0.3 * SOURCE_TRUST[trust] + 0.2 * recency


def retention_rank(weight: float, made_at: int) -> int:
    """Return the rank that decides which edge a full node drops: the lowest goes first.

    It is a logarithm in thousandths. The current time would shift all ranks by the same amount, so
    it is left out, and the rank can be stored.
    """
    rank = 1000 * (math.log(max(weight, _LEAST)) + made_at / _TAU_MS)
    return round(rank if weight else rank - _WEIGHTLESS)


_LEAST = 1e-4
_WEIGHTLESS = 10_000_000
"""Penalty above any age: an edge that is only shown never drives out one that is followed."""
