"""Looking after the file: what `doctor` wants to know, and building the indexes anew."""

import shlex
from collections.abc import Callable, Iterator
from dataclasses import astuple
from pathlib import Path

from memoria.errors import StoreError
from memoria.model import Finding
from memoria.store.sqlite.chunks import digest, unpack
from memoria.store.sqlite.conversations import SqliteConversations
from memoria.store.sqlite.documents import SqliteDocuments
from memoria.store.sqlite.driver import Connection, Row, sqlite3
from memoria.store.sqlite.rows import TenantRows
from memoria.store.sqlite.standing import standing
from memoria.store.sqlite.statements import statements
from memoria.store.sqlite.vectors import VectorIndex, known_models
from memoria.text.document import memory_tokens, turn_tokens

_SQL = statements("upkeep")
_REBUILD = "memoria doctor --rebuild"
_GROUP_OR_OTHERS = 0o077


def examine(
    connection: Connection, path: Path, vectors: VectorIndex, *, deep: bool
) -> Iterator[Finding]:
    """Findings on the file, its integrity and its derived indexes."""
    yield _engine(connection)
    yield _mode(path)
    yield _integrity(connection, deep=deep)
    if deep:
        yield _raw_text(connection)
    yield _full_text(connection)
    yield _vector_index(connection, vectors)


def rebuild_full_text(
    connection: Connection, vectors: VectorIndex, progress: Callable[[int, int], None]
) -> None:
    """Write every document's tokens anew, from the stored text."""
    connection.execute("DELETE FROM search_index")
    rows = connection.execute(_SQL["documents"]).fetchall()
    for done, row in enumerate(rows, 1):
        words, context = _tokens_of(connection, vectors, row)
        scope = standing(row).token
        connection.execute(
            statements("documents")["index_document"],
            {"n": row["n"], "scope": scope, "words": words, "context": context},
        )
        progress(done, len(rows))


def _tokens_of(connection: Connection, vectors: VectorIndex, row: Row) -> tuple[str, str]:
    n, tenant = row["n"], row["tenant_id"]
    if row["kind"] == "memory":
        rows = TenantRows(connection, tenant, "upkeep")
        memory = rows.first("wording", n=n)
        return memory_tokens(memory["content"], memory["valid_from"]) if memory else ("", "")
    documents = SqliteDocuments(connection, tenant, vectors)
    return turn_tokens(SqliteConversations(connection, tenant, documents).turns([n])[n])


def rebuild_vectors(connection: Connection, vectors: VectorIndex) -> None:
    """Build every model's index anew from the stored vectors; make again what is not stored."""
    for model in known_models(connection):
        vectors.catch_up(model.n, model.dims)
    connection.execute(_SQL["forgive_failures"])
    connection.execute(_SQL["await_missing_vectors"])


def _engine(connection: Connection) -> Finding:
    source = sqlite3.__name__.split(".", maxsplit=1)[0]
    journal = connection.execute("PRAGMA journal_mode").fetchone()[0]
    return Finding(
        check="engine", state="ok", detail=f"SQLite {sqlite3.sqlite_version} ({source}), {journal}"
    )


def _mode(path: Path) -> Finding:
    exposed = [part for part in (path.parent, path) if part.stat().st_mode & _GROUP_OR_OTHERS]
    if not exposed:
        return Finding(check="privacy", state="ok", detail="only this user can read the home")
    return Finding(
        check="privacy",
        state="warning",
        detail=f"other users may read {', '.join(map(str, exposed))}",
        cure=f"chmod -R go-rwx {shlex.quote(str(path.parent))}",
    )


def _integrity(connection: Connection, *, deep: bool) -> Finding:
    pragma = "integrity_check" if deep else "quick_check"
    problems = [row[0] for row in connection.execute(f"PRAGMA {pragma}(5)")]
    problems += [
        f"a broken reference in {row[0]}" for row in connection.execute("PRAGMA foreign_key_check")
    ]
    if problems == ["ok"]:
        return Finding(check="integrity", state="ok", detail=f"{pragma} found nothing wrong")
    return Finding(
        check="integrity",
        state="error",
        detail="; ".join(problem for problem in problems if problem != "ok"),
        cure="Restore a backup of the home.",
    )


def _raw_text(connection: Connection) -> Finding:
    """Every stored text still has the hash it is kept under."""
    total = damaged = 0
    for row in connection.execute(_SQL["raw_chunks"]):
        total += 1
        damaged += not _intact(row)
    if damaged:
        return Finding(
            check="raw text",
            state="error",
            detail=f"{damaged} of {total} stored texts are damaged",
            cure="Restore a backup of the home.",
        )
    return Finding(check="raw text", state="ok", detail=f"{total} texts match their hashes")


def _intact(row: Row) -> bool:
    try:
        return bool(digest(unpack(row["codec"], row["data"])) == row["hash"])
    except StoreError:
        return False


def _full_text(connection: Connection) -> Finding:
    row = connection.execute(_SQL["full_text_drift"]).fetchone()
    return _drift("full text", row["documents"], row["missing"], row["extra"])


def _vector_index(connection: Connection, vectors: VectorIndex) -> Finding:
    if not vectors.in_file:
        return Finding(
            check="vectors",
            state="warning",
            detail="sqlite-vec can't be loaded here; vectors are searched in NumPy",
            cure="Use a Python whose SQLite loads extensions, or install pysqlite3.",
        )
    lost = connection.execute(_SQL["count_missing_vectors"]).fetchone()[0]
    if lost:
        return Finding(
            check="vectors",
            state="error",
            detail=f"{lost} documents have no vector and are not waiting for one",
            cure=_REBUILD,
        )
    drifts = [vectors.drift(model.n) for model in known_models(connection)]
    totals = (sum(column) for column in zip(*map(astuple, drifts), strict=True))
    return _drift("vectors", *(totals if drifts else (0, 0, 0)))


def _drift(check: str, total: int, missing: int, extra: int) -> Finding:
    if missing or extra:
        return Finding(
            check=check,
            state="error",
            detail=f"{missing} of {total} are not indexed, {extra} are indexed but gone",
            cure=_REBUILD,
        )
    return Finding(check=check, state="ok", detail=f"{total} indexed, none missing")
