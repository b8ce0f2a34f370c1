"""READ: plan -> candidates -> evidence -> judge (weigh, gate) -> pack -> cite, each a file."""

from memoria.retrieval.plan import Plan, plan_memories, plan_traces
from memoria.retrieval.search import Search

__all__ = ["Plan", "Search", "plan_memories", "plan_traces"]
