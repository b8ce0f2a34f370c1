"""Memoria: long-term memory for LLM agents.

    async with memoria.open(home="~/.memoria", tenant="me") as m:
        await m.record_conversation([{"session_id": "s1", "role": "user", "content": "你好"}])
        result = await m.search_memory("how did I say hello?")

`memoria serve` offers the same over MCP; see README.md.
"""

from memoria.app import Memoria
from memoria.app import open_memoria as open  # noqa: A004  (memoria.open reads right)
from memoria.config import Settings
from memoria.model import Hit, Memory, MemoryType, Receipt, Role, SearchResult, Turn

__all__ = [
    "Hit",
    "Memoria",
    "Memory",
    "MemoryType",
    "Receipt",
    "Role",
    "SearchResult",
    "Settings",
    "Turn",
    "open",
]
