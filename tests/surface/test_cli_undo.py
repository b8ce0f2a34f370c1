"""`memoria undo`: the last change is shown, then taken back."""

import json
import re
import shlex
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from tests.surface.shell import Output, Shell


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home, {"MEMORIA_TIME_ZONE": "UTC", "COLUMNS": "80"}).begin()


def plain(text: str) -> str:
    """The text without what differs from run to run."""
    return re.sub(r"[0-9a-f]{8}", "ID", re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "TIME", text))


def problem(refused: Output) -> dict[str, str]:
    """What a program is told that was refused."""
    assert (refused.code, refused.out) == (1, "")
    error: dict[str, str] = json.loads(refused.err)["error"]
    return error


def test_a_change_is_listed_undone_and_the_undo_can_be_undone(shell: Shell) -> None:
    told = shell.json("remember", "Mira keeps the spare keys in the blue tin")
    shell("revise", told["id"], "correct", "Mira keeps the keys in a red box")
    assert plain(shell("undo", "--list").out) == snapshot("""\
  Mira keeps the keys in a red box
    before: Mira keeps the spare keys in the blue tin
    TIME · corrected · on the command line · ID
  Mira keeps the spare keys in the blue tin
    TIME · remembered · on the command line · ID

Undo one: memoria undo ID
""")
    assert shell("undo", "--yes").out.startswith("Undone: corrected.")
    assert "blue tin" in shell("list").out
    redo = shell.json("undo", "--list")["changes"][0]
    assert (redo["action"], redo["text"]) == ("undo", "Mira keeps the spare keys in the blue tin")
    assert shell.json("undo", redo["id"][-8:], "--yes")["change"]["undone"]
    assert "red box" in shell("list").out


def test_the_command_that_takes_a_change_back_takes_back_that_change_from_any_folder(
    shell: Shell,
) -> None:
    in_blog = {"MEMORIA_WORKSPACE": "blog"}
    shell("remember", "The theme of the blog is Ananke", **in_blog)
    there = ("--tenant", "default", "--workspace", "the shop")
    told = shell(*there, "remember", "The canary of this project runs on port 9000", **in_blog)
    theme = shell("remember", "The blog is printed on Mondays", **in_blog)
    command = told.out.splitlines()[-1].removeprefix("Take it back: memoria ")
    assert theme.out.splitlines()[-1].startswith("Take it back: memoria undo ")
    undone = shell(*shlex.split(command), "--yes", **in_blog)
    assert undone.out.startswith("Undone: remembered.\n  The canary of this project runs")
    assert "Ananke" in shell("list", **in_blog).out


def test_nothing_is_undone_without_a_yes(shell: Shell) -> None:
    shell("remember", "The tent is green")
    asked = shell("undo")
    assert (asked.code, "Undo this?" in asked.err, "The tent is green" in asked.err) == (
        1,
        True,
        True,
    )
    assert "The tent is green" in shell("list").out


def test_what_changes_nothing_says_so_and_offers_no_undo(shell: Shell) -> None:
    told = shell.json("remember", "The tent is green", "--scope", "everywhere")
    idle = ("unpin", "everywhere", "restore", "confirm")
    assert [shell("revise", told["id"], action).out.splitlines()[0] for action in idle] == snapshot(
        [
            "Nothing was changed: it was not pinned.",
            "Nothing was changed: it was seen everywhere already.",
            "Nothing was changed: it was not archived.",
            "Nothing was changed: you had confirmed it; files it names count as of now.",
        ]
    )
    archived = plain(shell("revise", told["id"], "archive").out)
    assert archived.endswith("Take it back: memoria undo ID\n")
    again = shell("revise", told["id"], "archive").out
    assert plain(again) == snapshot("""\
Nothing was changed: it was archived already.
  The tent is green
    fact · archived · confirmed · seen in every project · ID
""")
    note = shell.json("revise", told["id"], "archive")["note"]
    assert note == "Nothing was changed: it was archived already."
    assert shell("undo", "--yes").out.startswith("Undone: archived.")


def test_straight_after_a_forget_an_older_change_is_undone_by_its_id_alone(shell: Shell) -> None:
    shell("remember", "The canoe is blue")
    gone = shell.json("remember", "The oar is red")
    shell("forget", gone["id"], "--yes")
    forget, change, older = shell.json("undo", "--list")["changes"]
    assert (forget["action"], older["text"]) == ("forget", "The canoe is blue")
    for arguments in (["undo"], ["undo", "--yes"], ["undo", "--json"]):
        refused = shell(*arguments)
        assert refused.code == 1
        assert "The last change was a forget for good" in refused.err
        assert "The canoe is blue" in refused.err
        assert f"memoria undo {older['id'][-8:]}" in refused.err
    for named in (forget, change):
        refused = shell("undo", named["id"])
        assert refused.code == 1
        assert "nothing forgotten comes back by an undo" in refused.err
        assert problem(shell("undo", named["id"], "--json"))["kind"] == "forgotten"
    assert "The canoe is blue" in shell("list").out
    undone = shell("undo", older["id"][-8:], "--yes").out
    assert undone.startswith("Undone: remembered.\n  The canoe is blue\n")
    assert shell("undo", "--yes").err == snapshot("""\
error: There is nothing to undo here: all is undone, or was forgotten since.
""")


def test_what_was_done_after_a_forget_is_the_last_change_as_before(shell: Shell) -> None:
    gone = shell.json("remember", "The oar is red")
    shell("forget", gone["id"], "--yes")
    shell("remember", "The canoe is blue")
    assert [one["action"] for one in shell.json("undo", "--list")["changes"]] == [
        "remember",
        "remember",
    ]
    assert shell("undo", "--yes").out.startswith("Undone: remembered.\n  The canoe is blue\n")


def test_a_forget_for_good_says_so_in_the_list_and_by_its_id_also_when_more_was_done(
    shell: Shell,
) -> None:
    gone = shell.json("remember", "The oar is red")
    shell("forget", gone["id"], "--yes")
    forget = shell.json("undo", "--list")["changes"][0]["id"][-8:]
    assert "forgot · for good, can't be undone · " in shell("undo", "--list", COLUMNS="200").out
    for _ in range(2):
        refused = shell("undo", forget)
        assert (refused.code, refused.out) == (1, "")
        assert f"{forget} was a forget for good, which can't be undone" in refused.err
        shell("remember", "The canoe is blue")


def test_after_a_forget_was_undone_it_is_said_how_it_is_forgotten_again(shell: Shell) -> None:
    graceful = Shell(shell.home, {"MEMORIA_FORGET_GRACE_DAYS": "2"})
    told = graceful.json("remember", "The oar is red")
    graceful("forget", told["id"], "--yes")
    undone = graceful("undo", "--yes").out
    assert undone.endswith("To forget it again: memoria forget ID\n")


def test_no_program_is_offered_an_undo_that_would_fail(shell: Shell) -> None:
    told = shell.json("remember", "The canoe is blue")
    change = shell.json("undo", "--list")["changes"][0]["id"]
    shell("revise", told["id"], "correct", "The canoe is green")
    assert "changed again since" in problem(shell("undo", change, "--json"))["message"]
    shell("undo", "--yes")
    undone = shell.json("undo", "--list")["changes"][1]["id"]
    assert "undone already" in problem(shell("undo", undone, "--json"))["message"]


@pytest.mark.parametrize("command", ["undo", "forget"])
def test_where_nobody_answers_it_is_said_how_to_do_without(shell: Shell, command: str) -> None:
    told = shell.json("remember", "The tent is green")
    asked = shell(command, *([told["id"]] if command == "forget" else []))
    assert asked.code == 1
    assert asked.err.endswith(
        "\nNobody has answered, so nothing was done. With --yes nobody is asked.\n"
    )
    assert "The tent is green" in shell("list").out


def test_a_proof_is_listed_words_first_and_shown_by_the_end_of_its_id(shell: Shell) -> None:
    told = shell.json("remember", "The tent is green")
    shell("forget", told["id"][-8:], "--yes", MEMORIA_FORGET_GRACE_DAYS="3")
    first, second = shell("list", "forgotten", COLUMNS="200").out.splitlines()
    assert first.startswith("  hidden until ")
    short = second.rpartition(" · ")[2]
    assert len(short) == 8
    assert shell.json("show", short)["id"].endswith(short)
    assert shell("forget", "--undo", short).out.startswith("Put back: ")
    assert "The tent is green" in shell("list").out


def test_with_json_nobody_is_asked_the_change_and_the_command_for_it_are_shown(
    shell: Shell,
) -> None:
    shell("remember", "帐篷是绿色的")
    asked = shell("undo", "--json")
    assert (asked.code, asked.err, asked.document["status"]) == (1, "", "preview")
    assert asked.document["change"]["text"] == "帐篷是绿色的"
    assert "帐篷是绿色的" in shell("list").out
    program, *words = asked.document["command"].split()
    done = shell(*words)
    assert (program, done.code, done.document["status"]) == ("memoria", 0, "undone")
    assert "帐篷是绿色的" not in shell("list").out


SAID = '{"session_id": "%s", "role": "user", "content": "The kiln was fired on day %s."}\n'


def test_an_import_is_named_with_what_removes_it_and_nothing_older_is_undone_for_it(
    shell: Shell, tmp_path: Path
) -> None:
    shell("remember", "Mira keeps the spare keys in the blue tin")
    chat = tmp_path / "chat.jsonl"
    chat.write_text(SAID % ("kiln one", 1) + SAID % ("kiln one", 2) + SAID % ("two", 3), "utf-8")
    assert shell("import", chat, "--no-wait").code == 0
    refused = shell("undo", "--yes")
    assert refused.code == 1
    assert "The last change was an import, which an undo does not take back" in refused.err
    assert "`memoria forget --session-id 'kiln one'` or `memoria forget --session-id two`" in (
        refused.err
    )
    older = re.search(r"`(memoria undo \w+)`", refused.err)
    assert older
    listed = shell.json("undo", "--list")["changes"]
    assert [(one["action"], one.get("imported")) for one in listed] == [
        ("import", {"turn": 3}),
        ("remember", None),
    ]
    assert "3 turns" in shell("undo", "--list").out
    named = shell("undo", listed[0]["id"], "--yes")
    assert (named.code, "This was an import" in named.err) == (1, True)
    assert "blue tin" in shell("list").out
    assert shell("forget", "--session-id", "kiln one", "--yes").code == 0
    assert shell(*shlex.split(older[1])[1:], "--yes").out.startswith("Undone: remembered.")


def test_an_import_that_brought_nothing_new_leaves_the_last_change_the_last(
    shell: Shell, tmp_path: Path
) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text(SAID % ("one", 1), "utf-8")
    shell("import", chat, "--no-wait")
    shell("remember", "Mira keeps the spare keys in the blue tin")
    shell("import", chat, "--no-wait")
    assert shell("undo", "--yes").out.startswith("Undone: remembered.")
