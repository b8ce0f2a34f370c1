"""What clients tell a hook, as far as their documents and our own measurements say."""

from collections.abc import Callable
from pathlib import Path

Payload = dict[str, object]


def _family(event: str, **more: object) -> Payload:
    return {"session_id": "s-1", "cwd": "", "hook_event_name": event, **more}


def _cursor(event: str, **more: object) -> Payload:
    common = {"conversation_id": "s-1", "generation_id": "g-1", "cursor_version": "3.1"}
    return {**common, "hook_event_name": event, "workspace_roots": [""], **more}


def _windsurf(event: str, **more: object) -> Payload:
    return {"agent_action_name": event, "trajectory_id": "s-1", "tool_info": more}


def _cline(event: str, block: str, **more: object) -> Payload:
    common = {"clineVersion": "4", "hookName": event, "taskId": "s-1", "workspaceRoots": [""]}
    return {**common, block: more}


def _vscode(event: str, **more: object) -> Payload:
    return {"sessionId": "s-1", "cwd": "", "hookEventName": event, "timestamp": "2026", **more}


def _copilot(**more: object) -> Payload:
    """It says no event: the line that starts the hook does."""
    return {"sessionId": "s-1", "cwd": "", "timestamp": 1_795_918_166_039, **more}


def _hermes(event: str, **more: object) -> Payload:
    extra = {"turn_id": "t-1", "platform": "cli", **more}
    return {**_family(event), "tool_name": None, "tool_input": None, "extra": extra}


COPILOT_EVENTS = {
    "start": "sessionStart",
    "prompt": "userPromptSubmitted",
    "tool": "postToolUse",
    "stop": "agentStop",
    "compact": "preCompact",
    "end": "sessionEnd",
}
"""Copilot CLI's names, which its hooks are told on their lines."""


def prompts(text: str) -> dict[str, Payload]:
    """A prompt of the user, as each client that has hooks tells it."""
    return {
        "claude-code": _family("UserPromptSubmit", prompt=text, prompt_id="p-1"),
        "codex": _family("UserPromptSubmit", prompt=text, turn_id="t-1"),
        "gemini": _family("BeforeAgent", prompt=text),
        "cursor": _cursor("beforeSubmitPrompt", prompt=text, attachments=[]),
        "vscode": _vscode("UserPromptSubmit", prompt=text),
        "windsurf": _windsurf("pre_user_prompt", user_prompt=text),
        "cline": _cline("UserPromptSubmit", "userPromptSubmit", prompt=text, attachments=[]),
        "goose": _family("UserPromptSubmit", message=text),
        "opencode": _family("UserPromptSubmit", prompt=text, prompt_id="m-1"),
        "kilo": _family("UserPromptSubmit", prompt=text, prompt_id="m-1"),
        "openclaw": _family("UserPromptSubmit", prompt=text, prompt_id="m-1"),
        "qwen": _family("UserPromptSubmit", prompt=text, prompt_id="s-1########0"),
        "copilot": _copilot(prompt=text),
        "droid": _family("UserPromptSubmit", prompt=text),
        "hermes": _hermes("pre_llm_call", user_message=text, is_first_turn=False),
    }


def answers(text: str) -> dict[str, Payload]:
    """An agent's answer."""
    return {
        "claude-code": _family("Stop", last_assistant_message=text),
        "codex": _family("Stop", last_assistant_message=text, turn_id="t-1"),
        "gemini": _family("AfterAgent", prompt="hi", prompt_response=text),
        "cursor": _cursor("afterAgentResponse", text=text),
        "vscode": _vscode("Stop", last_assistant_message=text),
        "windsurf": _windsurf("post_cascade_response", response=text),
        "goose": _family("Stop", last_assistant_message=text),
        "opencode": _family("Stop", last_assistant_message=text),
        "kilo": _family("Stop", last_assistant_message=text),
        "openclaw": _family("Stop", last_assistant_message=text),
        "qwen": _family("Stop", last_assistant_message=text, stop_hook_active=False),
        "copilot": _copilot(stopReason="end_turn"),
        "droid": _family("Stop", message_id="m-1", tool_execution_count=0),
        "hermes": _hermes("post_llm_call", user_message="hi", assistant_response=text),
    }


def tools(text: str) -> dict[str, Payload]:
    """A tool's use, with this text for its result."""
    return {
        "claude-code": _tool("tool_response", text),
        "codex": _tool("tool_response", text),
        "gemini": {**_tool("tool_response", text), "hook_event_name": "AfterTool"},
        "cursor": _cursor("postToolUse", tool_name="Shell", tool_input={}, tool_output=text),
        "vscode": _vscode("PostToolUse", tool_name="run", tool_input={}, tool_response=text),
        "windsurf": _windsurf(
            "post_mcp_tool_use",
            mcp_server_name="files",
            mcp_tool_name="read",
            mcp_tool_arguments={},
            mcp_result=text,
        ),
        "cline": _cline(
            "PostToolUse", "postToolUse", toolName="read_file", parameters={}, result=text
        ),
        "goose": _tool("tool_output", text),
        "opencode": _tool("tool_response", text),
        "kilo": _tool("tool_response", text),
        "openclaw": _tool("tool_response", text),
        "qwen": _tool("tool_response", text),
        "copilot": _copilot(toolName="bash", toolArgs={}, toolResult={"textResultForLlm": text}),
        "droid": _tool("tool_response", text),
    }


def _tool(result: str, text: str) -> Payload:
    return _family(
        "PostToolUse", tool_name="Bash", tool_use_id="u-1", tool_input={}, **{result: text}
    )


def starts() -> dict[str, Payload]:
    """A session's beginning."""
    return {
        "claude-code": _family("SessionStart", source="startup"),
        "codex": _family("SessionStart", source="resume"),
        "gemini": _family("SessionStart", source="startup"),
        "cursor": _cursor("sessionStart", session_id="s-1"),
        "vscode": _vscode("SessionStart", source="new"),
        "windsurf": _windsurf("session_start"),
        "cline": _cline("TaskStart", "taskStart", taskMetadata={"taskId": "s-1"}),
        "goose": _family("SessionStart"),
        "opencode": _family("SessionStart"),
        "kilo": _family("SessionStart"),
        "openclaw": _family("SessionStart"),
        "qwen": _family("SessionStart", source="startup"),
        "copilot": _copilot(source="new", initialPrompt="hi"),
        "droid": _family("SessionStart", source="startup"),
    }


def ends() -> dict[str, Payload]:
    """A session's end."""
    return {
        "claude-code": _family("SessionEnd", reason="exit"),
        "codex": _family("SessionEnd"),
        "gemini": _family("SessionEnd", reason="exit"),
        "cursor": _cursor("sessionEnd", reason="completed"),
        "windsurf": _windsurf("session_end"),
        "cline": _cline("TaskCancel", "taskCancel", taskMetadata={"taskId": "s-1"}),
        "goose": _family("SessionEnd"),
        "opencode": _family("SessionEnd"),
        "qwen": _family("SessionEnd", reason="other"),
        "copilot": _copilot(reason="complete"),
        "droid": _family("SessionEnd", reason="other"),
        "openclaw": _family("SessionEnd"),
        "hermes": _hermes("on_session_finalize", reason="shutdown"),
    }


def compactions() -> dict[str, Payload]:
    """A client about to shorten what its model sees."""
    return {
        "claude-code": _family("PreCompact", trigger="auto"),
        "codex": _family("PreCompact", trigger="auto"),
        "cursor": _cursor("preCompact", trigger="auto"),
        "vscode": _vscode("PreCompact", trigger="auto"),
        "cline": _cline("PreCompact", "preCompact", trigger="auto"),
        "opencode": _family("PreCompact"),
        "kilo": _family("PreCompact"),
        "openclaw": _family("PreCompact"),
        "qwen": _family("PreCompact", trigger="auto"),
        "copilot": _copilot(trigger="auto"),
        "droid": _family("PreCompact", trigger="auto"),
    }


EVENTS: dict[str, Callable[[], dict[str, Payload]]] = {
    "start": starts,
    "prompt": lambda: prompts("Use pnpm here, never npm."),
    "tool": lambda: tools("two files"),
    "stop": lambda: answers("I have renamed both."),
    "compact": compactions,
    "end": ends,
}
"""Our name of each event, and what clients tell of it."""


def list_options(client: str, event: str) -> list[str]:
    """What the line of a client's hook says of the event, where the client says nothing of it."""
    return ["--event", COPILOT_EVENTS[event]] if client == "copilot" else []


def tell_cline_3(event: str, folder: Path, **more: object) -> Payload:
    """What Cline tells from version 3 of its command line: it numbers the user's own agent, too."""
    agents = {"agent_id": "agent_1", "parent_agent_id": None}
    session = {"taskId": "conv_1", "sessionContext": {"rootSessionId": "s-1"}}
    common = {"clineVersion": "", "hookName": event, "workspaceRoots": [str(folder)]}
    return {**common, **agents, **session, **more}


def place(payload: Payload, folder: Path, transcript: Path | None = None) -> Payload:
    """The payload of a session in a folder."""
    filled = dict(payload)
    for name in ("cwd", "workspace_roots", "workspaceRoots"):
        if name in filled:
            filled[name] = [str(folder)] if name != "cwd" else str(folder)
    if "tool_info" not in filled:
        filled["transcript_path"] = None if transcript is None else str(transcript)
    return filled
