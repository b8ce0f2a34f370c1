"""Schedules: the line of a crontab, and the files of systemd, launchd and Windows' tasks."""

import codecs
import configparser
import plistlib
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.connectors.schedules.schedulers import (
    CRONTAB,
    DENIED,
    LAUNCHCTL,
    RECORDER,
    SCHTASKS,
    SYSTEMCTL,
    Machine,
    command_of,
    machine,
    run_as_cron,
    script,
)

from memoria.config import Settings
from memoria.connectors.schedules.job import (
    ScheduledJob,
    job_labels,
    line_of,
    nightly_job,
    parse_time_of_day,
    task_of,
    units_of,
)
from memoria.connectors.schedules.schedulers import (
    LAUNCHD,
    SYSTEMD,
    TASKS,
    Cron,
    FileScheduler,
    with_line,
    without_line,
)
from memoria.errors import InvalidInputError, ScheduleError

NAMES = [
    "plain",
    "with a space",
    "100%",
    "%d%H \\% \\\\%",
    'it\'s "quoted"',
    "$HOME `id` $(id) !x #y",
    "家目录 ＆ 记忆",
    "-dash ~ * ? [a] {b,c} ; & | < >",
    "back\\slash\\",
]
FOREIGN = [
    b"",
    b"MAILTO=me\n0 5 * * * backup\n",
    b"0 5 * * * backup",
    b"# only a comment, no final newline",
    b"0 5 * * * one\r\n0 6 * * * two\r\n",
    b"0 5 * * * one\r\n0 6 * * * two",
    b"\n\n\n",
    b"0 5 * * * caf\xe9 \xff\x00\n",
    b"0 3 * * * memoria nightly # memoria-nightly-00000000\n",
]


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = machine(tmp_path, monkeypatch)
    made.script("crontab", CRONTAB)
    return made


def job(
    home: Path | str = "/home/lin/.memoria", tenant: str = "default", **given: str
) -> ScheduledJob:
    named = Settings.load(home=Path(home), tenant=tenant)
    return nightly_job(named, environment=given, python=Path("/opt/venv/bin/python"))


def planned_job(command: tuple[str, ...], **environment: str) -> ScheduledJob:
    return ScheduledJob(
        label="memoria-nightly-x", command=command, at=time(3), environment=environment
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_written_line_reaches_the_program_with_the_right_arguments(
    tmp_path: Path, box: Machine, name: str
) -> None:
    python = script(tmp_path / f"venv {name}" / "python", RECORDER)
    named = Settings.load(home=tmp_path / name, tenant=name)
    Cron().install(nightly_job(named, environment={"MEMORIA_LLM_MODEL": name}, python=python))
    assert box.table is not None
    (line,) = box.table.decode().splitlines()
    seen = run_as_cron(line, tmp_path)
    home = str(tmp_path / name)
    assert seen.arguments == [
        *("-P", "-m", "memoria", "--home", home, "--tenant", name, "nightly", "--quiet")
    ]
    assert seen.environment["MEMORIA_LLM_MODEL"] == name


@given(
    name=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=60)
)
@settings(max_examples=200, deadline=None)
def test_any_name_reaches_the_shell_of_cron_as_it_was_meant(name: str) -> None:
    planned = planned_job(("/py", name, "nightly"), A=name)
    words = shlex.split(command_of(line_of(planned)), comments=True)
    assert words == [f"A={name}", *planned.command]


@given(pieces=st.lists(st.sampled_from(["\\", "%", "'", '"', "a", " ", "$", "#"]), max_size=8))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_cron_and_its_shell_see_every_mix_of_signs_as_it_was_meant(pieces: list[str]) -> None:
    name = "".join(pieces)
    line = line_of(planned_job(("printf", "%s.", name)))
    shown = subprocess.run(  # noqa: S603  (the line under test)
        ["/bin/sh", "-c", command_of(line)], check=True, capture_output=True
    )
    assert shown.stdout.decode() == f"{name}."


@pytest.mark.parametrize("table", FOREIGN)
def test_removing_restores_the_table_byte_for_byte(table: bytes) -> None:
    planned = job()
    assert without_line(with_line(table, planned), planned.label) == table


@pytest.mark.parametrize("table", FOREIGN)
def test_installing_twice_leaves_one_line_and_every_other(table: bytes) -> None:
    once = with_line(table, job())
    again = with_line(once, job())
    assert again == once
    assert again.count(job().label.encode()) == 1
    assert again.endswith(table)


@given(lines=st.lists(st.binary(max_size=12)), before=st.binary(max_size=12))
def test_no_table_is_changed_by_a_job_that_came_and_went(lines: list[bytes], before: bytes) -> None:
    table = before + b"\n".join(lines)
    assert without_line(with_line(table, job()), job().label) == table


def test_a_line_that_was_moved_stays_where_it_is(box: Machine) -> None:
    planned = job()
    box.table = b"MEMORIA_LLM_API_KEY=mine\n" + line_of(planned).encode() + b"\n0 5 * * * x\n"
    Cron().install(replace(planned, at=time(4, 5)))
    assert (box.table or b"").splitlines()[1].startswith(b"5 4 * * * ")


def test_jobs_of_two_tenants_stand_side_by_side(box: Machine) -> None:
    first, second = job(tenant="陈伟"), job(tenant="Lin")
    Cron().install(first)
    Cron().install(second)
    assert Cron().remove(first.label)
    assert box.table == line_of(second).encode() + b"\n"


def test_the_last_line_takes_the_table_along(box: Machine) -> None:
    Cron().install(job())
    assert Cron().remove(job().label)
    assert box.table is None


def test_removing_what_is_not_there_writes_nothing(box: Machine) -> None:
    box.table = b"0 5 * * * x"
    assert not Cron().remove(job().label)
    assert box.table == b"0 5 * * * x"


def test_a_denied_crontab_is_not_taken_for_an_empty_one(box: Machine) -> None:
    box.script("crontab", DENIED)
    with pytest.raises(ScheduleError, match="not allowed to use this program"):
        Cron().install(job())


def test_a_line_that_somebody_changed_is_shown_as_it_stands_and_goes_when_removed(
    box: Machine,
) -> None:
    changed = line_of(job()).replace("17 3 * * *", "0 */6 * * *")
    box.table = f"#{changed}\n0 5 * * * x\n{changed}\n".encode()
    assert [text.content for text in Cron().find(job().label)] == [f"#{changed}\n", f"{changed}\n"]
    assert Cron().remove(job().label)
    assert box.table == b"0 5 * * * x\n"


def test_a_line_that_cron_might_cut_off_is_refused(box: Machine) -> None:
    with pytest.raises(ScheduleError, match="shorter PATH"):
        Cron().install(job(PATH="/some/folder:" * 90))
    assert box.table is None


def test_each_home_and_tenant_has_a_label_of_its_own() -> None:
    pairs = [("/a", "b"), ("/a", "c"), ("/a/b", "b"), ("/a\u4e2d", "b")]
    labels = {
        label
        for home, name in pairs
        for label in job_labels(Settings.load(home=Path(home), tenant=name))
    }
    assert len(labels) == 2 * len(pairs)


@pytest.mark.parametrize("tenant", ["two\nlines", "a\rb", "a\x00b", "a\x85b", "a\u2028b"])
def test_a_name_that_no_line_can_hold_is_refused(tenant: str) -> None:
    with pytest.raises(InvalidInputError, match="line break"):
        job(tenant=tenant)


@pytest.mark.parametrize("text", ["24:00", "3", "3:60", "03:17:00", "", "٠٣:١٧", "-1:00"])
def test_what_is_no_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="HH:MM"):
        parse_time_of_day(text)


SPACE = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
FILE_NAMES = [
    "plain",
    "with a space",
    "100% %h %%",
    'it\'s "quoted" \\" \\\\',
    "$HOME ${HOME} $$",
    "家目录 ＆ <记忆>",
    "]]> &amp; ; # =",
    "back\\slash\\",
]


def file_job(name: str, python: str = "/opt/my venv/bin/python") -> ScheduledJob:
    named = Settings.load(home=Path("/home") / name, tenant=name)
    settings = {"MEMORIA_LLM_MODEL": name, "MEMORIA_LLM_COMMAND": f"ask -p '{name}'"}
    return nightly_job(named, time(4, 5), settings, Path(python))


@pytest.fixture
def file_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = machine(tmp_path, monkeypatch)
    made.script("systemctl", SYSTEMCTL)
    made.script("launchctl", LAUNCHCTL)
    made.script("schtasks", SCHTASKS)
    return made


@pytest.mark.parametrize("name", FILE_NAMES)
@pytest.mark.parametrize("one", [SYSTEMD, LAUNCHD], ids=lambda one: one.kind)
def test_what_is_installed_is_found_as_it_stands(
    file_box: Machine, one: FileScheduler, name: str
) -> None:
    planned = file_job(name)
    one.install(planned)
    assert one.find(planned.label) == one.draft(planned)
    assert any(planned.label in file for file in file_box.files())


def test_a_task_is_registered_under_the_jobs_name(file_box: Machine) -> None:
    planned = file_job("plain", r"C:\Program Files\venv\python.exe")
    TASKS.install(planned)
    assert [text.where for text in TASKS.find(planned.label)] == [f"schtasks, {planned.label}"]
    created = [line for line in file_box.asked("schtasks") if line.startswith("/Create")]
    assert created[0].startswith(f"/Create /TN {planned.label} /XML ")
    assert not any(file.exists() for file in TASKS.places(planned.label))


@pytest.mark.parametrize("one", [SYSTEMD, LAUNCHD, TASKS], ids=lambda one: one.kind)
def test_installing_twice_leaves_one_and_removing_leaves_no_trace(
    file_box: Machine, one: FileScheduler
) -> None:
    planned = file_job("plain")
    one.install(planned)
    files = file_box.files()
    one.install(replace(planned, at=time(5, 6)))
    assert file_box.files() == files
    assert one.remove(planned.label)
    assert [file for file in file_box.files() if "memoria" in file] == []
    assert one.find(planned.label) == ()
    assert not one.remove(planned.label)


def test_a_service_is_what_configparser_reads() -> None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(units_of(file_job("$x 100%"))[0])
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
    parser.read_string(units_of(file_job("plain"))[1])
    assert dict(parser["Timer"]) == {
        "oncalendar": "*-*-* 04:05:00",
        "persistent": "true",
        "randomizeddelaysec": "900",
    }
    assert parser["Install"]["WantedBy"] == "timers.target"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
@pytest.mark.parametrize("name", FILE_NAMES)
def test_systemd_itself_finds_nothing_wrong(tmp_path: Path, name: str) -> None:
    python = script(tmp_path / "my venv 100% 环境" / "python", "")
    planned = file_job(name, str(python))
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
def test_a_program_that_systemd_would_not_start_is_refused(file_box: Machine, python: str) -> None:
    with pytest.raises(ScheduleError, match="--with cron"):
        SYSTEMD.install(file_job("plain", python))
    assert file_box.files() == []


@pytest.mark.parametrize(
    ("one", "program"), [(SYSTEMD, "systemctl"), (LAUNCHD, "launchctl")], ids=["systemd", "launchd"]
)
def test_what_could_not_be_started_leaves_no_file(
    file_box: Machine, one: FileScheduler, program: str
) -> None:
    file_box.script(program, 'echo "no bus for you" >&2; exit 1\n')
    with pytest.raises(ScheduleError, match="no bus for you"):
        one.install(file_job("plain"))
    assert [file for file in file_box.files() if "memoria" in file] == []


def test_an_agent_is_what_plistlib_reads(file_box: Machine) -> None:
    planned = file_job("a <b> & 中文")
    LAUNCHD.install(planned)
    file = file_box.home / "Library" / "LaunchAgents" / f"{planned.label}.plist"
    agent = plistlib.loads(file.read_bytes())
    assert agent["Label"] == planned.label
    assert agent["ProgramArguments"] == [*planned.command]
    assert agent["StartCalendarInterval"] == {"Hour": 4, "Minute": 5}
    assert agent["EnvironmentVariables"] == planned.environment


def test_a_task_is_what_elementtree_reads(file_box: Machine) -> None:
    planned = file_job("a <b> & 中文", r"C:\my venv\python.exe")
    TASKS.install(planned)
    content = (file_box.folder / f"schtasks.{planned.label}.xml").read_bytes()
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
        task_of(file_job("%TEMP%"))


def test_a_file_that_somebody_spoilt_is_removed_all_the_same(file_box: Machine) -> None:
    planned = file_job("plain")
    SYSTEMD.install(planned)
    units = file_box.home / ".config" / "systemd" / "user"
    (units / f"{planned.label}.service").write_bytes(b"\xff=\n")
    assert SYSTEMD.remove(planned.label)
    assert [file for file in file_box.files() if "memoria" in file] == []
