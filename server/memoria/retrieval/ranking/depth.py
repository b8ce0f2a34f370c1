"""Depth: the number of ranked documents that are read."""

from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.rerank import RERANK_DEPTH

_READ_OF_THE_PAST = 1000
"""Documents read where a past moment is asked of: all that was found, for only reading a document
tells whether it came later."""
_READ_OF_A_TASK = 60
"""Fewest documents read where a task is named: those of other tasks are left out."""


def choose_depth(plan: SearchPlan, *, is_reranked: bool) -> int:
    """Return the number of documents to rank with care, whatever the limit, which adds to the end.

    What stands further down could come before others by what is read of it, so that a higher limit
    would change who comes first.
    """
    depth = plan.profile.reads
    if plan.tasks is not None:
        depth = max(depth, _READ_OF_A_TASK)
    if plan.as_of is not None:
        depth = max(depth, _READ_OF_THE_PAST)
    if is_reranked and plan.options.stages.rerank:
        depth = max(depth, RERANK_DEPTH)
    return depth
