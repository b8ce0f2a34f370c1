"""A launch agent of the user on macOS."""

import os
import plistlib
from pathlib import Path
from typing import Any

from memoria.connectors.schedules.files import FileScheduler, user_path
from memoria.connectors.schedules.interface import SchedulerKind, SchedulerTraits
from memoria.connectors.schedules.plan import ScheduledJob


def agent_of(job: ScheduledJob) -> str:
    """Write the agent's file; what the job says on standard error goes to its log."""
    agent: dict[str, Any] = {
        "Label": job.label,
        "ProgramArguments": [*job.command],
        "StartCalendarInterval": {"Hour": job.at.hour, "Minute": job.at.minute},
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "StandardErrorPath": str(_log(job.label)),
    }
    if job.environment:
        agent["EnvironmentVariables"] = job.environment
    return plistlib.dumps(agent, sort_keys=False).decode()


def _agent(label: str) -> Path:
    return user_path("~/Library/LaunchAgents") / f"{label}.plist"


def _log(label: str) -> Path:
    return user_path("~/Library/Logs") / f"{label}.log"


def _domain() -> str:
    return f"gui/{os.getuid()}"


LAUNCHD = FileScheduler(
    traits=SchedulerTraits(
        kind=SchedulerKind.LAUNCHD,
        program="launchctl",
        own_keys="with `launchctl setenv NAME key`, after each start of the machine",
    ),
    places=lambda label: (_agent(label),),
    contents=lambda job: (agent_of(job),),
    traces=lambda label: (_log(label),),
    unload=lambda label: ("bootout", f"{_domain()}/{label}"),
    load=lambda label: (("bootstrap", _domain(), str(_agent(label))),),
    is_active=lambda label: ("print", f"{_domain()}/{label}"),
)
