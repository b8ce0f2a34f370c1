"""Claude Code."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.e2e.stand_in.anthropic import Anthropic
from tests.e2e.stand_in.dialect import strings
from tests.e2e.stand_in.script import Call

_PREFIX = "mcp__memoria__"
_DEFERRED = re.compile(rf"^{_PREFIX}(\w+)$", re.MULTILINE)
"""A line of the list of tools whose schemas the model may ask for."""


class ClaudeCode:
    """It speaks Anthropic's Messages API."""

    name = "claude-code"
    package = "@anthropic-ai/claude-code"
    version = "2.1.330"
    program = "claude"
    dialect = Anthropic()

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

    def approve(self, program: Path, environment: Mapping[str, str], folder: Path) -> None:
        """Nothing: what its user has in their own settings is theirs."""

    def arguments(self, prompt: str) -> Sequence[str]:
        """The server's tools are allowed, and no others."""
        return ["-p", "--allowedTools", "mcp__memoria", "--", prompt]

    def resume(self, prompt: str) -> Sequence[str]:
        """The newest conversation of the folder."""
        return ["-p", "--continue", "--allowedTools", "mcp__memoria", "--", prompt]

    def search(self, query: str) -> Sequence[Call]:
        """Its tools come by name alone: the model asks for the schema first."""
        name = f"{_PREFIX}search_memory"
        return [Call("ToolSearch", {"query": f"select:{name}"}), Call(name, {"query": query})]

    def server_tools(self, body: Mapping[str, Any]) -> set[str]:
        """Those with a schema, and those that a message lists by name."""
        names = [str(tool["name"]) for tool in body.get("tools", [])]
        listed = {name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)}
        for text in strings(body.get("messages", [])):
            listed.update(_DEFERRED.findall(text))
        return listed
