"""Writes what is installed into a client by its own means, from one source.

    python -m packages.write            # write the files anew
    python -m packages.write --check    # name those that differ from what would be written

Versions come from `pyproject.toml`, hooks from the table of `memoria connect`, the skill's words
from `packages/skill.md`, the TypeScript client from the OpenAPI document. A test says that what is
committed is what is written here.
"""

import json
import sys
import tomllib
from pathlib import Path

from memoria.config import Settings
from memoria.connectors.clients.interface import HookCall
from packages.clients import CLAUDE_CODE, CODEX, CURSOR, GEMINI, PackagedClient
from packages.write_typescript import BY_HAND, FOLDER, build_typescript

ROOT = Path(__file__).resolve().parents[1]
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
_VERSION: str = _PROJECT["version"]
_DISTRIBUTION: str = _PROJECT["name"]
REGISTRY_NAME = "io.github.memoria-server/memoria"
"""Our name in the MCP registry, of the account that publishes. The README holds it, too, which
shows the registry that the package on PyPI is of the same people."""
_NAME = "memoria"
_SUMMARY = "Long-term memory across sessions: verbatim, cited, English and Chinese, no key needed."
_DESCRIPTION = (
    "The agent remembers people, preferences, rules, decisions and past work across sessions, and "
    "can show where each memory came from. Everything stays in one folder on this machine."
)
_AUTHOR = {"name": "The Memoria developers"}
_SERVER = {"command": _NAME, "args": ["serve"]}
"""A package doesn't know where the program lies, so it is looked for on PATH (decision 090)."""
_MISSING = (
    "The plugin Memoria is installed, but its program is not on PATH, so nothing is remembered. "
    f"Install it (pipx install {_DISTRIBUTION}, or uv tool install {_DISTRIBUTION}) and restart."
)
_SERVERS = {"mcpServers": {_NAME: _SERVER}}
_BUNDLED_PROJECT = f"""\
[project]
name = "memoria-bundle"
version = "{_VERSION}"
requires-python = "{_PROJECT["requires-python"]}"
dependencies = ["{_DISTRIBUTION}=={_VERSION}"]
"""
_BUNDLED_PROGRAM = '''\
"""Starts the server, for a client that has made an environment of this bundle."""

import runpy
import sys

sys.argv = ["memoria", "serve"]
runpy.run_module("memoria", run_name="__main__")
'''
_WRITTEN_FOLDERS = (
    ".agents",
    ".claude-plugin",
    ".cursor-plugin",
    "packages/claude-code",
    "packages/claude-desktop",
    "packages/codex",
    "packages/cursor",
    "packages/gemini",
    FOLDER,
)


def main() -> None:
    """Write the files, or name those that differ."""
    files = build_files()
    stale = [path for path, text in files.items() if _read(path) != text]
    extra = sorted(list_written() - files.keys())
    if "--check" in sys.argv:
        for path in [*stale, *extra]:
            print(path)
        raise SystemExit(bool(stale or extra))
    for path in extra:
        (ROOT / path).unlink()
    for path in stale:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(files[path], "utf-8", newline="\n")


def build_files() -> dict[str, str]:
    """Every file that is written, by its path from the top of the repository.

    The marketplaces lie at the top, for a client adds a marketplace by its repository.
    """
    values: dict[str, object] = {
        **_claude_code(),
        **_codex(),
        **_gemini(),
        **_cursor(),
        "packages/claude-desktop/manifest.json": _bundle(),
        "packages/server.json": _registry_entry(),
    }
    files = {path: _as_json(value) for path, value in values.items()}
    for client in (CLAUDE_CODE, CODEX, GEMINI, CURSOR):
        files[f"packages/{client.name}/skills/{_NAME}/SKILL.md"] = build_skill(client)
    files["packages/claude-desktop/pyproject.toml"] = _BUNDLED_PROJECT
    files["packages/claude-desktop/serve.py"] = _BUNDLED_PROGRAM
    return files | build_typescript(_VERSION, _PROJECT["license"])


def list_written() -> set[str]:
    """The files that are there where only written ones may be."""
    folders = [ROOT / folder for folder in _WRITTEN_FOLDERS]
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(ROOT).as_posix() for path in found} - BY_HAND


def build_skill(client: PackagedClient) -> str:
    """How the tools are used, as this client is told."""
    text = (ROOT / "packages" / "skill.md").read_text("utf-8")
    return text.replace("{{tools}}", client.tools)


def build_command(client: PackagedClient, event: str) -> str:
    """A hook's command for a POSIX shell.

    It ends with 0 whatever happens: some clients take 2 as a refusal of the prompt. Where the
    program is missing, the first hook of a session says so, and the others say nothing.
    """
    says = event == next(iter(client.hooks.events)) and client.shows_messages
    message = json.dumps({"systemMessage": _MISSING})
    otherwise = f"{{ echo '{message}'; exit 0; }}" if says else "exit 0"
    return f"command -v {_NAME} >/dev/null 2>&1 || {otherwise}; {_hook(client)} || exit 0"


def _hook(client: PackagedClient) -> str:
    return f"{_NAME} hook {client.name}"


def _hooks(client: PackagedClient) -> dict[str, object]:
    """A file of hooks."""
    hooks: dict[str, object] = {}
    for event, limit in client.hooks.events.items():
        written = client.hooks.form(HookCall(event, build_command(client, event), limit))
        if client.windows_key:
            for hook in written["hooks"]:
                hook[client.windows_key] = f"{_hook(client)} || exit 0"
        hooks[event] = [written]
    return {**client.hooks.defaults, "hooks": hooks}


def _list_variables() -> list[str]:
    """The settings that a server reads from its environment. Codex passes on only what is named."""
    return [f"MEMORIA_{name.upper()}" for name in Settings.model_fields]


def _facts() -> dict[str, object]:
    return {
        "name": _NAME,
        "version": _VERSION,
        "description": _SUMMARY,
        "author": _AUTHOR,
        "license": _PROJECT["license"],
        "keywords": ["memory", "mcp", "recall"],
    }


def _claude_code() -> dict[str, object]:
    return {
        ".claude-plugin/marketplace.json": {
            "name": _NAME,
            "owner": _AUTHOR,
            "metadata": {"description": _SUMMARY},
            "plugins": [
                {"name": _NAME, "source": "./packages/claude-code", "description": _DESCRIPTION}
            ],
        },
        "packages/claude-code/.claude-plugin/plugin.json": _facts(),
        "packages/claude-code/.mcp.json": _SERVERS,
        "packages/claude-code/hooks/hooks.json": _hooks(CLAUDE_CODE),
    }


def _codex() -> dict[str, object]:
    return {
        ".agents/plugins/marketplace.json": {
            "name": _NAME,
            "interface": {"displayName": "Memoria"},
            "plugins": [
                {
                    "name": _NAME,
                    "source": {"source": "local", "path": "./packages/codex"},
                    "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                    "category": "Productivity",
                }
            ],
        },
        "packages/codex/.codex-plugin/plugin.json": {
            **_facts(),
            "skills": "./skills/",
            "mcpServers": "./.mcp.json",
            "interface": {
                "displayName": "Memoria",
                "shortDescription": "Long-term memory across sessions",
                "longDescription": _DESCRIPTION,
                "developerName": _AUTHOR["name"],
                "category": "Productivity",
                "capabilities": ["Read", "Write"],
            },
        },
        "packages/codex/.mcp.json": {
            "mcpServers": {_NAME: {**_SERVER, "env_vars": _list_variables()}}
        },
        "packages/codex/hooks/hooks.json": _hooks(CODEX),
    }


def _gemini() -> dict[str, object]:
    return {
        "packages/gemini/gemini-extension.json": {
            "name": _NAME,
            "version": _VERSION,
            "description": _SUMMARY,
            **_SERVERS,
        },
        "packages/gemini/hooks/hooks.json": _hooks(GEMINI),
    }


def _cursor() -> dict[str, object]:
    return {
        ".cursor-plugin/marketplace.json": {
            "name": _NAME,
            "owner": _AUTHOR,
            "metadata": {"description": _SUMMARY},
            "plugins": [{"name": _NAME, "source": "packages/cursor", "description": _DESCRIPTION}],
        },
        "packages/cursor/.cursor-plugin/plugin.json": {**_facts(), "displayName": "Memoria"},
        "packages/cursor/mcp.json": _SERVERS,
        "packages/cursor/hooks/hooks.json": _hooks(CURSOR),
    }


def _bundle() -> dict[str, object]:
    """What Claude Desktop installs by a double click. Its own uv fetches Python and the package."""
    return {
        "manifest_version": "0.4",
        "name": _NAME,
        "display_name": "Memoria",
        "version": _VERSION,
        "description": _SUMMARY,
        "long_description": _DESCRIPTION,
        "author": _AUTHOR,
        "license": _PROJECT["license"],
        "server": {
            "type": "uv",
            "entry_point": "serve.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--project", "${__dirname}", "${__dirname}/serve.py"],
                "env": {"MEMORIA_HOME": "${user_config.home}"},
            },
        },
        "tools_generated": True,
        "prompts_generated": True,
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": _PROJECT["requires-python"]},
        },
        "user_config": {
            "home": {
                "type": "directory",
                "title": "Folder of the memory",
                "description": "Where everything is kept. Other clients use the same folder.",
                "default": "${HOME}/.memoria",
                "required": False,
            }
        },
    }


def _registry_entry() -> dict[str, object]:
    """What the MCP registry shows. A client runs `uvx memoria-server serve` from it."""
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": REGISTRY_NAME,
        "title": "Memoria",
        "description": _SUMMARY,
        "version": _VERSION,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": _DISTRIBUTION,
                "version": _VERSION,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [{"type": "positional", "value": "serve"}],
                "environmentVariables": [
                    {
                        "name": "MEMORIA_HOME",
                        "description": "Where everything is kept; ~/.memoria by default.",
                        "format": "filepath",
                    }
                ],
            }
        ],
    }


def _as_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _read(path: str) -> str | None:
    try:
        return (ROOT / path).read_text("utf-8")
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    main()
