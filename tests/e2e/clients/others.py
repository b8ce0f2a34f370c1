"""Clients that ask a model over OpenAI's Chat Completions: a row each."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.e2e.clients.base import Abilities
from tests.e2e.stand_in.dialect import strings
from tests.e2e.stand_in.openai import Completions
from tests.e2e.stand_in.script import Call

_MODEL = "stand-in"
_URL = "{url}"
_OPENAI = {"OPENAI_API_KEY": "no-key", "OPENAI_BASE_URL": f"{_URL}/v1", "OPENAI_MODEL": _MODEL}
_PROVIDER = {
    "npm": "@ai-sdk/openai-compatible",
    "options": {"baseURL": f"{_URL}/v1", "apiKey": "no-key"},
    "models": {_MODEL: {"name": _MODEL}},
}
_OPENCODE = {
    "model": f"nobody/{_MODEL}",
    "small_model": f"nobody/{_MODEL}",
    "autoupdate": False,
    "share": "disabled",
    "provider": {"nobody": _PROVIDER},
}
_CONTINUE = f"""\
name: mine
version: 1.0.0
schema: v1
models:
  - name: {_MODEL}
    provider: openai
    model: {_MODEL}
    apiBase: {_URL}/v1
    apiKey: no-key
    roles: [chat]
    capabilities: [tool_use]
"""
_CLINE = {
    "version": 1,
    "lastUsedProvider": "openai-compatible",
    "providers": {
        "openai-compatible": {
            "settings": {
                "provider": "openai-compatible",
                "apiKey": "no-key",
                "model": _MODEL,
                "baseUrl": f"{_URL}/v1",
            },
            "updatedAt": "2026-11-29T00:00:00.000Z",
            "tokenSource": "manual",
        }
    },
}
_QWEN = {
    "security": {"auth": {"selectedType": "openai"}},
    "model": {"name": _MODEL},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "memory": {"enableManagedAutoMemory": False},
}
_DROID = {
    "customModels": [
        {
            "model": _MODEL,
            "displayName": _MODEL,
            "baseUrl": f"{_URL}/v1",
            "apiKey": "no-key",
            "provider": "generic-chat-completion-api",
            "maxOutputTokens": 1_000,
        }
    ]
}
_HERMES = f"""\
# Mine.
model:
  default: {_MODEL}
  provider: custom
  base_url: {_URL}/v1
  api_key: no-key
"""
_OPENCLAW = {
    "agents": {"defaults": {"model": {"primary": f"local/{_MODEL}"}}},
    "models": {
        "mode": "merge",
        "providers": {
            "local": {
                "baseUrl": f"{_URL}/v1",
                "apiKey": "no-key",
                "api": "openai-completions",
                "models": [
                    {
                        "id": _MODEL,
                        "name": _MODEL,
                        "reasoning": False,
                        "input": ["text"],
                        "contextWindow": 120_000,
                        "maxTokens": 8_192,
                    }
                ],
            }
        },
    },
    # By itself it has a model search for tools where there are many.
    "tools": {"toolSearch": False},
}
_AGREEING = """\
from agent.shell_hooks import register_from_config
from hermes_cli.config import load_config
register_from_config(load_config(), accept_hooks=True)
"""
_DIALECT = Completions()
_SILENT = Abilities(is_packaged=False, reads=False, is_imported=False, tells_ends=False)


@dataclass(frozen=True)
class OtherClient:
    """A client that is told by files and variables where its model is."""

    name: str
    package: str
    version: str
    program: str
    prefix: str
    """What it puts before the name of a tool of the server's."""
    talk: Sequence[str]
    """The words before a prompt."""
    go_on: Sequence[str] = ()
    """The words before a prompt that goes on with the last conversation."""
    files: Mapping[str, str | Mapping[str, object]] = field(default_factory=dict)
    """What is in its home before it is connected."""
    variables: Mapping[str, str] = field(default_factory=dict)
    abilities: Abilities = _SILENT
    is_python: bool = False
    runs_by: str = "bash"
    """Its tool for lines of the shell."""
    reads_by: str = ""
    """Its tool for a file, which comes before an edit; empty where an edit is a patch."""
    edit_fields: Sequence[str] = ("file_path", "old_string", "new_string")
    """Arguments of its tool `edit`."""
    agreeing: str = ""
    """How its own Python agrees to hooks, which it asks a person in a terminal."""
    dialect: Completions = _DIALECT

    def environment(self, home: Path, url: str) -> dict[str, str]:
        """A key that is none, and where the model is."""
        return {name: value.replace(_URL, url) for name, value in self.variables.items()}

    def prepare(self, home: Path, url: str) -> None:
        """Its settings."""
        for place, content in self.files.items():
            text = content if isinstance(content, str) else json.dumps(content, indent=2)
            path = home / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace(_URL, url), "utf-8")

    def write_entry(self, home: Path, command: Sequence[str]) -> None:
        """Nobody has one by hand here."""
        raise NotImplementedError(f"{self.name} is driven as `memoria connect` wires it")

    def package_commands(self, checkout: Path) -> Sequence[Sequence[str]]:
        """It has no package of ours."""
        return []

    def approve(self, program: Path, environment: Mapping[str, str], folder: Path) -> None:
        """Nothing, where what its user has in their own settings is theirs; else what it asks."""
        if self.agreeing:
            python = str(program.parent / "python")
            subprocess.run(  # noqa: S603  (the client's own Python)
                [python, "-c", self.agreeing], env=dict(environment), cwd=folder, check=True
            )

    def reader(self, program: Path, home: Path, url: str) -> Path:
        """It is not asked to read."""
        return program

    def arguments(self, prompt: str) -> Sequence[str]:
        """In a new conversation."""
        return [*self.talk, prompt]

    def resume(self, prompt: str) -> Sequence[str]:
        """The newest conversation."""
        return [*self.go_on, prompt]

    def calls(
        self, tool: str, arguments: Mapping[str, object], *, is_packaged: bool
    ) -> Sequence[Call]:
        """Its tools are called by their names."""
        return [Call(f"{self.prefix}{tool}", arguments)]

    def run(self, command: str) -> Call:
        """With a word on what for."""
        return Call(self.runs_by, {"command": command, "description": "Run it"})

    def edit(self, file: str, old: str, new: str) -> Sequence[Call]:
        """Of a file that it has read; or by a patch, as Copilot CLI has its model do it."""
        if self.reads_by:
            changed = dict(zip(self.edit_fields, (file, old, new), strict=True))
            return [Call(self.reads_by, {self.edit_fields[0]: file}), Call("edit", changed)]
        lines = "*** Begin Patch", f"*** Update File: {file}", "@@", f"-{old}", f"+{new}"
        return [Call("apply_patch", "\n".join([*lines, "*** End Patch", ""]))]

    def server_tools(self, body: Mapping[str, Any]) -> set[str]:
        """Those with a schema, and those that a message lists by name."""
        texts = [*self.dialect.tools(body), *_words(body)]
        return {one.removeprefix(self.prefix) for one in texts if one.startswith(self.prefix)}


def _words(body: Mapping[str, Any]) -> list[str]:
    said = "\n".join(strings(body.get("messages", [])))
    return [word.strip('"\\`,:;.()') for word in said.replace('\\"', '"').split()]


OTHERS = (
    OtherClient(
        name="qwen",
        package="@qwen-code/qwen-code",
        version="0.24.4",
        program="qwen",
        prefix="mcp__memoria__",
        talk=("--approval-mode", "yolo"),
        go_on=("--approval-mode", "yolo", "--continue"),
        runs_by="run_shell_command",
        reads_by="read_file",
        files={".qwen/settings.json": _QWEN},
        variables=_OPENAI,
        abilities=replace(_SILENT, is_warned=True),
    ),
    OtherClient(
        name="copilot",
        package="@github/copilot",
        version="1.0.102",
        program="copilot",
        prefix="memoria-",
        talk=("--allow-all-tools", "-p"),
        go_on=("--allow-all-tools", "--continue", "-p"),
        variables={
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{_URL}/v1",
            "COPILOT_PROVIDER_API_KEY": "no-key",
            "COPILOT_MODEL": "gpt-5.4",
        },
        abilities=Abilities(is_packaged=False, reads=False, is_warned=True),
    ),
    OtherClient(
        name="opencode",
        package="opencode-ai",
        version="1.18.33",
        program="opencode",
        prefix="memoria_",
        talk=("run",),
        go_on=("run", "--continue"),
        reads_by="read",
        edit_fields=("filePath", "oldString", "newString"),
        files={".config/opencode/opencode.json": _OPENCODE},
        abilities=Abilities(is_packaged=False, reads=False, tells_ends=False, is_warned=True),
    ),
    OtherClient(
        name="kilo",
        package="@kilocode/cli",
        version="7.8.1",
        program="kilo",
        prefix="memoria_",
        talk=("run", "--auto"),
        go_on=("run", "--auto", "--continue"),
        reads_by="read",
        edit_fields=("filePath", "oldString", "newString"),
        files={".config/kilo/kilo.json": _OPENCODE},
        abilities=replace(_SILENT, is_warned=True),
    ),
    OtherClient(
        name="cline",
        package="cline",
        version="3.0.65",
        program="cline",
        prefix="memoria__",
        talk=(),
        files={".cline/data/settings/providers.json": _CLINE},
        variables={"CLINE_TELEMETRY_DISABLED": "1"},
        abilities=Abilities(is_packaged=False, reads=False, is_told=False, goes_on=False),
    ),
    OtherClient(
        name="continue",
        package="@continuedev/cli",
        version="1.5.47",
        program="cn",
        prefix="",
        talk=("--auto", "-p"),
        files={".continue/config.yaml": _CONTINUE},
        abilities=Abilities(
            is_packaged=False,
            reads=False,
            is_told=False,
            goes_on=False,
            is_recorded=False,
            is_imported=False,
        ),
    ),
    OtherClient(
        name="droid",
        package="@factory/cli",
        version="0.225.1",
        program="droid",
        prefix="memoria___",
        talk=("exec", "--auto", "high", "-m", f"custom:{_MODEL}"),
        files={".factory/settings.json": _DROID},
        abilities=Abilities(is_packaged=False, reads=False, hears_prompts=False, goes_on=False),
    ),
    OtherClient(
        name="openclaw",
        package="openclaw",
        version="2026.9.6",
        program="openclaw",
        prefix="memoria__",
        talk=("agent", "--local", "--agent", "main", "--message"),
        files={".openclaw/openclaw.json": _OPENCLAW},
        abilities=Abilities(
            is_packaged=False,
            reads=False,
            is_imported=False,
            tells_ends=False,
            goes_on=False,
            holds_one=True,
        ),
    ),
    OtherClient(
        name="hermes",
        package="hermes-agent[mcp]",
        is_python=True,
        version="0.19.0",
        program="hermes",
        prefix="mcp__memoria__",
        talk=("chat", "-Q", "-q"),
        go_on=("chat", "--continue", "-Q", "-q"),
        agreeing=_AGREEING,
        files={".hermes/config.yaml": _HERMES},
        abilities=Abilities(is_packaged=False, reads=False, is_imported=False, says_name=False),
    ),
)
