"""The adapter of the OpenAI Agents SDK, as programs import it."""

from memoria.connectors.adapters.openai_agents import MemoriaSession

__all__ = ["MemoriaSession"]
