"""Doctor: says what is sound, what is not, and what mends it; never with a traceback."""

import os
import random
import shlex
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.databases import read_text, write_text
from tests.empty_home import lay_empty_home
from tests.surface.shell import Shell

import memoria
import memoria.app.nightly as nights
from memoria import Memoria
from memoria.app import open_memoria
from memoria.bare.project_registry import REGISTRY
from memoria.config import Settings
from memoria.inference.embedder import BundledEmbedder
from memoria.model import COMMAND_LINE, Finding, now_millis
from memoria.store.sqlite.driver import sqlite3

UNSOUND = 4
posix_only = pytest.mark.skipif(os.name == "nt", reason="permissions as POSIX has them")


def findings(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["check"]: finding for finding in document["findings"]}


def database(home: Path) -> Path:
    return home / "memoria.db"


@contextmanager
def opened(home: Path) -> Iterator[sqlite3.Connection]:
    """The file behind Memoria's back."""
    with closing(sqlite3.connect(database(home))) as connection:
        yield connection
        connection.commit()


def changed(shell: Shell, *statements: str) -> None:
    """Change the file behind Memoria's back."""
    with opened(shell.home) as connection:
        for statement in statements:
            connection.execute(statement)


def test_a_sound_home_is_sound(filled: Shell, engine: str) -> None:
    output = filled("doctor")
    assert (output.code, output.err) == (0, "")
    document = filled.json("doctor")
    assert document["sound"] is True
    own = {"sqlite": {"disk", "integrity"}, "postgres": {"tenants apart", "durability"}}[engine]
    assert {"version", "full text", "vectors", "privacy", *own} <= set(findings(document))
    assert [f for f in document["findings"] if f["state"] == "error"] == []


def test_a_new_home_is_sound(shell: Shell) -> None:
    assert shell.begin().json("doctor")["sound"] is True


def test_every_warning_says_what_mends_it(filled: Shell) -> None:
    bad = [f for f in filled.json("doctor")["findings"] if f["state"] != "ok"]
    assert bad  # vectors are off here
    assert all(finding["cure"] for finding in bad)


@pytest.mark.sqlite("looks into the file")
def test_what_no_version_made_in_the_database_is_named(filled: Shell) -> None:
    changed(filled, "CREATE TRIGGER mine AFTER INSERT ON memories BEGIN DELETE FROM turns; END")
    found = findings(filled.json("doctor", code=UNSOUND))["schema"]
    assert (found["state"], "trigger mine" in found["detail"]) == ("error", True)


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(100) + path.read_bytes()[100:])


def halved(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def another_format(path: Path) -> None:
    path.write_text("this is not a database\n" * 1000)


def flipped(path: Path) -> None:
    """Every byte of the middle eighth turned over."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    for i in range(middle, middle + len(content) // 8):
        content[i] ^= 0xFF
    path.write_bytes(content)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize("damage", [flipped, zeroed, halved, another_format, a_folder])
def test_a_damaged_file_is_named_with_its_cure(
    filled: Shell, damage: Callable[[Path], None]
) -> None:
    damage(database(filled.home))
    output = filled("doctor")
    assert (output.code, output.err) == (UNSOUND, "")
    for arguments in ((), ("--fix",), ("--rebuild",)):
        document = filled.json("doctor", *arguments, code=UNSOUND)
        errors = [f for f in document["findings"] if f["state"] == "error"]
        assert errors
        assert all(finding["cure"] for finding in errors)


@pytest.mark.sqlite("looks into the file")
def test_the_cure_of_a_damaged_file_is_the_newest_backup(filled: Shell) -> None:
    filled.json("backup")
    newest = filled.json("backup")["path"]
    zeroed(database(filled.home))
    broken = findings(filled.json("doctor", code=UNSOUND))["database"]
    assert broken["cure"] == f"memoria --home {filled.home} restore {newest}"


@pytest.mark.sqlite("looks into the file")
def test_text_that_changed_on_disk_is_found(filled: Shell) -> None:
    # SQLite sees a sound file; only the chunk's own hash tells.
    changed(filled, "UPDATE raw_chunks SET data = CAST(zeroblob(length(data)) AS BLOB)")
    output = filled("doctor", "--json")
    assert "Traceback" not in output.err
    assert output.code in (1, UNSOUND)


@pytest.mark.sqlite("looks into the file")
def test_a_turn_whose_text_is_damaged_is_said_without_a_traceback(filled: Shell) -> None:
    turn_id = filled.json("traces", "bluebird")["hits"][0]["id"]
    changed(filled, "UPDATE raw_chunks SET codec = 'zstd', data = x'00112233'")
    for arguments in (("show", turn_id), ("traces", "bluebird")):
        output = filled(*arguments)
        assert output.code == 1
        assert "Traceback" not in output.err


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize("cure", ["--fix", "--rebuild"])
def test_a_lost_index_is_found_and_rebuilt(filled: Shell, cure: str) -> None:
    changed(filled, "DELETE FROM search_index")
    broken = findings(filled.json("doctor", code=UNSOUND))["full text"]
    assert (broken["state"], broken["cure"]) == (
        "error",
        f"memoria --home {filled.home} doctor --fix",
    )
    assert list_found(filled, "launch code name") == []
    mended = filled.json("doctor", cure)
    assert mended["sound"] is True
    assert mended["repairs"] == [
        {
            "check": "full text",
            "before": "301 of 301 are not indexed, 0 are indexed but gone",
            "after": "301 indexed, none missing",
        }
    ]
    assert list_found(filled, "launch code name")[0] == "The launch code name is bluebird"


def list_found(home: Shell, question: str) -> list[str]:
    """What a search finds, without what it shows beside that."""
    return [hit["text"] for hit in home.json("search", question)["hits"] if "shown_as" not in hit]


def test_rebuilding_a_sound_home_changes_nothing_that_is_found(filled: Shell) -> None:
    before = filled.json("traces", "word7", "--limit", "5")
    filled.json("doctor", "--rebuild")
    assert filled.json("traces", "word7", "--limit", "5") == before


@posix_only
def test_what_others_can_read_is_a_warning_and_mended(filled: Shell) -> None:
    (filled.home / "backups").mkdir()
    (filled.home / "backups" / "mine.zip").write_bytes(b"")
    (filled.home / "MEMORY.md").write_text("- tea")
    (filled.home / REGISTRY).write_text('{"v":1,"projects":{}}')
    for path in (filled.home, *filled.home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert findings(filled.json("doctor"))["privacy"]["state"] == "warning"
    (mended,) = filled.json("doctor", "--fix")["repairs"]
    assert (mended["check"], mended["after"]) == ("privacy", "only this user can read the home")
    modes = {path.stat().st_mode & 0o777 for path in filled.home.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert filled.home.stat().st_mode & 0o777 == (filled.home / "backups").stat().st_mode & 0o777
    assert filled.home.stat().st_mode & 0o777 == 0o700


@pytest.mark.sqlite("looks into the file")
@posix_only
def test_a_file_its_owner_can_not_write_is_mended(filled: Shell) -> None:
    database(filled.home).chmod(0o400)
    filled.home.chmod(0o500)
    assert findings(filled.json("doctor", code=UNSOUND))["privacy"]["state"] == "error"
    assert filled.json("doctor", "--fix")["sound"] is True
    filled.json("remember", "The launch code name is magpie")


@posix_only
def test_links_out_of_the_home_are_left_alone(filled: Shell, tmp_path: Path) -> None:
    elsewhere = tmp_path / "notes.md"
    elsewhere.write_text("mine")
    elsewhere.chmod(0o644)
    (filled.home / "MEMORY.md").symlink_to(elsewhere)
    assert findings(filled.json("doctor", "--fix"))["privacy"]["state"] == "ok"
    assert elsewhere.stat().st_mode & 0o777 == 0o644


@posix_only
def test_the_cure_for_a_home_with_a_space_in_its_name_can_be_pasted(tmp_path: Path) -> None:
    home = tmp_path / "my home"
    home.mkdir(mode=0o755)
    shell = Shell(home).begin()
    home.chmod(0o755)
    command, *arguments = shlex.split(findings(shell.json("doctor"))["privacy"]["cure"])
    assert command == "memoria"
    assert shell.run(*arguments).code == 0
    assert findings(shell.json("doctor"))["privacy"]["state"] == "ok"


@posix_only
def test_a_home_is_made_for_its_owner_alone(filled: Shell) -> None:
    assert filled.home.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in filled.home.iterdir())


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize("arguments", [(), ("--fix",), ("--rebuild",)])
def test_a_home_of_a_newer_version_is_named_and_left_alone(
    filled: Shell, arguments: tuple[str, ...]
) -> None:
    changed(filled, "PRAGMA user_version = 9999")
    content = database(filled.home).read_bytes()
    broken = findings(filled.json("doctor", *arguments, code=UNSOUND))["database"]
    assert "newer Memoria" in broken["detail"]
    assert broken["cure"] == "pip install -U memoria-server"
    assert database(filled.home).read_bytes() == content


async def test_the_library_says_the_same_of_a_healthy_home(memory: Memoria) -> None:
    await memory.remember("The launch code name is bluebird")
    await memory.wait_until_idle(timeout_s=30)
    health = await memory.health()
    assert health.is_sound
    states = {finding.check: finding.state for finding in health.findings}
    assert states["vectors"] == states["model"] == states["backlog"] == "ok"


PAGE = 4096
QUERY = ("traces", "word7", "--limit", "5")
TRUTH = (
    "SELECT * FROM sessions",
    "SELECT * FROM segments",
    "SELECT * FROM raw_chunks",
    "SELECT * FROM turns",
    "SELECT * FROM memories",
    "SELECT * FROM memory_versions",
    "SELECT * FROM audit_log",
)


def truth(home: Path) -> list[Any]:
    with opened(home) as connection:
        rows = [connection.execute(sql).fetchall() for sql in TRUTH]
    return [sorted(some, key=repr) for some in rows]


def scramble(home: Path, name: str) -> None:
    """Random bytes at the head of the page a table or index begins with."""
    with opened(home) as connection:
        found = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,))
        page = found.fetchone()[0]
        connection.execute("PRAGMA journal_mode = DELETE")
    content = bytearray(database(home).read_bytes())
    begin = (page - 1) * PAGE
    content[begin : begin + 200] = random.Random(name).randbytes(200)  # noqa: S311  (no secret)
    database(home).write_bytes(content)


def mended(document: dict[str, Any]) -> dict[str, str]:
    assert document["sound"] is True
    return {one["check"]: one["after"] for one in document["repairs"]}


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize("cure", ["--fix", "--rebuild"])
@pytest.mark.parametrize("part", ["data", "content", "docsize", "idx", "config"])
def test_a_damaged_full_text_index_is_made_anew(filled: Shell, part: str, cure: str) -> None:
    answer, record = filled.json(*QUERY), truth(filled.home)
    scramble(filled.home, f"search_index_{part}")
    broken = findings(filled.json("doctor", code=UNSOUND))
    assert broken["full text"]["state"] == "error"
    assert broken["integrity"]["state"] == "ok"  # nothing is lost
    assert "full text" in mended(filled.json("doctor", cure))
    assert filled.json(*QUERY) == answer
    assert truth(filled.home) == record


@pytest.mark.sqlite("looks into the file")
def test_a_full_text_index_whose_inside_is_nonsense_is_made_anew(filled: Shell) -> None:
    answer = filled.json(*QUERY)
    with opened(filled.home) as connection:
        connection.execute("UPDATE search_index_data SET block = zeroblob(9) WHERE id > 10")
    assert findings(filled.json("doctor", code=UNSOUND))["full text"]["state"] == "error"
    assert "full text" in mended(filled.json("doctor", "--fix"))
    assert filled.json(*QUERY) == answer


@pytest.mark.sqlite("looks into the file")
def test_the_pages_of_a_damaged_index_are_given_back(filled: Shell) -> None:
    scramble(filled.home, "search_index_data")
    before = database(filled.home).stat().st_size
    mended(filled.json("doctor", "--fix"))
    assert database(filled.home).stat().st_size <= before
    with opened(filled.home) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize("name", ["turns_by_fingerprint", "turns_by_time"])
def test_a_damaged_index_of_a_table_is_made_anew(filled: Shell, name: str) -> None:
    record = truth(filled.home)
    scramble(filled.home, name)
    broken = findings(filled.json("doctor", code=UNSOUND))["integrity"]
    assert broken["cure"] == f"memoria --home {filled.home} doctor --fix"
    assert "integrity" in mended(filled.json("doctor", "--fix"))
    assert truth(filled.home) == record


@pytest.mark.sqlite("looks into the file")
def test_what_only_a_backup_brings_back_is_not_touched(filled: Shell) -> None:
    backup = filled.json("backup")["path"]
    scramble(filled.home, "turns")
    damaged = database(filled.home).read_bytes()
    after = filled.json("doctor", "--fix", code=UNSOUND)
    assert findings(after)["integrity"]["cure"].endswith(f"restore {backup}")
    assert database(filled.home).read_bytes()[PAGE:] == damaged[PAGE:]


@pytest.mark.sqlite("looks into the file")
def test_what_was_tried_in_vain_is_said_with_what_helps(filled: Shell) -> None:
    backup = filled.json("backup")["path"]
    scramble(filled.home, "sqlite_autoindex_turns_1")
    after = filled.json("doctor", "--fix", code=UNSOUND)
    (tried,) = after["repairs"]
    assert tried["check"] == "integrity"
    assert "damaged" in tried["after"]
    assert findings(after)["integrity"]["cure"].endswith(f"restore {backup}")


@pytest.mark.sqlite("looks into the file")
def test_an_index_and_a_trigger_that_are_gone_are_made_again(filled: Shell) -> None:
    with opened(filled.home) as connection:
        connection.execute("DROP INDEX turns_by_time")
        connection.execute("DROP TRIGGER audit_log_keeps_words")
    assert findings(filled.json("doctor", code=UNSOUND))["schema"]["detail"] == (
        "gone: turns_by_time, audit_log_keeps_words"
    )
    assert "schema" in mended(filled.json("doctor", "--fix"))


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize("ahead_ms", [-60_000, 10**10], ids=["run out", "from a wrong clock"])
def test_a_stale_lease_is_dropped(filled: Shell, ahead_ms: int) -> None:
    with opened(filled.home) as connection:
        connection.execute(
            "INSERT INTO leases VALUES (1, 'embedding', 'nobody', ?)", (now_millis() + ahead_ms,)
        )
    assert findings(filled.json("doctor"))["leases"]["state"] == "warning"
    assert mended(filled.json("doctor", "--fix")) == {"leases": "0 held"}


@pytest.mark.sqlite("looks into the file")
def test_a_lease_that_is_held_is_left_alone(filled: Shell) -> None:
    with opened(filled.home) as connection:
        connection.execute(
            "INSERT INTO leases VALUES (1, 'embedding', 'somebody', ?)", (now_millis() + 30_000,)
        )
    assert mended(filled.json("doctor", "--fix")) == {}
    with opened(filled.home) as connection:
        assert connection.execute("SELECT owner FROM leases").fetchall() == [("somebody",)]


@pytest.mark.sqlite("looks into the file")
def test_a_sound_home_is_not_changed_by_fixing_it(filled: Shell) -> None:
    before = database(filled.home).read_bytes()
    assert mended(filled.json("doctor", "--fix")) == {}
    assert database(filled.home).read_bytes() == before


def test_fix_and_rebuild_are_not_given_together(filled: Shell) -> None:
    output = filled("doctor", "--fix", "--rebuild")
    assert (output.code, output.out) == (1, "")
    assert "--fix builds anew what needs it" in output.err


@pytest.mark.sqlite("looks into the file")
async def test_damaged_vectors_are_made_anew(home: Path, embedder: BundledEmbedder) -> None:
    async with memoria.open(home=home, tenant="t", embedder=embedder) as memory:
        for i in range(5):
            await memory.remember(f"The cat of neighbour {i} is called Momo {i}")
        await memory.wait_until_idle(60)
        before = await memory.search_memory("Momo")
    scramble(home, "vectors_1_chunks")
    async with memoria.open(home=home, tenant="t", embedder=embedder) as memory:
        assert await state(memory) == "error"
        await memory.rebuild_indexes()
        assert await state(memory) == "ok"
        assert await memory.search_memory("Momo") == before


@pytest.mark.sqlite("looks into the file")
async def test_damaged_passages_are_named_and_made_anew_while_the_search_goes_on(
    home: Path, embedder: BundledEmbedder
) -> None:
    long = "Momo the cat sleeps on the warm printer all day. " * 20
    async with memoria.open(home=home, tenant="t", embedder=embedder) as memory:
        await memory.record_conversation([{"role": "user", "content": long}])
        await memory.wait_until_idle(60)
    with opened(home) as connection:
        connection.execute("UPDATE passages SET records = substr(records, 1, 100)")
    async with memoria.open(home=home, tenant="t", embedder=embedder) as memory:
        found = await memory.search_conversation_traces("Where does Momo sleep?")
        assert len(found.hits) == 1
        assert any("passages of document" in note for note in found.notes)
        assert await state(memory) == "error"
        await memory.rebuild_indexes()
        await memory.wait_until_idle(60)
        assert await state(memory) == "ok"
        assert (await memory.search_conversation_traces("Where does Momo sleep?")).notes == ()
    with opened(home) as connection:
        assert connection.execute("SELECT length(records) > 1000 FROM passages").fetchall() == [
            (1,)
        ]


async def state(memory: Memoria) -> str:
    (found,) = [f for f in (await memory.health()).findings if f.check == "vectors"]
    return found.state


@pytest.mark.sqlite("looks into the file")
async def test_what_was_given_up_is_tried_again(shell: Shell) -> None:
    async with memoria.open(home=shell.home, settings=memoria.Settings(embedder="off")) as memory:
        await memory.remember("Momo is a cat")
    with opened(shell.home) as connection:
        connection.execute("UPDATE embedding_backlog SET attempts = 5, last_error = 'no network'")
    endpoint = {"MEMORIA_EMBEDDER": "bundled"}
    output = shell("doctor", "--fix", "--json", **endpoint)
    (mended_,) = output.document["repairs"]
    assert mended_["check"] == "backlog"
    assert mended_["before"] == "1 documents were given up: no network"
    with opened(shell.home) as connection:
        assert connection.execute("SELECT attempts FROM embedding_backlog").fetchall() == [(0,)]


SAFE = "the safe's number is 4711"


async def look(settings: Settings) -> Finding:
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        health = await m.health()
    return next(one for one in health.findings if one.check == "core files")


async def test_a_line_that_was_forgotten_before_is_counted_until_it_goes(home: Path) -> None:
    settings = Settings.from_values(home=lay_empty_home(home), tenant="tests", embedder="off")
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        kept = await m.remember(SAFE)
        await m.forget_memory([kept.id])
        await m.remember("Sign commits", type="rule")
    nights.run_nightly(settings, ["core"])
    assert (await look(settings)).state == "ok"
    text = read_text(settings, "MEMORY.md")
    write_text(settings, "MEMORY.md", f"{text}\n## Mine\n- {SAFE}\n")
    report = nights.run_nightly(settings, ["core"])
    assert report.steps[-1].outcomes["refused"] == 1
    assert SAFE not in str(report)
    found = await look(settings)
    assert (found.state, "1 in MEMORY.md" in found.detail) == ("warning", True)
    write_text(settings, "MEMORY.md", text)
    nights.run_nightly(settings, ["core"])
    assert (await look(settings)).state == "ok"
