"""Which files are read, and which session a line without one belongs to."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.transcripts.desk import (
    Line,
    claude,
    codex_message,
    codex_meta,
    gemini,
    gemini_header,
    imported,
    kept,
    written,
)
from tests.databases import process_environment
from tests.surface.shell import Shell

from memoria import Memoria
from memoria.connectors.transcripts import FORMATS, find_transcripts
from memoria.errors import InvalidInputError
from memoria.store.sqlite.driver import sqlite3

HELLO = {
    "jsonl": [{"role": "user", "content": "hello", "session_id": "s", "message_id": "m"}],
    "claude-code": [claude("user", "hello", "u1")],
    "codex": [codex_meta(), codex_message("user", "hello")],
    "gemini": [gemini_header(), gemini("user", "hello", "u1")],
}
NAMES = {
    "jsonl": "chat.jsonl",
    "claude-code": "5a0e.jsonl",
    "codex": "rollout-2026-10-05-5a0e.jsonl",
    "gemini": "session-2026-10-05-5a0e.jsonl",
    "copilot": "events.jsonl",
    "cline": "5a0e.messages.json",
    "droid": "5a0e.jsonl",
}


def turn(content: str) -> Line:
    return {"role": "user", "content": content}


def found(folder: Path, form: str) -> list[str]:
    files = find_transcripts([folder], FORMATS[form])
    return [file.path.relative_to(folder).as_posix() for file in files]


@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_gives_its_formats_files_in_order_and_no_others(tmp_path: Path, form: str) -> None:
    name = NAMES[form]
    for place in ("b/c", "a", "b"):
        written(tmp_path / place / name)
    for other in ("a/notes.txt", "a/sub/chat.jsonl.bak", "a/logs.json"):
        written(tmp_path / other)
    (tmp_path / f"d-{name}").mkdir()
    assert found(tmp_path, form) == [f"a/{name}", f"b/{name}", f"b/c/{name}"]


def test_each_client_has_names_of_its_own(tmp_path: Path) -> None:
    for name in NAMES.values():
        written(tmp_path / name)
    assert found(tmp_path, "codex") == [NAMES["codex"]]
    assert found(tmp_path, "gemini") == [NAMES["gemini"]]


def test_subagents_of_claude_code_are_not_read(tmp_path: Path) -> None:
    written(tmp_path / "p" / "5a0e.jsonl")
    written(tmp_path / "p" / "5a0e" / "subagents" / "agent-1.jsonl")
    assert found(tmp_path, "claude-code") == ["p/5a0e.jsonl"]


def test_a_file_is_read_once_however_often_it_is_named(tmp_path: Path) -> None:
    file = written(tmp_path / "a" / "chat.jsonl")
    (tmp_path / "link.jsonl").symlink_to(file)
    paths = [
        tmp_path,
        file,
        tmp_path / "a",
        tmp_path / "link.jsonl",
        tmp_path / "a/../a/chat.jsonl",
    ]
    (one,) = find_transcripts(paths, FORMATS["jsonl"])
    assert one.path.resolve() == file


@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_without_such_files_says_what_to_do(tmp_path: Path, form: str) -> None:
    pattern = FORMATS[form].patterns[0].replace("*", r"\*")
    with pytest.raises(InvalidInputError, match=rf"holds no {pattern}.*Name another folder"):
        find_transcripts([tmp_path], FORMATS[form])


def test_a_path_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"nowhere does not exist\. Give"):
        find_transcripts([tmp_path / "nowhere"], FORMATS["codex"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
async def test_a_pipe_or_a_device_is_neither_waited_for_nor_read(
    quiet: Memoria, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    for endless in (pipe, Path("/dev/zero")):
        with pytest.raises(InvalidInputError, match=r"pipe, a socket or a device\. Save"):
            find_transcripts([endless], FORMATS["jsonl"])
    one = written(tmp_path / "a.jsonl", turn("one"))
    two = written(tmp_path / "b.jsonl", turn("two"))

    def exchange(file: Path, _done: int) -> None:
        if file == one and two.is_file():
            pipe.replace(two)

    report = await imported(quiet, "jsonl", one, two, progress=exchange)
    (bad,) = report.bad_lines
    assert (report.recorded, bad.file) == (1, str(two))
    assert bad.problem == "can't be read: it is no regular file"


def test_jsonl_has_no_folder_of_its_own() -> None:
    with pytest.raises(InvalidInputError, match="Name the files or folders"):
        find_transcripts([], FORMATS["jsonl"])


@pytest.mark.parametrize(
    ("form", "setting", "below", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "", "projects/-home-lin/5a0e.jsonl"),
        ("claude-code", "HOME", ".claude", "projects/-home-lin/5a0e.jsonl"),
        ("codex", "CODEX_HOME", "", "sessions/2026/10/05/rollout-1.jsonl"),
        ("codex", "HOME", ".codex", "sessions/2026/10/05/rollout-1.jsonl"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini", "tmp/gateway/chats/session-1.jsonl"),
        ("gemini", "HOME", ".gemini", "tmp/gateway/chats/session-1.jsonl"),
    ],
)
def test_without_a_path_the_clients_own_folder_is_read(
    shell: Shell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    form: str,
    setting: str,
    below: str,
    file: str,
) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setenv(setting, str(tmp_path / "mine"))
    with pytest.raises(InvalidInputError, match=rf"There is no .*{form} keeps.*Name the files"):
        find_transcripts([], FORMATS[form])
    written(tmp_path / "mine" / below / file, *HELLO[form])
    report = shell.json("import", "--format", form)
    assert (report["files"], report["recorded"]) == (1, 1)


async def test_a_file_named_by_itself_names_the_session_as_it_always_did(
    quiet: Memoria, tmp_path: Path
) -> None:
    for place in ("a", "b"):  # on another day, perhaps moved
        await imported(quiet, "jsonl", written(tmp_path / place / "chat.jsonl", turn("hello")))
    assert [kept.content for kept in await kept(quiet, "chat")] == ["hello"]


@pytest.mark.parametrize("how", ["named together", "in a folder", "folder by folder"])
async def test_files_of_one_name_in_two_folders_do_not_share_a_session(
    quiet: Memoria, tmp_path: Path, how: str
) -> None:
    files = [
        written(tmp_path / place / "chat.jsonl", turn("yes"), turn(place)) for place in ("a", "b")
    ]
    ways = {
        "named together": [files],
        "in a folder": [[tmp_path]],
        "folder by folder": [[tmp_path / "a"], [tmp_path / "b"]],
    }
    for paths in ways[how]:
        await imported(quiet, "jsonl", *paths)
    names = [one.session for one in find_transcripts([tmp_path], FORMATS["jsonl"])]
    assert len(set(names)) == 2
    told = [[kept.content for kept in await kept(quiet, name)] for name in names]
    assert told == [["yes", "a"], ["yes", "b"]]
    # Another way to the same files finds them on record.
    again = await imported(quiet, "jsonl", tmp_path)
    assert (again.recorded, again.already_recorded) == (0, 4)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may read all")
async def test_a_file_that_may_not_be_read_is_named_and_the_others_go_in(
    quiet: Memoria, tmp_path: Path
) -> None:
    written(tmp_path / "a.jsonl", turn("one")).chmod(0)
    written(tmp_path / "b.jsonl", turn("two"))
    report = await imported(quiet, "jsonl", tmp_path)
    (bad,) = report.bad_lines
    assert (Path(bad.file).name, bad.line, report.recorded) == ("a.jsonl", None, 1)
    assert "Permission denied" in bad.problem


async def test_a_file_that_vanishes_is_named_and_the_others_go_in(
    quiet: Memoria, tmp_path: Path
) -> None:
    one = written(tmp_path / "a.jsonl", turn("one"))
    written(tmp_path / "b.jsonl", turn("two"))
    written(tmp_path / "c.jsonl", turn("three"))
    (tmp_path / "b.jsonl").chmod(0o600)

    def vanish(file: Path, _done: int) -> None:
        if file == one:
            (tmp_path / "b.jsonl").unlink()

    report = await imported(quiet, "jsonl", tmp_path, progress=vanish)
    (bad,) = report.bad_lines
    assert (Path(bad.file).name, bad.line, report.recorded) == ("b.jsonl", None, 2)
    assert bad.problem == "can't be read: No such file or directory"


def test_the_report_names_files_lines_and_problems(shell: Shell, tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", turn("one"), b"oops\n")
    written(tmp_path / "b.jsonl", b"\xff\n", turn("two"))
    text = shell("import", tmp_path)
    assert (text.code, text.err) == (3, "")
    assert "2 files, 4 lines." in text.out
    assert "turns       2 new\n" in text.out
    assert f"{tmp_path / 'a.jsonl'} line 2: is not JSON" in text.out
    document: Any = shell.json("import", tmp_path, code=3)
    assert document["bad_lines"][1] == {
        "file": str(tmp_path / "b.jsonl"),
        "line": 1,
        "problem": "is not UTF-8, and what else can't be told: save it as that",
    }
    assert (document["files"], document["lines"], document["already_recorded"]) == (2, 4, 2)


def test_a_hook_of_the_same_client_finds_the_imported_session(shell: Shell, tmp_path: Path) -> None:
    for form, lines in HELLO.items():
        report = shell.json("import", written(tmp_path / NAMES[form], *lines), "--format", form)
        assert (report["recorded"], report["bad"]) == (1, 0)
    hits = shell.json("--workspace", "*", "traces", "hello")["hits"]
    assert {hit["source"]["client"] for hit in hits} == {
        "import-jsonl",
        "claude-code",
        "codex",
        "gemini",
    }


def test_a_format_that_does_not_exist_is_misspelt(shell: Shell, tmp_path: Path) -> None:
    output = shell("import", tmp_path, "--format", "emacs")
    assert output.code == 2
    assert "claude-code" in output.err


def test_a_folder_without_such_files_gives_exit_code_1(shell: Shell, tmp_path: Path) -> None:
    output = shell("import", tmp_path, "--format", "codex")
    assert (output.code, output.out) == (1, "")
    assert "rollout-*.jsonl" in output.err


def count_turns(home: Path) -> int:
    """How many turns are on disk; it waits for nobody who writes."""
    try:
        with closing(sqlite3.connect(f"file:{home / 'memoria.db'}?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM turns").fetchone()[0])
    except sqlite3.OperationalError:  # it is not there yet
        return 0


ASKED = ("Remember: my name is Anna Weber.", "记住，我叫林芳。")


def talk(folder: Path, *contents: str) -> Path:
    path = folder / f"{len(contents)}.jsonl"
    lines: list[dict[str, Any]] = [{"role": "user", "content": content} for content in contents]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_the_summary_counts_what_messages_asked_for_and_is_silent_where_none_did(
    shell: Shell, tmp_path: Path
) -> None:
    idle = shell("import", talk(tmp_path, "Could you look again?", "还行吧?"), COLUMNS="400")
    assert "asked for" not in idle.out
    assert "A chat model would still read" in idle.out
    assert (
        "every turn can be searched without; `memoria model` finds one that you have."
        in " ".join(idle.out.split())
    )
    plain = talk(tmp_path, *ASKED, "Could you look at that again?")
    first = shell("import", plain, COLUMNS="400")
    (made,) = [line for line in first.out.splitlines() if "asked for" in line]
    known = shell.json("stats")["memories"]
    assert f"{sum(known.values())} that messages asked for" in made
    again = shell("import", plain, COLUMNS="400")
    assert "asked for" not in again.out
    assert again.out.endswith('Next: memoria search "…"\n')


@pytest.mark.sqlite("looks into the file")
def test_an_import_that_is_stopped_says_what_came_in_and_that_it_can_go_on(
    shell: Shell, tmp_path: Path
) -> None:
    path = talk(tmp_path, *(f"Bed {n} grows leeks and 韭菜" for n in range(20_000)))
    command = [sys.executable, "-m", "memoria", "--home", str(shell.home), "import", str(path)]
    settings = process_environment(shell.home, COLUMNS="80")
    # What is started where interrupts are ignored, as in the background of a shell, ignores them.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(  # noqa: S603  (our own program)
        command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as running:
        signal.signal(signal.SIGINT, former)
        while running.poll() is None:
            if count_turns(shell.home):  # the first batch, maybe before anybody is told of it
                break
        running.send_signal(signal.SIGINT)
        said, complaint = running.communicate(timeout=60)
    assert (running.returncode, said) == (130, "")
    (came_in,) = re.findall(r"Came in so far: turns: ([\d,]+) new\.", complaint)
    assert "The same command goes on where it stopped." in complaint
    turns = shell.json("stats")["turns"]
    assert 0 < int(came_in.replace(",", "")) == turns < 20_000


def test_what_has_no_vector_yet_is_counted_and_the_same_command_goes_on_with_it(
    shell: Shell, tmp_path: Path
) -> None:
    path = talk(tmp_path, *(f"Bed {n} grows leeks and 韭菜" for n in range(30)))
    modelled = replace(shell, environment={"MEMORIA_EMBEDDER": "bundled"})
    first = " ".join(modelled("import", path, "--no-wait").out.split())
    assert "30 texts have no vector yet" in first
    assert "without --no-wait" in first
    assert "no vector yet" not in modelled("import", path).out
    assert modelled.json("stats")["vectors"] == 30
    assert "no vector yet" not in shell("import", path, "--no-wait").out
