"""What is known of each type of edge: how many a node may have, and how well a walk follows it.

A dense graph says nothing: when everything is linked with everything, a walk from anywhere ends
everywhere. So a node keeps a bounded number of edges of a type, and when it is full the one goes
that is weakest and oldest. The caps and a walk's factors are those of the design's source where
it names them; the others are generous, so that they bind nothing but a runaway.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from memoria.model import EdgeType, Trust


class EdgeRule(NamedTuple):
    """How an edge of a type is treated."""

    cap: int
    """Edges of the type a node may have, in and out together; of ROLE, in each role."""
    expansion_factor: float
    """What a walk takes of the weight."""


EDGE_RULES: Mapping[EdgeType, EdgeRule] = {
    EdgeType.TEMPORAL_NEXT: EdgeRule(1024, 0.3),
    EdgeType.ABOUT: EdgeRule(256, 1.0),
    EdgeType.MENTIONS: EdgeRule(512, 0.6),
    EdgeType.ROLE: EdgeRule(512, 0.8),
    EdgeType.CAUSES: EdgeRule(1024, 0.8),
    EdgeType.SUPPORTS: EdgeRule(1024, 0.8),
    EdgeType.CONTRADICTS: EdgeRule(1024, 0.8),
    EdgeType.DERIVED_FROM: EdgeRule(1024, 0.5),
    EdgeType.REFERS_TO: EdgeRule(1024, 0.5),
    EdgeType.SIMILAR_TO: EdgeRule(64, 0.5),
    EdgeType.SAME_AS: EdgeRule(1024, 1.0),
    EdgeType.VERSION_NEXT: EdgeRule(1024, 0.5),
}
SOURCE_TRUST: Mapping[Trust, float] = {Trust.USER: 1.0, Trust.REPORTED: 0.7, Trust.TOOL: 0.4}
_TAU_MS = 14 * 86_400_000
"""An edge counts e times less for every two weeks of age, when a full node has to choose."""


def initial_weight(confidence: float, trust: Trust, age_ms: int) -> float:
    """The weight of a new edge, from 0 to 1.

    Args:
        confidence: of what was extracted.
        trust: of the channel its source came by.
        age_ms: how long ago it was said.
    """
    recency = math.exp(-max(0, age_ms) / _TAU_MS)
    return 0.5 * confidence + 0.3 * SOURCE_TRUST[trust] + 0.2 * recency


def retention_rank(weight: float, made_at: int) -> int:
    """What edges of one type are compared by: weight × recency, as a logarithm in thousandths.

    The moment of comparing shifts all alike, so that it needs none and can be kept.
    """
    return round(1000 * (math.log(max(weight, _LEAST)) + made_at / _TAU_MS))


_LEAST = 1e-4
