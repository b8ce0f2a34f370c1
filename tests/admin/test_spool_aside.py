"""One entry of the spool that can't be taken in keeps no other waiting, and is named."""

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import anyio
import pytest
from tests.admin.test_spool import point, say
from tests.connectors.transcripts.desk import FOLDER, claude, jsonl, kept, written

from memoria import Memoria
from memoria.admin.findings import check_hooks
from memoria.app.spool import ALL
from memoria.bare.spool import append_entry, list_aside, list_waiting, spool_folder

GONE = "/network/gone"
"""A folder on another machine that no longer answers."""
LONGEST_S = 120
"""So long only a process that hangs takes."""


@pytest.fixture
def is_back(quiet: Memoria, monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Have whatever looks at that folder wait until its machine is back.

    An intake is taken to have stalled as soon as it waits there, and never elsewhere.
    """
    back = Event()

    def look(_: str, folder: str) -> str:
        if folder == GONE and not back.is_set():
            quiet.spool.stalls_after_s = 0.0
            back.wait()
        return folder

    monkeypatch.setattr("memoria.admin.spool.project_of", look)
    yield back
    back.set()


def say_there(home: Path, words: str) -> None:
    entry: dict[str, object] = {
        "v": 1, "client": "cursor", "event": "prompt", "session": "there", "cwd": GONE,
        "at": 1_790_000_000_000, "turns": [{"role": "user", "content": words}],
    }  # fmt: skip
    append_entry(str(home), "tests", entry)


def put_back(home: Path, aside: Path) -> None:
    """Do as doctor says."""
    aside.rename(Path(spool_folder(str(home), "tests"), aside.with_suffix(".json").name))


def read_aside(home: Path) -> str:
    (aside,) = list_aside(str(home), "tests")
    return Path(aside.path).read_text("utf-8")


async def take_in_all(memory: Memoria) -> None:
    is_left = True
    while is_left:
        memory.spool.stalls_after_s = math.inf
        is_left = await memory.take_in_spool(ALL)


async def test_what_never_comes_back_is_set_aside_and_named_and_the_rest_goes_on(
    quiet: Memoria, home: Path, tmp_path: Path, is_back: Event
) -> None:
    there = written(tmp_path / "there.jsonl", claude("user", "Lost words.", "u1", cwd=GONE))
    here = written(tmp_path / "here.jsonl", claude("user", "In a transcript.", "u2", cwd=FOLDER))
    say_there(home, "No one hears this.")
    for _ in range(3):
        point(home, "claude-code", there)
    point(home, "claude-code", here)
    say(home, "cursor", {"role": "user", "content": "Said by a hook."})
    await take_in_all(quiet)
    assert list_waiting(str(home), "tests") == []
    contents = [turn.content for turn in await kept(quiet)]
    assert sorted(contents) == ["In a transcript.", "Said by a hook."]
    aside = list_aside(str(home), "tests")
    assert [one.transcript for one in aside] == [None, str(there)]
    said = [finding.detail for finding in check_hooks(quiet.settings)]
    assert all(one.path in said[0] for one in aside)
    assert str(there) in said[0]
    assert "took longer than" in said[1]
    is_back.set()
    while any(one.is_alive for one in quiet.spool._stalled):  # noqa: SLF001  (until they have ended)
        await anyio.lowlevel.checkpoint()
    assert len(await kept(quiet)) == 2, "what was given up writes nothing when it comes back"


async def test_a_transcript_that_was_set_aside_is_left_alone_and_later_read_whole(
    quiet: Memoria, home: Path, tmp_path: Path, is_back: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path / "x.jsonl", claude("user", "First.", "u1", cwd=GONE))
    point(home, "claude-code", file)
    await take_in_all(quiet)
    is_back.set()
    with file.open("ab") as more:
        more.write(jsonl(claude("user", "Second.", "u2", cwd=GONE)))
    point(home, "claude-code", file)
    await take_in_all(quiet)
    assert (await quiet.statistics()).turns == 0
    assert len(list_aside(str(home), "tests")) == 1
    assert list_waiting(str(home), "tests") == []
    monkeypatch.setattr("memoria.admin.spool._RETRY_S", -1.0)
    point(home, "claude-code", file)
    await take_in_all(quiet)
    assert [turn.content for turn in await kept(quiet)] == ["First.", "Second."]
    assert list_aside(str(home), "tests") == []


async def test_who_waits_for_an_answer_does_not_wait_for_what_never_comes_back(
    quiet: Memoria, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_back = Event()
    monkeypatch.setattr("memoria.app.spool._ANSWER_S", 0.2)
    monkeypatch.setattr("memoria.admin.spool.project_of", lambda *_: str(is_back.wait()))
    await quiet.record_conversation([{"role": "user", "content": "bluebird", "session_id": "s"}])
    say_there(home, "Late words.")
    with anyio.fail_after(LONGEST_S):
        assert (await quiet.search_conversation_traces("bluebird")).hits
        is_back.set()
        while (await quiet.statistics()).turns < 2:
            await quiet.catch_up()
    assert list_aside(str(home), "tests") == []


async def test_an_entry_that_fails_is_set_aside_and_can_be_tried_again(
    quiet: Memoria, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str, folder: str) -> str:
        if folder == GONE:
            raise ArithmeticError(folder)
        return folder

    with monkeypatch.context() as broken:
        broken.setattr("memoria.admin.spool.project_of", fail)
        say_there(home, "Said there.")
        say(home, "cursor", {"role": "user", "content": "Said by a hook."})
        await quiet.catch_up()
    assert len(await kept(quiet)) == 1
    (aside,) = list_aside(str(home), "tests")
    assert "ArithmeticError" in [*check_hooks(quiet.settings)][1].detail
    put_back(home, Path(aside.path))
    await quiet.catch_up()
    assert [turn.content for turn in await kept(quiet, "there")] == ["Said there."]
    assert list_aside(str(home), "tests") == []


async def test_a_forget_erases_what_is_set_aside(
    quiet: Memoria, home: Path, is_back: Event
) -> None:
    say_there(home, "The launch code name is bluebird, nobody may know.")
    await take_in_all(quiet)
    is_back.set()
    said = {"role": "user", "content": "The launch code name is bluebird, nobody may know."}
    receipt = await quiet.record_conversation([said])
    assert "bluebird" in read_aside(home)
    await quiet.forget_memory([receipt.turns[0].id], include_source=True)
    assert "bluebird" not in read_aside(home)


STUCK_SERVER = """
import sys, threading
import memoria.admin.spool as spool
at_it = threading.Event()
def look(home, folder):
    print("at it", file=sys.stderr, flush=True)
    threading.Event().wait()
spool.project_of = look
from memoria.surface.front.serve import serve
serve(sys.argv[1], "tests", "none")
"""


def test_a_server_ends_with_its_client_whatever_its_intake_is_at(home: Path) -> None:
    say_there(home, "Words.")
    hello = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        b'"capabilities":{},"clientInfo":{"name":"by-hand","version":"1"}}}\n'
    )
    with subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-c", STUCK_SERVER, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "MEMORIA_EMBEDDER": "off"},
    ) as server:
        assert server.stdin is not None
        assert server.stderr is not None
        server.stdin.write(hello)
        server.stdin.flush()
        assert server.stderr.readline() == b"at it\n"
        server.stdin.close()
        try:
            assert server.wait(LONGEST_S) == 0
        finally:
            server.kill()
    assert len(list_waiting(str(home), "tests")) == 1
