"""A night among files that somebody has planted, or edited with another program than ours."""

import os
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from tests.surface.agent import connected
from tests.surface.shell import Shell

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.disk.folders import tenant_folder
from memoria.model import DAY_MS, now_millis, to_iso, use_clock
from memoria.model.nightly import NightlyRun
from memoria.surface.mcp.server import build_server

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
