"""Conversations as files: complete, private, never over somebody's work, gone when forgotten."""

import json
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.lifecycle.dump import Interrupted, dump, interrupting
from tests.surface.agent import connected
from tests.surface.shell import Shell

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.disk.folders import BEFORE_IMAGES, HISTORY, tenant_folder
from memoria.disk.home_files import replace_file
from memoria.model import DAY_MS, Role, Turn, now_millis, to_iso, use_clock
from memoria.model.nightly import NightlyRun
from memoria.surface.mcp.server import build_server

pytestmark = pytest.mark.sqlite("conversations are written into files on disk alone")

CODE = 'my door code is\n"4711 星期四", and 会议改到星期四下午三点'
TALK = ("The cat is called Momo.", CODE, "Noted, Momo it is.")


@pytest.fixture
def folder(settings: Settings) -> Path:
    """Where the tenant's conversations are written."""
    return tenant_folder(settings.home_path, settings.tenant) / HISTORY


async def say(settings: Settings, *texts: str, session: str = "trip/北京") -> list[str]:
    """A conversation that is over; gives the ids of its turns."""
    turns = [Turn(role=Role.USER, content=text, session_id=session) for text in texts]
    async with open_memoria(settings=settings) as m:
        receipt = await m.record_conversation(turns, event="session_end")
    return [turn.id for turn in receipt.turns if turn.id]


def write(settings: Settings) -> NightlyRun:
    return nights.run_nightly(settings, ["history"])


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


def told(folder: Path) -> list[dict[str, Any]]:
    (file,) = folder.glob("*.jsonl")
    return [json.loads(line) for line in file.read_bytes().decode().split("\n")[:-1]]


async def test_a_closed_conversation_is_a_file_with_a_turn_a_line(
    settings: Settings, folder: Path
) -> None:
    await say(settings, *TALK, "a\u2028b")
    assert write(settings).steps[0].outcomes == {"done": 1}
    assert [line["content"] for line in told(folder)] == [*TALK, "a\u2028b"]
    assert list(told(folder)[0]) == [
        "id", "session_id", "source", "turn_index", "role", "speaker", "at", "content",
        "tool_name", "tool_args", "tool_result",
    ]  # fmt: skip
    file = only(folder)
    assert "星期四" in file.read_text("utf-8")
    assert mode(file) == 0o600
    assert {mode(folder), mode(folder.parent)} == {0o700}


async def test_an_open_conversation_is_not_written_and_a_second_night_writes_nothing(
    settings: Settings, folder: Path
) -> None:
    async with open_memoria(settings=settings) as m:
        await m.record_conversation([Turn(role=Role.USER, content="wait", session_id="open")])
    await say(settings, *TALK)
    write(settings)
    file = only(folder)
    before = file.stat()
    assert write(settings).steps[0].planned == 0
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_a_conversation_that_went_on_is_written_anew(
    settings: Settings, folder: Path
) -> None:
    await say(settings, *TALK)
    write(settings)
    await say(settings, "And one more thing.")
    write(settings)
    assert [line["content"] for line in told(folder)] == [*TALK, "And one more thing."]


async def test_a_file_edited_by_hand_is_left_and_named(settings: Settings, folder: Path) -> None:
    await say(settings, *TALK)
    write(settings)
    file = only(folder)
    replace_file(file, b"mine\n")
    await say(settings, "And one more thing.")
    step = write(settings).steps[0]
    assert file.read_bytes() == b"mine\n"
    assert step.outcomes == {"changed since": 1}
    assert list(step.reasons) == [f"{HISTORY}/{file.name}"]


async def test_a_file_that_is_missing_is_written_anew(settings: Settings, folder: Path) -> None:
    await say(settings, *TALK)
    write(settings)
    file = only(folder)
    content = file.read_bytes()
    file.unlink()
    write(settings)
    assert file.read_bytes() == content


async def test_it_can_be_switched_off(settings: Settings, folder: Path) -> None:
    await say(settings, *TALK)
    step = write(settings.model_copy(update={"history_files": False})).steps[0]
    assert (step.planned, names(folder)) == (0, [])
    assert "MEMORIA_HISTORY_FILES" in (step.reduced or "")


async def test_a_night_killed_between_file_and_row_knows_its_own_file_again(
    settings: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(settings, *TALK)
    _die_after_writing(settings, monkeypatch)
    file = only(folder)
    written = file.stat()
    step = write(settings).steps[0]
    assert step.outcomes == {"done": 1}
    assert file.stat().st_ino == written.st_ino
    assert write(settings).steps[0].planned == 0


async def test_what_was_said_between_the_kill_and_the_next_night_is_written_then(
    settings: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(settings, *TALK)
    _die_after_writing(settings, monkeypatch)
    await say(settings, "And one more thing.")
    assert write(settings).steps[0].outcomes == {"changed since": 1}
    assert write(settings).steps[0].outcomes == {"done": 1}
    assert [line["content"] for line in told(folder)] == [*TALK, "And one more thing."]


@pytest.mark.parametrize("killed", [False, True])
async def test_undoing_a_night_puts_files_back_or_takes_them_away(
    settings: Settings, folder: Path, killed: bool
) -> None:
    await say(settings, *TALK)
    write(settings)
    before = dump(settings.home_path)
    await say(settings, "And one more thing.")
    await say(settings, "Elsewhere.", session="other")
    run = write(settings)
    assert dump(settings.home_path)["files"] != before["files"]
    if killed:
        with pytest.raises(Interrupted):
            nights.undo_nightly(settings, run.id, lambda _: interrupting(0)("", 0, 0))
    undone = nights.undo_nightly(settings, run.id, lambda _: None)
    assert undone.files_kept == 0
    assert dump(settings.home_path)["files"] == before["files"]
    assert dump(settings.home_path)["generated_files"] == before["generated_files"]
    assert names(folder.parent / BEFORE_IMAGES / run.id) == []


async def test_undoing_leaves_a_file_that_was_edited_since(
    settings: Settings, folder: Path
) -> None:
    await say(settings, *TALK)
    run = write(settings)
    file = only(folder)
    replace_file(file, b"mine\n")
    assert nights.undo_nightly(settings, run.id, lambda _: None).files_kept == 1
    assert file.read_bytes() == b"mine\n"


@pytest.mark.parametrize("include_source", [False, True])
async def test_what_is_forgotten_is_in_no_file_and_no_undoing_brings_it_back(
    settings: Settings, folder: Path, include_source: bool
) -> None:
    ids = await say(settings, *TALK)
    write(settings)
    await say(settings, "And one more thing.")
    run = write(settings)
    assert _holding(folder.parent, "4711")
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([ids[1]], include_source=include_source)
    assert _holding(folder.parent, "4711") == []
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert _holding(folder.parent, "4711") == []
    write(settings)
    assert [line["content"] for line in told(folder)] == [
        TALK[0], TALK[2], "And one more thing.",
    ]  # fmt: skip


async def test_of_an_edited_file_only_the_lines_go_that_say_what_is_forgotten(
    settings: Settings, folder: Path
) -> None:
    ids = await say(settings, *TALK)
    write(settings)
    file = only(folder)
    mine = b'{"content": "mine"}\n'
    escaped = json.dumps({"content": f"so: {CODE}!"}).encode() + b"\n"
    replace_file(file, file.read_bytes() + escaped + mine)
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([ids[1]], include_source=True)
    lines = file.read_bytes().splitlines(keepends=True)
    assert [json.loads(line)["content"] for line in lines] == [TALK[0], TALK[2], "mine"]
    assert lines[-1] == mine


async def test_other_tenants_files_are_apart_and_untouched(
    settings: Settings, folder: Path
) -> None:
    bob = settings.model_copy(update={"tenant": "bob"})
    ids = await say(settings, *TALK)
    await say(bob, *TALK)
    write(settings)
    write(bob)
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([ids[1]], include_source=True)
    theirs = tenant_folder(settings.home_path, "bob") / HISTORY
    assert [line["content"] for line in told(theirs)] == list(TALK)
    assert names(folder) == []


async def test_a_restored_home_gets_its_files_from_its_own_rows(
    settings: Settings, folder: Path
) -> None:
    from memoria.app.upkeep import back_up, restore  # noqa: PLC0415

    await say(settings, *TALK)
    write(settings)
    backup = back_up(settings, None, lambda *_: None)
    await say(settings, "And one more thing.")
    write(settings)
    restore(settings, backup.path, lambda *_: None)
    assert names(folder) == []
    write(settings)
    assert [line["content"] for line in told(folder)] == list(TALK)


def _die_after_writing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A night whose process is gone when a file is written and its row is not."""

    from memoria.lifecycle import generated_files as generated  # noqa: PLC0415

    def die(*_: object) -> None:
        raise Interrupted

    with monkeypatch.context() as patch:
        patch.setattr(generated, "_note_file", die)
        with pytest.raises(Interrupted):
            write(settings)


def _holding(folder: Path, word: str) -> Sequence[str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return [str(file) for file in files if word.encode() in file.read_bytes()]


PORT = "The staging database listens on port 7443"
TEA = "I prefer green tea"
FOREIGN = "the words of a file that is none of Memoria's"
posix_only = pytest.mark.skipif(os.name == "nt", reason="pipes and links as POSIX has them")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Of a home that is not there yet."""
    return Settings.from_values(home=tmp_path / "home", tenant="ann", embedder="off")


@pytest.fixture
def home(settings: Settings) -> Path:
    """The home of a tenant who has said something, two days ago and now."""

    async def live() -> None:
        with use_clock(lambda: now_millis_before):
            async with open_memoria(settings=settings) as m:
                turn = {"role": "user", "content": PORT, "at": to_iso(now_millis_before)}
                await m.record_conversation([turn], "session_end")
        async with open_memoria(settings=settings) as m:
            await m.remember(PORT)
            await m.remember(TEA, type="preference")

    now_millis_before = now_millis() - 2 * DAY_MS
    anyio.run(live)
    folder = tenant_folder(settings.home_path, settings.tenant)
    folder.mkdir(mode=0o700, parents=True)
    folder.parent.chmod(0o700)
    return folder


def night(settings: Settings) -> NightlyRun:
    return nights.run_nightly(settings, ["core", "daily", "history"])


def notes(run: NightlyRun) -> str:
    """All that the report of a run says beside figures."""
    return " ".join(str((step.reduced, step.reasons)) for step in run.steps)


def link(file: Path, outside: Path) -> None:
    file.symlink_to(outside)


def hang(file: Path, _: Path) -> None:
    os.mkfifo(file)


def swell(file: Path, _: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(1 << 30)


@posix_only
@pytest.mark.parametrize(
    ("plant", "says"), [(link, "is a link"), (hang, "is a pipe"), (swell, "1,073,741,824 bytes")]
)
def test_a_night_leaves_what_is_no_regular_file_says_so_and_writes_all_others(
    settings: Settings, home: Path, tmp_path: Path, plant: Callable[..., None], says: str
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(FOREIGN)
    outside.chmod(0o644)
    night(settings)
    (history,) = (home / "conversation_history").iterdir()
    (page,) = (home / "daily_summaries").iterdir()
    planted = [home / "USER.md", home / "MEMORY.md", history, page]
    for file in planted:
        file.unlink(missing_ok=True)
        plant(file, outside)
    before = [file.lstat().st_ino for file in planted]
    run = night(settings)
    assert run.state == "finished"
    assert [str(f) for f in planted if str(f) not in notes(run)] == [], notes(run)
    assert says in notes(run)
    assert [file.lstat().st_ino for file in planted] == before
    assert (outside.read_text(), outside.stat().st_mode & 0o777) == (FOREIGN, 0o644)
    assert FOREIGN not in "".join(
        file.read_text() for file in home.rglob("*.md*") if file not in planted and file.is_file()
    )
    shell = Shell(settings.home_path)
    looked = shell.json("--tenant", settings.tenant, "doctor")["findings"]
    (found,) = (one for one in looked if one["check"] == "files")
    assert found["state"] == "warning"
    assert all(str(file) in found["detail"] for file in planted)
    for file in planted:
        file.unlink()
    assert notes(night(settings)).count("is a ") == 0
    assert TEA in (home / "MEMORY.md").read_text() + (home / "USER.md").read_text()


@posix_only
def test_no_client_is_served_what_a_core_file_links_to(settings: Settings, home: Path) -> None:
    outside = home.parent / "id_ed25519"
    outside.write_text(FOREIGN)
    for name in ("MEMORY.md", "USER.md", "PERSONA.md"):
        (home / name).unlink(missing_ok=True)
        (home / name).symlink_to(outside)

    async def read() -> str:
        server = build_server(lambda: open_memoria(settings=settings))
        async with connected(server, "auto") as agent:
            names = ("MEMORY.md", "USER.md", "PERSONA.md")
            files = [await agent.read(f"memory://core/{name}") for name in names]
            return "".join([*files, str(await agent.prompt("briefing"))])

    served = anyio.run(read)
    assert FOREIGN not in served
    assert TEA in served
    assert outside.read_text() == FOREIGN


@posix_only
def test_forgetting_changes_no_file_that_is_only_linked_into_the_home(
    settings: Settings, home: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "notes.md"
    outside.write_text(TEA)
    (home / "MEMORY.md").symlink_to(outside)
    os.mkfifo(home / "USER.md")
    shell = Shell(settings.home_path)
    hits = shell.json("--tenant", settings.tenant, "search", "green tea")["hits"]
    shell.json("--tenant", settings.tenant, "forget", hits[0]["id"], "--yes")
    assert (home / "MEMORY.md").is_symlink()
    assert outside.read_text() == TEA


@posix_only
def test_no_mode_is_changed_beyond_a_link(settings: Settings, tmp_path: Path) -> None:
    outside = tmp_path / "papers"
    outside.mkdir(mode=0o755)
    (outside / "paper.md").write_text(FOREIGN)
    (outside / "paper.md").chmod(0o644)
    settings.home_path.mkdir()
    for name in ("conversation_history", "backups", "night"):
        (settings.home_path / name).symlink_to(outside)
    Shell(settings.home_path)("doctor", "--fix")
    assert (outside / "paper.md").stat().st_mode & 0o777 == 0o644
    assert outside.stat().st_mode & 0o777 == 0o755


@posix_only
def test_a_night_makes_everything_for_its_owner_alone(settings: Settings, home: Path) -> None:
    before = os.umask(0)
    try:
        night(settings)
        (home / "MEMORY.md").write_text(f"# MEMORY.md\n\n## Preferences\n\n- {TEA} with honey\n")
        (home / "MEMORY.md").chmod(0o600)
        night(settings)
    finally:
        os.umask(before)
    modes = {
        (path.is_dir(), path.stat().st_mode & 0o777)
        for path in (settings.home_path, *settings.home_path.rglob("*"))
    }
    assert modes == {(True, 0o700), (False, 0o600)}
    assert (home / "night").is_dir()


UNREADABLE = {
    "UTF-16": "\ufeff# mine 我的\r\n".encode("utf-16-le"),
    "UTF-16 without a mark": "# mine\n- I like tea\n".encode("utf-16-le"),
    "GB18030": "# 我的笔记\n- 我喜欢茶\n".encode("gb18030"),
    "half a character": "# mine\n- 我喜欢茶".encode()[:-1],
    "a NUL": b"# mine\n- I like\0 tea\n",
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_file_that_is_no_text_is_left_byte_for_byte_and_named(
    settings: Settings, home: Path, kind: str
) -> None:
    night(settings)
    (page,) = (home / "daily_summaries").iterdir()
    for file in (home / "MEMORY.md", page):
        file.write_bytes(UNREADABLE[kind])
    run = night(settings)
    assert run.state == "finished"
    assert "MEMORY.md" in notes(run)
    assert "not UTF-8" in notes(run)
    for file in (home / "MEMORY.md", page):
        assert file.read_bytes() == UNREADABLE[kind]


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_an_edit_keeps_the_line_ends_and_the_byte_order_mark_it_was_saved_with(
    settings: Settings, home: Path, end: str, mark: str
) -> None:
    lines = ("# MEMORY.md", "", "My own words.", "", "## Preferences", "", "- 我喜欢红茶", "")
    own = mark + end.join(lines)
    (home / "MEMORY.md").write_bytes(own.encode())
    night(settings)
    saved = (home / "MEMORY.md").read_bytes().decode()
    assert saved.startswith(f"{mark}# MEMORY.md{end}{end}")
    assert f"My own words.{end}{end}## Preferences{end}" in saved
    assert "我喜欢红茶" in saved
    assert TEA in saved + (home / "USER.md").read_text()
    if end != "\r":
        assert saved.count("\n") == saved.count(end)
        assert "红茶" in str(Shell(settings.home_path).json("--tenant", "ann", "search", "红茶"))
