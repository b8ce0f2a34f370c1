"""Claude Agent SDK: hooks that record a session and recall what bears on a prompt."""

from collections.abc import Awaitable, Callable
from typing import Any

try:
    from claude_agent_sdk import HookMatcher
except ImportError as error:
    from memoria.adapters.shared import missing_extra

    raise missing_extra("claude-agent-sdk", error) from error

from memoria.adapters.shared import name_source
from memoria.app.memory import Memoria
from memoria.model import Role, Turn

_CLIENT = "claude-agent-sdk"
_Fields = dict[str, Any]
_Answer = dict[str, object]
_Hook = Callable[[_Fields, str | None, object], Awaitable[_Answer]]


def memory_hooks(memory: Memoria) -> dict[str, list[HookMatcher]]:
    """Return the hooks, for `ClaudeAgentOptions(hooks=…)`.

    What is said, and what tools answer, is recorded at once. To a prompt is added what is on record
    from other sessions and bears on it for sure; mostly that is nothing.

    Args:
        memory: from `memoria.open`; it stays the caller's, to close after the client.
    """
    recorder = _Recorder(name_source(_CLIENT, memory))
    hooks: dict[str, _Hook] = {
        "UserPromptSubmit": recorder.take_prompt,
        "PostToolUse": recorder.take_tool_use,
        "Stop": recorder.take_answer,
        "PreCompact": recorder.close_segment,
    }
    return {event: [HookMatcher(hooks=[hook])] for event, hook in hooks.items()}


class _Recorder:
    """Recorder of what the SDK tells hooks."""

    def __init__(self, memory: Memoria) -> None:
        self._memory = memory

    async def take_prompt(self, fields: _Fields, _use: str | None, _context: object) -> _Answer:
        """Record what the user says, and return what is on record about it."""
        prompt = fields["prompt"]
        recalled = await self._memory.recall_unasked(prompt, session_id=fields["session_id"])
        await self._record_words(fields, Role.USER, prompt, fields.get("prompt_id"))
        if not recalled:
            return {}
        added = {"hookEventName": "UserPromptSubmit", "additionalContext": recalled}
        return {"hookSpecificOutput": added}

    async def take_tool_use(self, fields: _Fields, use: str | None, _context: object) -> _Answer:
        """Record what a tool was asked and has answered."""
        turn = Turn(
            session_id=fields["session_id"],
            message_id=use or fields.get("tool_use_id"),
            role=Role.TOOL,
            tool_name=fields["tool_name"],
            tool_args=fields["tool_input"],
            tool_result=fields["tool_response"],
        )
        await self._memory.record_conversation([turn])
        return {}

    async def take_answer(self, fields: _Fields, _use: str | None, _context: object) -> _Answer:
        """Record what the model has said last."""
        await self._record_words(fields, Role.ASSISTANT, fields.get("last_assistant_message", ""))
        return {}

    async def close_segment(self, fields: _Fields, _use: str | None, _context: object) -> _Answer:
        """End the conversation segment where the model's context is compacted."""
        await self._memory.record_conversation(
            [], event="compaction", session_id=fields["session_id"]
        )
        return {}

    async def _record_words(
        self, fields: _Fields, role: Role, words: str, message_id: str | None = None
    ) -> None:
        if words.strip():
            session = fields["session_id"]
            turn = Turn(session_id=session, message_id=message_id, role=role, content=words)
            await self._memory.record_conversation([turn])
