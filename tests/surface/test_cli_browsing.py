"""`memoria list` and `memoria list sessions`: what there is, page by page."""

import json
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

import anyio
import pytest
from inline_snapshot import snapshot
from rich.cells import cell_len
from tests.surface.shell import Shell

import memoria
from memoria.config import Settings

LONG = "The spare keys of the boathouse hang behind the calendar that Mira brought from Ghent"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The command on a home that is only read."""
    home = tmp_path_factory.mktemp("browsing") / "home"
    anyio.run(partial(_fill, home))
    return Shell(home, {"MEMORIA_TIME_ZONE": "UTC", "MEMORIA_PRIVATE_WORKSPACES": "diary"})


async def _fill(home: Path) -> None:
    settings = Settings(home=home, embedder="off", private_workspaces=("diary",))
    async with memoria.open(settings=settings) as m:
        await m.remember(LONG, valid_from="2026-03-01", entities=["Mira"])
        await m.remember("Answer in French", type="rule", valid_from="2026-03-02", task="letters")
        tea = await m.remember("Mira drinks tea", valid_from="2026-03-02", entities=["Mira"])
        await m.revise_memory(tea.id, "archive")
        await m.remember("The build runs on Sundays", valid_from="2026-03-03", workspace="boat")
        await m.remember("I am afraid of the sea", valid_from="2026-03-03", workspace="diary")
        told = [
            ("s1", "Which varnish is best for the deck of a small boat?", "2026-03-01T08:00:00Z"),
            ("s1", "And how many coats does it need?", "2026-03-02T09:30:00Z"),
            ("s2", "周末去划船吗？", "2026-03-05T10:00:00Z"),
        ]
        for session, text, at in told:
            turn = {"session_id": session, "role": "user", "content": text, "at": at}
            await m.record_conversation([turn])
        gone = {"session_id": "s3", "role": "user", "content": "Nobody reads this"}
        await m.record_conversation([gone])
        await m.forget_memory(session_id="s3", include_source=True)


def texts(shell: Shell, *options: str) -> list[str]:
    return [one["text"] for one in shell.json("list", *options)["memories"]]


def without_ids(page: str) -> str:
    """The page without the last part of what is said below a text, which is an id."""
    lines = (
        line.rpartition(" · ") if line.startswith("    ") else (line,) for line in page.split("\n")
    )
    return "\n".join(parts[0] for parts in lines)


def test_memories_are_listed_by_day_text_first_and_id_last(shell: Shell) -> None:
    page = shell("list", COLUMNS="60").out
    assert without_ids(page) == snapshot("""\
2026-03-02
  Answer in French
    rule · task letters

2026-03-01
  The spare keys of the boathouse hang behind the calendar
  that Mira brought from Ghent
    fact

2 memories
1 memory more in other projects: --workspace '*'
See where one comes from: memoria show ID
""")
    newest = shell.json("list")["memories"][0]
    assert newest["id"].endswith(page.split("\n")[2].rpartition(" · ")[2])


def test_sessions_are_listed_by_the_day_on_which_they_ended(shell: Shell) -> None:
    assert shell("list", "sessions", COLUMNS="60").out == snapshot("""\
2026-03-05
  周末去划船吗？
    10:00 UTC · 1 turn · 0 memories · library · s2

2026-03-02
  Which varnish is best for the deck of a small boat?
    2026-03-01 08:00 to 09:30 UTC · 2 turns · 0 memories ·
    library · s1

2 sessions
Read one: memoria show ID
""")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--type", "rule"), ["Answer in French"]),
        (("--task", "LETTERS"), ["Answer in French"]),
        (("--entity", "mira"), [LONG]),
        (("--entity", "mira", "--state", "any"), ["Mira drinks tea", LONG]),
        (("--state", "archived"), ["Mira drinks tea"]),
        (("--since", "2026-03-02"), ["Answer in French"]),
        (("--until", "2026-03-02"), [LONG]),
        (("--workspace", "boat", "--limit", "1"), ["The build runs on Sundays"]),
        (("--workspace", "*", "--limit", "1"), ["The build runs on Sundays"]),
        (("--workspace", "diary", "--limit", "1"), ["I am afraid of the sea"]),
    ],
)
def test_a_list_is_narrowed_by_what_memories_are(
    shell: Shell, options: tuple[str, ...], expected: list[str]
) -> None:
    assert texts(shell, *options) == expected


def test_what_is_in_other_projects_is_counted_but_never_what_is_private(shell: Shell) -> None:
    assert shell.json("list")["elsewhere"] == 1
    assert "1 memory more in other projects: --workspace '*'" in shell("list").out
    everywhere = shell.json("list", "--workspace", "*")
    assert (everywhere["total"], everywhere["elsewhere"]) == (3, 0)
    assert "afraid" not in str(everywhere)


def test_pages_together_are_the_whole_list_and_each_names_the_next(shell: Shell) -> None:
    whole = texts(shell, "--state", "any", "--workspace", "*")
    pages = [
        texts(shell, "--state", "any", "--workspace", "*", "--limit", "1", "--page", str(page))
        for page in range(1, len(whole) + 1)
    ]
    assert [text for page in pages for text in page] == whole
    first = shell("list", "--limit", "1").out
    assert "\n1 to 1 of 2 memories\nThe next page: --limit 1 --page 2\n" in first
    beyond = shell("list", "--page", "9").out
    assert beyond.startswith("There is no such page; 2 memories in all.\n")


def test_what_is_forgotten_is_listed_nowhere_and_a_session_without_turns_is_none(
    shell: Shell,
) -> None:
    assert [one["session_id"] for one in shell.json("list", "sessions")["sessions"]] == ["s2", "s1"]


def test_a_name_that_nothing_speaks_of_is_no_empty_list(shell: Shell) -> None:
    missing = shell("list", "--entity", "Bob")
    assert (missing.code, missing.out) == (1, "")
    assert "memoria search Bob" in missing.err


def test_an_empty_list_says_how_something_gets_into_it(home: Path) -> None:
    shell = Shell(home)
    shell("remember", "Anna likes tea")
    shell("undo", "--yes")
    for command in ("list", "sessions"):
        said = shell(command).out
        assert "memoria remember" in said
        assert "memoria import --all" in said


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal_and_no_word_is_cut(shell: Shell, columns: int) -> None:
    for command in ("list", "sessions"):
        lines = shell(command, COLUMNS=str(columns)).out.split("\n")
        assert max(map(cell_len, lines)) <= columns
    assert set(LONG.split()) <= set(shell("list", COLUMNS=str(columns)).out.split())


def test_a_session_is_shown_by_the_beginning_of_its_id_page_by_page(home: Path) -> None:
    anyio.run(partial(_talk, home))
    shell = Shell(home, {"MEMORIA_TIME_ZONE": "UTC", "COLUMNS": "80"})
    listed = shell("list", "sessions").out
    assert "0198c0de-1" in listed
    assert "0198c0de-1111" not in listed, "no more of an id is printed than is needed"
    page = shell("show", "0198c0de-1").out
    assert page.startswith("session 0198c0de-1111-7000-8000-000000000001\n\n  Question 0\n")
    assert page.endswith("1 to 20 of 21 turns\nThe next page: --page 2\n")
    assert "第二十个问题" in shell("show", "0198c0de-1", "--page", "2").out
    assert shell.json("show", "0198c0de-2")["total"] == 1
    several = shell("show", "0198c0de-")
    assert several.code == 1
    assert "0198c0de-1, 0198c0de-2. Give more" in several.err
    assert "error: No memory, turn or session is called nothing," in shell("show", "nothing").err


async def _talk(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        for n in range(21):
            words = "第二十个问题" if n == 20 else f"Question {n}"
            turn = {"role": "user", "content": words, "at": "2026-03-01T08:00:00Z"}
            await m.record_conversation([turn], session_id="0198c0de-1111-7000-8000-000000000001")
        turn = {"role": "user", "content": "Another", "at": "2026-03-01T09:00:00Z"}
        await m.record_conversation([turn], session_id="0198c0de-2222-7000-8000-000000000002")


def test_every_option_that_names_a_session_takes_the_beginning_of_its_id(home: Path) -> None:
    anyio.run(partial(_talk, home))
    shell = Shell(home, {"MEMORIA_TIME_ZONE": "UTC", "COLUMNS": "80"})
    for command in (("search",), ("traces",)):
        hits = shell.json(*command, "第二十个问题", "--session-id", "0198c0de-1")["hits"]
        assert hits[0]["source"]["session_id"].startswith("0198c0de-1111")
        (other,) = shell.json(*command, "第二十个问题", "--session-id", "0198c0de-2")["hits"]
        assert (other["text"], other["shown_as"]) == ("Another", "nearest")
    package = shell.json("context", "What now?", "--session-id", "0198c0de-2")
    assert "Another" in package["last_turns"]
    preview = shell.json("forget", "--session-id", "0198c0de-2", "--include-source", "--dry-run")
    assert [one["text"] for one in preview["items"]] == ["Another"]
    several = shell("search", "question", "--session-id", "0198c0de-")
    assert several.code == 1
    assert "0198c0de-1, 0198c0de-2. Give more" in several.err


def test_what_waits_for_the_users_word_is_told_where_one_looks_until_they_have_said_it(
    home: Path,
) -> None:
    shell = Shell(home, {"MEMORIA_PERSONAL_DATA": "phone=confirm"}).begin()
    told = "1 waits for your word: memoria review"
    assert told not in shell("list").out
    turn = {"role": "user", "content": "记住：手机号换成 13900001111 了"}

    async def say() -> None:
        settings = Settings(home=home, embedder="off", personal_data="phone=confirm")
        async with memoria.open(settings=settings) as m:
            await m.record_conversation([turn], session_id="s")

    anyio.run(say)
    assert shell("list").out.rstrip().endswith(told)
    assert told not in shell("list", "--type", "fact").out
    assert told in shell("search", "which boat do I own?").out
    (waiting,) = shell.json("review")["pending"]
    shell.json("revise", waiting["id"], "confirm")
    assert told not in shell("list").out


SESSIONS = ("Ada", "Ada-and-more", "beadle-1", "cafe-1", "cafe-2")


@pytest.fixture(scope="module")
def rain(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The command on a home whose sessions begin as names do."""
    place = tmp_path_factory.mktemp("show")
    rain = Shell(place / "home", {"MEMORIA_TIME_ZONE": "UTC", "COLUMNS": "80"}).begin()
    file = place / "chat.jsonl"
    turns = ({"role": "user", "content": f"Rain in {one}.", "session_id": one} for one in SESSIONS)
    file.write_text("".join(json.dumps(turn) + "\n" for turn in turns), "utf-8")
    rain("import", file)
    for name in ("Bea", "Cafe", "Bea Long"):
        rain("remember", f"{name} keeps two canoes", "--entity", name)
    return rain


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
    typed: tuple[str, ...], kind: str, rain: Shell
) -> None:
    assert kind in rain.json("show", *typed)


def test_what_several_sessions_begin_with_names_them(rain: Shell) -> None:
    several = rain("show", "caf")
    assert (several.code, several.out) == (1, "")
    assert "Several sessions begin with caf: cafe-1, cafe-2" in several.err


def test_a_proof_and_a_night_are_shown_by_the_end_of_their_ids(rain: Shell) -> None:
    gone = rain.json("remember", "The oar is red")["id"]
    rain("forget", gone, "--yes")
    report = rain.json("list", "forgotten")["reports"][0]
    night = rain.json("nightly")
    assert rain.json("show", report["id"][-8:])["id"] == report["id"]
    assert rain.json("show", night["id"][-8:])["run"]["id"] == night["id"]
    assert rain("show", night["id"][-8:]).out.startswith("Nightly maintenance of ")


def test_an_id_that_was_forgotten_says_so_and_one_of_nothing_is_an_error(rain: Shell) -> None:
    gone = rain.json("remember", "The paddle is blue")["id"]
    rain("forget", gone, "--yes")
    assert "was forgotten" in rain("show", gone).err
    assert rain("show", "0" * 12).err.startswith("error: There is no memory ")
    assert rain("show", gone, "--history").code == 1


def test_options_before_a_kind_of_list_are_not_lost_in_silence(rain: Shell) -> None:
    misplaced = rain("list", "--since", "2026-01-01", "sessions")
    assert (misplaced.code, misplaced.out) == (2, "")
    assert "Options stand behind sessions; see memoria list sessions --help" in misplaced.err


def test_a_night_is_listed_among_what_can_be_undone_and_undone_by_its_id(home: Path) -> None:
    rain = Shell(home, {"MEMORIA_TIME_ZONE": "UTC"}).begin()
    assert rain("undo", "--list").out.startswith("There is nothing to undo here")
    rain("remember", "The tent is green")
    night = rain.json("nightly")["id"]
    listed = rain.json("undo", "--list")
    assert [one["action"] for one in listed["changes"]] == ["remember"]
    assert [one["id"] for one in listed["nights"]] == [night]
    text = rain("undo", "--list").out
    assert text.index("Nightly maintenance: ") < text.index("The tent is green")

    asked = rain("undo", night[-8:])
    assert (asked.code, "Undo this?" in asked.err) == (1, True)
    preview = rain.json("undo", night, code=1)
    assert (preview["status"], [one["id"] for one in preview["nights"]]) == ("preview", [night])
    assert "nights" in rain.json("undo", "--list")

    program, *words = preview["command"].split()
    assert (program, rain(*words).document["run_ids"]) == ("memoria", [night])
    assert "nights" not in rain.json("undo", "--list")
    again = rain("undo", night, "--yes")
    assert (again.code, "undone already" in again.err) == (1, True)
    assert "There is no change x here." in rain("undo", "x").err


def test_without_an_id_no_night_is_undone(home: Path) -> None:
    rain = Shell(home).begin()
    rain("remember", "The tent is green")
    night = rain.json("nightly")["id"]
    assert rain("undo", "--yes").out.startswith("Undone: remembered.")
    assert rain("undo", "--yes").code == 1
    assert [one["id"] for one in rain.json("undo", "--list")["nights"]] == [night]


TODAY = datetime.now(UTC).date()
OLD = str(TODAY - timedelta(days=40))


@pytest.fixture
def dated(home: Path) -> Shell:
    dated = Shell(home, {"MEMORIA_TIME_ZONE": "UTC"})
    dated("remember", "The oar is red", "--since", OLD)
    dated("remember", "The tent is green", "--since", "three days ago")
    return dated


@pytest.mark.parametrize("words", ["last week", "two weeks ago", "上周", str(TODAY - timedelta(9))])
def test_words_name_the_first_moment_of_their_time(dated: Shell, words: str) -> None:
    late = [one["text"] for one in dated.json("list", "--since", words)["memories"]]
    early = [one["text"] for one in dated.json("list", "--until", words)["memories"]]
    assert (late, early) == (["The tent is green"], ["The oar is red"])
    found = dated.json("search", "tent", "--since", words)["hits"]
    assert [one["text"] for one in found] == ["The tent is green"]
    assert dated("search", "tent", "--as-of", words).code == 0
    assert dated("forget", "--since", words, "--dry-run").code == 0
    assert dated("nightly", "--since", words, "--dry-run").code == 0


def test_since_of_a_statement_is_the_day_that_is_named(dated: Shell) -> None:
    (tent,) = dated.json("list", "--since", "four days ago")["memories"]
    since = dated.json("show", tent["id"])["versions"][0]["valid_from"][:10]
    # Midnight may lie between the import of this file, the statement and this line.
    days = (TODAY, datetime.now(UTC).date())
    assert days[0] <= date.fromisoformat(since) + timedelta(days=3) <= days[1]


def test_words_that_are_no_time_are_refused_as_they_were_typed(dated: Shell) -> None:
    refused = dated("list", "--since", "some day")
    assert (refused.code, "'some day' is not a date or time" in refused.err) == (1, True)


SHOP = "The canary of this project runs on port 9000"


@pytest.fixture
def projects(home: Path) -> Shell:
    projects = Shell(home, {"MEMORIA_WORKSPACE": "none"}).begin()
    projects("--workspace", "/src/shop", "remember", SHOP, "--scope", "project")
    projects("--workspace", "/src/blog", "remember", "The blog is on paper", "--scope", "project")
    return projects


def names(projects: Shell) -> list[str]:
    return [one["name"] for one in projects.json("workspace", "list")["projects"]]


def test_a_project_is_named_by_its_folder_where_only_one_is_called_so(projects: Shell) -> None:
    for line in (("--workspace", "shop", "list"), ("list", "--workspace", "shop")):
        listed = projects(*line)
        assert (SHOP in listed.out, listed.err) == (True, "")
    assert SHOP in projects("--workspace", "shop", "search", "canary").out
    assert SHOP in projects("search", "canary", "--workspace", "shop").out
    projects("--workspace", "shop", "remember", "The shop is red", "--scope", "project")
    assert names(projects) == ["/src/blog", "/src/shop"]
    projects("--workspace", "/old/shop", "remember", "The shop is old", "--scope", "project")
    refused = projects("--workspace", "shop", "list")
    assert refused.code == 1
    assert "2 projects are in folders called shop: /old/shop, /src/shop." in refused.err


def test_a_misspelt_project_is_told_and_only_what_is_kept_makes_one(
    projects: Shell, tmp_path: Path
) -> None:
    note = "note: no project is called shpo yet."
    near = "Did you mean shop? See: memoria workspace list\n"
    for line in (("--workspace", "shpo", "list"), ("list", "--workspace", "shpo")):
        assert projects(*line).err == f"{note} {near}"
    assert names(projects) == ["/src/blog", "/src/shop"]
    kept = projects("--workspace", "shpo", "remember", "The oar is red", "--scope", "project")
    assert kept.err == f"{note} It begins with this. {near}"
    assert projects("--workspace", "shpo", "list").err == ""
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps({"role": "user", "content": "Hello", "session_id": "s"}), "utf-8")
    projects("--workspace", "shop", "import", chat)
    assert names(projects) == ["/src/blog", "/src/shop", "shpo"]


def test_the_first_project_of_a_home_is_named_without_a_word(home: Path) -> None:
    first = Shell(home)("--workspace", "shop", "remember", "The oar is red")
    assert (first.code, first.err) == (0, "")
