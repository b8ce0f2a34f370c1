"""The adapter of LangGraph, as programs import it."""

from memoria.connectors.adapters.langgraph import MemoriaStore

__all__ = ["MemoriaStore"]
