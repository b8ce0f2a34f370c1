"""READ: plan -> candidates -> fuse -> judge -> select (gate, MMR) -> pack -> cite, each a file."""

from memoria.retrieval.plan import Plan, Way, plan_memories, plan_traces
from memoria.retrieval.search import Search

__all__ = ["Plan", "Search", "Way", "plan_memories", "plan_traces"]
