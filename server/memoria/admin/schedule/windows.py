"""A task of the Windows Task Scheduler."""

import codecs
import os
import re
import subprocess
import xml.etree.ElementTree as ET
from datetime import datetime, time
from pathlib import Path
from tempfile import TemporaryDirectory

from memoria.admin.schedule.files import write
from memoria.admin.schedule.interface import (
    ScheduleDraft,
    ScheduleEntry,
    SchedulerKind,
    ScheduleText,
)
from memoria.admin.schedule.plan import TITLE, ScheduledJob, next_run
from memoria.admin.schedule.run import is_on_path, run_program
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
_VARIABLE = re.compile(r"%[^%]+%|\$\(")
_PIECE = re.compile(r'(\\*)(")|(\s+)|([^\s"\\]+|\\+)')
_AT = re.compile(r"T(\d\d):(\d\d)", re.ASCII)
_CONSOLE = "oem" if os.name == "nt" else "utf-8"


def task_of(job: ScheduledJob) -> str:
    """The task's file, without a byte order mark.

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
    _with_texts(task, "RegistrationInfo", {"Description": TITLE})
    trigger = ET.SubElement(ET.SubElement(task, "Triggers"), "CalendarTrigger")
    ET.SubElement(trigger, "StartBoundary").text = f"{_FIRST_DAY}T{job.at:%H:%M}:00"
    _with_texts(trigger, "ScheduleByDay", {"DaysInterval": "1"})
    _with_texts(task, "Settings", _SETTINGS)
    program, *arguments = job.command
    action = {"Command": program, "Arguments": subprocess.list2cmdline(arguments)}
    _with_texts(ET.SubElement(task, "Actions"), "Exec", action)
    ET.indent(task)
    body = ET.tostring(task, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-16"?>\n{body}\n'


class WindowsTasks:
    """The user's own tasks; they run while the user is logged in."""

    kind = SchedulerKind.TASKS
    carries = False
    own_keys = "with `setx NAME key`, which all programs of this user then see"

    def is_present(self) -> bool:
        """Whether there is a schtasks command."""
        return is_on_path("schtasks")

    def draft(self, job: ScheduledJob) -> ScheduleDraft:
        """The file, and the command that registers it."""
        file = f"{job.label}.xml"
        text = ScheduleText(f"{file}, saved as UTF-16", task_of(job))
        return ScheduleDraft((text,), f"schtasks {subprocess.list2cmdline(_creation(job, file))}\n")

    def install(self, job: ScheduledJob) -> None:
        """Register the task, in place of one of its name."""
        content = codecs.BOM_UTF16_LE + task_of(job).encode("utf-16-le")
        with TemporaryDirectory(prefix="memoria-") as folder:
            file = Path(folder) / f"{job.label}.xml"
            write(file, content)
            run_program("schtasks", *_creation(job, str(file))).expect_success()

    def remove(self, label: str) -> bool:
        """Delete the task."""
        if _xml_of(label) is None:
            return False
        run_program("schtasks", "/Delete", "/TN", label, "/F").expect_success()
        return True

    def show(self, label: str) -> ScheduleEntry | None:
        """The task as Task Scheduler gives it back."""
        xml = _xml_of(label)
        return None if xml is None else _entry(label, xml)


def _xml_of(label: str) -> bytes | None:
    asked = run_program("schtasks", "/Query", "/TN", label, "/XML")
    # A failure means that there is none; if it meant more, only the user's language would say so.
    return asked.out if asked.code == 0 else None


def _creation(job: ScheduledJob, file: str) -> tuple[str, ...]:
    return "/Create", "/TN", job.label, "/XML", file, "/F"


def _entry(label: str, xml: bytes) -> ScheduleEntry:
    task = _parse_task(xml)
    program = task.findtext(".//{*}Exec/{*}Command", "")
    arguments = task.findtext(".//{*}Exec/{*}Arguments", "")
    match = _AT.search(task.findtext(".//{*}CalendarTrigger/{*}StartBoundary", ""))
    at = None if match is None else time(int(match[1]), int(match[2]))
    asleep = task.findtext(".//{*}Settings/{*}Enabled", "true") == "false"
    known = at is not None and not asleep
    return ScheduleEntry(
        kind=SchedulerKind.TASKS,
        where=f"Task Scheduler, {label}",
        command=(program, *_split_words(arguments)),
        environment={},
        at=at,
        next_at=next_run(at, datetime.now().astimezone()) if at and known else None,
        asleep=asleep,
    )


def _parse_task(xml: bytes) -> ET.Element:
    try:
        utf16 = xml.startswith(codecs.BOM_UTF16_LE)
        text = xml.decode("utf-16") if utf16 else xml.decode(_CONSOLE, "replace")
        return ET.fromstring(text.strip())  # noqa: S314  (the system's own answer about our task)
    except (ET.ParseError, UnicodeDecodeError) as error:
        raise ScheduleError(f"What schtasks says of the job can't be read: {error}") from error


def _with_texts(parent: ET.Element, name: str, texts: dict[str, str]) -> None:
    element = ET.SubElement(parent, name)
    for child, text in texts.items():
        ET.SubElement(element, child).text = text


def _split_words(arguments: str) -> list[str]:
    """A command line's words, as a program of Windows takes it apart."""
    words, word, quoted = list[str](), "", False
    for slashes, quote, space, rest in _PIECE.findall(f"{arguments} "):
        if quote:
            word += "\\" * (len(slashes) // 2) + quote * (len(slashes) % 2)
            quoted ^= len(slashes) % 2 == 0
        elif space and not quoted:
            words += [word] if word else []
            word = ""
        else:
            word += space or rest
    return words
