"""Has each package looked at by the tool of whoever will install it.

    npm install @anthropic-ai/claude-code @google/gemini-cli @openai/codex @anthropic-ai/mcpb
    pip install skillsaw
    PATH=node_modules/.bin:$PATH python -m packages.validate

What isn't on PATH is named and left out. skillsaw knows the published schemas of the MCP registry,
of Codex and of Cursor. Codex has no command that validates, so a marketplace is added and a plugin
installed instead. All of it happens in a home of its own.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from packages.write import ROOT

_FOLDER = ROOT / "packages"


def main() -> None:
    """Run what is there, and end with 1 if anything is refused."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / ".codex").mkdir()
        outcomes = [run_check(command, home) for command in list_checks(home)]
    raise SystemExit(any(outcome is False for outcome in outcomes))


def list_checks(home: Path) -> list[list[str]]:
    """The commands, in an order that works."""
    return [
        ["claude", "plugin", "validate", str(_FOLDER / "claude-code")],
        ["claude", "plugin", "validate", str(ROOT)],
        ["gemini", "extensions", "validate", str(_FOLDER / "gemini")],
        ["codex", "plugin", "marketplace", "add", str(ROOT)],
        ["codex", "plugin", "add", "memoria@memoria"],
        ["mcpb", "validate", str(_FOLDER / "claude-desktop" / "manifest.json")],
        ["mcpb", "pack", str(_FOLDER / "claude-desktop"), str(home / "memoria.mcpb")],
        ["skillsaw", "lint", str(ROOT)],
        ["skillsaw", "lint", str(_FOLDER)],
    ]


def run_check(command: list[str], home: Path) -> bool | None:
    """Whether the command is content; None where it isn't on PATH."""
    program = shutil.which(command[0])
    shown = " ".join(command).replace(str(ROOT), ".").replace(str(home), "~")
    if program is None:
        print(f"not tried  {shown}")
        return None
    answer = subprocess.run(  # noqa: S603  (the commands above)
        [program, *command[1:]],
        env={**os.environ, "HOME": str(home), "CODEX_HOME": str(home / ".codex")},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    good = answer.returncode == 0
    print(f"{'accepted' if good else 'REFUSED'}   {shown}")
    if not good:
        sys.stderr.write(answer.stdout + answer.stderr)
    return good


if __name__ == "__main__":
    main()
