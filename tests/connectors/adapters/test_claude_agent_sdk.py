"""The hooks of the Claude Agent SDK, called by the SDK itself; a script plays its program."""

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from memoria import Memoria

pytest.importorskip(
    "claude_agent_sdk",
    reason="the SDK brings a program of 360 MB: memoria-server[claude-agent-sdk]",
)

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Transport

from memoria.adapters.claude_agent_sdk import memory_hooks


class _Program(Transport):
    """Says to the SDK what Claude Code would say, and keeps what it is answered."""

    def __init__(self) -> None:
        self._says, self._heard = anyio.create_memory_object_stream[dict[str, Any]](100)
        self._answers, self._answered = anyio.create_memory_object_stream[dict[str, Any]](100)
        self._hooks: dict[str, str] = {}

    async def connect(self) -> None:
        return

    async def write(self, data: str) -> None:
        message = json.loads(data)
        if message["type"] == "control_request":
            hooks = message["request"].get("hooks") or {}
            self._hooks = {event: one[0]["hookCallbackIds"][0] for event, one in hooks.items()}
            answer = {"subtype": "success", "request_id": message["request_id"], "response": {}}
            await self._says.send({"type": "control_response", "response": answer})
        else:
            await self._answers.send(message["response"])

    def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        return aiter(self._heard)

    async def close(self) -> None:
        for stream in (self._says, self._heard, self._answers, self._answered):
            stream.close()

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None:
        return

    async def tell(self, event: str, session: str, **fields: object) -> dict[str, Any]:
        """Let a hook be called. Gives what it answers."""
        said = {
            "hook_event_name": event,
            "session_id": session,
            "transcript_path": "/nowhere.jsonl",
            "cwd": "/",
            **fields,
        }
        request = {
            "subtype": "hook_callback",
            "callback_id": self._hooks[event],
            "input": said,
            "tool_use_id": fields.get("tool_use_id"),
        }
        await self._says.send({"type": "control_request", "request_id": event, "request": request})
        answer = await self._answered.receive()
        assert answer["subtype"] == "success", answer
        assert answer["request_id"] == event
        return dict(answer["response"])


async def test_a_session_is_recorded_and_a_later_one_is_told_of_it(memory: Memoria) -> None:
    program = _Program()
    options = ClaudeAgentOptions(hooks=memory_hooks(memory))
    async with ClaudeSDKClient(options, transport=program):
        prompt = "My car's licence plate is 1-KLM-482, please note it for the garage"
        assert await program.tell("UserPromptSubmit", "s1", prompt=prompt, prompt_id="p1") == {}
        used = {
            "tool_name": "Write",
            "tool_input": {"file_path": "/garage.txt", "content": "1-KLM-482"},
            "tool_response": {"type": "create"},
            "tool_use_id": "toolu_1",
        }
        assert await program.tell("PostToolUse", "s1", **used) == {}
        stop = {"stop_hook_active": False, "last_assistant_message": "已经记下了车牌。"}
        assert await program.tell("Stop", "s1", **stop) == {}
        assert await program.tell("Stop", "s1", stop_hook_active=True) == {}
        compact = {"trigger": "auto", "custom_instructions": None}
        assert await program.tell("PreCompact", "s1", **compact) == {}

        record = await memory.get_session("s1")
        assert [(turn.role, turn.content, turn.tool_name) for turn in record.turns] == [
            ("user", prompt, None),
            ("tool", "", "Write"),
            ("assistant", "已经记下了车牌。", None),
        ]
        assert record.segments[-1].closed_by == "compaction"
        await memory.wait_until_idle(30)

        asked = "What is the licence plate of my car?"
        told = await program.tell("UserPromptSubmit", "s2", prompt=asked, prompt_id="p2")
        assert told["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
        assert "1-KLM-482" in told["hookSpecificOutput"]["additionalContext"]
        assert await program.tell("UserPromptSubmit", "s2", prompt="Thanks!", prompt_id="p3") == {}
