"""Payload of a hook, read in one way for all clients.

Clients name events differently, but each name says what is meant. Claude Code, Codex, VS Code,
Goose and our plugin for OpenCode share one family of fields; other clients have other names for
the same few things. So a field is looked up by all of its names.
"""

import os

from memoria.bare.own_tools import OUR_TOOLS, is_our_tool

EVENTS = {
    "start": "SessionStart sessionStart session_start TaskStart TaskResume agent_start "
    "agent_resume",
    "prompt": "UserPromptSubmit userPromptSubmit userPromptSubmitted BeforeAgent "
    "beforeSubmitPrompt pre_user_prompt prompt_submit pre_llm_call",
    "before": "PreToolUse",
    "tool": "PostToolUse PostToolUseFailure postToolUse AfterTool post_mcp_tool_use "
    "post_run_command tool_result",
    # Gemini's PreCompress is left out: it fires at every turn, even with nothing to compress.
    "stop": "Stop stop agentStop AfterAgent PreCompress afterAgentResponse post_cascade_response "
    "TaskComplete agent_end post_llm_call",
    "compact": "PreCompact PostCompact preCompact",
    "end": "SessionEnd sessionEnd session_end TaskCancel agent_abort session_shutdown "
    "on_session_finalize",
}
"""Events by the names that clients have for them."""
_HOOKS_SAID, _HOOKS_SAID_END = "<hook_context>", "</hook_context>"
_BY_NAME = {name: event for event, names in EVENTS.items() for name in names.split()}
_NESTS = (
    "tool_info taskMetadata userPromptSubmit postToolUse preCompact taskStart taskResume "
    "taskComplete taskCancel sessionContext turn extra"
).split()
"""Blocks in which Windsurf, Cline and Hermes Agent put what belongs to an event."""
_SUBAGENT_SIGNS = (
    "agent_id agentId isSidechain is_subagent parent_session_id parentSessionId parent_tool_use_id "
    "parent_conversation_id parentID"
).split()
"""Fields that only a hook within a subagent has."""


class Payload:
    """Payload that a hook was given."""

    def __init__(self, fields: dict[str, object], event: str = "") -> None:
        """Keep the fields, nested fields beside all others.

        Args:
            fields: what the client says.
            event: the client's name of the event, where it does not say that itself.
        """
        self._fields = _unfold(fields)
        self._event = event

    @property
    def name(self) -> str:
        """The client's name of the event."""
        names = ("hook_event_name", "hookEventName", "hookName", "agent_action_name", "event")
        return self.text(*names) or self._event

    @property
    def event(self) -> str:
        """Our name of the event; empty for an event that Memoria does not use."""
        return _BY_NAME.get(self.name, "")

    @property
    def session(self) -> str:
        """The client's id of the session."""
        names = ("rootSessionId", "session_id", "sessionId", "conversation_id", "taskId")
        return self.text(*names, "trajectory_id", "sessionID")

    @property
    def folder(self) -> str:
        """Folder in which the session is held."""
        for name in ("cwd", "working_dir", "workspace_roots", "workspaceRoots"):
            value = self._fields.get(name)
            first = value[0] if isinstance(value, list) and value else value
            if isinstance(first, str) and first:
                return first
        return os.getcwd()

    @property
    def transcript(self) -> str:
        """The file in which the client keeps the session; empty, if it names none."""
        return self.text("transcript_path", "transcriptPath")

    @property
    def prompt(self) -> str:
        """Return what the user typed, without the words of hooks that Gemini CLI lays before it."""
        said = self.text("prompt", "user_prompt", "message", "user_message")
        if self.name == "BeforeAgent" and said.lstrip().startswith(_HOOKS_SAID):
            return said.partition(_HOOKS_SAID_END)[2].strip()
        return said

    @property
    def begins(self) -> bool:
        """True if a prompt begins the session, so that the briefing goes with the prompt."""
        return self.event == "start" or self._fields.get("is_first_turn") is True

    @property
    def prompt_id(self) -> str:
        """The client's id of the prompt."""
        return self.text("prompt_id", "generation_id", "execution_id", "message_id")

    @property
    def turn_id(self) -> str:
        """The client's id of the turn."""
        return self.text("turn_id")

    @property
    def tool(self) -> str:
        """The name of the tool that was used."""
        name = self.text("tool_name", "toolName", "mcp_tool_name", "tool")
        return name or ("run_command" if self.name == "post_run_command" else "")

    @property
    def arguments(self) -> object:
        """The tool's arguments."""
        return self.find("tool_input", "parameters", "toolArgs")

    @property
    def is_ours(self) -> bool:
        """True if the tool is one of Memoria's."""
        arguments = self.arguments
        servers = [self.text("mcp_server_name")]
        if isinstance(
            arguments, dict
        ):  # Cline's use_mcp_tool names server and tool in its arguments
            servers.append(str(arguments.get("server_name", "")))
            if arguments.get("tool_name") in OUR_TOOLS and "memoria" in servers[-1].lower():
                return True
        if self.tool in OUR_TOOLS and any(server for server in servers):
            return any("memoria" in server.lower() for server in servers)
        return is_our_tool(self.tool)

    @property
    def is_of_subagent(self) -> bool:
        """True if the event is of a subagent.

        A session that the user has started as another agent has an `agent_type`, too, so that alone
        is no sign of one.
        """
        if "parent_agent_id" in self._fields:  # Cline gives the user's own agent an id, too
            return bool(self._fields["parent_agent_id"])
        is_named = (
            self.text("platform") == "subagent"
        )  # a platform of Hermes Agent, beside cli and others
        return is_named or any(self._fields.get(sign) for sign in _SUBAGENT_SIGNS)

    def list_turns(self) -> list[dict[str, object]]:
        """List the turns that an event tells, for clients without a transcript.

        A plugin of ours tells the id by which an import finds the same turn.
        """
        told = self.text("message_key")
        return [{**turn, "id": told} if told else turn for turn in self._read_turns()]

    def _read_turns(self) -> list[dict[str, object]]:
        match self.event:
            case "prompt":
                return [_turn("user", self.prompt, self.prompt_id)] if self.prompt else []
            case "tool":
                turn = _turn("tool", "", self.text("tool_use_id", "toolUseId", "call_id"))
                turn["tool_name"] = self.tool
                turn["tool_args"] = self.find(
                    "tool_input", "parameters", "mcp_tool_arguments", "command_line"
                )
                turn["tool_result"] = self._find_result()
                return [turn] if self.tool else []
            case "stop":
                names = ("last_assistant_message", "prompt_response", "response", "text")
                answer = self.text(*names, "outputText", "assistant_response")
                return [_turn("assistant", answer, "")] if answer else []
            case _:
                return []

    def _find_result(self) -> object:
        """Return what a tool said; of a call that failed, where that is told apart, its error."""
        names = ("tool_response", "tool_output", "tool_result", "mcp_result", "result")
        said, error = self.find(*names), self.text("error")
        if said is not None or not error:
            return said
        stopped = self._fields.get("is_interrupt") is True
        return {"is_error": True, "content": error, **({"interrupted": True} if stopped else {})}

    def text(self, *names: str) -> str:
        """Return the first text among these fields; empty if none has a text."""
        for name in names:
            value = self._fields.get(name)
            if isinstance(value, str) and value:
                return value
        return ""

    def find(self, *names: str) -> object:
        """Return the first of these fields that is present; None if none is."""
        return next((self._fields[name] for name in names if name in self._fields), None)


def _unfold(fields: dict[str, object]) -> dict[str, object]:
    """Return the fields with those of nested blocks; an outer field goes before a nested one."""
    for nest in _NESTS:
        block = fields.get(nest)
        if isinstance(block, dict):
            fields = {**_unfold(block), **fields}
    return fields


def _turn(role: str, content: str, identity: str) -> dict[str, object]:
    turn: dict[str, object] = {"role": role, "content": content}
    if identity:
        turn["id"] = f"{identity}:{role}"
    return turn


_OWN_FIELDS = {
    "cursor": ("cursor_version",),
    "cline": ("clineVersion",),
    "windsurf": ("agent_action_name",),
}
"""Fields that only one client writes."""
_COPILOT_CLI = "copilot"
_COPILOT_TRANSCRIPT = "events.jsonl"
_CLAUDE_FOLDER = "projects"


def is_from(client: str, payload: Payload) -> bool:
    """Check whether a payload comes from this client, as far as its fields tell."""
    caller = _find_caller(payload)
    if caller:
        return caller == client
    if client == "vscode":  # Copilot CLI uses VS Code's event names, often without a transcript
        return bool(payload.transcript) or payload.find("hookEventName") is not None
    if client == _COPILOT_CLI:  # VS Code reads Copilot's files, and names each event
        return not payload.text("hook_event_name", "hookEventName")
    if (
        client == "claude-code"
    ):  # of the readers of its files, only VS Code and Copilot CLI send times
        return payload.find("timestamp") is None or _is_claude_transcript(payload.transcript)
    return True


def _find_caller(payload: Payload) -> str:
    """Return the program that a payload names; empty if a payload names none."""
    for client, fields in _OWN_FIELDS.items():
        if any(payload.find(field) is not None for field in fields):
            return client
    return _COPILOT_CLI if _parts(payload.transcript)[-1] == _COPILOT_TRANSCRIPT else ""


def _is_claude_transcript(path: str) -> bool:
    """Check whether a path is of a transcript of Claude Code, in a folder below `projects`."""
    return _CLAUDE_FOLDER in _parts(path)[-3:-2]


def _parts(path: str) -> list[str]:
    return path.replace("\\", "/").split("/")


_NAMED_BY_CLIENTS = ("claude-code", "codex", "gemini", "droid")
TRANSCRIPT_CLIENTS = (*_NAMED_BY_CLIENTS, "copilot")
"""Clients whose transcripts are read: a session without a transcript is not recorded."""


def find_transcript(client: str, payload: Payload) -> str:
    """Return the path of the session's transcript; empty if none can be read."""
    if client in _NAMED_BY_CLIENTS:
        return payload.transcript
    session = payload.session
    if not session or session != os.path.basename(session):
        return ""
    if client == "copilot":
        folder = _find_folder("COPILOT_HOME", ".copilot")
        file = os.path.join(folder, "session-state", session, "events.jsonl")
        return payload.transcript or file
    if client == "cline" and payload.text("rootSessionId"):
        folder = _find_folder("CLINE_DIR", ".cline")
        return os.path.join(folder, "data", "sessions", session, f"{session}.messages.json")
    return ""


def _find_folder(variable: str, name: str) -> str:
    return os.environ.get(variable) or os.path.join(os.path.expanduser("~"), name)
