"""Answers laid ready: given only while everything that they rest on is as it was."""

import os
import time
from pathlib import Path

import pytest

from memoria.bare.kept import (
    BRIEFING,
    INSTRUCTIONS,
    OF_NO_PROJECT,
    answer_path,
    delete_kept,
    is_outdated,
    is_settled,
    list_kept,
    look_at,
    places_of_home,
    read_general,
    read_kept,
    write_kept,
)

TENANT = "default"
HOUR_MS = 3_600_000


@pytest.fixture
def home(tmp_path: Path) -> str:
    (tmp_path / "memoria.db").write_bytes(b"rows")
    return str(tmp_path)


def keep(home: str, workspace: str | None = "/work", *, lasts_ms: int | None = None) -> None:
    now = time.time_ns() // 1_000_000
    states = look_at(home, ("USER.md", *places_of_home()))
    until = None if lasts_ms is None else now + lasts_ms
    write_kept(home, TENANT, workspace, INSTRUCTIONS, "Rule: 用公制", states, now, until, "")


def read(home: str, workspace: str | None = "/work", name: str = INSTRUCTIONS) -> str | None:
    return read_kept(home, TENANT, workspace, name)


def test_a_kept_answer_is_given_to_whom_it_was_kept_for(home: str) -> None:
    keep(home)
    assert read(home) == "Rule: 用公制"
    assert read(home, "/other") is None
    assert read(home, None) is None
    assert read(home, name=BRIEFING) is None
    assert read_kept(home, "another", "/work", INSTRUCTIONS) is None
    keep(home, "none")
    assert read(home, None) == read(home, "") == "Rule: 用公制"


def test_who_is_in_a_project_never_seen_hears_what_holds_in_every_one(home: str) -> None:
    assert read_general(home, TENANT, BRIEFING) is None
    states, now = look_at(home, places_of_home()), time.time_ns() // 1_000_000
    text = "<memoria>\n# Core memory\n- Rule: 用公制"
    said = f"\n\n{OF_NO_PROJECT}\n- about the birthday"
    write_kept(home, TENANT, None, BRIEFING, f"{text}{said}\n</memoria>", states, now, None, "")
    assert read_general(home, TENANT, BRIEFING) == f"{text}\n</memoria>"
    write_kept(home, TENANT, None, BRIEFING, f"{text}\n</memoria>", states, now, None, "")
    assert read_general(home, TENANT, BRIEFING) == f"{text}\n</memoria>"
    assert not is_outdated(home, TENANT)
    (Path(home) / "memoria.db").write_bytes(b"other rows")
    assert read_general(home, TENANT, BRIEFING) is None
    assert is_outdated(home, TENANT)
    assert not is_outdated(home, "nobody")


@pytest.mark.parametrize("file", ["memoria.db", "memoria.db-wal", "USER.md", "settings.toml"])
def test_whatever_changes_a_file_that_it_rests_on_takes_it_away(home: str, file: str) -> None:
    path = Path(home) / file
    path.write_bytes(b"1")
    while not is_settled(home, look_at(home, [file])):
        time.sleep(0.005)
    before = path.stat()
    keep(home)
    path.write_bytes(b"2")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # of the same size and date
    assert read(home) is None
    keep(home)
    path.unlink()
    assert read(home) is None


def test_an_empty_log_is_as_good_as_none(home: str) -> None:
    keep(home)
    (Path(home) / "memoria.db-wal").touch()
    assert read(home) == "Rule: 用公制"


def test_settings_clock_and_zone_take_it_away(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(home)
    for name, value in (("MEMORIA_INSTRUCTIONS_CORE", "false"), ("TZ", "Asia/Shanghai")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert read(home) is None
    keep(home, lasts_ms=HOUR_MS)
    assert read(home) == "Rule: 用公制"
    keep(home, lasts_ms=0)
    assert read(home) is None
    keep(home)
    with monkeypatch.context() as patch:  # the clock was set back
        patch.setattr(time, "time_ns", lambda: 1)
        assert read(home) is None


def test_what_is_no_kept_answer_is_none(home: str, tmp_path: Path) -> None:
    assert read(home) is None
    keep(home)
    path = Path(answer_path(home, TENANT, "/work", INSTRUCTIONS))
    whole = path.read_bytes()
    for content in (b"", b"{}", b"[]", b"\xff", whole[:-9], whole.replace(b'"size"', b'"sise"')):
        path.write_bytes(content)
        assert read(home) is None
    path.unlink()
    (tmp_path / "elsewhere").write_bytes(whole)
    path.symlink_to(tmp_path / "elsewhere")
    assert read(home) is None
    path.unlink()
    path.mkdir()
    assert read(home) is None


def test_what_is_kept_is_for_the_owner_alone_and_can_all_be_deleted(home: str) -> None:
    keep(home)
    path = Path(answer_path(home, TENANT, "/work", INSTRUCTIONS))
    assert path.stat().st_mode & 0o077 == path.parent.stat().st_mode & 0o077 == 0
    (path.parent / ".half.0123456789abcdef").write_text("half written", "utf-8")
    assert [one["workspace"] for _, one in list_kept(home, TENANT) if one] == ["/work"]
    delete_kept(home, TENANT)
    assert not list(path.parent.iterdir())
    assert not list_kept(home, "nobody")
    assert not delete_kept(home, "nobody")
