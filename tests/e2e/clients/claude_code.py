"""Claude Code."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.e2e.clients.base import Abilities
from tests.e2e.stand_in.anthropic import Anthropic
from tests.e2e.stand_in.dialect import strings
from tests.e2e.stand_in.script import Call

_PREFIX = "mcp__memoria__"
_PACKAGED = "mcp__plugin_memoria_memoria__"
_OWN = re.compile(rf"^(?:{_PREFIX}|{_PACKAGED})(\w+)$", re.MULTILINE)
"""A name, or a line of the list of tools whose schemas the model may ask for."""

_ALLOWED = "mcp__memoria,mcp__plugin_memoria_memoria,Bash,Edit"
"""All tools of these servers, and two of its own."""


class ClaudeCode:
    """It speaks Anthropic's Messages API."""

    name = "claude-code"
    package = "@anthropic-ai/claude-code"
    is_python = False
    version = "2.1.330"
    program = "claude"
    dialect = Anthropic()
    abilities = Abilities(is_warned=True)

    def environment(self, home: Path, url: str) -> dict[str, str]:
        """A key that is none, and no traffic but the model's."""
        return {
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "ANTHROPIC_API_KEY": "no-key",
            "ANTHROPIC_BASE_URL": url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
        }

    def prepare(self, home: Path, url: str) -> None:
        """Its folder."""
        (home / ".claude").mkdir(parents=True, exist_ok=True)

    def write_entry(self, home: Path, command: Sequence[str]) -> None:
        """In the file for every project of this user."""
        program, *arguments = command
        entry = {"type": "stdio", "command": program, "args": arguments}
        path = home / ".claude" / ".claude.json"
        path.write_text(json.dumps({"mcpServers": {"memoria": entry}}), "utf-8")

    def package_commands(self, checkout: Path) -> Sequence[Sequence[str]]:
        """A plugin, from the checkout as a marketplace."""
        return [
            ["plugin", "marketplace", "add", str(checkout)],
            ["plugin", "install", "memoria@memoria"],
        ]

    def approve(self, program: Path, environment: Mapping[str, str], folder: Path) -> None:
        """Nothing: what its user has in their own settings is theirs."""

    def reader(self, program: Path, home: Path, url: str) -> Path:
        """The client itself, which its environment tells where its model is."""
        return program

    def arguments(self, prompt: str) -> Sequence[str]:
        """In a new conversation."""
        return ["-p", "--allowedTools", _ALLOWED, "--", prompt]

    def resume(self, prompt: str) -> Sequence[str]:
        """The newest conversation of the folder."""
        return ["-p", "--continue", "--allowedTools", _ALLOWED, "--", prompt]

    def calls(
        self, tool: str, arguments: Mapping[str, object], *, is_packaged: bool
    ) -> Sequence[Call]:
        """Its tools come by name alone: the model asks for the schema first."""
        name = f"{_PACKAGED if is_packaged else _PREFIX}{tool}"
        return [Call("ToolSearch", {"query": f"select:{name}"}), Call(name, arguments)]

    def run(self, command: str) -> Call:
        """With a word on what for."""
        return Call("Bash", {"command": command, "description": "Run it"})

    def edit(self, file: str, old: str, new: str) -> Sequence[Call]:
        """It changes no file that it has not read."""
        changed = {"file_path": file, "old_string": old, "new_string": new}
        return [Call("Read", {"file_path": file}), Call("Edit", changed)]

    def server_tools(self, body: Mapping[str, Any]) -> set[str]:
        """Those with a schema, and those that a message lists by name."""
        texts = [*self.dialect.tools(body), *strings(body.get("messages", []))]
        return {name for text in texts for name in _OWN.findall(text)}
