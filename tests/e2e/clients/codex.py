"""Codex."""

import json
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO, Any

from tests.e2e.clients.base import Abilities
from tests.e2e.stand_in.openai import OpenAI
from tests.e2e.stand_in.script import Call

_ABOUT = {"name": "memoria-e2e", "title": None, "version": "1"}
Ask = Callable[..., Any]
"""A method and its parameters; the result."""


@contextmanager
def app_server(program: Path, environment: Mapping[str, str], folder: Path) -> Iterator[Ask]:
    """`codex app-server`, which has been greeted."""
    numbers = count(1)
    with subprocess.Popen(  # noqa: S603  (the client)
        [str(program), "app-server"],
        env=dict(environment),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the app server has no pipes")
        to_server, from_server = process.stdin, process.stdout

        def ask(method: str, **parameters: object) -> Any:  # noqa: ANN401  (JSON)
            number = next(numbers)
            _send(to_server, {"id": number, "method": method, "params": parameters})
            for line in from_server:
                said = json.loads(line)
                if said.get("id") == number:
                    return said["result"]
            raise RuntimeError(f"the app server ended at {method}")

        ask("initialize", clientInfo=_ABOUT)
        _send(to_server, {"method": "initialized"})
        yield ask
        to_server.close()


def _send(to_server: IO[str], message: Mapping[str, object]) -> None:
    to_server.write(json.dumps(message) + "\n")
    to_server.flush()


_NAMESPACE = "mcp__memoria"
_CONFIG = """\
# Written by hand.
model = "stand-in"
model_provider = "stand_in"
check_for_update_on_startup = false

[model_providers.stand_in]
name = "stand-in"
base_url = "{url}/v1"
env_key = "STAND_IN_KEY"
wire_api = "responses"
"""
_READER = """\
#!/bin/sh
exec {program} -c 'model_provider="stand_in"' -c 'model_providers.stand_in={{ name = "stand-in", \
base_url = "{url}/v1", env_key = "STAND_IN_KEY", wire_api = "responses" }}' "$@"
"""


class Codex:
    """It speaks OpenAI's Responses API."""

    name = "codex"
    package = "@openai/codex"
    is_python = False
    version = "0.169.0"
    program = "codex"
    dialect = OpenAI()
    abilities = Abilities(is_warned=True)

    def environment(self, home: Path, url: str) -> dict[str, str]:
        """A key that is none."""
        return {"CODEX_HOME": str(home / ".codex"), "STAND_IN_KEY": "no-key"}

    def prepare(self, home: Path, url: str) -> None:
        """Where its model is."""
        _config(home).parent.mkdir(parents=True, exist_ok=True)
        _config(home).write_text(_CONFIG.format(url=url), "utf-8")

    def write_entry(self, home: Path, command: Sequence[str]) -> None:
        """A table at the end of its settings."""
        program, *arguments = command
        entry = f"command = {json.dumps(program)}\nargs = {json.dumps(arguments)}\n"
        table = f"\n[mcp_servers.memoria]\n{entry}"
        with _config(home).open("a", encoding="utf-8") as config:
            config.write(table)

    def package_commands(self, checkout: Path) -> Sequence[Sequence[str]]:
        """A plugin, from the checkout as a marketplace."""
        return [
            ["plugin", "marketplace", "add", str(checkout)],
            ["plugin", "add", "memoria@memoria"],
        ]

    def approve(self, program: Path, environment: Mapping[str, str], folder: Path) -> None:
        """Trust every hook, as `/hooks` does; one that is not trusted is skipped without a word."""
        with app_server(program, environment, folder) as ask:
            listed = ask("hooks/list", cwds=[str(folder)])["data"]
            hooks = [hook for of_folder in listed for hook in of_folder["hooks"]]
            edits = [
                {
                    "keyPath": "hooks.state",
                    "value": {hook["key"]: {"trusted_hash": hook["currentHash"]}},
                    "mergeStrategy": "upsert",
                }
                for hook in hooks
            ]
            ask("config/batchWrite", edits=edits)

    def reader(self, program: Path, home: Path, url: str) -> Path:
        """A script that adds where its model is: where it reads, it takes no settings of a user."""
        script = home / "codex-reader"
        script.write_text(_READER.format(program=shlex.quote(str(program)), url=url), "utf-8")
        script.chmod(0o755)
        return script

    def arguments(self, prompt: str) -> Sequence[str]:
        """In a folder that need not be a repository."""
        return ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", prompt]

    def resume(self, prompt: str) -> Sequence[str]:
        """The newest conversation."""
        return ["exec", "--skip-git-repo-check", "resume", "--last", prompt]

    def calls(
        self, tool: str, arguments: Mapping[str, object], *, is_packaged: bool
    ) -> Sequence[Call]:
        """All its tools come with their schemas."""
        return [Call(f"{_NAMESPACE}.{tool}", arguments)]

    def run(self, command: str) -> Call:
        """In a terminal."""
        return Call("exec_command", {"cmd": command})

    def edit(self, file: str, old: str, new: str) -> Sequence[Call]:
        """By a patch on a line of the shell: an unknown model has no tool for it."""
        lines = "*** Begin Patch", f"*** Update File: {file}", "@@", f"-{old}", f"+{new}"
        return [self.run("\n".join(["apply_patch <<'EOF'", *lines, "*** End Patch", "EOF"]))]

    def server_tools(self, body: Mapping[str, Any]) -> set[str]:
        """Those of the server's namespace."""
        listed = self.dialect.tools(body)
        return {name.partition(".")[2] for name in listed if name.startswith(f"{_NAMESPACE}.")}


def _config(home: Path) -> Path:
    return home / ".codex" / "config.toml"
