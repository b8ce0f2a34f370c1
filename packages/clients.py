"""What differs between the clients that take hooks and skills from a package."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PackagedClient:
    """A client with a plugin or an extension of ours."""

    name: str
    """As the hook program calls it."""
    tools: str
    """How the model finds the tools there."""
    events: Mapping[str, int]
    """Hook events with their time limits, in the client's unit. The first one begins a session."""
    windows_key: str | None = None
    """The field for another command on Windows, where the client has one."""
    shows_messages: bool = True
    """Whether a person sees what a hook answers as `systemMessage`."""


CLAUDE_CODE = PackagedClient(
    name="claude-code",
    tools="The tools are those of the server `memoria`. Where they are deferred, ToolSearch with\n"
    '"memoria" loads them.',
    events={
        "SessionStart": 10,
        "UserPromptSubmit": 5,
        "PostToolUse": 5,
        "Stop": 5,
        "PreCompact": 5,
        "SessionEnd": 5,
    },
)
CODEX = PackagedClient(
    name="codex",
    tools="The tools are in the namespace of the server `memoria`.",
    events={
        "SessionStart": 10,
        "UserPromptSubmit": 5,
        "PostToolUse": 5,
        "Stop": 5,
        "PreCompact": 5,
        "SessionEnd": 3,
    },
    windows_key="commandWindows",
)
GEMINI = PackagedClient(
    name="gemini",
    tools="The tools are those of the server `memoria`; `mcp_memoria_` stands before their names.",
    events={
        "SessionStart": 10_000,
        "BeforeAgent": 5_000,
        "AfterTool": 5_000,
        "AfterAgent": 5_000,
        "PreCompress": 5_000,
        "SessionEnd": 5_000,
    },
)
CURSOR = PackagedClient(
    name="cursor",
    tools="The tools are those of the server `memoria`.",
    events={
        "sessionStart": 10,
        "beforeSubmitPrompt": 5,
        "postToolUse": 5,
        "afterAgentResponse": 5,
        "stop": 5,
        "preCompact": 5,
        "sessionEnd": 5,
    },
    shows_messages=False,
)
PACKAGED_CLIENTS = (CLAUDE_CODE, CODEX, GEMINI, CURSOR)
