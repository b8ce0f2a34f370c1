"""READ: plan -> candidates -> fuse -> judge -> select (gate, MMR) -> pack -> cite, each a file."""

from memoria.retrieval.plan import SearchOptions, SearchPlan, plan_memories, plan_transcript
from memoria.retrieval.search import Search

__all__ = ["Search", "SearchOptions", "SearchPlan", "plan_memories", "plan_transcript"]
