"""The adapter of Pydantic AI, as programs import it."""

from memoria.connectors.adapters.pydantic_ai import MemoriaHistory, memory_toolset

__all__ = ["MemoriaHistory", "memory_toolset"]
