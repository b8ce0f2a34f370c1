"""`memoria show` finds whatever an id or a name means; `memoria undo` takes back nights, too."""

import json
from pathlib import Path

import pytest
from tests.surface.shell import Shell

SESSIONS = ("Ada", "Ada-and-more", "beadle-1", "cafe-1", "cafe-2")


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The command on a home whose sessions begin as names do."""
    place = tmp_path_factory.mktemp("show")
    shell = Shell(place / "home", {"MEMORIA_TIME_ZONE": "UTC", "COLUMNS": "80"}).begin()
    file = place / "chat.jsonl"
    turns = ({"role": "user", "content": f"Rain in {one}.", "session_id": one} for one in SESSIONS)
    file.write_text("".join(json.dumps(turn) + "\n" for turn in turns), "utf-8")
    shell("import", file)
    for name in ("Bea", "Cafe", "Bea Long"):
        shell("remember", f"{name} keeps two canoes", "--entity", name)
    return shell


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        (("Ada",), "session_id"),  # a whole id
        (("Bea",), "entity"),  # a name before the beginning of an id
        (("bea", "long"), "entity"),  # quotes are not needed
        (("Cafe",), "entity"),  # also where several sessions begin so
        (("beadle",), "session_id"),
    ],
)
def test_a_name_comes_before_the_beginning_of_a_session(
    typed: tuple[str, ...], kind: str, shell: Shell
) -> None:
    assert kind in shell.json("show", *typed)


def test_what_several_sessions_begin_with_names_them(shell: Shell) -> None:
    several = shell("show", "caf")
    assert (several.code, several.out) == (1, "")
    assert "Several sessions begin with caf: cafe-1, cafe-2" in several.err


def test_a_proof_and_a_night_are_shown_by_the_end_of_their_ids(shell: Shell) -> None:
    gone = shell.json("remember", "The oar is red")["id"]
    shell("forget", gone, "--yes")
    report = shell.json("list", "forgotten")["reports"][0]
    night = shell.json("nightly")
    assert shell.json("show", report["id"][-8:])["id"] == report["id"]
    assert shell.json("show", night["id"][-8:])["run"]["id"] == night["id"]
    assert shell("show", night["id"][-8:]).out.startswith("Nightly maintenance of ")


def test_an_id_that_was_forgotten_says_so_and_one_of_nothing_is_an_error(shell: Shell) -> None:
    gone = shell.json("remember", "The paddle is blue")["id"]
    shell("forget", gone, "--yes")
    assert "was forgotten" in shell("show", gone).err
    assert shell("show", "0" * 12).err.startswith("error: There is no memory ")
    assert shell("show", gone, "--history").code == 1


def test_options_before_a_kind_of_list_are_not_lost_in_silence(shell: Shell) -> None:
    misplaced = shell("list", "--since", "2026-01-01", "sessions")
    assert (misplaced.code, misplaced.out) == (2, "")
    assert "Options stand behind sessions; see memoria list sessions --help" in misplaced.err


def test_a_night_is_listed_among_what_can_be_undone_and_undone_by_its_id(home: Path) -> None:
    shell = Shell(home, {"MEMORIA_TIME_ZONE": "UTC"}).begin()
    assert shell("undo", "--list").out.startswith("There is nothing to undo here")
    shell("remember", "The tent is green")
    night = shell.json("nightly")["id"]
    listed = shell.json("undo", "--list")
    assert [one["action"] for one in listed["changes"]] == ["remember"]
    assert [one["id"] for one in listed["nights"]] == [night]
    text = shell("undo", "--list").out
    assert text.index("Nightly maintenance: ") < text.index("The tent is green")

    asked = shell("undo", night[-8:])
    assert (asked.code, "Undo this?" in asked.err) == (1, True)
    preview = shell.json("undo", night, code=1)
    assert (preview["status"], [one["id"] for one in preview["nights"]]) == ("preview", [night])
    assert "nights" in shell.json("undo", "--list")

    program, *words = preview["command"].split()
    assert (program, shell(*words).document["run_ids"]) == ("memoria", [night])
    assert "nights" not in shell.json("undo", "--list")
    again = shell("undo", night, "--yes")
    assert (again.code, "undone already" in again.err) == (1, True)
    assert "There is no change x here." in shell("undo", "x").err


def test_without_an_id_no_night_is_undone(home: Path) -> None:
    shell = Shell(home).begin()
    shell("remember", "The tent is green")
    night = shell.json("nightly")["id"]
    assert shell("undo", "--yes").out.startswith("Undone: remembered.")
    assert shell("undo", "--yes").code == 1
    assert [one["id"] for one in shell.json("undo", "--list")["nights"]] == [night]
