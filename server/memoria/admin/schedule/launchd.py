"""A launch agent of the user on macOS."""

import os
import plistlib
import xml.parsers.expat
from datetime import datetime, time
from pathlib import Path
from typing import Any

from memoria.admin.schedule.face import Draft, Entry, Kind, Text
from memoria.admin.schedule.files import delete, of_user, read, write
from memoria.admin.schedule.plan import Job, next_run
from memoria.admin.schedule.run import is_there, run
from memoria.errors import ScheduleError


def agent_of(job: Job, log: Path) -> str:
    """The agent's file; what the night says on standard error goes to the log."""
    agent: dict[str, Any] = {
        "Label": job.label,
        "ProgramArguments": [*job.command],
        "StartCalendarInterval": {"Hour": job.at.hour, "Minute": job.at.minute},
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "StandardErrorPath": str(log),
    }
    if job.environment:
        agent["EnvironmentVariables"] = dict(job.environment)
    return plistlib.dumps(agent, sort_keys=False).decode()


class Launchd:
    """The user's launchd."""

    kind = Kind.LAUNCHD
    carries = True
    own_keys = "with `launchctl setenv NAME key`, after each start of the machine"

    def present(self) -> bool:
        """Whether there is a launchctl command."""
        return is_there("launchctl")

    def draft(self, job: Job) -> Draft:
        """The file, and the command that loads it."""
        file = _file(job.label)
        text = Text(str(file), agent_of(job, _log(job.label)))
        return Draft(
            (text,), f"launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/{file.name}\n"
        )

    def install(self, job: Job) -> None:
        """Write the file and load it, in place of what was loaded."""
        file = _file(job.label)
        try:
            write(file, self.draft(job).texts[0].content.encode())
            run("launchctl", "bootout", f"{_domain()}/{job.label}")  # fails where none is loaded
            run("launchctl", "bootstrap", _domain(), str(file)).expect_success()
        except ScheduleError:
            delete(file)
            raise

    def remove(self, label: str) -> bool:
        """Unload the agent and delete its file and log."""
        file = _file(label)
        if not file.exists():
            return False
        run("launchctl", "bootout", f"{_domain()}/{label}")  # fails where it is not loaded
        delete(file, _log(label))
        return True

    def show(self, label: str) -> Entry | None:
        """The job as its file has it, and whether it is loaded."""
        content = read(_file(label))
        if content is None:
            return None
        agent = _parsed(content)
        at = _daily(agent.get("StartCalendarInterval"))
        loaded = run("launchctl", "print", f"{_domain()}/{label}").code == 0
        known = at is not None and loaded
        return Entry(
            kind=Kind.LAUNCHD,
            where=str(_file(label)),
            command=tuple(agent.get("ProgramArguments", ())),
            environment=agent.get("EnvironmentVariables", {}),
            at=at,
            next_at=next_run(at, datetime.now().astimezone()) if at and known else None,
            asleep=not loaded,
        )


def _file(label: str) -> Path:
    return of_user("~/Library/LaunchAgents") / f"{label}.plist"


def _log(label: str) -> Path:
    return of_user("~/Library/Logs") / f"{label}.log"


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        agent = plistlib.loads(content)
    except (plistlib.InvalidFileException, xml.parsers.expat.ExpatError, ValueError) as error:
        raise ScheduleError(f"The job's file can't be read: {error}") from error
    return agent if isinstance(agent, dict) else {}


def _daily(interval: object) -> time | None:
    match interval:
        case {"Hour": int(hour), "Minute": int(minute), **rest} if not rest:
            return time(hour, minute)
        case _:
            return None
