"""What is on record of a project is seen wherever it was moved, and by no other project."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client
from tests.databases import read_text
from tests.surface.shell import Output, Shell

import memoria.surface.hook
from memoria.app import open_memoria
from memoria.bare.kept import BRIEFING, read_kept
from memoria.bare.project_registry import REGISTRY, read_projects
from memoria.bare.projects import note_project
from memoria.config import Settings
from memoria.surface.mcp.instructions import keep_once_closed
from memoria.surface.mcp.server import build_server

HOOK = Path(memoria.surface.hook.__file__).parent / "__main__.py"
RULE = "The build command of this repo is make walnut"
At = Callable[..., Output]


def begin(folder: Path, remote: str = "") -> Path:
    """A repository as git begins one."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n')
    return folder.resolve()


@pytest.fixture
def at(home: Path, monkeypatch: pytest.MonkeyPatch) -> At:
    """Runs a command in a folder."""

    def run(folder: Path, *words: str, **environment: str) -> Output:
        monkeypatch.chdir(folder)
        return Shell(home, environment)(*words)

    return run


def test_what_was_remembered_is_found_where_the_project_was_moved_and_it_is_said_once(
    tmp_path: Path, at: At
) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    moved = lantern.rename(tmp_path / "lantern v2")
    found = at(moved, "search", "build command")
    assert RULE in found.out
    assert found.err == (
        f"note: {moved.resolve()} is the project that was in {lantern}: it was moved, and its "
        "memories with it.\n"
    )
    again = at(moved, "search", "build command")
    assert (RULE in again.out, again.err) == (True, "")
    assert RULE not in at(begin(lantern), "search", "build command").out


def test_a_project_that_was_moved_is_told_by_the_folder_in_which_it_is_now(
    tmp_path: Path, at: At
) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    at(lantern, "nightly")
    assert f"in the project {lantern} alone" in at(lantern, "context").out
    moved = lantern.rename(tmp_path / "torch")
    at(moved, "remember", "The torch of this repo is red", "--scope", "project")
    for night in (False, True):
        if night:
            at(moved, "nightly")
        for words in (("list",), ("context",), ("list", "sessions")):
            told = at(moved, *words, COLUMNS="400").out
            assert (str(moved) in told, str(lantern) in told) == (words[-1] != "sessions", False)
    found = " ".join(at(tmp_path, "--workspace", "*", "search", "repo").out.split())
    assert (f"workspace {moved}" in found, str(lantern) in found) == (True, False), found
    twice = at(moved, "workspace", "join", ".", str(moved)).err
    assert f"Both are one project already: {moved}." in " ".join(twice.split())


def test_a_second_clone_is_told_where_the_first_is_by_now(tmp_path: Path, at: At) -> None:
    lantern = begin(tmp_path / "lantern", "https://example.org/lantern.git")
    at(lantern, "remember", "--type", "rule", RULE)
    moved = lantern.rename(tmp_path / "torch").resolve()
    at(moved, "search", "build")
    clone = begin(tmp_path / "clone", "https://example.org/lantern.git")
    told = " ".join(at(clone, "search", "build").err.split())
    assert f"another clone of {moved}, and" in told
    assert f"memoria workspace join {clone} {moved}" in told


@pytest.mark.sqlite("nothing is kept beside a database")
def test_a_briefing_kept_before_a_move_does_not_name_the_former_folder(
    tmp_path: Path, home: Path, at: At
) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    keep_once_closed(Settings.load(home=str(home), workspace=str(lantern)))
    assert read_kept(str(home), "default", str(lantern), BRIEFING) is not None
    note_project(str(home), str(lantern.rename(tmp_path / "torch")))
    assert read_kept(str(home), "default", str(lantern), BRIEFING) is None


def test_a_project_is_named_by_its_folder_in_every_command_and_shown_where_it_is_now(
    tmp_path: Path, at: At
) -> None:
    lantern, copy = begin(tmp_path / "lantern"), begin(tmp_path / "a" / "copy")
    at(lantern, "remember", "--type", "rule", RULE)
    at(copy, "remember", "This repo stores its logs in the cedar bucket")
    moved = lantern.rename(tmp_path / "torch").resolve()
    at(moved, "search", "build")
    begin(lantern)
    for name in ("torch", "lantern", str(moved)):
        assert "2 memories" not in at(copy, "--workspace", name, "list").out
        assert RULE in at(copy, "--workspace", name, "list").out
    joined = at(moved, "workspace", "join", "copy", "torch", "--yes")
    assert f"{copy} and {moved} remember as one from now on." in " ".join(joined.out.split())
    parted = at(moved, "workspace", "part", "copy", "--yes")
    assert " ".join(parted.out.split()) == f"{copy} remembers for itself from now on."
    assert "Did you mean torch?" in at(moved, "workspace", "join", "copy", "torhc", "--yes").err
    on = " ".join(at(moved, "private", "on").out.split())
    assert on.startswith(f"Private time of {moved} is on")
    kept = at(moved, "list").out
    assert (str(moved) in kept, f"{lantern} " in kept) == (True, False)


def test_a_quote_from_another_project_names_the_folder_in_which_that_is_now(
    tmp_path: Path, home: Path, at: At
) -> None:
    lantern, blog = begin(tmp_path / "lantern"), begin(tmp_path / "blog")
    turns = tmp_path / "turns.jsonl"
    wish = "From now on, always answer me in English."
    turns.write_text(json.dumps({"role": "user", "content": wish, "session_id": "s"}))
    at(lantern, "import", str(turns))
    at(lantern.rename(tmp_path / "torch"), "search", "English")
    for verb in ("list", "context"):
        assert ", said in torch:" in " ".join(at(blog, verb).out.split())
    at(blog, "nightly")
    assert ", said in torch" in read_text(Settings.load(home=home), "MEMORY.md")


def test_a_private_project_that_was_moved_stays_private_and_so_does_what_lies_where_it_was(
    tmp_path: Path, home: Path, at: At
) -> None:
    diary, shop = begin(tmp_path / "diary"), begin(tmp_path / "shop")
    private = {"MEMORIA_PRIVATE_WORKSPACES": str(diary)}
    at(diary, "remember", "The ring is in the blue box", "--scope", "project", **private)
    moved = diary.rename(tmp_path / "journal")
    assert "ring" in at(moved, "search", "where is the ring", **private).out
    begin(diary)
    at(diary, "remember", "The tickets are in the red box", "--scope", "project", **private)
    assert {one.place for one in read_projects(str(home)).values()} == {str(diary), str(moved)}
    for asked in ("ring", "tickets"):
        found = at(shop, "--workspace", "*", "search", "which box", asked, **private)
        assert "box" not in found.out
        assert "other projects" not in found.out
    assert "red box" not in at(moved, "search", "tickets", **private).out


def test_a_moved_private_project_may_be_named_by_where_it_is_now(tmp_path: Path, at: At) -> None:
    diary, shop = begin(tmp_path / "diary"), begin(tmp_path / "shop")
    at(diary, "remember", "The ring is in the blue box", "--scope", "project")
    moved = diary.rename(tmp_path / "journal")
    at(moved, "search", "ring")
    assert "1 more matches" in at(shop, "search", "ring").out
    named = {"MEMORIA_PRIVATE_WORKSPACES": str(moved.resolve())}
    assert "more matches" not in at(shop, "search", "ring", **named).out


def test_where_private_projects_have_moved_to_is_never_guessed(
    tmp_path: Path, home: Path, at: At
) -> None:
    diary = begin(tmp_path / "diary")
    at(diary, "remember", "The ring is in the blue box")
    (home / REGISTRY).write_text("{}")
    assert "ring" in at(diary, "search", "ring").out
    refused = at(diary, "search", "ring", MEMORIA_PRIVATE_WORKSPACES=str(diary))
    assert refused.code == 1
    assert f"{REGISTRY} is damaged" in refused.err


@pytest.fixture
def copied(tmp_path: Path, at: At) -> tuple[Path, Path]:
    """A project with a rule, and its copy."""
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    return lantern, Path(shutil.copytree(lantern, tmp_path / "copy")).resolve()


async def test_an_agent_is_told_once_that_its_project_is_a_copy(
    copied: tuple[Path, Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lantern, copy = copied
    monkeypatch.chdir(copy)
    settings = Settings.load_here(str(home), None, None).model_copy(update={"embedder": "off"})
    async with Client(build_server(lambda: open_memoria(settings=settings))) as agent:
        answers = [await agent.call_tool("search_memory", {"query": "build"}) for _ in range(2)]
    texts = [str(answer.content) for answer in answers]
    assert f"memoria workspace join {copy} {lantern}" in texts[0]
    assert "workspace join" not in texts[1]
    assert all(RULE not in text for text in texts)


def test_no_join_is_proposed_to_or_with_a_private_project(tmp_path: Path, at: At) -> None:
    url = "https://example.org/ann/lantern"
    first, second = begin(tmp_path / "first", url), begin(tmp_path / "second", url)
    at(first, "remember", RULE)
    for private in (first, second):
        found = at(second, "search", "build", MEMORIA_PRIVATE_WORKSPACES=str(private))
        assert "workspace join" not in found.out + found.err
    assert f"memoria workspace join {second} {first}" in at(second, "search", "build").err


def test_a_hook_knows_a_project_that_was_moved_and_notes_where_it_is(
    tmp_path: Path, home: Path, at: At
) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    moved = lantern.rename(tmp_path / "v2").resolve()
    said = {
        "hook_event_name": "SessionStart", "session_id": "s", "cwd": str(moved),
        "transcript_path": str(tmp_path / "t.jsonl"), "source": "startup",
    }  # fmt: skip
    subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-I", "-S", str(HOOK), "claude-code", "--home", str(home)],
        input=json.dumps(said).encode(),
        check=True,
        capture_output=True,
    )
    (project,) = read_projects(str(home)).values()
    assert (project.name, project.place) == (str(lantern), str(moved))


def test_projects_are_listed_with_what_is_on_record_and_where_they_are(
    tmp_path: Path, at: At
) -> None:
    lantern, diary = begin(tmp_path / "lantern"), begin(tmp_path / "diary")
    at(lantern, "remember", "--type", "rule", RULE)
    at(diary, "remember", "The ring is in the blue box", "--scope", "project")
    moved = lantern.rename(tmp_path / "v2").resolve()
    at(moved, "search", "build")
    shutil.rmtree(diary)
    private = {"MEMORIA_PRIVATE_WORKSPACES": str(diary)}
    shown = at(moved, "workspace", "list", **private).out
    assert shown.splitlines() == [
        str(diary),
        "    1 memory, 0 turns · private · its folder is gone",
        str(moved),
        f"    1 memory, 0 turns · formerly {lantern} · this one",
        "",
        "Where a folder that is gone was moved: memoria workspace move NAME FOLDER",
    ]
    listed = at(moved, "workspace", "list", "--json", **private).document["projects"]
    assert [(one["name"], one["places"], one["is_gone"]) for one in listed] == [
        (str(diary), [str(diary)], True),
        (str(lantern), [str(moved)], False),
    ]


def test_a_copy_that_is_joined_remembers_as_one_with_its_original(
    copied: tuple[Path, Path], at: At, tmp_path: Path
) -> None:
    lantern, copy = copied
    at(copy, "remember", "This repo stores its logs in the cedar bucket")
    turns = tmp_path / "turns.jsonl"
    turns.write_text(
        json.dumps({"role": "user", "content": "The walrus speaks.", "session_id": "s"})
    )
    at(copy, "import", str(turns))
    assert "walrus" not in at(lantern, "traces", "walrus speaks").out
    assert at(copy, "workspace", "join", ".", str(lantern)).code == 1  # nobody says yes
    assert RULE not in at(copy, "search", "build").out
    joined = at(copy, "workspace", "join", ".", "../lantern", "--yes", "--json")
    assert joined.document == {
        "former": str(copy), "project": str(lantern), "memories": 1, "turns": 1,
    }  # fmt: skip
    moved = copy.rename(tmp_path / "copy v2")
    for folder in (lantern, moved):
        assert RULE in at(folder, "search", "build").out
        assert "cedar" in at(folder, "search", "logs").out
        assert "walrus" in at(folder, "traces", "walrus speaks").out
    assert at(lantern, "doctor").code == 0
    at(moved, "remember", "The port of this repo is 4711")
    assert "4711" in at(lantern, "search", "port").out


def test_a_join_with_a_private_project_is_refused_and_changes_nothing(
    copied: tuple[Path, Path], at: At
) -> None:
    lantern, copy = copied
    for private in (lantern, copy):
        named = {"MEMORIA_PRIVATE_WORKSPACES": str(private)}
        refused = at(copy, "workspace", "join", str(copy), str(lantern), "--yes", **named)
        assert (refused.code, f"{private} is private" in refused.err) == (1, True)
    both = {"MEMORIA_PRIVATE_WORKSPACES": f"{lantern},{copy}"}
    assert at(copy, "workspace", "join", str(copy), str(lantern), "--yes", **both).code == 0
    assert RULE in at(copy, "search", "build", **both).out


def test_a_folder_that_nothing_tells_is_the_project_that_its_user_says_it_is(
    tmp_path: Path, at: At
) -> None:
    old = begin(tmp_path / "old")
    at(old, "--workspace", str(old), "remember", "--type", "rule", RULE)  # as before there were ids
    other = begin(tmp_path / "other")
    at(other, "remember", "The walrus speaks in this repo")
    new = old.rename(tmp_path / "new").resolve()
    assert RULE not in at(new, "search", "build").out
    assert "something on record" in at(new, "workspace", "move", str(old), str(other), "-y").err
    assert "still in" in at(new, "workspace", "move", str(other), str(new), "-y").err
    assert "no git repository" in at(new, "workspace", "move", str(old), str(tmp_path), "-y").err
    assert "No project is called nothing" in at(new, "workspace", "move", "nothing", ".", "-y").err
    for special in ("*", "none"):
        assert f"No project is called {special}" in at(new, "workspace", "move", special, ".").err
    assert at(new, "workspace", "move", str(old), ".", "-y").code == 0
    assert RULE in at(new, "search", "build").out
    assert RULE in at(new.rename(tmp_path / "newer"), "search", "build").out


def test_neither_the_folder_it_moved_to_nor_a_project_without_a_record_is_taken_for_the_former(
    tmp_path: Path, at: At
) -> None:
    old, empty = begin(tmp_path / "old" / "lantern"), begin(tmp_path / "c" / "lantern")
    at(old, "--workspace", str(old), "remember", "--type", "rule", RULE)
    shutil.rmtree(old)
    new = begin(tmp_path / "new" / "lantern")
    for folder in (empty, new):
        at(folder, "search", "build")
    asked = at(new, "workspace", "move", "lantern", ".", COLUMNS="400")
    assert f"Is {new} what the memory knows as {old}" in asked.out + asked.err
    assert at(new, "workspace", "move", "lantern", ".", "-y").code == 0
    assert RULE in at(new, "search", "build").out


def test_a_move_that_is_refused_names_the_join_that_does_it(tmp_path: Path, at: At) -> None:
    old = begin(tmp_path / "the old" / "lantern")
    at(old, "--workspace", str(old), "remember", "--type", "rule", RULE)
    new = begin(tmp_path / "the new" / "lantern")
    at(new, "remember", "The walrus speaks in this repo")
    still = at(new, "workspace", "move", str(old), ".", "-y", COLUMNS="400").err
    shutil.rmtree(old)
    refused = at(new, "workspace", "move", str(old), ".", "-y", COLUMNS="400").err
    assert f"something on record of {new} already" in refused
    assert said_command(still) == said_command(refused)
    assert at(new, *said_command(refused), "-y").code == 0
    assert RULE in at(new, "search", "build").out


def test_who_forgets_everything_forgets_where_projects_were(
    tmp_path: Path, home: Path, at: At
) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    at(lantern.rename(tmp_path / "v2"), "search", "build")
    at(tmp_path / "v2", "forget", "--everything", "--yes")
    assert b"lantern" not in (home / REGISTRY).read_bytes()


@pytest.mark.parametrize("to", ["elsewhere/lantern", "lantern v2"])
def test_a_search_that_finds_nothing_names_where_the_project_may_have_been_and_the_command(
    tmp_path: Path, at: At, to: str
) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "--workspace", str(lantern), "remember", "--type", "rule", RULE)
    assert "is gone" not in at(begin(tmp_path / "shop"), "search", "build command").out
    (tmp_path / "elsewhere").mkdir()
    moved = lantern.rename(tmp_path / to).resolve()
    for verb in ("search", "traces"):
        said = " ".join(at(moved, verb, "build command").out.split())
        assert (f"the folder of {lantern} is gone; if" in said) == (verb == "search")
    private = {"MEMORIA_PRIVATE_WORKSPACES": str(lantern)}
    assert "is gone" not in at(moved, "search", "build command", **private).out
    private = {"MEMORIA_PRIVATE_WORKSPACES": str(moved)}
    assert "is gone" not in at(moved, "search", "build command", **private).out
    command = said_command(at(moved, "search", "build command").out)
    assert at(moved, *command, "--yes").code == 0
    assert RULE in at(moved, "search", "build command").out


def said_command(answer: str) -> list[str]:
    """The arguments of the command that an answer names."""
    words = shlex.split(answer[answer.index("memoria workspace") :].splitlines()[0])
    return words[1:]


def test_a_project_that_remembers_already_is_proposed_to_be_joined(tmp_path: Path, at: At) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "--workspace", str(lantern), "remember", "--type", "rule", RULE)
    moved = lantern.rename(tmp_path / "v2").resolve()
    at(moved, "remember", "This repo stores its logs in the cedar bucket")
    command = said_command(at(moved, "search", "walnut").out)
    assert command == ["workspace", "join", str(lantern), str(moved)]
    assert at(moved, *command, "-y").code == 0
    assert RULE in at(moved, "search", "walnut").out
    assert "cedar" in at(moved, "search", "logs").out


def test_a_project_that_was_moved_is_proposed_beside_an_answer_where_it_has_a_match(
    tmp_path: Path, at: At
) -> None:
    lantern = begin(tmp_path / "ann" / "lantern")
    for words in ("My editor is called Hanna Veit", RULE):
        at(lantern, "--workspace", str(lantern), "remember", words, "--scope", "project")
    shop = begin(tmp_path / "shop")
    at(shop, "remember", "The walrus tune of this repo is loud", "--scope", "project")
    shutil.rmtree(lantern)
    here = begin(tmp_path / "lantern")
    for words in ("The editor window of this repo is blue", "The walrus drawing of this repo"):
        at(here, "remember", words, "--scope", "project")
    for asked, proposed in (("editor", True), ("walrus", False)):
        found = at(here, "search", asked).out
        assert ("of this repo" in found, "nothing fits" in found.lower()) == (True, False)
        assert "1 more matches in other projects" in found
        assert (f"the folder of {lantern} is gone" in found) == proposed


def test_nothing_is_proposed_where_two_may_be_meant(tmp_path: Path, at: At) -> None:
    for name in ("one", "two"):
        folder = begin(tmp_path / name)
        at(folder, "--workspace", str(folder), "remember", "--type", "rule", RULE)
        shutil.rmtree(folder)
    found = at(begin(tmp_path / "three"), "search", "build command").out
    assert "2 more match" in found
    assert "is gone" not in found


@pytest.mark.sqlite("a backup is a copy of the file")
def test_a_restored_home_knows_the_projects_that_had_moved(
    tmp_path: Path, home: Path, at: At
) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    moved = lantern.rename(tmp_path / "v2").resolve()
    at(moved, "search", "build")
    at(moved, "backup", str(tmp_path / "b.zip"))
    shutil.rmtree(home)
    assert at(moved, "restore", str(tmp_path / "b.zip"), "--yes").code == 0
    assert RULE in at(moved, "search", "build").out
    assert RULE in at(moved.rename(tmp_path / "v3"), "search", "build").out


def test_doctor_says_that_nobody_knows_where_projects_are(
    tmp_path: Path, home: Path, at: At
) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    assert at(lantern, "doctor").code == 0
    (home / REGISTRY).write_text('{"v":1}')
    found = at(lantern, "doctor")
    assert (found.code, "workspace move" in found.out) == (4, True)
    assert (home / REGISTRY).read_text() == '{"v":1}'


def test_a_project_may_be_named_by_the_folder_in_which_it_is_now(tmp_path: Path, at: At) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    moved = lantern.rename(tmp_path / "v2").resolve()
    at(moved, "search", "build")
    begin(lantern)
    at(lantern, "remember", "The port of this repo is 4711")
    for name in (str(lantern), str(moved)):  # its name comes before what lies there now
        assert RULE in at(tmp_path, "--workspace", name, "search", "build").out
        assert RULE in at(lantern, "search", "build", "--workspace", name).out
        assert "4711" not in at(tmp_path, "--workspace", name, "search", "port").out


def test_what_came_from_another_machine_is_proposed_where_the_project_is_there(
    tmp_path: Path, home: Path, at: At
) -> None:
    lantern = begin(tmp_path / "ann" / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    at(lantern, "export", str(tmp_path / "all.jsonl"))
    shutil.rmtree(home)
    shutil.rmtree(tmp_path / "ann")
    here = begin(tmp_path / "work" / "lantern")
    at(tmp_path, "import", str(tmp_path / "all.jsonl"))
    command = said_command(at(here, "search", "build command").out)
    assert command == ["workspace", "move", str(lantern), str(here)]
    at(here, *command, "-y")
    assert RULE in at(here, "search", "build command").out


def test_an_import_ends_with_the_projects_that_have_no_folder_here_and_the_command(
    tmp_path: Path, home: Path, at: At
) -> None:
    there, kept = begin(tmp_path / "ann" / "my lantern"), begin(tmp_path / "shop")
    for folder in (there, kept):
        at(folder, "remember", "--type", "rule", RULE)
    at(kept, "export", str(tmp_path / "all.jsonl"))
    shutil.rmtree(home)
    shutil.rmtree(there)
    here = begin(tmp_path / "work" / "my lantern")
    done = at(tmp_path, "import", str(tmp_path / "all.jsonl"))
    assert done.out.endswith("\n\nNext: memoria list\n")
    assert said_command(done.out) == ["workspace", "move", str(there), "."]
    assert done.out.count("workspace move") == 1
    again = at(tmp_path, "import", str(tmp_path / "all.jsonl"), "--json").document
    assert again["gone_projects"] == [str(there)]
    private = {"MEMORIA_PRIVATE_WORKSPACES": str(there)}
    hidden = at(tmp_path, "import", str(tmp_path / "all.jsonl"), "--json", **private).document
    assert hidden["gone_projects"] == []
    assert at(here, *said_command(done.out), "-y").code == 0
    assert RULE in at(here, "search", "build").out
    after = at(tmp_path, "import", str(tmp_path / "all.jsonl"), "--json").document
    assert after["gone_projects"] == []


def test_an_import_into_a_home_that_does_not_know_where_projects_are_is_done_all_the_same(
    tmp_path: Path, home: Path, at: At
) -> None:
    lantern = begin(tmp_path / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    at(lantern, "export", str(tmp_path / "all.jsonl"))
    (home / REGISTRY).write_text('{"v":1}')
    done = at(tmp_path, "import", str(tmp_path / "all.jsonl"))
    assert (done.code, "Memories: 0 new" in done.out) == (0, True)


@pytest.fixture
def joined(copied: tuple[Path, Path], at: At, tmp_path: Path) -> tuple[Path, Path]:
    """A project and its copy that have become one, the copy with a memory and a conversation."""
    lantern, copy = copied
    at(copy, "remember", "This repo stores its logs in the cedar bucket")
    turns = tmp_path / "turns.jsonl"
    turn = {"role": "user", "content": "The walrus speaks.", "session_id": "s"}
    turns.write_text(json.dumps(turn))
    at(copy, "import", str(turns))
    done = at(copy, "workspace", "join", ".", str(lantern), "--yes")
    assert f"To take it back: memoria workspace part {copy}" in " ".join(done.out.split())
    return lantern, copy


def test_a_join_is_taken_back_and_what_was_said_since_stays(
    joined: tuple[Path, Path], at: At
) -> None:
    lantern, copy = joined
    at(lantern, "remember", "The port of this repo is 4711")
    assert at(copy, "workspace", "part", str(copy)).code == 1  # nobody says yes
    assert "4711" in at(copy, "search", "port").out
    assert at(copy, "workspace", "part", str(copy), "--yes").code == 0
    assert "cedar" in at(copy, "search", "logs").out
    assert "walrus" in at(copy, "traces", "walrus speaks").out
    assert RULE not in at(copy, "search", "build").out
    assert "4711" not in at(copy, "search", "port").out
    assert "4711" in at(lantern, "search", "port").out
    assert RULE in at(lantern, "search", "build").out
    for verb, words in (("search", "cedar logs"), ("traces", "walrus speaks")):
        assert not {"cedar", "walrus"} & {*at(lantern, verb, words).out.split()}
    at(copy, "remember", "The mascot of this repo is a heron")
    assert "heron" not in at(lantern, "search", "mascot").out
    assert at(lantern, "doctor").code == 0
    again = at(copy, "workspace", "part", str(copy), "--yes")
    assert "by a join that can be taken back. These are: none" in " ".join(again.err.split())
    assert at(copy, "workspace", "join", ".", str(lantern), "--yes").code == 0
    assert at(copy, "workspace", "part", str(copy), "--yes").code == 0
    assert "heron" not in at(lantern, "search", "mascot").out


def test_what_was_forgotten_since_does_not_come_back_by_parting(
    joined: tuple[Path, Path], at: At
) -> None:
    lantern, copy = joined
    at(lantern, "forget", "--topic", "cedar bucket", "--yes")
    assert at(copy, "workspace", "part", str(copy), "--yes").code == 0
    assert "cedar" not in at(copy, "search", "logs").out


def test_joins_are_taken_back_the_latest_first(
    joined: tuple[Path, Path], tmp_path: Path, at: At
) -> None:
    lantern, copy = joined
    shop = begin(tmp_path / "shop")
    at(shop, "remember", "The mascot of this repo is a heron")
    at(shop, "workspace", "join", str(lantern), str(shop), "--yes")
    refused = at(shop, "workspace", "part", str(copy), "--yes")
    assert refused.code == 1
    assert f"First: memoria workspace part {lantern}" in " ".join(refused.err.split())
    for name in (lantern, copy):
        assert at(shop, "workspace", "part", str(name), "--yes").code == 0
    for folder, word in ((lantern, RULE), (copy, "cedar"), (shop, "heron")):
        found = at(folder, "search", "what is known of build, logs and mascot of this repo").out
        assert [one in found for one in (RULE, "cedar", "heron")] == [
            one == word for one in (RULE, "cedar", "heron")
        ]


def test_a_join_of_projects_that_were_named_by_hand_is_taken_back_for_every_tenant(
    tmp_path: Path, at: At
) -> None:
    for tenant in ("ann", "lin"):
        at(tmp_path, "--tenant", tenant, "--workspace", "attic", "remember", RULE, "--type", "rule")
    at(
        tmp_path,
        "--tenant",
        "ann",
        "--workspace",
        "shed",
        "remember",
        "The lamp of this repo is lit",
    )
    own = ("--tenant", "ann")
    assert at(tmp_path, *own, "workspace", "join", "attic", "shed", "--yes").code == 0
    parted = at(tmp_path, *own, "workspace", "part", "attic", "--yes", "--json")
    assert parted.document == {"former": "attic", "into": "shed", "memories": 1, "sessions": 0}
    for tenant in ("ann", "lin"):
        for place, is_seen in (("attic", True), ("shed", False)):
            found = at(tmp_path, "--tenant", tenant, "--workspace", place, "search", "build").out
            assert (RULE in found) == is_seen


def test_no_join_with_what_became_private_since_is_taken_back(
    joined: tuple[Path, Path], at: At
) -> None:
    lantern, copy = joined
    private = {"MEMORIA_PRIVATE_WORKSPACES": str(lantern)}
    refused = at(copy, "workspace", "part", str(copy), "--yes", **private)
    assert (refused.code, "Change private_workspaces first" in refused.err) == (1, True)


def test_a_project_on_a_drive_that_is_not_mounted_is_claimed_by_no_copy_of_it(
    tmp_path: Path, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = (tmp_path / "drive").resolve()
    is_mount = os.path.ismount
    monkeypatch.setattr(
        "os.path.ismount",
        lambda path: is_mount(path) or (str(path) == str(drive) and drive.is_dir()),
    )
    lantern = begin(drive / "lantern")
    at(lantern, "remember", "--type", "rule", RULE)
    copy = Path(shutil.copytree(lantern, tmp_path / "copy")).resolve()
    away = drive.rename(tmp_path / "unplugged")
    found = at(copy, "search", "build command")
    assert RULE not in found.out
    assert f"{copy} was known as {lantern}, whose drive is not mounted now" in found.err
    assert "is gone" not in " ".join(found.out.split())
    assert "its drive is not mounted" in at(copy, "workspace", "list").out
    assert "not mounted" in at(copy, "workspace", "move", str(lantern), str(copy), "-y").err
    away.rename(drive)
    assert RULE in at(lantern, "search", "build command").out
    moved = lantern.rename(drive / "lantern v2")
    assert RULE in at(moved, "search", "build command").out
