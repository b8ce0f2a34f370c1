"""The nightly job's files parse with their formats' own libraries and give the very command."""

import codecs
import configparser
import plistlib
import shutil
import subprocess
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, time
from pathlib import Path

import pytest
from tests.admin.schedulers import (
    LAUNCHCTL,
    SCHTASKS,
    SYSTEMCTL,
    Machine,
    machine,
    script,
)

from memoria.admin.schedule.interface import Scheduler
from memoria.admin.schedule.launchd import Launchd
from memoria.admin.schedule.plan import ScheduledJob, nightly_job
from memoria.admin.schedule.systemd import Systemd, service_of, timer_of
from memoria.admin.schedule.windows import WindowsTasks, task_of
from memoria.config import Settings
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
NEVER_ON_WINDOWS = "100% %h %%"


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
@pytest.mark.parametrize("one", [Systemd(), Launchd()], ids=lambda one: one.kind)
def test_what_is_installed_gives_the_very_command(box: Machine, one: Scheduler, name: str) -> None:
    planned = job(name)
    one.install(planned)
    entry = one.show(planned.label)
    assert entry is not None
    assert (entry.command, entry.environment) == (planned.command, planned.environment)
    assert (entry.at, entry.asleep) == (planned.at, False)
    assert entry.next_at is not None
    assert any(planned.label in file for file in box.files())


@pytest.mark.parametrize("name", [name for name in NAMES if name != NEVER_ON_WINDOWS])
def test_what_task_scheduler_has_gives_the_very_command(box: Machine, name: str) -> None:
    planned = job(name, r"C:\Program Files\venv\python.exe")
    WindowsTasks().install(planned)
    entry = WindowsTasks().show(planned.label)
    assert entry is not None
    assert (entry.command, entry.at) == (planned.command, planned.at)
    assert box.asked("schtasks")[0].startswith(f"/Create /TN {planned.label} /XML ")


@pytest.mark.parametrize("one", [Systemd(), Launchd(), WindowsTasks()], ids=lambda one: one.kind)
def test_installing_twice_leaves_one_and_removing_leaves_no_trace(
    box: Machine, one: Scheduler
) -> None:
    planned = job("plain")
    one.install(planned)
    files = box.files()
    one.install(ScheduledJob(planned.label, planned.command, time(5, 6), planned.environment))
    assert box.files() == files
    entry = one.show(planned.label)
    assert entry is not None
    assert entry.at == time(5, 6)
    assert one.remove(planned.label)
    assert [file for file in box.files() if "memoria" in file] == []
    assert one.show(planned.label) is None
    assert not one.remove(planned.label)


def test_a_service_is_what_configparser_reads() -> None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(service_of(job("$x 100%")))
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
    parser.read_string(timer_of(job("plain")))
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
    service.write_text(service_of(planned), "utf-8")
    timer = tmp_path / f"{planned.label}.timer"
    timer.write_text(timer_of(planned), "utf-8")
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
        Systemd().install(job("plain", python))
    assert box.files() == []


def test_systemd_says_when_the_timer_runs_next(box: Machine) -> None:
    planned = job("plain")
    Systemd().install(planned)
    entry = Systemd().show(planned.label)
    assert entry is not None
    assert entry.next_at == datetime(2026, 11, 22, 3, 21, 9, tzinfo=UTC)
    (box.folder / "systemctl.started").unlink()
    stopped = Systemd().show(planned.label)
    assert stopped is not None
    assert (stopped.next_at, stopped.asleep) == (None, True)


@pytest.mark.parametrize(
    ("one", "program"),
    [(Systemd(), "systemctl"), (Launchd(), "launchctl")],
    ids=["systemd", "launchd"],
)
def test_what_could_not_be_started_leaves_no_file(
    box: Machine, one: Scheduler, program: str
) -> None:
    box.script(program, 'echo "no bus for you" >&2; exit 1\n')
    with pytest.raises(ScheduleError, match="no bus for you"):
        one.install(job("plain"))
    assert [file for file in box.files() if "memoria" in file] == []


def test_an_agent_is_what_plistlib_reads(box: Machine) -> None:
    planned = job("a <b> & 中文")
    Launchd().install(planned)
    file = box.home / "Library" / "LaunchAgents" / f"{planned.label}.plist"
    agent = plistlib.loads(file.read_bytes())
    assert agent["Label"] == planned.label
    assert agent["ProgramArguments"] == [*planned.command]
    assert agent["StartCalendarInterval"] == {"Hour": 4, "Minute": 5}
    assert agent["EnvironmentVariables"] == planned.environment


def test_a_task_is_what_elementtree_reads(box: Machine) -> None:
    planned = job("a <b> & 中文", r"C:\my venv\python.exe")
    WindowsTasks().install(planned)
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


def test_files_that_somebody_spoilt_are_said_to_be_unreadable(box: Machine) -> None:
    planned = job("plain")
    for one in (Systemd(), Launchd(), WindowsTasks()):
        one.install(planned)
    units = box.home / ".config" / "systemd" / "user"
    agents = box.home / "Library" / "LaunchAgents"
    (units / f"{planned.label}.service").write_bytes(b"\xff=\n")
    (agents / f"{planned.label}.plist").write_bytes(b"<plist><dict>")
    (box.folder / f"schtasks.{planned.label}.xml").write_bytes(b"<Task>")
    for one in (Systemd(), Launchd(), WindowsTasks()):
        with pytest.raises(ScheduleError, match="can't be read"):
            one.show(planned.label)
