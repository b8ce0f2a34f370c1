"""Something is forgotten while an older snapshot is open, which still holds its rows."""

from collections.abc import Iterator
from pathlib import Path

import anyio.to_thread
import psycopg
from psycopg import sql

import memoria
from bench.faults.verdict import Verdict
from bench.faults_postgres.writers import DATABASE, postgres_settings
from bench.postgres import PostgresCluster, run_cluster
from memoria import Memoria
from memoria.app.open_home import in_thread

_MARK = "zanzibarquokka"
"""A word that stands in nothing else."""
_SAID = f"The {_MARK} is hidden behind the third shelf"
_COLUMNS = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = 'public' AND data_type IN ('text', 'bytea', 'jsonb')
"""


async def forget_under_snapshot(home: Path) -> Verdict:
    """Forget under an open snapshot, look at once, end the snapshot, wipe, look at the files."""
    broken = list[str]()
    with run_cluster() as cluster:
        chosen = postgres_settings(home, cluster.create_database(DATABASE), "forgetful")
        async with memoria.open(settings=chosen) as m:
            await m.remember(_SAID)
            await m.record_conversation([{"role": "user", "content": _SAID}], session_id="s")
            with psycopg.connect(cluster.url(DATABASE), autocommit=True) as older:
                _open_snapshot(older)
                forgotten = await m.forget_memory(everything=True, at_once=True)
                broken += await _find_readable(m, cluster)
                is_wiped = await in_thread(m._store._wipe)  # type: ignore[attr-defined]  # noqa: SLF001  (as a nightly run does)
                is_pending = await in_thread(m._store.needs_scrub)  # noqa: SLF001  (no face needs it)
                if forgotten.scrubbed or is_wiped or not is_pending:
                    broken.append("it was called wiped while a snapshot held the rows")
                if not _count_seen(older):
                    broken.append("the older snapshot lost its rows")
            is_wiped = await in_thread(m._store._wipe)  # type: ignore[attr-defined]  # noqa: SLF001
            if not is_wiped or await in_thread(m._store.needs_scrub):  # noqa: SLF001
                broken.append("it was not wiped once the snapshot had ended")
        files = await anyio.to_thread.run_sync(lambda: [*_list_files_with(cluster, _MARK)])
    figures = {"pending under the snapshot": int(is_pending), "files left with it": len(files)}
    broken += [f"{one} holds it after the wipe" for one in files]
    return Verdict("PostgreSQL: forget under an older snapshot", figures, tuple(broken))


def _open_snapshot(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    connection.execute("SELECT set_config('memoria.tenant', '0', false)")
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    _count_seen(connection)


def _count_seen(connection: psycopg.Connection[tuple[object, ...]]) -> int:
    found = connection.execute("SELECT 1 FROM memory_versions WHERE content = %s", (_SAID,))
    return len(found.fetchall())


async def _find_readable(m: Memoria, cluster: PostgresCluster) -> list[str]:
    """Find what a search, or anybody with every right, can still read in a fresh snapshot."""
    hits = (await m.search_memory(_MARK)).hits, (await m.search_conversation_traces(_MARK)).hits
    found = [f"a search finds {hit.source.turn_id}" for some in hits for hit in some]
    return found + await anyio.to_thread.run_sync(lambda: [*_list_rows_with(cluster, _MARK)])


def _list_rows_with(cluster: PostgresCluster, word: str) -> Iterator[str]:
    """List the columns of any table in which a word is readable."""
    with cluster.connect(DATABASE) as connection:
        for table, column in connection.execute(_COLUMNS.encode()).fetchall():
            names = sql.Identifier(str(table)), sql.Identifier(str(column))
            asked = sql.SQL("SELECT 1 FROM {} WHERE strpos(CAST({} AS TEXT), {}) > 0")
            if connection.execute(asked.format(*names, sql.Literal(word))).fetchall():
                yield f"{table}.{column} holds it after the forget"


def _list_files_with(cluster: PostgresCluster, word: str) -> Iterator[str]:
    """List the files of tables and indexes that hold a word, once all is written to them."""
    cluster.execute("CHECKPOINT")
    for path in sorted((cluster.data / "base").rglob("*")):
        if path.is_file() and word.encode() in path.read_bytes():
            yield str(path.relative_to(cluster.data))
