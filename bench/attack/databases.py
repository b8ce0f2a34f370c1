"""Databases of other programs that somebody has prepared: logs, views, tables that compute."""

import errno
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from tests.connectors.sources.samples.clients import write_goose

from bench.attack.arena import Arena, SkippedError
from bench.attack.attack import slow_attack
from bench.attack.handicaps import with_limits

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_SECTOR = 512
_PENDING_PAGE = (1 << 30) // 4096 + 1
_SOON_S = 30.0
_ROOM = 1 << 31
_MUCH = 64 << 20
_SCHEMAS = {
    "a view without end": (
        "CREATE VIEW messages AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
        " SELECT n AS id, 'm' || n AS message_id, '20260101_1' AS session_id, 'user' AS role,"
        " '[]' AS content_json, n AS created_timestamp, n AS timestamp, 0 AS tokens,"
        " '{}' AS metadata_json FROM c",
    ),
    "a view that takes all memory": (
        "CREATE VIEW messages AS SELECT 1 AS id, 'm' AS message_id, '20260101_1' AS session_id,"
        " 'user' AS role, hex(zeroblob(400000000)) AS content_json, 1 AS created_timestamp,"
        " 1 AS timestamp, 0 AS tokens, '{}' AS metadata_json",
    ),
    "a generated column that takes all memory": (
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT,"
        " role TEXT, content_json TEXT AS (hex(zeroblob(400000000))), created_timestamp INTEGER,"
        " timestamp TIMESTAMP, tokens INTEGER, metadata_json TEXT)",
        "INSERT INTO messages VALUES (1, 'm', '20260101_1', 'user', 1, 1, 1, '{}')",
    ),
    "a virtual table of no module": (
        "PRAGMA writable_schema = 1",
        "INSERT INTO sqlite_schema VALUES ('table', 'messages', 'messages', 0,"
        " 'CREATE VIRTUAL TABLE messages USING zqmodule(id, message_id, session_id, role,"
        " content_json, created_timestamp, timestamp, tokens, metadata_json)')",
    ),
}
_CHANGES = "UPDATE messages SET content_json = 'zqchanged'"
_TRIGGERS = (
    f"CREATE TRIGGER added AFTER INSERT ON messages BEGIN {_CHANGES}; END",
    f"CREATE TRIGGER edited AFTER UPDATE ON sessions BEGIN {_CHANGES}; END",
    f"CREATE TRIGGER gone AFTER DELETE ON sessions BEGIN {_CHANGES}; END",
)


def _need_posix() -> None:
    if sys.platform == "win32":
        raise SkippedError("links and limits are another matter on Windows")


def _journal_that_names(victim: Path) -> bytes:
    """A rollback journal whose rollback ends with the deletion of another file."""
    header = b"".join(number.to_bytes(4, "big") for number in (0, 1, 8, _SECTOR, 4096))
    name = os.fsencode(victim)
    total = sum(byte - 256 if byte > 127 else byte for byte in name) & 0xFFFFFFFF  # noqa: PLR2004
    record = _PENDING_PAGE.to_bytes(4, "big") + name + len(name).to_bytes(4, "big")
    return (_MAGIC + header).ljust(_SECTOR, b"\0") + record + total.to_bytes(4, "big") + _MAGIC


@slow_attack
async def delete_a_file_through_another_programs_journal(arena: Arena) -> None:
    """Lay a journal that names a file of the user's beside a database, and import it or look."""
    victim = arena.folder / "precious.txt"
    for number, (options, whole) in enumerate(
        ((("--dry-run",), False), ((), False), ((), True), (("--format", "goose"), True))
    ):
        folder = arena.folder / f"goose-{number}"
        folder.mkdir()
        database = write_goose(folder)
        journal = database.with_name(f"{database.name}-journal")
        victim.write_text("precious", "utf-8")
        journal.write_bytes(_journal_that_names(victim))
        before = database.read_bytes()
        ran = await arena.run("import", folder if whole else database, *options)
        what = f"import {' '.join(options)}"
        arena.check(victim.exists(), f"{what} deletes a file that the journal names")
        arena.check(database.read_bytes() == before, f"{what} changes the database")
        arena.check(journal.exists(), f"{what} removes the journal")
        arena.check("-journal" in ran.text, f"{what} does not name the journal: {ran.text[-200:]}")
        arena.check("Traceback" not in ran.err, f"{what}: {ran.err[-200:]}")


@slow_attack
async def fill_the_disk_through_a_log_that_is_a_device(arena: Arena) -> None:
    """Make a database's log a link to a device or a file elsewhere, or a pipe; and import it."""
    _need_posix()
    limits = with_limits(arena.folder, FSIZE=_MUCH)
    secret = arena.folder / "elsewhere"
    secret.write_bytes(b"zq" * 50_000)
    for number, target in enumerate(("/dev/zero", str(secret), "")):
        folder = arena.folder / f"goose-{number}"
        folder.mkdir()
        database = write_goose(folder)
        log = database.with_name(f"{database.name}-wal")
        if target:
            log.symlink_to(target)
        else:
            os.mkfifo(log)
        for options in (("--dry-run",), ()):
            ran = await arena.run_in(
                arena.folder, "import", folder, *options, timeout_s=_SOON_S, environment=limits
            )
            what = f"{target or 'a pipe'} {' '.join(options)}"
            arena.check(ran.code is not None, f"{what}: it hangs")
            full = os.strerror(errno.EFBIG) in ran.text
            arena.check(not full, f"{what}: it copies until the disk is full")
            arena.check("Traceback" not in ran.err, f"{what}: {ran.err[-200:]}")
            kept = secret.read_bytes() == b"zq" * 50_000
            arena.check(kept, f"{what}: the file elsewhere was changed")


@slow_attack
async def read_what_a_foreign_database_computes(arena: Arena) -> None:
    """Make the table that an import reads a view without end, or one that takes all memory."""
    _need_posix()
    limits = with_limits(arena.folder, AS=_ROOM)
    good = arena.folder / "good.jsonl"
    good.write_text('{"role": "user", "content": "The kiln is warm", "session_id": "s"}\n', "utf-8")
    for number, (what, script) in enumerate(_SCHEMAS.items()):
        folder = arena.folder / f"goose-{number}"
        folder.mkdir()
        database = write_goose(folder)
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("DROP TABLE messages")
            for statement in script:
                connection.execute(statement)
            connection.commit()
        good.replace(good := folder / "good.jsonl")
        for arguments in ((folder,), (database, "--format", "goose")):
            ran = await arena.run_in(
                arena.folder, "import", *arguments, timeout_s=_SOON_S, environment=limits
            )
            arena.check(ran.code is not None, f"{what}: it hangs")
            arena.check("Traceback" not in ran.err, f"{what}: {ran.err[-200:]}")
            arena.check("MemoryError" not in ran.text, f"{what}: it takes all memory")
            arena.check(database.name in ran.text, f"{what}: not named: {ran.text[-200:]}")
    found = await arena.run("traces", "kiln")
    arena.check("kiln is warm" in found.out, "what lies beside them was not imported")


@slow_attack
async def act_through_a_foreign_databases_triggers(arena: Arena) -> None:
    """Give a database triggers on every table, and see that what is in it is imported unchanged."""
    folder = arena.folder / "goose"
    folder.mkdir()
    database = write_goose(folder)
    with closing(sqlite3.connect(database)) as connection:
        for trigger in _TRIGGERS:
            connection.execute(trigger)
        connection.commit()
    before = database.read_bytes()
    ran = await arena.run("import", folder)
    arena.check(ran.code == 0, f"{ran.text[-200:]}")
    arena.check(database.read_bytes() == before, "the database was changed")
    arena.check(sorted(folder.iterdir()) == [database], f"{sorted(folder.iterdir())}")
