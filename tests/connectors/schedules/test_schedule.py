"""The nightly job in a crontab: one line that works, and no trace once it is removed."""

import shlex
import subprocess
from dataclasses import replace
from datetime import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.connectors.schedules.schedulers import (
    CRONTAB,
    DENIED,
    RECORDER,
    Machine,
    command_of,
    machine,
    run_as_cron,
    script,
)

from memoria.config import Settings
from memoria.connectors.schedules.cron import Cron, with_line, without_line
from memoria.connectors.schedules.job import (
    ScheduledJob,
    job_labels,
    nightly_job,
    parse_time_of_day,
)
from memoria.connectors.schedules.templates import line_of
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
