"""A task of the Windows Task Scheduler."""

import codecs
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from tempfile import TemporaryDirectory

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.schedules.interface import (
    InstalledJob,
    ScheduleDraft,
    SchedulerKind,
    SchedulerTraits,
    ScheduleText,
)
from memoria.connectors.schedules.plan import TITLE, ScheduledJob
from memoria.connectors.schedules.program import run_program
from memoria.errors import ScheduleError

_SPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"
_FIRST_DAY = "2026-01-01"
_SETTINGS = {
    "MultipleInstancesPolicy": "IgnoreNew",
    "DisallowStartIfOnBatteries": "false",
    "StopIfGoingOnBatteries": "false",
    "StartWhenAvailable": "true",
    "ExecutionTimeLimit": "PT30M",
    "Priority": "7",
}
_VARIABLE = lazy_regex(r"%[^%]+%|\$\(")


def task_of(job: ScheduledJob) -> str:
    """Write the task's file, without a byte order mark.

    Raises:
        ScheduleError: Task Scheduler would take a part of it for a variable.
    """
    for word in job.command:
        if _VARIABLE.search(word):
            raise ScheduleError(
                f"Task Scheduler would put a variable's value into {word}. Rename the folder or "
                "the tenant, and install again."
            )
    task = ET.Element("Task", {"version": "1.2", "xmlns": _SPACE})
    _add_texts(task, "RegistrationInfo", {"Description": TITLE})
    trigger = ET.SubElement(ET.SubElement(task, "Triggers"), "CalendarTrigger")
    ET.SubElement(trigger, "StartBoundary").text = f"{_FIRST_DAY}T{job.at:%H:%M}:00"
    _add_texts(trigger, "ScheduleByDay", {"DaysInterval": "1"})
    _add_texts(task, "Settings", _SETTINGS)
    program, *arguments = job.command
    action = {"Command": program, "Arguments": subprocess.list2cmdline(arguments)}
    _add_texts(ET.SubElement(task, "Actions"), "Exec", action)
    ET.indent(task)
    body = ET.tostring(task, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-16"?>\n{body}\n'


class WindowsTasks:
    """The user's own tasks; they run while the user is logged in."""

    traits = SchedulerTraits(
        kind=SchedulerKind.TASKS,
        program="schtasks",
        own_keys="with `setx NAME key`, which all programs of this user then see",
        carries_settings=False,
    )

    def draft(self, job: ScheduledJob) -> ScheduleDraft:
        """Draft the file, and the command that registers it."""
        file = f"{job.label}.xml"
        text = ScheduleText(f"{file}, saved as UTF-16", task_of(job))
        command = subprocess.list2cmdline(_creation(job.label, file))
        return ScheduleDraft((text,), f"schtasks {command}\n")

    def install(self, job: ScheduledJob) -> None:
        """Register the task, in place of one of its name."""
        content = codecs.BOM_UTF16_LE + task_of(job).encode("utf-16-le")
        with TemporaryDirectory(prefix="memoria-") as folder:
            file = Path(folder) / f"{job.label}.xml"
            file.write_bytes(content)
            run_program("schtasks", *_creation(job.label, str(file))).expect_success()

    def remove(self, label: str) -> bool:
        """Delete the task."""
        if not _exists(label):
            return False
        run_program("schtasks", "/Delete", "/TN", label, "/F").expect_success()
        return True

    def find(self, label: str, job: ScheduledJob | None) -> InstalledJob | None:
        """Return the task if there is one. Task Scheduler gives no file back as it was written."""
        if not _exists(label):
            return None
        return InstalledJob(f"Task Scheduler, {label}", is_as_planned=job is not None)


def _exists(label: str) -> bool:
    # A failure means that there is none; if it meant more, only the user's language would say so.
    return run_program("schtasks", "/Query", "/TN", label).code == 0


def _creation(label: str, file: str) -> tuple[str, ...]:
    return "/Create", "/TN", label, "/XML", file, "/F"


def _add_texts(parent: ET.Element, name: str, texts: dict[str, str]) -> None:
    element = ET.SubElement(parent, name)
    for child, text in texts.items():
        ET.SubElement(element, child).text = text
