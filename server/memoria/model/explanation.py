"""Explanations of a search: the path it took, and what each stage gave each document."""

from typing import Literal

from memoria.model.base import Value

Part = Literal["text", "vectors", "graph"]
"""A source of candidates that a search can do without."""
PARTS: tuple[Part, ...] = ("text", "vectors", "graph")


class PartReport(Value):
    """Outcome of one part of a search."""

    part: Part | Literal["recent", "rerank"]
    state: Literal["used", "idle", "off", "missing"]
    """`idle`: it had nothing to do. `off`: switched off. `missing`: it could not serve."""
    found: int = 0
    """Number of candidates it gave."""
    why: str | None = None


class ExplainedCandidate(Value):
    """A document that was scored, and everything that went into its rank.

    Scores of parts are 0 to 1 and comparable within one search; `relevance` joins them, `weight` is
    the product of `factors`, `score` is what is sorted by.
    """

    id: str
    kind: Literal["memory", "turn"]
    text: str
    """Its beginning."""
    lexical: float
    """BM25, what stands around it included."""
    cosine: float
    graph: float
    coverage: float
    """Share of what was asked that it holds in words."""
    reranked: float | None = None
    """Score by a reranker, where one was asked about it."""
    relevance: float
    factors: dict[str, float]
    """Importance, use, recency, feedback, trust, task and time: only those that are not 1."""
    score: float
    margin: float
    """Excess over what the relevance threshold asks; below 0 it is not shown."""
    outcome: Literal["shown", "no room", "past limit", "repeats", "below threshold"]
    """`repeats`: another hit says the same. `below threshold`: it fits less well than the relevance
    threshold asks."""


class Explanation(Value):
    """Origin of an answer. Two searches of the same store give the same explanation."""

    path: str
    """The sources in the order in which they are tried, such as `text → vectors → graph`."""
    formula: str
    """Formula that joins their scores on this path."""
    terms: tuple[str, ...]
    since: str | None = None
    """The beginning of the time that the query asks about, ISO 8601."""
    until: str | None = None
    task: str | None = None
    """The task in hand, which memories of the same task gain by."""
    as_of: str | None = None
    threshold: str
    """Demand of the relevance threshold."""
    parts: tuple[PartReport, ...]
    candidates: tuple[ExplainedCandidate, ...]
    """Best first; beyond those shown, as many as were read."""
