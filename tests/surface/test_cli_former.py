"""Former verbs and options do what they did, and say on standard error what to type now."""

import json
from pathlib import Path

import pytest
import typer
from tests.docs.pages import DOCS
from tests.surface.shell import Shell

from memoria.surface.cli.commands import FIRST, REST, VERBS
from memoria.surface.cli.former import FORMER_OPTIONS, FORMER_VERBS, SYNONYMS, rename_former
from memoria.surface.cli.main import app

TOLD = (
    {"role": "user", "content": "Liz plays chess on Mondays.", "session_id": "s1"},
    {"role": "user", "content": "Elizabeth leads the choir.", "session_id": "s1"},
)
IN_STEP = (
    (("history", "ID"), ("show", "ID", "--history")),
    (("sessions", "--limit", "1"), ("list", "sessions", "--limit", "1")),
    (("scratchpad", "--session-id", "s1"), ("list", "tasks", "--session-id", "s1")),
    (("audit",), ("list", "forgotten")),
    (("audit", "--limit", "1", "REPORT"), ("show", "REPORT")),
    (("graph", "Liz", "--hops", "2", "--limit=5"), ("show", "Liz", "--hops", "2", "--limit=5")),
    (("queue", "list"), ("model", "queue", "list")),
    (("schedule", "install", "--print", "--with", "cron"),
     ("nightly", "schedule", "install", "--dry-run", "--with", "cron")),
    (("schedule", "show"), ("nightly", "schedule", "show")),
    (("nightly", "show", "RUN"), ("show", "RUN")),
    (("list", "--types", "rule", "--types=fact"), ("list", "--type", "rule", "--type=fact")),
    (("search", "chess", "--types", "fact", "--queries", "board games"),
     ("search", "chess", "--type", "fact", "--query", "board games")),
    (("traces", "chess", "--queries", "games"), ("traces", "chess", "--query", "games")),
    (("forget", "--types", "rule", "--dry-run"), ("forget", "--type", "rule", "--dry-run")),
)  # fmt: skip
"""Former lines that only read, and what they are now."""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The command on a home in which something was said, forgotten and run at night."""
    place = tmp_path_factory.mktemp("former")
    shell = Shell(place / "home", {"MEMORIA_FORGET_GRACE_DAYS": "2"})
    shell.begin()
    file = place / "chat.jsonl"
    file.write_text("".join(json.dumps(turn) + "\n" for turn in TOLD), "utf-8")
    shell("import", file)
    for name in ("Liz", "Elizabeth"):
        shell("remember", f"{name} has a green bicycle", "--entity", name)
    gone = shell.json("remember", "The oar is red")["id"]
    shell("forget", gone, "--yes")
    shell("nightly")
    return shell


@pytest.fixture(scope="module")
def ids(shell: Shell) -> dict[str, str]:
    """What stands for an id in a line."""
    return {
        "ID": shell.json("list")["memories"][0]["id"],
        "REPORT": shell.json("list", "forgotten")["reports"][0]["id"],
        "RUN": shell.json("nightly", "runs")["runs"][0]["id"],
    }


@pytest.mark.parametrize(("former", "now"), IN_STEP, ids=lambda line: " ".join(line[:2]))
def test_a_former_line_prints_what_the_present_one_does_and_says_its_name(
    former: tuple[str, ...], now: tuple[str, ...], shell: Shell, ids: dict[str, str]
) -> None:
    of_old, of_today = (
        shell(*(ids.get(word, word) for word in line), "--json") for line in (former, now)
    )
    assert (of_old.code, of_today.code, of_today.err) == (0, 0, "")
    assert of_old.document == of_today.document
    notes = of_old.err.splitlines()
    assert notes
    assert all(note.startswith("note: `") and note.endswith(" now.") for note in notes)


def test_names_are_joined_and_parted_as_they_were(shell: Shell) -> None:
    joined = shell("graph", "Liz", "--same", "Elizabeth", "--json")
    assert "`memoria revise NAME same NAME` now." in joined.err
    assert joined.document == shell.json("show", "Elizabeth")
    parted = shell("graph", "--apart", "Elizabeth", "--", "Liz")
    assert (parted.code, "`memoria graph` is " in parted.err) == (0, True)
    assert shell.json("show", "Elizabeth") != shell.json("show", "Liz")
    assert shell.json("revise", "Liz", "same", "Elizabeth") == shell.json("show", "Liz")
    assert shell.json("revise", "Liz", "apart", "Elizabeth") == shell.json("show", "Liz")
    alone = shell("revise", "Liz", "same")
    assert (alone.code, "memoria revise NAME same NAME" in alone.err) == (1, True)


def test_what_wrote_goes_on_writing_and_answers_as_it_did(home: Path) -> None:
    shell = Shell(home, {"MEMORIA_FORGET_GRACE_DAYS": "2"})
    told = shell("remember", "The kiln is hot", "--valid-from", "2026-01-02", "--json")
    assert told.err == "note: `--valid-from` is `--since` now.\n"
    assert "2026-01-02" in shell("show", told.document["id"]).out
    shell("forget", told.document["id"], "--yes")
    report = shell.json("list", "forgotten")["reports"][0]["id"]
    back = shell("forget", "--undo", report, "--json")
    assert (back.code, back.document["id"], back.document["state"]) == (0, report, "restored")
    assert back.err == "note: `--undo` is `memoria undo ID` now.\n"
    run = shell.json("nightly")["id"]
    undone = shell("nightly", "undo", run, "--json")
    assert (undone.code, undone.document["run_ids"]) == (0, [run])
    assert shell("queue", "run").err.startswith(
        "note: `memoria queue` is `memoria model queue` now."
    )


def test_what_a_scheduler_was_given_by_any_version_says_nothing(shell: Shell) -> None:
    ran = shell("nightly", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_words_that_look_like_former_ones_are_words() -> None:
    for line in (["remember", "--", "--types"], ["search", "history"], ["show", "graph"]):
        assert rename_former(line) == line


def test_a_former_verb_is_in_no_list_and_its_help_is_that_of_today(shell: Shell) -> None:
    listed = shell("--help", COLUMNS="100").out
    first, rest = listed.index("What people need first"), listed.index("Everything else")
    places = [listed.index(f"│ {name} ") for name in (*FIRST, *REST)]
    assert places == sorted(places)
    assert [first < place < rest for place in places] == [True] * 14 + [False] * len(REST)
    assert not {*FORMER_VERBS} & {*FIRST, *REST}
    assert "memoria model queue run [OPTIONS]" in shell("queue", "run", "--help").out
    assert "--types" not in shell("search", "--help").out


def test_every_former_option_belongs_to_a_command_and_has_an_heir() -> None:
    for path, options in FORMER_OPTIONS.items():
        command = typer.main.get_command(app)
        for word in path.split():
            command = command.commands[word]  # type: ignore[attr-defined]
        known = {one for option in command.params for one in option.opts}
        for former, option in options.items():
            assert (former in known, option.now in known) == (
                not option.is_renamed,
                option.is_renamed,
            )


def test_the_guide_names_every_former_verb_and_option_once_with_what_it_is_now() -> None:
    page = (DOCS / "guide" / "command-line.md").read_text("utf-8")
    table = page.partition("<!-- former -->\n")[2].partition("\n\n")[0]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines()[2:]]
    expected = {f"`{former}`": verb.now for former, verb in FORMER_VERBS.items()}
    for options in FORMER_OPTIONS.values():
        expected |= {f"`… {former}`": f"`{one.now}`" for former, one in options.items()}
    assert dict(rows) == expected
    assert len(rows) == len(expected)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("delete", "0c70cfd1"), "There is no `memoria delete`. Type: memoria forget ID"),
        (("edit", "0c70cfd1", "new"), 'Type: memoria revise ID correct "…".'),
        (("projects",), "Type: memoria workspace list."),
        (("list", "projects"), "no `memoria list projects`. Type: memoria workspace"),
        (("version",), "Type: memoria --version."),
        (("config", "get", "tenant"), "There is no `memoria config get`. Type: memoria config"),
        (("private", "status"), "Type: memoria private."),
    ],
)
def test_a_word_of_another_program_is_answered_with_ours(
    begun: Shell, typed: tuple[str, ...], meant: str
) -> None:
    refused = begun(*typed)
    assert (refused.code, refused.out) == (2, "")
    assert meant in refused.err
    assert refused.err.count("\n") == 1


def test_no_synonym_is_a_command_and_each_names_one() -> None:
    assert not {*SYNONYMS} & {*VERBS, *FORMER_VERBS}
    named = {line.partition("memoria ")[2].split()[0].strip(",") for line in SYNONYMS.values()}
    assert named <= {*VERBS, "--version"}


def test_help_and_a_command_is_the_help_of_that_command(begun: Shell) -> None:
    assert begun("help").out == begun("--help").out
    assert begun("help", "search").out == begun("search", "--help").out
    assert begun("help", "model", "queue").out == begun("model", "queue", "--help").out


def test_new_words_in_the_place_of_an_action_are_told_where_they_belong(begun: Shell) -> None:
    told = begun.json("remember", "The oar is red")
    refused = begun("revise", told["id"], "The oar is blue")
    assert refused.code == 2
    assert 'To give a memory new words: memoria revise ID correct "…".' in refused.err


def test_a_limit_has_a_short_name_and_a_group_of_lists_lists(begun: Shell) -> None:
    for oar in ("red", "blue"):
        begun("remember", f"One oar is {oar}")
    assert len(begun.json("list", "-n", "1")["memories"]) == 1
    assert begun("workspace").out == begun("workspace", "list").out
    assert begun.json("workspace") == begun.json("workspace", "list")
    assert begun("model", "queue").out == begun("model", "queue", "list").out
    for line in (
        ("review",),
        ("nightly", "runs"),
        ("list", "sessions"),
        ("model", "queue", "list"),
    ):
        assert begun(*line, "-n", "1").code == 0


def test_half_the_name_of_a_client_is_completed(begun: Shell) -> None:
    assert "Did you mean claude-code or claude-desktop?" in begun("connect", "claude").err
    assert "Did you mean cursor?" in begun("connect", "curser").err
