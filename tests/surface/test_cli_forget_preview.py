"""On the command line a forget does what its preview has shown, and nothing else."""

from dataclasses import replace

from tests.surface.shell import Shell

ONE = "Harbor go-live is 12 April 2027"
SAME = "harbor go-live is 12 april 2027."


def test_a_near_duplicate_is_shown_before_it_is_forgotten_and_can_be_kept(shell: Shell) -> None:
    one = shell.json("--workspace", "red", "remember", ONE)["id"]
    same = shell.json("--workspace", "blue", "remember", SAME)["id"]
    asked = shell("forget", same)
    assert asked.code == 1
    for shown in (one, same, ONE, SAME, "1 memory, 1 duplicate"):
        assert shown in asked.err
    dry = shell.json("forget", same, "--dry-run")
    assert {item["id"] for item in dry["items"]} == {one, same}
    third = shell.json("--workspace", "green", "remember", SAME)["id"]
    stale = shell("forget", same, "--token", dry["token"])
    assert stale.code == 1
    assert third in stale.out
    assert "changed since it was shown" in stale.err
    kept = ("--keep", one, "--keep", third)
    token = shell.json("forget", same, *kept, "--dry-run")["token"]
    assert shell.json("forget", same, *kept, "--token", token)["memories"] == [same]
    assert shell.json("show", one)["id"] == one
    assert set(shell.json("forget", third, "--yes")["memories"]) == {one, third}


def test_the_audit_shows_what_left_which_index_and_no_word_of_it(shell: Shell) -> None:
    kept = shell.json("remember", ONE)["id"]
    assert shell("audit").out == "Nothing was forgotten since proofs are kept.\n"
    done = shell.json("forget", kept, "--yes", "--reason", "asked to")
    (listed,) = shell.json("audit")["reports"]
    assert listed["id"] == done["report"]["id"]
    report = shell.json("audit", listed["id"])
    assert report["items"] == {"memory": 1}
    assert report["removed"]["memories"] == report["removed"]["full text"] == 1
    assert report["remaining"] == {}
    assert report["selected_by"] == ["ids"]
    assert len(report["digests"]) == 1
    assert report["state"] == "erased"
    for text in (shell("audit").out, shell("audit", listed["id"]).out):
        assert "nothing left" in text
        assert "arbor" not in text
    assert shell("audit", "nobody").code == 1


def test_with_a_period_of_grace_a_forget_is_undone_from_the_command_line(shell: Shell) -> None:
    kept = shell.json("remember", ONE)["id"]
    graceful = replace(shell, environment={"MEMORIA_FORGET_GRACE_DAYS": "7"})
    hidden = graceful.json("forget", kept, "--yes")
    assert hidden["status"] == "hidden"
    report = hidden["report"]["id"]
    assert f"hidden until {hidden['report']['purge_at']}" in shell("audit").out
    assert shell("show", kept).code == 1
    assert "Put back" in shell("forget", "--undo", report).out
    assert shell.json("show", kept)["id"] == kept
    assert "restored" in shell("audit").out
    assert shell("forget", "--undo", report).code == 1


def test_what_is_private_stays_so_after_everything_was_forgotten(shell: Shell) -> None:
    assert shell("--workspace", "den", "private", "on").code == 0
    shell.json("--workspace", "red", "remember", ONE)
    assert shell("forget", "--everything", "--yes").code == 0
    assert "den" in shell("private").out
