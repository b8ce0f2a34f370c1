"""Scripted schedulers on a PATH of their own, and a cron that runs lines as cron does."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

CRONTAB = """\
case "$1" in
-l) if [ -f "$0.table" ]; then /bin/cat "$0.table"; else
      echo "no crontab for user" >&2; exit 1; fi ;;
-r) /bin/rm "$0.table" ;;
-) /bin/cat > "$0.table" ;;
esac
"""
DENIED = 'echo "You (user) are not allowed to use this program (crontab)" >&2; exit 1\n'
SYSTEMCTL = """\
echo "$*" >> "$0.log"
units="$HOME/.config/systemd/user"
case "$2" in
is-system-running) echo degraded; exit 1 ;;
enable) /bin/mkdir -p "$units/timers.target.wants"
        /bin/ln -sf "$units/$4" "$units/timers.target.wants/$4"; : > "$0.started" ;;
disable) /bin/rm -f "$units/timers.target.wants/$4" "$0.started" ;;
is-active) [ -f "$0.started" ] ;;
esac
"""
LAUNCHCTL = """\
echo "$*" >> "$0.log"
case "$1" in
bootstrap) : > "$0.loaded" ;;
bootout) /bin/rm "$0.loaded" ;;
print) [ -f "$0.loaded" ] ;;
esac
"""
SCHTASKS = """\
echo "$*" >> "$0.log"
case "$1" in
/Create) /bin/cp "$5" "$0.$3.xml" ;;
/Query) [ -f "$0.$3.xml" ] ;;
/Delete) /bin/rm "$0.$3.xml" ;;
esac
"""
RECORDER = """\
printf '%s\\0' "$@" > "$RECORD.arguments"
/usr/bin/env -0 > "$RECORD.environment"
"""


@dataclass
class Machine:
    """What is on its PATH is scripted, and nothing else is."""

    folder: Path
    home: Path

    def script(self, name: str, text: str) -> Path:
        """Put a program on the PATH."""
        return script(self.folder / name, text)

    @property
    def table(self) -> bytes | None:
        """The crontab as it is stored."""
        file = self.folder / "crontab.table"
        return file.read_bytes() if file.exists() else None

    @table.setter
    def table(self, content: bytes) -> None:
        (self.folder / "crontab.table").write_bytes(content)

    def asked(self, program: str) -> list[str]:
        """The calls of a program that keeps a log."""
        return (self.folder / f"{program}.log").read_text().splitlines()

    def files(self) -> list[str]:
        """All files below the user's folder."""
        return sorted(str(file.relative_to(self.home)) for file in self.home.rglob("*"))


def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine without any scheduler, and a user who has nothing yet."""
    made = Machine(tmp_path / "bin", tmp_path / "user")
    made.folder.mkdir()
    made.home.mkdir()
    monkeypatch.setenv("PATH", str(made.folder))
    monkeypatch.setenv("HOME", str(made.home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return made


def script(file: Path, text: str) -> Path:
    """A program that a shell reads."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}")
    file.chmod(0o755)
    return file


@dataclass(frozen=True)
class Recorded:
    """What a program was started with."""

    arguments: list[str]
    environment: dict[str, str]


def run_as_cron(line: str, folder: Path) -> Recorded:
    """Run a crontab line's command, its program being a recorder."""
    record = folder / "record"
    kept = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "RECORD": str(record)}
    done = subprocess.run(  # noqa: S603  (the line under test, by the shell that cron uses)
        ["/bin/sh", "-c", command_of(line)], env=kept, cwd=folder, check=True, capture_output=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    parts = _parts(folder / "record.environment")
    environment = dict(part.split("=", 1) for part in parts)
    return Recorded(_parts(folder / "record.arguments"), environment)


def command_of(line: str) -> str:
    """What cron gives the shell: `%` ends the command unless a backslash is before it."""
    command, escaped = "", False
    for sign in line.split(maxsplit=5)[5]:
        if escaped and sign == "%":
            command = command[:-1]
        elif sign == "%":
            return command
        command += sign
        escaped = sign == "\\" and not escaped
    return command


def _parts(file: Path) -> list[str]:
    return [os.fsdecode(part) for part in file.read_bytes().split(b"\0")[:-1]]
