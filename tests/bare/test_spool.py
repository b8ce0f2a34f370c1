"""The spool: entries of hooks, until somebody takes them in."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memoria.bare.home import NotRegularError, find_home, find_tenant, slug, tenant_folder
from memoria.bare.plain_json import read_json, write_json
from memoria.bare.spool import append_entry, claim_entries, list_waiting, spool_folder

SERVER = Path(__file__).parents[2] / "server"


def _entry(number: int) -> dict[str, object]:
    return {"v": 1, "client": "codex", "event": "stop", "session": "s", "at": number}


def _take_all(home: Path) -> list[object]:
    claim = claim_entries(str(home), "default")
    assert claim is not None
    with claim:
        entries = [claim.read(name) for name in claim.names()]
        for name in claim.names():
            claim.remove(name)
    return [entry["at"] if entry else None for entry in entries]


def test_what_is_appended_is_taken_in_once_and_in_order(home: Path) -> None:
    for number in range(20):
        append_entry(str(home), "default", _entry(number))
    assert _take_all(home) == list(range(20))
    assert list_waiting(str(home), "default") == []


def test_two_take_in_never_at_once_and_one_that_died_leaves_what_it_had(home: Path) -> None:
    append_entry(str(home), "default", _entry(1))
    takes_and_dies = (
        f"import sys; sys.path.insert(0, {str(SERVER)!r})\n"
        "from memoria.bare.spool import claim_entries\n"
        f"claim = claim_entries({str(home)!r}, 'default')\n"
        "print(len(claim.names()), flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-I", "-S", "-c", takes_and_dies],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"1\n"
        assert claim_entries(str(home), "default") is None
        append_entry(str(home), "default", _entry(2))  # a hook does not wait for it
        other.kill()
        other.wait()
    with claim_entries(str(home), "default") or pytest.fail("still taken"):
        assert claim_entries(str(home), "default") is None  # by this process neither
    assert _take_all(home) == [1, 2]


def test_a_file_that_is_no_entry_is_no_loss_of_the_others(home: Path) -> None:
    append_entry(str(home), "default", _entry(1))
    folder = Path(spool_folder(str(home), "default"))
    (folder / "00000000000000000000-1-00.json").write_text('{"v": 1, "cli')
    (folder / "00000000000000000001-1-00.json").symlink_to("/dev/zero")
    (folder / ".00000000000000000002-1-00.0123456789abcdef").write_text('{"v"')
    assert _take_all(home) == [None, None, 1]


def test_drafts_of_killed_hooks_go_and_those_being_written_stay(home: Path) -> None:
    append_entry(str(home), "default", _entry(1))
    folder = Path(spool_folder(str(home), "default"))
    for name in (".old.0123456789abcdef", ".new.0123456789abcdef"):
        (folder / name).write_text("{")
    os.utime(folder / ".old.0123456789abcdef", (1, 1))
    claim = claim_entries(str(home), "default")
    assert claim is not None
    with claim:
        claim.remove_drafts()
    assert sorted(path.name for path in folder.glob(".*")) == [".lock", ".new.0123456789abcdef"]


def test_the_spool_is_for_its_owner_alone_and_follows_no_link(home: Path, tmp_path: Path) -> None:
    append_entry(str(home), "ann", _entry(1))
    folder = Path(spool_folder(str(home), "ann"))
    if os.name != "nt":
        for each in (home, home / "tenants", folder.parent, folder):
            assert stat.S_IMODE(each.stat().st_mode) == 0o700
        assert [stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()] == [0o600]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home / "spool").symlink_to(elsewhere)
    with pytest.raises(NotRegularError):
        append_entry(str(home), "default", _entry(2))
    with pytest.raises(NotRegularError):
        claim_entries(str(home), "default")
    assert not list(elsewhere.iterdir())


def test_without_a_home_nothing_waits_and_looking_makes_none(home: Path) -> None:
    assert list_waiting(str(home), "default") == []
    assert claim_entries(str(home), "default") is None
    assert not home.exists()


def test_home_and_tenant_are_found_as_settings_find_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from memoria import Settings  # noqa: PLC0415

    monkeypatch.chdir(tmp_path)
    for named in (None, "", "~/.other", "relative/home", str(tmp_path / "x")):
        monkeypatch.setenv("MEMORIA_HOME", named or "")
        assert find_home() == str(Settings.load().home_path)
        assert find_home(named) == str(Settings.load(home=named or None).home_path)
    monkeypatch.setenv("MEMORIA_TENANT", " ann ")
    assert find_tenant() == Settings.load().tenant == "ann"
    assert tenant_folder("/h", "default") == "/h"
    assert slug("Zoë & Co.") == "zo-co-e85f736d"
    assert slug("李雷") == "x-3a47328a"
    assert slug("A²b٣c") == "a-b-c-aa2ecfd4"


def test_json_is_read_and_written_as_the_standard_module_does() -> None:
    value: object = {"a": [1, 2.5, None, True, 'é😀\n"\\', "\ud800"], "b": {}, "": [[]]}
    assert read_json(write_json(value)) == value
    assert read_json('\ufeff {"a":"\tb\ud800"} \n') == {"a": "\tb\ud800"}
    for broken in ("", "{", '{"a":}', "[1] 2", "nul", '{"a"', "[" * 100_000, "{'a': 1}", '"\\u12'):
        with pytest.raises(ValueError, match=r".+"):
            read_json(broken)
    with pytest.raises(TypeError):
        write_json({"a": object()})
