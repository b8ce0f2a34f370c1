"""Forgetting and workspaces on the command line."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.databases import write_text
from tests.surface.shell import Shell

from memoria.bare.spool import append_entry
from memoria.config import Settings
from memoria.model import parse_instant
from memoria.surface.cli.times import moment


def test_the_command_line_forgets_after_asking(shell: Shell) -> None:
    kept = shell.json("remember", "the gate opens to the left")["id"]
    refused = shell("forget", kept)
    assert refused.code == 1
    assert "the gate opens to the left" in refused.err
    assert shell.json("show", kept)["id"] == kept
    assert shell.json("forget", kept, "--yes")["memories"] == [kept]
    again = shell("remember", "the gate opens to the left")
    assert again.code == 1
    assert "was forgotten on" in again.err
    assert "on the command line" in again.err
    assert shell.json("remember", "the gate opens to the left", "--again")["status"] == "remembered"


def test_a_workspace_is_chosen_by_option_environment_or_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, outside = tmp_path / "repository", tmp_path / "outside"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (repository / "deep").mkdir()
    outside.mkdir()
    home = tmp_path / "home"
    monkeypatch.delenv("MEMORIA_WORKSPACE", raising=False)
    shell = Shell(home)

    def found(*options: str) -> int:
        shell_line = [*options, "search", "kettle"]
        return len(shell.json(*shell_line)["hits"])

    monkeypatch.chdir(repository / "deep")
    shell.json("remember", "the kettle belongs to the repository")
    assert found() == 1
    assert found("--workspace", "none") == 0
    monkeypatch.chdir(outside)
    assert found() == 0
    assert found("--workspace", str(repository)) == 1
    monkeypatch.setenv("MEMORIA_WORKSPACE", str(repository))
    assert found() == 1


def said_in_codex(shell: Shell, text: str, session: str = "s1") -> None:
    entry: dict[str, object] = {
        "v": 1,
        "client": "codex",
        "event": "prompt",
        "session": session,
        "cwd": str(shell.home),
        "at": 1_790_000_000_000,
        "turns": [{"role": "user", "content": text, "id": session}],
    }
    append_entry(str(shell.home), "default", entry)


def test_what_a_forget_leaves_is_named_and_goes_by_the_id_that_was_forgotten(shell: Shell) -> None:
    said_in_codex(shell, "Remember that the harbour gate opens to the left.")
    (kept,) = [one["id"] for one in shell.json("list")["memories"]]
    told = shell("forget", kept, "--yes").out.replace("\n", " ")
    assert "1 memory forgotten for good." in told
    assert "1 turn left on record, word for word" in told
    assert "erased: 1 memory, nothing left" in told
    assert shell.json("traces", "harbour gate")["hits"]
    told = shell("forget", kept, "--include-source", "--yes").out
    assert "1 turn erased from the record" in told
    assert "erased: 1 turn, nothing left" in told
    assert not shell.json("traces", "harbour gate")["hits"]


def test_a_number_for_a_topic_means_what_holds_it_and_no_number_near_it(shell: Shell) -> None:
    kept = {
        text: shell.json("remember", text)["id"]
        for text in (
            "My phone is 13812345678",
            "Ann's phone is 13812345679",
            "The order is 138123456780",
            "测试数据库在 5433 端口",
            "我的旧手机号是13812345678，停用了",
        )
    }
    shown = shell.json("forget", "--topic", "13812345678", "--dry-run")["items"]
    assert {one["id"] for one in shown} == {
        kept["My phone is 13812345678"],
        kept["我的旧手机号是13812345678，停用了"],
    }
    shown = shell.json("forget", "--topic", "5433", "--dry-run")["items"]
    assert [one["id"] for one in shown] == [kept["测试数据库在 5433 端口"]]


def test_what_goes_only_because_its_turn_does_says_so(shell: Shell) -> None:
    said_in_codex(shell, "记住：测试数据库在 5433 端口。我的手机号是 13812345678。")
    shown = shell("forget", "--topic", "13812345678", "--include-source", "--dry-run").out
    assert "测试数据库在 5433 端口" in shown
    assert "conclusion · rests on nothing but turns that go" in shown.replace("\n", " ")


def test_whoever_forgets_what_a_client_told_hears_that_it_keeps_its_own_transcripts(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    (tmp_path / "codex" / "sessions").mkdir(parents=True)
    said_in_codex(shell, "Remember that the harbour gate opens to the left.")
    (kept,) = [one["id"] for one in shell.json("list")["memories"]]
    told = shell("forget", kept, "--yes").out
    assert f"Codex keeps its own transcripts, which Memoria does not touch: {tmp_path}" in told
    stated = shell.json("remember", "the lantern is green")["id"]
    assert "transcripts" not in shell("forget", stated, "--yes").out


ONE = "Harbor go-live is 12 April 2027"
SAME = "harbor go-live is 12 april 2027."


def test_a_near_duplicate_is_shown_before_it_is_forgotten_and_can_be_kept(shell: Shell) -> None:
    one = shell("--workspace", "red", "remember", ONE, "--json").document["id"]
    same = shell("--workspace", "blue", "remember", SAME, "--json").document["id"]
    asked = shell("forget", same)
    assert asked.code == 1
    for shown in (one[-8:], same[-8:], ONE, SAME, "1 memory, 1 duplicate"):
        assert shown in asked.err
    dry = shell.json("forget", same, "--dry-run")
    assert {item["id"] for item in dry["items"]} == {one, same}
    third = shell("--workspace", "green", "remember", SAME, "--json").document["id"]
    stale = shell("forget", same, "--token", dry["token"])
    assert stale.code == 1
    assert third[-8:] in stale.out
    assert "changed since it was shown" in stale.err
    kept = ("--keep", one, "--keep", third)
    token = shell.json("forget", same, *kept, "--dry-run")["token"]
    assert shell.json("forget", same, *kept, "--token", token)["memories"] == [same]
    assert shell.json("show", one)["id"] == one
    assert set(shell.json("forget", third, "--yes")["memories"]) == {one, third}


def test_a_preview_shows_the_words_first_and_the_end_of_an_id_last_within_the_terminal(
    shell: Shell,
) -> None:
    dog = shell.json("remember", "My dog is called Bello.\n  memory · 00000000")["id"]
    for shown in (shell("forget", dog).err, shell("forget", dog, "--dry-run").out):
        assert "\n- My dog is called Bello.\n    " in shown
        assert f"\n  memory · {dog[-8:]}\n" in shown
        assert "\n  memory · 00000000" not in shown  # stored words stand further in
        assert dog not in shown
    long = "The harbor is closed from Monday to Friday because of the crane. 港口周一到周五关闭。"
    closed = shell.json("remember", long)["id"]
    narrow = shell("forget", closed, "--dry-run", COLUMNS="40").out
    *lines, token = narrow.splitlines()
    assert max(map(cell_len, lines)) <= 40
    assert token == f"token: {shell.json('forget', closed, '--dry-run')['token']}"
    asked = shell("forget", closed, COLUMNS="40").err
    assert max(map(cell_len, asked.splitlines())) <= 40
    assert shell("forget", closed[-8:], "--yes").code == 0


def test_with_json_nobody_is_asked_the_preview_says_what_to_call_next(shell: Shell) -> None:
    dog = shell.json("remember", "我的狗叫贝罗。")["id"]
    asked = shell("forget", dog, "--reason", "asked to", "--json")
    assert (asked.code, asked.err) == (1, "")
    preview = asked.document
    assert preview["status"] == "preview"
    assert [(one["id"], one["text"]) for one in preview["items"]] == [(dog, "我的狗叫贝罗。")]
    assert "Nothing is forgotten yet" in preview["notes"][0]
    assert shell.json("show", dog)["id"] == dog
    program, *words = shlex.split(preview["command"])
    assert program == "memoria"
    assert preview["token"] in words
    assert shell.run(*words, "--json").document["memories"] == [dog]
    again = shell.json("forget", dog, "--json")  # there is nothing left to agree to
    assert again["status"] == "forgotten"


def test_the_audit_shows_what_left_which_index_and_no_word_of_it(shell: Shell) -> None:
    kept = shell.json("remember", ONE)["id"]
    assert shell("list", "forgotten").out == "Nothing was forgotten yet: there is no proof of it.\n"
    done = shell.json("forget", kept, "--yes", "--reason", "asked to")
    (listed,) = shell.json("list", "forgotten")["reports"]
    assert listed["id"] == done["report"]["id"]
    report = shell.json("show", listed["id"])
    assert report["items"] == {"memory": 1}
    assert report["removed"]["memories"] == report["removed"]["full text"] == 1
    assert report["remaining"] == {}
    assert report["selected_by"] == ["ids"]
    assert len(report["digests"]) == 1
    assert report["state"] == "erased"
    for text in (shell("list", "forgotten").out, shell("show", listed["id"]).out):
        assert "nothing left" in text
        assert "arbor" not in text
    assert shell("show", "nobody").code == 1


def test_with_a_period_of_grace_a_forget_is_undone_from_the_command_line(shell: Shell) -> None:
    kept = shell.json("remember", ONE)["id"]
    graceful = replace(shell, environment={"MEMORIA_FORGET_GRACE_DAYS": "7"})
    hidden = graceful.json("forget", kept, "--yes")
    assert hidden["status"] == "hidden"
    report = hidden["report"]["id"]
    until = moment(parse_instant(hidden["report"]["purge_at"]))
    assert f"hidden until {until}" in shell("list", "forgotten").out
    assert report not in shell("list", "forgotten").out + shell("show", report[-8:]).out
    assert shell("show", kept).code == 1
    assert "Put back" in shell("forget", "--undo", report).out
    assert shell.json("show", kept)["id"] == kept
    assert "restored" in shell("list", "forgotten").out
    assert shell("forget", "--undo", report).code == 1


def test_what_is_hidden_is_told_with_its_time_and_the_command_that_puts_it_back(
    shell: Shell,
) -> None:
    graceful = Shell(shell.home, {"MEMORIA_FORGET_GRACE_DAYS": "2", "MEMORIA_TIME_ZONE": "UTC"})
    told = graceful.json("remember", "The boathouse key hangs behind the stove")["id"]
    report = graceful.json("forget", told, "--yes")["report"]["id"]
    undo = f"memoria undo {report}"
    shown = graceful("show", told).err
    assert ("hidden" in shown, f"`{undo}`" in shown, "for good" in shown) == (True, True, False)
    refused = graceful("remember", "The boathouse key hangs behind the stove", "--json")
    assert json.loads(refused.err)["error"]["next"] == undo
    assert "memoria remember --again" in refused.err
    for again in (graceful("forget", told, "--yes").out, graceful("forget", told).err):
        assert "hidden until" in again
        assert f"`memoria undo {report[-8:]}`" in again.replace("\n", " ")
        assert "for good" not in again
    assert graceful.json("forget", told, "--yes")["status"] == "hidden"
    assert graceful("forget", "--undo", report).code == 0
    assert graceful("forget", told, "--yes", MEMORIA_FORGET_GRACE_DAYS="0").code == 0
    assert "It is gone for good." in graceful("show", told).err


def test_a_line_of_a_file_is_shown_with_one_dash(shell: Shell) -> None:
    told = shell.json("remember", "The boathouse key hangs behind the stove")["id"]
    settings = Settings.load(home=shell.home)
    write_text(settings, "USER.md", "- The boathouse key hangs behind the stove\n")
    shown = shell("forget", told, "--dry-run").out
    assert shown.count("- The boathouse key hangs behind the stove\n") == 2
    assert "- -" not in shown


def test_a_preview_of_nothing_has_no_token(shell: Shell) -> None:
    shell("remember", "The boathouse key hangs behind the stove")
    shown = shell("forget", "--topic", "zebra", "--dry-run")
    assert shown.out == "Nothing is there to be forgotten.\n"
    assert "token" not in shell.json("forget", "--topic", "zebra", "--dry-run")


def test_what_is_private_stays_so_after_everything_was_forgotten(shell: Shell) -> None:
    assert shell("--workspace", "den", "private", "on").code == 0
    assert shell("--workspace", "red", "remember", ONE).code == 0
    assert shell("forget", "--everything", "--yes").code == 0
    assert "den" in shell("private").out
