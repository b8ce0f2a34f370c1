"""READ: query -> sources -> ranking -> answer, a room each; `search` is the pipeline through them.

`lookup` stands beside it: records by id, origins, entities by name, related memories.
"""

from memoria.retrieval.query.plan import SearchOptions, SearchPlan, plan_memories, plan_transcript
from memoria.retrieval.search import Search

__all__ = ["Search", "SearchOptions", "SearchPlan", "plan_memories", "plan_transcript"]
