"""Two versions at once: the older one works or says why not, and the home stays sound."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import memoria
from bench.faults.homes import copy_home, unsound
from bench.faults.strings import PuppetError, Strings, puppet
from bench.faults.verdict import Verdict
from memoria.store.sqlite.schema import migrations

_NEWEST = migrations()[-1][0]
_MORE = "ALTER TABLE turns ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';\n"
_NEWCOMERS = 2
_ONE, _OTHER = 1, 1001
"""Numbers of rows, the second beyond what the others write meanwhile."""
_A_TURN_OF_THE_FIRST_VERSION = (
    "INSERT INTO tenants (id, name, created_at) VALUES (1, 'default', 1) ON CONFLICT DO NOTHING",
    "INSERT INTO sessions (n, tenant_id, source, session_id, first_at, last_at, last_ingested_at) "
    "VALUES (:n, 1, 'library', 's' || :n, 1, 1, 1)",
    "INSERT INTO documents (n, tenant_id, kind) VALUES (:n, 1, 'turn')",
    "INSERT INTO search_index (rowid, scope, words, context) VALUES (:n, 'turn1', 'hello', '')",
    "INSERT INTO embedding_backlog (document_n) VALUES (:n)",
    "INSERT INTO raw_chunks (tenant_id, hash, codec, size, data) "
    "VALUES (1, x'2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', "
    "'plain', 5, CAST('hello' AS BLOB)) ON CONFLICT DO NOTHING",
    "INSERT INTO turns (n, id, tenant_id, session_n, turn_index, role, at, at_given, ingested_at, "
    "fingerprint, content_hash) VALUES (:n, 'turn' || :n, 1, :n, 0, 'user', 1, 0, 1, x'00', "
    "x'2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824')",
    "UPDATE sessions SET next_index = 1 WHERE n = :n",
)
"""What version 1 wrote for the turn "hello"."""


def overtaken(pattern: Path, folder: Path) -> Verdict:
    """A newer version migrates the home while this one has it open; then this one is started."""
    home, newer = copy_home(pattern, folder / "home"), _edition(folder)
    broken: list[str] = []
    with puppet() as old, puppet(newer) as new:
        old.tell("open", home=str(home))
        kept = old.tell("record", session="old", texts=["before"])
        new.tell("open", home=str(home))
        broken += _stops(lambda: old.tell("record", session="old", texts=["after"]))
        if old.tell("read", session="old") != ["before"]:
            broken.append("the older version lost what it had kept")
        new.tell("record", session="old", texts=["after"])
        if new.tell("read", session="old") != ["before", "after"] or not kept:
            broken.append("the newer version does not find everything")
    with puppet() as late:
        broken += _stops(lambda: late.tell("open", home=str(home)))
    with puppet(newer) as new:
        broken += [f"{check}: {detail}" for check, detail, _ in new.tell("doctor", home=str(home))]
    return Verdict("a newer version beside this one", {}, tuple(broken))


def overtaking(folder: Path) -> Verdict:
    """This version migrates a home that the first one has open and would go on writing to.

    The first version doesn't look at the schema's number. Tables that it writes have other columns
    now, so its transaction must fail as a whole: it says so, and leaves nothing half written.
    """
    home = folder / "first"
    home.mkdir()
    broken: list[str] = []
    with closing(sqlite3.connect(home / "memoria.db", isolation_level=None)) as old:
        old.execute("PRAGMA journal_mode = WAL")
        old.executescript(migrations()[0][1])
        old.execute("PRAGMA user_version = 1")
        _write_as_the_first(old, _ONE)
        broken += _serve_together(home)
        try:
            _write_as_the_first(old, _OTHER)
        except sqlite3.Error:
            old.execute("ROLLBACK")
        else:
            broken.append("the first version wrote into tables that are no longer its own")
    with puppet() as it:
        it.tell("open", home=str(home))
        if (stored := it.tell("read", session=f"s{_ONE}")) != ["hello"]:
            broken.append(f"of what the first version wrote there is {stored}")
        broken += _find_remains(it, f"s{_OTHER}")
    return Verdict(
        "the first version beside this one", {"processes": _NEWCOMERS}, (*broken, *unsound(home))
    )


def _find_remains(it: Strings, session: str) -> Iterator[str]:
    """Nothing may be left of a session that was never committed."""
    try:
        stored = it.tell("read", session=session)
    except PuppetError as error:
        if error.name != "NotFoundError":
            yield str(error)
    else:
        yield f"of a transaction that failed there is {stored}"


def _serve_together(home: Path) -> Iterator[str]:
    """Several processes of this version open the old home at the same moment."""
    with ExitStack() as stack:
        newcomers = [stack.enter_context(puppet()) for _ in range(_NEWCOMERS)]
        for it in newcomers:
            it.send("open", home=str(home))
        answers = [it.hear() for it in newcomers]
        yield from (f"a process could not open it: {said}" for said in answers if "error" in said)
        for number, it in enumerate(newcomers):
            it.tell("record", session=f"new {number}", texts=["hello"])


def _write_as_the_first(old: sqlite3.Connection, n: int) -> None:
    old.execute("BEGIN IMMEDIATE")
    for statement in _A_TURN_OF_THE_FIRST_VERSION:
        old.execute(statement, {"n": n} if ":n" in statement else {})
    old.execute("COMMIT")


def _edition(folder: Path) -> Path:
    """This version with one more migration."""
    package = folder / "edition" / "memoria"
    source = Path(memoria.__file__).parent
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
    more = package / "store" / "sqlite" / "migrations" / f"{_NEWEST + 1:04}_more.sql"
    more.write_text(_MORE, "utf-8")
    return package.parent


def _stops(deed: Callable[[], object]) -> Iterator[str]:
    """The older version must stop and say what to do."""
    try:
        deed()
    except PuppetError as error:
        if error.name != "StoreTooNewError" or "pip install -U" not in error.message:
            yield f"the older version does not say what to do: {error}"
    else:
        yield "the older version went on in a home it does not know"
