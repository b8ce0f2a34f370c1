"""Mending of a file: derived indexes, indexes of tables, unused pages, queues and leases.

The truth is read, never written. An index whose pages are damaged is not dropped: dropping walks
those pages and frees whatever they point at, which may be somebody else's. It is removed from the
list of tables instead, and VACUUM, which copies only what tables own, leaves its pages behind.
"""

from collections.abc import Callable, Mapping
from functools import partial

from memoria.errors import StoreDamagedError
from memoria.model.moments import Zone
from memoria.store.image.visibility import visibility_of
from memoria.store.rows.links import mend_links
from memoria.store.rows.mending import drop_stale_leases, forgive_failures, queue_missing_vectors
from memoria.store.rows.word_renewal import read_tokens, set_mark
from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import SqliteConnection, is_damage, sqlite3, take_turn, transaction
from memoria.store.sqlite.examination import inspect, table_is_whole
from memoria.store.sqlite.schema import schema
from memoria.store.vectors import VectorIndex, list_models

Progress = Callable[[int, int], None]
Mender = Callable[[SqliteConnection, VectorIndex, Progress], None]

_SQL = statements("examination")
_FULL_TEXT = "search_index"


def rebuild(
    connection: SqliteConnection, vectors: VectorIndex, zone: Zone, progress: Progress
) -> None:
    """Build the full text and the vector indexes anew, and remove dangling edges of the graph."""
    _full_text(connection, vectors, progress, zone=zone)
    _vectors(connection, vectors, progress, every=True)
    _graph(connection, vectors, progress)
    _give_back_pages(connection)


def mend(
    connection: SqliteConnection, vectors: VectorIndex, zone: Zone, check: str, progress: Progress
) -> None:
    """Mend what a check has found; nothing is changed if no mender has the name of the check."""
    menders: dict[str, Mender] = {**_MENDERS, "full text": partial(_full_text, zone=zone)}
    mender = menders.get(check)
    if mender is not None:
        mender(connection, vectors, progress)
        _give_back_pages(connection)


def _full_text(
    connection: SqliteConnection, vectors: VectorIndex, progress: Progress, *, zone: Zone
) -> None:
    """Write every document's tokens anew, from the stored text."""
    damaged = _FULL_TEXT in inspect(connection).derived
    try:
        with transaction(connection):
            _take_out(connection, _FULL_TEXT, by_force=damaged)
            _write_full_text(connection, vectors, zone, progress)
    except sqlite3.DatabaseError as error:
        if damaged or not is_damage(error):
            raise
        with transaction(connection):
            _take_out(connection, _FULL_TEXT, by_force=True)
            _write_full_text(connection, vectors, zone, progress)


def _write_full_text(
    connection: SqliteConnection, vectors: VectorIndex, zone: Zone, progress: Progress
) -> None:
    connection.execute(schema()[_FULL_TEXT])
    rows = connection.execute(_SQL["documents"]).fetchall()
    for done, row in enumerate(rows, 1):
        n, tenant = row["n"], row["tenant_id"]
        words, context = read_tokens(connection, vectors, zone, tenant, [row])[n]
        connection.execute(
            statements("documents")["index_document"],
            {"n": n, "scope": visibility_of(row).token, "words": words, "context": context},
        )
        progress(done, len(rows))
    set_mark(connection, rows[-1]["n"] if rows else 0)
    connection.execute(_SQL["announce_words"])


def _vectors(
    connection: SqliteConnection, vectors: VectorIndex, _progress: Progress, *, every: bool = False
) -> None:
    """Build indexes anew from the stored vectors; queue documents whose vectors are not stored."""
    damaged = [name for name in inspect(connection).derived if name != _FULL_TEXT]
    with transaction(connection):
        for name in damaged:
            _take_out(connection, name, by_force=True)
        for model in list_models(connection):
            if every or vectors.drift(model.n).is_out_of_step:
                vectors.catch_up(model.n, model.dims)
        queue_missing_vectors(connection)


def _own_indexes(connection: SqliteConnection, _vectors: VectorIndex, _progress: Progress) -> None:
    """Build indexes of tables anew; raise StoreDamagedError if a table is damaged even then."""
    for table in inspect(connection).indexes:
        with transaction(connection):
            connection.execute("PRAGMA writable_schema = ON")
            lost = connection.execute(_SQL["forget_indexes"], {"name": table}).fetchall()
            connection.execute("PRAGMA writable_schema = RESET")
            for row in lost:
                connection.execute(schema()[row["name"]])
            connection.execute(f"REINDEX {table}")
            if not table_is_whole(connection, table):
                raise StoreDamagedError.for_problem(f"the table {table} is, not only its indexes")


def _make_definitions(
    connection: SqliteConnection, _vectors: VectorIndex, _progress: Progress
) -> None:
    """Create missing indexes and triggers."""
    with transaction(connection):
        there = {row["name"] for row in connection.execute(_SQL["definitions"])}
        for name, sql in schema().items():
            if name not in there and sql.startswith(("CREATE INDEX", "CREATE UNIQUE", "CREATE TR")):
                connection.execute(sql)


def _backlog(connection: SqliteConnection, _vectors: VectorIndex, _progress: Progress) -> None:
    """Reset the attempts of documents that could not be embedded."""
    with transaction(connection):
        forgive_failures(connection)


def _graph(connection: SqliteConnection, _vectors: VectorIndex, _progress: Progress) -> None:
    """Remove edges and entities of the graph that lead nowhere."""
    with transaction(connection):
        mend_links(connection)


def _leases(connection: SqliteConnection, _vectors: VectorIndex, _progress: Progress) -> None:
    """Delete leases that no living process can hold."""
    with transaction(connection):
        drop_stale_leases(connection)


_MENDERS: Mapping[str, Mender] = {
    "integrity": _own_indexes,
    "schema": _make_definitions,
    "vectors": _vectors,
    "graph": _graph,
    "backlog": _backlog,
    "leases": _leases,
}


def _take_out(connection: SqliteConnection, name: str, *, by_force: bool) -> None:
    """Remove a virtual table together with the tables that its module made.

    Force works only in a transaction that has not met the damage yet.
    """
    if not by_force:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
        return
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(_SQL["forget_table"], {"name": name})
    connection.execute("PRAGMA writable_schema = RESET")


def _give_back_pages(connection: SqliteConnection) -> None:
    """Write the file anew without the pages that no table owns."""
    if inspect(connection).bookkeeping:
        connection.execute("PRAGMA temp_store = FILE")  # VACUUM keeps a whole copy there
        with take_turn(connection):
            connection.execute("VACUUM")
        connection.execute("PRAGMA temp_store = MEMORY")
