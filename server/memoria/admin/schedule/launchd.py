"""A launch agent of the user on macOS."""

import os
import plistlib
import xml.parsers.expat
from datetime import datetime, time
from pathlib import Path
from typing import Any

from memoria.admin.schedule.files import delete, of_user, read, write
from memoria.admin.schedule.interface import (
    ScheduleDraft,
    ScheduleEntry,
    SchedulerKind,
    ScheduleText,
)
from memoria.admin.schedule.plan import ScheduledJob, next_run
from memoria.admin.schedule.run import is_on_path, run_program
from memoria.errors import ScheduleError


def agent_of(job: ScheduledJob, log: Path) -> str:
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

    kind = SchedulerKind.LAUNCHD
    carries = True
    own_keys = "with `launchctl setenv NAME key`, after each start of the machine"

    def is_present(self) -> bool:
        """Whether there is a launchctl command."""
        return is_on_path("launchctl")

    def draft(self, job: ScheduledJob) -> ScheduleDraft:
        """The file, and the command that loads it."""
        file = _file(job.label)
        text = ScheduleText(str(file), agent_of(job, _log(job.label)))
        return ScheduleDraft(
            (text,), f"launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/{file.name}\n"
        )

    def install(self, job: ScheduledJob) -> None:
        """Write the file and load it, in place of what was loaded."""
        file = _file(job.label)
        try:
            write(file, self.draft(job).texts[0].content.encode())
            run_program(
                "launchctl", "bootout", f"{_domain()}/{job.label}"
            )  # fails where none is loaded
            run_program("launchctl", "bootstrap", _domain(), str(file)).expect_success()
        except ScheduleError:
            delete(file)
            raise

    def remove(self, label: str) -> bool:
        """Unload the agent and delete its file and log."""
        file = _file(label)
        if not file.exists():
            return False
        run_program("launchctl", "bootout", f"{_domain()}/{label}")  # fails where it is not loaded
        delete(file, _log(label))
        return True

    def show(self, label: str) -> ScheduleEntry | None:
        """The job as its file has it, and whether it is loaded."""
        content = read(_file(label))
        if content is None:
            return None
        agent = _parse_agent(content)
        at = _parse_daily(agent.get("StartCalendarInterval"))
        loaded = run_program("launchctl", "print", f"{_domain()}/{label}").code == 0
        known = at is not None and loaded
        return ScheduleEntry(
            kind=SchedulerKind.LAUNCHD,
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


def _parse_agent(content: bytes) -> dict[str, Any]:
    try:
        agent = plistlib.loads(content)
    except (plistlib.InvalidFileException, xml.parsers.expat.ExpatError, ValueError) as error:
        raise ScheduleError(f"The job's file can't be read: {error}") from error
    return agent if isinstance(agent, dict) else {}


def _parse_daily(interval: object) -> time | None:
    match interval:
        case {"Hour": int(hour), "Minute": int(minute), **rest} if not rest:
            return time(hour, minute)
        case _:
            return None
