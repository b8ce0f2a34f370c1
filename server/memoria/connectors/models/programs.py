"""Programs that could read conversations, a row each: how one is asked for an answer and no more.

Each row keeps its program from tools, hooks, servers of other programs, transcripts and what its
user has told it elsewhere, as far as its flags can; what they can't is said. Tried with Claude Code
2.1.197, Codex 0.171.0, Gemini CLI 0.61.0, Qwen Code 0.15.10 and OpenCode 1.18.33 against stand-ins
for their APIs.
"""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

INSTRUCTIONS = "Do what the message says. Answer with the JSON that it asks for and nothing else.\n"
_INSTRUCTIONS_FILE, _NO_TOOLS_FILE = "instructions.md", "no-tools.toml"
_NO_TOOLS = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
_OPENCODE_FILE = "opencode.json"
_OPENCODE = json.dumps(
    {
        "agent": {
            "memoria": {
                "mode": "primary",
                "description": "Reads conversations for Memoria.",
                "prompt": INSTRUCTIONS.strip(),
                "permission": {"*": "deny"},
            }
        },
        "mcp": {"memoria": {"enabled": False}},
        "share": "disabled",
        "autoupdate": False,
        "snapshot": False,
    },
    indent=2,
)
_CODEX_FEATURES = (
    *"hooks shell_tool unified_exec goals multi_agent apps plugins".split(),
    *"image_generation view_image".split(),
)


@dataclass(frozen=True, slots=True)
class ReadingProgram:
    """A program that is asked by a command."""

    name: str
    title: str
    program: str
    arguments: tuple[str, ...]
    """Arguments; `{folder}` is where its files are."""
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Files that its flags name: contents by the file's name."""
    keeps: str = ""
    """Sentence on what it keeps of a question, or adds, all the same."""

    def command(self, path: str, folder: Path) -> str:
        """Write the command, where the program has this path and its files are in that folder."""
        given = [f"{name}={value}" for name, value in self.variables.items()]
        words = [*given, path, *self.arguments]
        return shlex.join(word.replace("{folder}", str(folder)) for word in words)


PROGRAMS = (
    ReadingProgram(
        name="claude",
        title="Claude Code",
        program="claude",
        arguments=(
            *("-p", "--tools", "", "--setting-sources", "", "--strict-mcp-config"),
            *("--no-session-persistence", "--disable-slash-commands"),
            *("--system-prompt", INSTRUCTIONS.strip()),
        ),
    ),
    ReadingProgram(
        name="codex",
        title="Codex",
        program="codex",
        arguments=(
            *("exec", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config"),
            *("--ignore-rules", "--sandbox", "read-only", "--color", "never"),
            *(word for one in _CODEX_FEATURES for word in ("-c", f"features.{one}=false")),
            *("-c", 'web_search="disabled"', "-c", "skills.include_instructions=false"),
            *("-c", "include_permissions_instructions=false"),
            *("-c", "include_environment_context=false", "-c", "project_doc_max_bytes=0"),
            *("-c", 'model_instructions_file="{folder}/instructions.md"', "-"),
        ),
        files={_INSTRUCTIONS_FILE: INSTRUCTIONS},
        keeps="It adds your own AGENTS.md to each question, and takes neither model nor provider "
        "from your config.toml.",
    ),
    ReadingProgram(
        name="gemini",
        title="Gemini CLI",
        program="gemini",
        arguments=(
            *("--policy", "{folder}/no-tools.toml", "--extensions", "none"),
            *("--allowed-mcp-server-names", "none", "--skip-trust"),
            *("--output-format", "text", "-p", ""),
        ),
        variables={"GEMINI_SYSTEM_MD": "{folder}/instructions.md"},
        files={_INSTRUCTIONS_FILE: INSTRUCTIONS, _NO_TOOLS_FILE: _NO_TOOLS},
        keeps="It adds your own GEMINI.md, runs other programs' hooks, and keeps a transcript of "
        "each question in ~/.gemini/tmp, which no import of Memoria's reads.",
    ),
    ReadingProgram(
        name="qwen",
        title="Qwen Code",
        program="qwen",
        arguments=(
            *("--bare", "--chat-recording=false", "--extensions", "none"),
            *("--exclude-tools", "read_file,edit,run_shell_command"),
            *("--allowed-mcp-server-names", "none", "--output-format", "text"),
            *("--system-prompt", INSTRUCTIONS.strip()),
        ),
    ),
    ReadingProgram(
        name="opencode",
        title="OpenCode",
        program="opencode",
        arguments=(*("run", "--pure", "--agent", "memoria"), *("--title", "memoria")),
        variables={
            "OPENCODE_CONFIG": f"{{folder}}/{_OPENCODE_FILE}",
            "OPENCODE_DB": ":memory:",
            "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
            "OPENCODE_DISABLE_CLAUDE_CODE": "1",
        },
        files={_OPENCODE_FILE: _OPENCODE},
        keeps="It adds your own AGENTS.md to each question, and starts the MCP servers of your "
        "opencode.json, of which the model is told nothing.",
    ),
)
