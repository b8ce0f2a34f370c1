"""`memoria nightly`: what the night did, in sentences, at any width."""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.connectors.schedules.schedulers import (
    CRONTAB,
    DENIED,
    LAUNCHCTL,
    SCHTASKS,
    SYSTEMCTL,
    Machine,
    command_of,
    machine,
)
from tests.databases import engine_variables
from tests.surface.shell import Output, Shell
from typer.testing import CliRunner

from memoria.config import Settings
from memoria.connectors.schedules.job import job_labels
from memoria.model.nightly import Metric, NightlyRun, RunOptions, StepReport
from memoria.surface.cli.main import app
from memoria.surface.cli.nightly_text import render_run, render_runs

IDS = ("0198c0de-1111-7000-8000-0000000000aa", "0198c0de-1111-7000-8000-0000000000bb")
WORDS = {
    IDS[0]: "The user's green tent leaks at the seam above the door",
    IDS[1]: "帐篷在门上方漏水",
}


@pytest.fixture
def nights(home: Path) -> Shell:
    return Shell(home, {"MEMORIA_TIME_ZONE": "Asia/Shanghai", "COLUMNS": "80"}).begin()


def step(name: str, **more: object) -> StepReport:
    return StepReport.model_validate({"name": name, "state": "applied", **more})


def a_night() -> NightlyRun:
    steps = (
        step("process_queue", outcomes={"done": 9, "put off": 3}, tokens=4100),
        step("merge", outcomes={"done": 1}, reasons={IDS[0]: f"merged into {IDS[1]}: it is said"}),
        step("decay", reduced="without a chat model faded memories are archived by strength"),
        step("review", reduced="without a chat model faded memories are archived by strength"),
        step("history", reduced="MEMORIA_HISTORY_FILES is off: no conversation is written"),
        step("core", outcomes={"unchanged": 4}),
    )
    return NightlyRun(
        n=1,
        id=IDS[1],
        at=1_772_442_845_000,
        options=RunOptions(steps=tuple(one.name for one in steps)),
        state="finished",
        tokens=4100,
        steps=steps,
        metrics=(Metric(name="recall", value=0.5, bound=0.9, exceeded=True),),
    )


@pytest.mark.parametrize("width", [80, 120])
def test_a_night_says_what_it_did_what_it_left_why_and_what_it_cost(width: int) -> None:
    said = render_run(a_night(), width, WORDS)
    flat = " ".join(said.split())
    for sentence in (
        "12 parts of conversations: 9 read by the chat model, 3 put off, to be tried again.",
        "1 pair of memories that say the same or exclude each other settled.",
        "Nothing to do for 4 steps of 6.",
        "Without a chat model: - faded memories are archived by strength",
        "Left out, or left for another run: - MEMORIA_HISTORY_FILES is off",
        "The chat model took 4100 tokens.",
        "note: 0.5 share of memories found by their own words (beyond 0.9)",
        "Take it back: memoria undo 000000bb",
    ):
        assert sentence in flat
    assert flat.count("faded memories") == 1
    tent = said.index("The user's green tent")
    assert tent < said.index("merged into 000000bb: it is said · 000000aa")
    assert not any(one in said for one in IDS)
    assert max(map(cell_len, said.splitlines())) <= width
    assert render_runs([a_night()], width).startswith("2026-03-02 ")


def test_a_night_names_itself_by_a_short_id_and_its_times_by_their_zone(nights: Shell) -> None:
    nights("remember", "The user's tent leaks")
    first = nights("nightly").out
    assert re.match(r"Nightly maintenance of \d{4}-\d\d-\d\d \d\d:\d\d \+08:00: done\.\n", first)
    assert "No chat model was asked: it cost nothing." in first
    for said in (first, nights("nightly", "runs").out):
        assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", said)
    short = first.strip()[-8:]
    assert f"run {short}\n" in nights("show", short).out
    assert nights("undo", short, "--yes").out.startswith(f"Undone: nightly run {short}.\n")


def test_every_json_has_iso_times_and_nothing_but_what_is_meant_for_a_reader(nights: Shell) -> None:
    nights("remember", "The user's tent leaks")
    plan = nights.json("nightly", "--dry-run")
    assert set(plan) == {"steps"}
    run = nights.json("nightly")
    documents = [run, *nights.json("nightly", "runs")["runs"]]
    documents.append(nights.json("show", run["id"])["run"])
    assert [one["id"] for one in documents] == [run["id"]] * 3
    for one in documents:
        assert not {"n", "most_rows", "options"} & set(one)
        assert not [number for number in numbers(one) if number > 10**11]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", one["at"])


def numbers(document: object) -> Iterator[float]:
    match document:
        case dict():
            for value in document.values():
                yield from numbers(value)
        case list():
            for value in document:
                yield from numbers(value)
        case int() | float():
            yield document


SCHEDULE = ("nightly", "schedule")
KEY = "sk-proj-Zk3Qw9Lm2Xv7Bn4Tc8Yh5Rd1"


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(sys, "platform", "linux")
    made = machine(tmp_path, monkeypatch)
    made.script("crontab", CRONTAB)
    return made


def said(shell: Shell, *arguments: str) -> str:
    line = ["--home", str(shell.home), *arguments]
    result = CliRunner().invoke(app, line, env={"COLUMNS": "200"}, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def installed(shell: Shell, *options: str) -> dict[str, object]:
    (job,) = shell.json(*SCHEDULE, "install", *options)["jobs"]
    return dict(job)


def table_of(box: Machine) -> bytes:
    return box.table or b""


def test_a_job_is_installed_shown_and_removed(shell: Shell, box: Machine) -> None:
    job = installed(shell)
    assert (job["scheduler"], job["where"]) == ("cron", "the crontab")
    assert str(job["content"]).encode() == table_of(box)
    place = f"--home {shell.home} --tenant default"
    assert f"{sys.executable} -P -m memoria {place} nightly --quiet #" in str(job["content"])
    assert shell.json(*SCHEDULE, "show")["jobs"] == [job]
    assert shell.json(*SCHEDULE, "remove")["removed_from"] == ["cron"]
    assert box.table is None
    assert shell.json(*SCHEDULE, "show")["jobs"] == []
    assert shell.json(*SCHEDULE, "remove")["removed_from"] == []


def test_the_installed_line_reaches_this_very_program(box: Machine, home: Path) -> None:
    shell = Shell(home.with_name('家 100% it\'s "h" $HOME'))
    shell.json("--tenant", "陈 伟", "remember", "我喜欢茶")
    (box.home / "random.py").write_text("raise SystemExit('not the random you meant')\n")
    line = ["--home", str(shell.home), "--tenant", "陈 伟", *SCHEDULE, "install"]
    named = {"MEMORIA_EMBEDDER": "off", **engine_variables(shell.home)}
    CliRunner().invoke(app, line, env=named, catch_exceptions=False)
    assert box.table is not None
    command = command_of(box.table.decode().rstrip("\n"))
    assert "nightly --quiet" in command
    done = os.popen(  # noqa: S605  (the line under test, in the shell that cron uses)
        f"cd {box.home} && {command.replace('nightly --quiet', 'stats --json')}"
    )
    assert json.loads(done.read())["tenant"] == "陈 伟"
    assert done.close() is None


def test_installing_again_moves_the_job_in_time(shell: Shell, box: Machine) -> None:
    installed(shell)
    installed(shell, "--at", "23:05")
    assert box.table is not None
    assert box.table.startswith(b"5 23 * * * ")
    assert box.table.count(b"\n") == 1


def test_a_job_that_goes_to_another_scheduler_leaves_the_first(shell: Shell, box: Machine) -> None:
    installed(shell)
    box.script("systemctl", SYSTEMCTL)
    done = shell.json(*SCHEDULE, "install")
    assert done["removed_from"] == ["cron"]
    assert box.table is None
    assert {job["scheduler"] for job in shell.json(*SCHEDULE, "show")["jobs"]} == {"systemd"}


def test_a_job_of_an_older_version_goes_on_and_can_be_moved_or_removed(
    shell: Shell, box: Machine
) -> None:
    installed(shell)
    now, former = job_labels(Settings.load(home=shell.home))
    older = table_of(box).replace(now.encode(), former.encode())
    box.table = older
    assert [job["content"] for job in shell.json(*SCHEDULE, "show")["jobs"]] == [older.decode()]
    assert shell.json(*SCHEDULE, "remove")["removed_from"] == ["cron"]
    assert box.table is None
    box.table = older
    job = installed(shell)
    assert str(job["content"]).encode() == table_of(box)
    assert former not in str(job["content"]).split()


@pytest.mark.parametrize(
    ("platform", "expected"), [("linux", "systemd"), ("darwin", "launchd"), ("win32", "tasks")]
)
def test_the_platform_chooses_the_scheduler(
    shell: Shell, box: Machine, monkeypatch: pytest.MonkeyPatch, platform: str, expected: str
) -> None:
    for name, text in [("systemctl", SYSTEMCTL), ("launchctl", LAUNCHCTL), ("schtasks", SCHTASKS)]:
        box.script(name, text)
    monkeypatch.setattr(sys, "platform", platform)
    assert shell.json(*SCHEDULE, "install", "--dry-run")["scheduler"] == expected


@pytest.mark.parametrize("kind", ["cron", "systemd", "launchd", "tasks"])
def test_printing_installs_nothing(shell: Shell, box: Machine, kind: str) -> None:
    printed = said(shell, *SCHEDULE, "install", "--dry-run", "--with", kind, "--at", "4:05")
    assert sys.executable in printed
    assert "and run" in printed
    assert (box.table, box.files()) == (None, [])


@pytest.mark.parametrize("kind", ["cron", "systemd", "launchd", "tasks"])
def test_no_key_gets_into_a_job_or_an_answer(
    shell: Shell, box: Machine, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    for name, text in [("systemctl", SYSTEMCTL), ("launchctl", LAUNCHCTL), ("schtasks", SCHTASKS)]:
        box.script(name, text)
    monkeypatch.setenv("MEMORIA_LLM_BASE_URL", "http://127.0.0.1:11434/v1")
    monkeypatch.setenv("MEMORIA_LLM_MODEL", "qwen3:8b")
    for name in ("LLM", "RERANK", "EMBEDDING"):
        monkeypatch.setenv(f"MEMORIA_{name}_API_KEY", KEY)
    monkeypatch.setenv("MEMORIA_RERANK_BASE_URL", "http://127.0.0.1:8080/v1")
    monkeypatch.setenv("MEMORIA_RERANK_MODEL", "m")
    told = said(shell, *SCHEDULE, "install", "--with", kind)
    told += said(shell, *SCHEDULE, "show", "--json")
    assert "MEMORIA_LLM_API_KEY" in told
    assert "MEMORIA_EMBEDDING_API_KEY" in told
    written = [file for place in (box.home, box.folder) for file in place.rglob("*")]
    texts = [file.read_bytes() for file in written if file.is_file()]
    assert any(b"nightly" in text.replace(b"\0", b"") for text in texts)
    assert not any(KEY.encode() in text.replace(b"\0", b"") for text in (*texts, told.encode()))
    assert ("http://127.0.0.1:11434/v1" in told) == (kind != "tasks")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMORIA_LLM_COMMAND", f"curl -H 'Authorization: Bearer {KEY}' x"),
        ("MEMORIA_LLM_COMMAND", "ask https://me:pa55@example.org/v1"),
        ("MEMORIA_LLM_BASE_URL", "https://me:pa55@example.org/v1"),
        ("MEMORIA_LLM_BASE_URL", "https://example.org/v1?k=abc"),
    ],
)
def test_a_setting_with_a_key_in_it_is_refused_by_name(
    shell: Shell, box: Machine, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    if name.endswith("URL"):
        monkeypatch.setenv("MEMORIA_LLM_MODEL", "m")
    result = CliRunner().invoke(app, ["--home", str(shell.home), *SCHEDULE, "install"])
    assert result.stderr.startswith(f"error: {name} seems to hold a key")
    assert box.table is None


def test_a_job_tends_the_database_that_its_installer_has_and_takes_no_password_along(
    shell: Shell, box: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORIA_DATABASE_URL", "postgresql://ann:pa55@db.example.com/memoria")
    result = CliRunner().invoke(app, ["--home", str(shell.home), *SCHEDULE, "install"])
    assert result.stderr.startswith("error: MEMORIA_DATABASE_URL holds a password")
    assert "pa55" not in result.stderr
    assert box.table is None
    url = "postgresql://ann@db.example.com/memoria"
    for named, written in ((url, url), (f"{url}?sslmode=require", f"'{url}?sslmode=require'")):
        monkeypatch.setenv("MEMORIA_DATABASE_URL", named)
        assert f"MEMORIA_DATABASE_URL={written} " in str(installed(shell)["content"])


def test_a_command_that_asks_a_model_is_found_at_night_too(
    shell: Shell, box: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORIA_LLM_COMMAND", "claude -p")
    monkeypatch.setenv("PATH", f"{box.folder}:/nowhere:{box.folder}:relative")
    assert f"MEMORIA_LLM_COMMAND='claude -p' PATH={box.folder} " in str(installed(shell)["content"])


def test_where_nothing_can_be_installed_the_job_is_said_in_full(shell: Shell, box: Machine) -> None:
    (box.folder / "crontab").unlink()
    result = CliRunner().invoke(app, ["--home", str(shell.home), *SCHEDULE, "install"])
    assert result.exit_code == 1
    told = result.stderr
    assert told.startswith("error: There is no crontab on this machine's PATH.")
    assert "\n17 3 * * * " in told
    assert f" {sys.executable} -P -m memoria --home {shell.home}" in told
    assert "crontab -e" in told


def test_a_denied_crontab_is_told_by_every_command(shell: Shell, box: Machine) -> None:
    box.script("crontab", DENIED)
    for command in ("install", "remove"):
        result = CliRunner().invoke(app, ["--home", str(shell.home), *SCHEDULE, command])
        assert "not allowed to use this program" in result.stderr
    assert "not allowed" in shell.json(*SCHEDULE, "show")["notes"][0]


@pytest.mark.usefixtures("box")
def test_a_user_without_a_home_folder_is_told_so(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(_user: int) -> None:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", nobody)
    line = ["--home", str(shell.home), *SCHEDULE, "install", "--with", "systemd"]
    result = CliRunner().invoke(app, line)
    assert result.stderr == "error: This user has no home folder: HOME is not set.\n"


def test_the_command_says_what_it_did_in_words(shell: Shell, box: Machine) -> None:
    told = said(shell, *SCHEDULE, "install")
    assert told.startswith("Installed with cron, every day at 03:17.\n")
    shown = " ".join(said(shell, *SCHEDULE, "show").split())
    assert "cron, in the crontab: 17 3 * * * " in shown
    assert "Removed from cron." in said(shell, *SCHEDULE, "remove")
    assert box.table is None
    assert "No job is installed. `memoria nightly schedule" in said(shell, *SCHEDULE, "show")


def test_errors_go_to_standard_error_with_exit_code_one(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    output: Output = shell(*SCHEDULE, "install", "--with", "cron", PATH=str(folder))
    assert (output.code, output.out) == (1, "")
    assert output.err.startswith("error: There is no crontab on this machine's PATH.")
