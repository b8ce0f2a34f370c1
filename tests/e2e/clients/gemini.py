"""Gemini CLI."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.e2e.clients.base import Abilities
from tests.e2e.stand_in.gemini import Gemini
from tests.e2e.stand_in.script import Call

_PREFIX = "mcp_memoria_"
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "model": {"name": "gemini-2.5-flash"},
}
"""A model by name, so that no other is asked which to take."""


class GeminiCli:
    """It speaks Google's Gemini API."""

    name = "gemini"
    package = "@google/gemini-cli"
    is_python = False
    version = "0.61.0"
    program = "gemini"
    dialect = Gemini()
    abilities = Abilities(is_warned=True)

    def environment(self, home: Path, url: str) -> dict[str, str]:
        """A key that is none, and a folder that is trusted."""
        return {
            "GEMINI_API_KEY": "no-key",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def prepare(self, home: Path, url: str) -> None:
        """Which kind of key, and which model."""
        _settings(home).parent.mkdir(parents=True, exist_ok=True)
        _settings(home).write_text(json.dumps(_SETTINGS, indent=2), "utf-8")

    def write_entry(self, home: Path, command: Sequence[str]) -> None:
        """Beside the other settings."""
        program, *arguments = command
        settings = json.loads(_settings(home).read_text("utf-8"))
        settings["mcpServers"] = {"memoria": {"command": program, "args": arguments}}
        _settings(home).write_text(json.dumps(settings, indent=2), "utf-8")

    def package_commands(self, checkout: Path) -> Sequence[Sequence[str]]:
        """An extension, from its folder."""
        return [["extensions", "install", str(checkout / "packages" / "gemini"), "--consent"]]

    def approve(self, program: Path, environment: Mapping[str, str], folder: Path) -> None:
        """Nothing: what its user has in their own settings is theirs."""

    def reader(self, program: Path, home: Path, url: str) -> Path:
        """The client itself, which its environment tells where its model is."""
        return program

    def arguments(self, prompt: str) -> Sequence[str]:
        """Nobody is there to approve a call."""
        return ["--approval-mode", "yolo", "-p", prompt]

    def resume(self, prompt: str) -> Sequence[str]:
        """The newest conversation of the folder."""
        return ["--approval-mode", "yolo", "--resume", "latest", "-p", prompt]

    def calls(
        self, tool: str, arguments: Mapping[str, object], *, is_packaged: bool
    ) -> Sequence[Call]:
        """All its tools come with their schemas."""
        return [Call(f"{_PREFIX}{tool}", arguments)]

    def run(self, command: str) -> Call:
        """By its tool for that."""
        return Call("run_shell_command", {"command": command})

    def edit(self, file: str, old: str, new: str) -> Sequence[Call]:
        """By its tool for that."""
        changed = {"file_path": file, "old_string": old, "new_string": new}
        return [Call("replace", {**changed, "instruction": f"Change {old} into {new}."})]

    def server_tools(self, body: Mapping[str, Any]) -> set[str]:
        """Those declared under the server's name."""
        listed = self.dialect.tools(body)
        return {name.removeprefix(_PREFIX) for name in listed if name.startswith(_PREFIX)}


def _settings(home: Path) -> Path:
    return home / ".gemini" / "settings.json"
