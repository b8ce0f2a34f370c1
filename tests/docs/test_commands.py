"""Every command of the documents exists, and those that need nothing else are run."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import pytest
from tests.docs.commands import (
    NOT_RUN,
    README_COMMANDS,
    Line,
    all_options,
    command_names,
    lines,
    problem,
)
from tests.docs.pages import DOCS, blocks, name_of, pages, prose, table_after
from typer.testing import CliRunner

from memoria.config import Settings
from memoria.surface.cli.main import app

_CONVERSATION = [
    {"role": "user", "content": "Lin lives in Leeds. Remember that the deploy runs on Fridays.",
     "session_id": "s1", "message_id": "m1", "at": "2026-02-01T10:00:00Z"},
    {"role": "tool", "content": "", "tool_name": "bash", "tool_args": {"command": "make"},
     "tool_result": "error E1437", "session_id": "s1", "message_id": "m2"},
]  # fmt: skip
_PRESENT = [page for page in pages() if page.name != "CHANGELOG.md"]
"""Pages that name what there is. The changelog names what there was, too."""
_RUN = [line for line in lines() if line.is_run]


def test_every_command_and_option_that_is_documented_exists() -> None:
    assert [
        (name_of(line.page), line.words, why) for line in lines() if (why := problem(line))
    ] == []


def test_a_block_that_is_not_run_says_why() -> None:
    marks = {block.mark for page in pages() for block in blocks(page, "sh") if block.mark}
    assert {m for m in marks if not NOT_RUN.fullmatch(m)} <= set(README_COMMANDS)


def test_every_command_of_the_program_is_documented() -> None:
    listed = table_after(DOCS / "guide" / "command-line.md", "<!-- commands -->")
    assert sorted(listed) == sorted(command_names())


_IN_FILES = pytest.mark.sqlite("a backup is a copy of the file")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=_IN_FILES if page.name == "backup.md" else ())
        for page, _ in groupby(_RUN, key=lambda line: line.page)
    ],
    ids=name_of,
)
def test_the_commands_of_a_page_do_what_they_say(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _prepare(tmp_path, monkeypatch)
    for line in (line for line in _RUN if line.page == page):
        if line.words[0] == "export":
            for name, _, value in (word.partition("=") for word in line.words[1:]):
                monkeypatch.setenv(name, value)
        else:
            _run([_filled_in(word) for word in line.words[1:]])


def test_every_setting_that_is_named_exists() -> None:
    known = {f"MEMORIA_{name.upper()}" for name in Settings.model_fields}
    elsewhere = {
        "MEMORIA_DATA",
        "MEMORIA_ASKED",
        "MEMORIA_ENCRYPTION_KEY",
        "MEMORIA_HOOKS",
        "MEMORIA_PASSPHRASE",
        "MEMORIA_TOKEN",
        "MEMORIA_URL",
    }  # benchmarks; a command's; a key, before settings; hooks', without any; asked for; a client's
    named = {
        (name_of(page), name)
        for page in _PRESENT
        for name in re.findall(r"\bMEMORIA_[A-Z][A-Z_]*[A-Z]\b", page.read_text("utf-8"))
    }
    assert {(page, name) for page, name in named if name not in known | elsewhere} == set()


def test_every_command_in_a_sentence_exists() -> None:
    assert [
        (name_of(page), words, why)
        for page, words in _inline()
        if (why := problem(Line(page, words, "")))
    ] == []


def test_every_option_in_a_sentence_exists() -> None:
    elsewhere = {"--check", "--strict"}  # of ruff and of the site's builder
    named = {
        (name_of(page), option)
        for page in _PRESENT
        for code in re.findall(r"`(-[^`]*)`", prose(page))
        for option in re.findall(r"--[a-z][a-z-]*", code)
    }
    known = all_options() | elsewhere
    assert {(page, option) for page, option in named if option not in known} == set()


def _inline() -> Iterator[tuple[Path, tuple[str, ...]]]:
    """What stands in a sentence as `memoria …`."""
    for page in _PRESENT:
        for code in re.findall(r"`(memoria [a-z][^`…]*)`", page.read_text("utf-8")):
            yield page, tuple(code.split())


def _problems(found: Iterable[Line]) -> list[str]:
    return [
        f"{name_of(line.page)}: {why}, in {' '.join(line.words)}"
        for line in found
        if (why := problem(line))
    ]


def _prepare(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with a conversation, and the files that the documents name."""
    monkeypatch.chdir(folder)
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(folder / "user"))
    monkeypatch.setenv("MEMORIA_HOME", str(folder / "home"))
    monkeypatch.setenv("MEMORIA_WORKSPACE", "none")
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    (folder / "transcripts").mkdir()
    written = "".join(json.dumps(turn) + "\n" for turn in _CONVERSATION)
    (folder / "chat.jsonl").write_text(written, "utf-8")
    claude = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "c1",
        "timestamp": "2026-02-01T10:00:00Z",
        "cwd": str(folder),
        "message": {"role": "user", "content": "I prefer short answers."},
    }
    (folder / "transcripts" / "c1.jsonl").write_text(json.dumps(claude) + "\n", "utf-8")
    _run(["import", "chat.jsonl"])
    _run(["remember", "Commit messages are written in English"])
    _run(["remember", "My sister Lin lives in Leeds"])
    for name in ("Elizabeth", "Liz"):
        _run(["remember", f"{name} plays chess", "--entity", name])


def _run(arguments: list[str]) -> str:
    """What a command prints, which must succeed."""
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, (arguments, result.stdout, result.stderr)
    return result.stdout


def _filled_in(word: str) -> str:
    """A word of a command; what stands for an id becomes one of this home."""
    match word:
        case "ID":
            hits = json.loads(
                _run(["search", "commit", "messages", "--include-history", "--json"])
            )["hits"]
            hits = hits or [{"id": _another()}]
            return str(hits[0]["id"])
        case "REPORT":
            return str(json.loads(_run(["list", "forgotten", "--json"]))["reports"][0]["id"])
        case "RUN":
            return str(json.loads(_run(["nightly", "runs", "--json"]))["runs"][0]["id"])
        case _:
            return word


def _another() -> str:
    """The id of a memory made now, where the last one was forgotten."""
    said = _run(["remember", "--again", "Commit messages are written in English", "--json"])
    return str(json.loads(said)["id"])
