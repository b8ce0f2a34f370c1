"""Retrieval: query -> sources -> ranking -> answer, a folder each; `search` joins the steps.

`lookup` stands beside it: records by id, origins, entities by name, related memories.
"""

from memoria.retrieval.query.options import SearchOptions
from memoria.retrieval.query.plan import (
    SearchPlan,
    plan_context,
    plan_evidence,
    plan_memories,
    plan_transcript,
    plan_unasked,
)
from memoria.retrieval.search import Search

__all__ = [
    "Search",
    "SearchOptions",
    "SearchPlan",
    "plan_context",
    "plan_evidence",
    "plan_memories",
    "plan_transcript",
    "plan_unasked",
]
