"""The nightly job's files parse with their formats' own libraries and give the very command."""

import codecs
import configparser
import plistlib
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import time
from pathlib import Path

import pytest
from tests.connectors.schedules.schedulers import (
    LAUNCHCTL,
    SCHTASKS,
    SYSTEMCTL,
    Machine,
    machine,
    script,
)

from memoria.config import Settings
from memoria.connectors.schedules.job import ScheduledJob, nightly_job
from memoria.connectors.schedules.schedulers import LAUNCHD, SYSTEMD, TASKS, FileScheduler
from memoria.connectors.schedules.templates import task_of, units_of
from memoria.errors import ScheduleError

SPACE = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
NAMES = [
    "plain",
    "with a space",
    "100% %h %%",
    'it\'s "quoted" \\" \\\\',
    "$HOME ${HOME} $$",
    "家目录 ＆ <记忆>",
    "]]> &amp; ; # =",
    "back\\slash\\",
]


def job(name: str, python: str = "/opt/my venv/bin/python") -> ScheduledJob:
    named = Settings.load(home=Path("/home") / name, tenant=name)
    settings = {"MEMORIA_LLM_MODEL": name, "MEMORIA_LLM_COMMAND": f"ask -p '{name}'"}
    return nightly_job(named, time(4, 5), settings, Path(python))


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = machine(tmp_path, monkeypatch)
    made.script("systemctl", SYSTEMCTL)
    made.script("launchctl", LAUNCHCTL)
    made.script("schtasks", SCHTASKS)
    return made


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("one", [SYSTEMD, LAUNCHD], ids=lambda one: one.kind)
def test_what_is_installed_is_found_as_it_stands(
    box: Machine, one: FileScheduler, name: str
) -> None:
    planned = job(name)
    one.install(planned)
    assert one.find(planned.label) == one.draft(planned)
    assert any(planned.label in file for file in box.files())


def test_a_task_is_registered_under_the_jobs_name(box: Machine) -> None:
    planned = job("plain", r"C:\Program Files\venv\python.exe")
    TASKS.install(planned)
    assert [text.where for text in TASKS.find(planned.label)] == [f"schtasks, {planned.label}"]
    created = [line for line in box.asked("schtasks") if line.startswith("/Create")]
    assert created[0].startswith(f"/Create /TN {planned.label} /XML ")
    assert not any(file.exists() for file in TASKS.places(planned.label))


@pytest.mark.parametrize("one", [SYSTEMD, LAUNCHD, TASKS], ids=lambda one: one.kind)
def test_installing_twice_leaves_one_and_removing_leaves_no_trace(
    box: Machine, one: FileScheduler
) -> None:
    planned = job("plain")
    one.install(planned)
    files = box.files()
    one.install(replace(planned, at=time(5, 6)))
    assert box.files() == files
    assert one.remove(planned.label)
    assert [file for file in box.files() if "memoria" in file] == []
    assert one.find(planned.label) == ()
    assert not one.remove(planned.label)


def test_a_service_is_what_configparser_reads() -> None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(units_of(job("$x 100%"))[0])
    assert parser.sections() == ["Unit", "Service"]
    assert parser["Service"]["Type"] == "oneshot"
    assert parser["Service"]["ExecStart"] == (
        '"/opt/my venv/bin/python" "-P" "-m" "memoria" "--home" "/home/$$x 100%%" '
        '"--tenant" "$$x 100%%" "nightly" "--quiet"'
    )
    assert parser["Service"]["Environment"] == (
        '"MEMORIA_LLM_MODEL=$x 100%%" "MEMORIA_LLM_COMMAND=ask -p \'$x 100%%\'"'
    )


def test_a_timer_is_what_configparser_reads() -> None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(units_of(job("plain"))[1])
    assert dict(parser["Timer"]) == {
        "oncalendar": "*-*-* 04:05:00",
        "persistent": "true",
        "randomizeddelaysec": "900",
    }
    assert parser["Install"]["WantedBy"] == "timers.target"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
@pytest.mark.parametrize("name", NAMES)
def test_systemd_itself_finds_nothing_wrong(tmp_path: Path, name: str) -> None:
    python = script(tmp_path / "my venv 100% 环境" / "python", "")
    planned = job(name, str(python))
    service = tmp_path / f"{planned.label}.service"
    service.write_text(units_of(planned)[0], "utf-8")
    timer = tmp_path / f"{planned.label}.timer"
    timer.write_text(units_of(planned)[1], "utf-8")
    done = subprocess.run(  # noqa: S603  (systemd's own checker)
        ["/usr/bin/env", "systemd-analyze", "--user", "verify", service, timer],
        env={"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")


@pytest.mark.parametrize("python", ["/opt/$x/python", "/opt/it's/python", '/"/python'])
def test_a_program_that_systemd_would_not_start_is_refused(box: Machine, python: str) -> None:
    with pytest.raises(ScheduleError, match="--with cron"):
        SYSTEMD.install(job("plain", python))
    assert box.files() == []


@pytest.mark.parametrize(
    ("one", "program"),
    [(SYSTEMD, "systemctl"), (LAUNCHD, "launchctl")],
    ids=["systemd", "launchd"],
)
def test_what_could_not_be_started_leaves_no_file(
    box: Machine, one: FileScheduler, program: str
) -> None:
    box.script(program, 'echo "no bus for you" >&2; exit 1\n')
    with pytest.raises(ScheduleError, match="no bus for you"):
        one.install(job("plain"))
    assert [file for file in box.files() if "memoria" in file] == []


def test_an_agent_is_what_plistlib_reads(box: Machine) -> None:
    planned = job("a <b> & 中文")
    LAUNCHD.install(planned)
    file = box.home / "Library" / "LaunchAgents" / f"{planned.label}.plist"
    agent = plistlib.loads(file.read_bytes())
    assert agent["Label"] == planned.label
    assert agent["ProgramArguments"] == [*planned.command]
    assert agent["StartCalendarInterval"] == {"Hour": 4, "Minute": 5}
    assert agent["EnvironmentVariables"] == planned.environment


def test_a_task_is_what_elementtree_reads(box: Machine) -> None:
    planned = job("a <b> & 中文", r"C:\my venv\python.exe")
    TASKS.install(planned)
    content = (box.folder / f"schtasks.{planned.label}.xml").read_bytes()
    assert content.startswith(codecs.BOM_UTF16_LE)
    task = ET.fromstring(content)  # noqa: S314  (our own)
    assert task.tag == f"{SPACE}Task"
    assert task.findtext(f".//{SPACE}Command") == planned.command[0]
    arguments = subprocess.list2cmdline(planned.command[1:])
    assert task.findtext(f".//{SPACE}Arguments") == arguments
    assert task.findtext(f".//{SPACE}StartBoundary") == "2026-01-01T04:05:00"
    assert task.findtext(f".//{SPACE}DaysInterval") == "1"
    assert task.findtext(f".//{SPACE}StartWhenAvailable") == "true"


def test_what_task_scheduler_would_take_for_a_variable_is_refused() -> None:
    with pytest.raises(ScheduleError, match="variable"):
        task_of(job("%TEMP%"))


def test_a_file_that_somebody_spoilt_is_removed_all_the_same(box: Machine) -> None:
    planned = job("plain")
    SYSTEMD.install(planned)
    units = box.home / ".config" / "systemd" / "user"
    (units / f"{planned.label}.service").write_bytes(b"\xff=\n")
    assert SYSTEMD.remove(planned.label)
    assert [file for file in box.files() if "memoria" in file] == []
