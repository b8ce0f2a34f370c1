"""The adapter of the Claude Agent SDK, as programs import it."""

from memoria.connectors.adapters.claude_agent_sdk import memory_hooks

__all__ = ["memory_hooks"]
