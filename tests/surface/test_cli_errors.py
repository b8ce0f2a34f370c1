"""An error at a terminal is one sentence of one form, and a JSON document where that is wanted."""

import json
import shutil
from pathlib import Path

import pytest
from tests.databases import begin_with_key
from tests.surface.agent import connected, server_on
from tests.surface.shell import Shell

from memoria.config import Settings
from memoria.errors import NotFoundError, StoreDamagedError

UNKNOWN = "0198c0de-0000-7000-8000-000000000000"


def test_an_error_names_the_next_command_at_a_terminal_and_the_next_tool_elsewhere() -> None:
    error = NotFoundError.for_memory("12345678")
    assert error.at_shell == "There is no memory 12345678. Find its id: memoria search"
    assert str(error) == "There is no memory 12345678. Find its id with search_memory."


@pytest.mark.parametrize(
    ("words", "code", "kind", "following"),
    [
        (("show", UNKNOWN), 1, "not_found", "memoria search, or memoria traces"),
        (("show", UNKNOWN, "--history"), 1, "not_found", "memoria search --include-history"),
        (("revise", UNKNOWN, "pin"), 1, "not_found", "memoria search"),
        (("remember", " "), 1, "invalid_input", None),
        (("list", "--limit", "few"), 2, "usage", "memoria list --help"),
        (("lits",), 2, "usage", "memoria --help"),
        (("revise",), 2, "usage", "memoria revise --help"),
    ],
)
def test_an_error_is_one_sentence_or_one_document_with_the_same_exit_code(
    shell: Shell, words: tuple[str, ...], code: int, kind: str, following: str | None
) -> None:
    said = shell(*words)
    assert (said.code, said.out) == (code, "")
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    assert (following or "") in said.err
    told = shell(*words, "--json")
    assert (told.code, told.out) == (code, "")
    error = json.loads(told.err)["error"]
    assert (error["kind"], error.get("next")) == (kind, following)
    assert said.err == f"error: {error['message']}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("search", ""), "the query is empty. Ask in words, for example: release checklist."),
        (("search", "x", "--limit", "0"), "--limit: it is 0; it must be from 1 to 200."),
        (
            ("forget", "--everything", "--topic", "x", "--yes"),
            "give ids, or what to select by, or everything, and not two of these.",
        ),
    ],
)
def test_no_option_is_named_that_the_command_does_not_have(
    shell: Shell, words: tuple[str, ...], told: str
) -> None:
    assert shell(*words).err == f"error: {told} Nothing was done.\n"


def test_a_home_that_is_not_there_is_told_as_a_document_too(home: Path) -> None:
    begin_with_key(home)
    told = Shell(home)("list", "--json")
    assert told.code == 2
    assert json.loads(told.err)["error"]["kind"] == "no_memory"


def test_what_helps_is_a_command_at_a_terminal_in_words_for_who_types_it(shell: Shell) -> None:
    tea, mate = (
        shell.json("--workspace", "none", "remember", f"I drink {one}")["id"]
        for one in ("green tea", "mate")
    )
    short = tea[-8:]
    shell("forget", shell.json("remember", "帐篷是绿色的")["id"], "--yes")
    lines = {
        ("revise", short, "correct"): "The new wording is missing: `memoria revise ID correct",
        ("revise", short, "pin", "new words"): "pin takes no wording: `memoria revise ID correct",
        ("revise", short, "pin", "--until", "Friday"): "--until is the end of a new wording:",
        ("revise", short, "correct", "I drink mate"): f"Memory {mate[-8:]} says exactly that",
        ("--workspace", "none", "revise", short, "project"): "`memoria --workspace FOLDER revise",
        ("remember", "帐篷是绿色的"): 'you want it back, remember it: memoria remember --again "…"',
        ("forget", "小雨"): "All that is about it: `memoria forget --topic '小雨'`. If it is a",
        ("forget", "0199aaaa"): "There is no memory or turn 0199aaaa. If it is a session:",
        ("remember", "tea", "--until", "blah"): "--until: no end can be read from 'blah'.",
        ("remember", "tea", "--since", "x"): "--since: 'x' is not a date or time.",
        ("search", "tea", "--since", "x"): "--since: 'x' is not a date or time.",
        ("traces", "tea", "--max-tokens", "3"): "--max-tokens: it is 3; it must be from 50 to",
        ("list", "--page", "0"): "--page: it is 0; it must be from 1 to 1000000.",
        ("forget",): "Nothing is named. Give ids, or say what is meant with --topic,",
    }
    for words, expected in lines.items():
        said = shell(*words)
        assert said.code == 1, words
        assert expected in said.err, words
        for agents in ("action=", "again=", "mend the call", "search_memory", "the user", tea):
            assert agents not in said.err, words


def test_a_command_in_an_error_can_be_pasted_and_offers_a_session_only_where_it_may_be_one(
    shell: Shell,
) -> None:
    shell("remember", "The tent is green")
    sentence = shell("forget", "I am the king's son").err
    assert """: `memoria forget --topic 'I am the king'"'"'s son'`. Find its""" in sentence
    assert "session" not in sentence
    assert "session: `memoria forget --session-id '小雨'`." in shell("forget", "小雨").err
    long = shell("forget", "a long word " * 20).err
    assert ("`memoria forget" in long, "memoria search" in long) == (False, True)
    unlinked = shell("list", "--entity", "the old mill").err
    assert "memoria search 'the old mill'" in unlinked


@pytest.mark.sqlite("a backup is a copy of the file")
def test_what_leads_to_another_command_names_it_whole(shell: Shell, tmp_path: Path) -> None:
    shell("remember", "The oar is red")
    file = tmp_path / "my own.jsonl"
    assert f"memoria import '{file}'" in " ".join(shell("export", file).out.split())
    refused = shell("restore", file, "--yes")
    assert (refused.code, "is an export, and no backup" in refused.err) == (1, True)
    assert f"`memoria import '{file}'`" in refused.err
    (tmp_path / "torn.backup").write_bytes(b"PK no zip")
    assert "is damaged" in shell("restore", tmp_path / "torn.backup", "--yes").err
    assert "A project is named with --workspace NAME." in shell("list", "--project", "shop").err


MISSPELT = 2
READING = (
    ("search", "tea"),
    ("traces", "tea"),
    ("context", "tea"),
    ("list", "tasks"),
    ("stats",),
    ("doctor", "--fix"),
    ("show", "0" * 32),
    ("show", "0" * 32, "--history"),
    ("review",),
    ("model", "queue", "list"),
    ("model", "queue", "run"),
    ("nightly",),
    ("nightly", "--dry-run"),
    ("nightly", "runs"),
    ("undo", "x"),
    ("backup",),
    ("forget", "0" * 32, "--yes"),
    ("revise", "0" * 32, "pin"),
)


def test_a_reading_command_makes_no_home_and_says_where_it_looked(
    tmp_path: Path, engine: str
) -> None:
    missing = tmp_path / "memroia"
    begin_with_key(missing)
    for command in READING:
        said = Shell(missing)(*command)
        assert (said.code, said.out) == (MISSPELT, ""), command
        assert Settings.load(home=missing).place in said.err
        assert "memoria remember" in said.err
        assert {"sqlite": "--home", "postgres": "MEMORIA_DATABASE_URL"}[engine] in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_reading_command_makes_no_tenant_and_names_those_there_are(home: Path) -> None:
    shell = Shell(home)
    shell.json("--tenant", "ann", "remember", "I like tea")
    before = sorted(path.name for path in home.rglob("*"))
    for command in (("search", "tea"), ("doctor",), ("nightly",), ("stats",)):
        said = shell("--tenant", "an", *command)
        assert said.code == MISSPELT, command
        assert "no tenant 'an'" in said.err
        assert "There is: 'ann'" in said.err
    assert sorted(path.name for path in home.rglob("*")) == before


def test_what_keeps_something_begins_a_home_and_a_tenant(home: Path, tmp_path: Path) -> None:
    turns = tmp_path / "turns.jsonl"
    turns.write_text('{"role": "user", "content": "I like tea", "session_id": "s"}\n')
    shell = Shell(home)
    shell.json("import", turns)
    assert shell.json("stats")["turns"] == 1
    shell.json("--tenant", "bob", "remember", "I like coffee")
    assert shell.json("--tenant", "bob", "search", "coffee")["hits"]


@pytest.mark.sqlite("looks into the file")
def test_whoever_has_only_backups_is_told_of_them(home: Path) -> None:
    shell = Shell(home)
    shell.json("remember", "I like tea")
    shell.json("backup")
    (home / "memoria.db").unlink()
    assert "memoria restore" in shell("search", "tea").err


def test_an_empty_memory_that_a_client_began_is_searched_without_an_error(home: Path) -> None:
    shell = Shell(home)
    shell.json("--tenant", "ann", "remember", "I like tea")
    assert shell.json("search", "tea")["hits"] == []


@pytest.mark.sqlite("looks into the file")
def test_a_damaged_home_is_no_missing_one(home: Path) -> None:
    shell = Shell(home)
    shell.json("--tenant", "ann", "remember", "I like tea")
    shutil.copy(__file__, home / "memoria.db")
    said = shell("--tenant", "an", "search", "tea")
    assert said.code == 1
    assert "damaged" in said.err


COMMANDS = (
    ("search", "cook"),
    ("list",),
    ("remember", "The mate is Udo"),
    ("forget", "cook", "--yes"),
    ("backup",),
    ("stats",),
    ("export", "out.json"),
    ("nightly",),
    ("list", "sessions"),
)


def _lose(shell: Shell) -> Path:
    """Keep something, and cut the database to no bytes."""
    assert shell("remember", "The cook is Pia").code == 0
    database = shell.home / "memoria.db"
    for log in ("-wal", "-shm"):
        database.with_name(database.name + log).unlink(missing_ok=True)
    database.write_bytes(b"")
    return database


def _back_up(shell: Shell) -> Path:
    assert shell("remember", "The cook is Pia").code == 0
    assert shell("backup").code == 0
    return max((shell.home / "backups").glob("*.zip"))


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize("words", COMMANDS, ids=[words[0] for words in COMMANDS])
def test_a_command_names_the_newest_backup_of_a_home_whose_database_is_empty(
    shell: Shell, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _back_up(shell)
    newest = _back_up(shell)
    database = _lose(shell)
    said = shell(*words)
    assert (said.code, said.out) == (1, "")
    assert f"memoria --home {shell.home} restore {newest}" in said.err
    assert database.read_bytes() == b""


@pytest.mark.sqlite("looks into the file")
def test_doctor_names_it_and_the_restore_that_it_names_brings_all_back(shell: Shell) -> None:
    newest = _back_up(shell)
    _lose(shell)
    (found,) = (
        one for one in shell.json("doctor", code=4)["findings"] if one["check"] == "database"
    )
    assert (found["state"], "the file is empty" in found["detail"]) == ("error", True)
    assert str(newest) in found["cure"]
    assert shell("restore", str(newest), "--yes").code == 0
    assert "The cook is Pia" in shell("search", "cook").out


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize("trace", ["MEMORY.md", "tombstone.key", "kept", "daily_summaries"])
def test_without_a_backup_the_other_files_of_a_home_tell_that_it_held_a_memory(
    shell: Shell, trace: str
) -> None:
    database = _lose(shell)
    place = shell.home / trace
    place.write_text("# mine\n") if "." in trace else place.mkdir()
    said = shell("remember", "The mate is Udo")
    assert (said.code, f"though {trace} says" in said.err) == (1, True)
    assert "restore FILE` brings one" in said.err
    assert database.read_bytes() == b""


@pytest.mark.sqlite("looks into the file")
async def test_a_server_says_it_with_each_tool(shell: Shell) -> None:
    newest = _back_up(shell)
    _lose(shell)
    with pytest.raises(StoreDamagedError, match=str(newest)):
        async with connected(server_on(shell.home, None), "auto"):
            pass


@pytest.mark.sqlite("looks into the file")
def test_a_home_that_begins_with_an_empty_file_begins(shell: Shell) -> None:
    for folder in ("spool", "hooks"):
        (shell.home / folder).mkdir()
    database = shell.home / "memoria.db"
    for log in ("-wal", "-shm"):
        database.with_name(database.name + log).unlink(missing_ok=True)
    database.write_bytes(b"")
    assert shell("remember", "The cook is Pia").code == 0
    assert "The cook is Pia" in shell("search", "cook").out
