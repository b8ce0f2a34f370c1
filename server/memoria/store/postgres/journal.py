"""Journal: rows as they were before a nightly run or a forget changed them, kept by triggers.

The triggers are there always, and do something only in a transaction that asks for it.

A cascade begins with the row that is deleted, so that the server records this row before those that
referred to it. What is recorded is restored newest first. So at the end of a block each deleted row
is put behind whatever referred to it, which is the order in which SQLite records them.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memoria.store.connection import Column

if TYPE_CHECKING:
    from memoria.store.postgres.driver import PostgresConnection


def list_columns(connection: "PostgresConnection", table: str) -> list[Column]:
    """List the columns of a table that hold the truth."""
    rows = connection.execute(connection.statements("journal")["columns"], {"tbl": table})
    return [Column(*row) for row in rows]


@contextmanager
def journal_changes(connection: "PostgresConnection", run_n: int, step: int) -> Iterator[None]:
    """Record what the block changes, up to which the transaction has changed nothing."""
    sql = connection.statements("journal")["begin_journal"]
    first = connection.execute(sql, {"run_n": run_n, "step": step}).fetchone()[0]
    yield
    _put_in_order(connection, "journaled", {"run_n": run_n, "first": first})


@contextmanager
def hide_changes(
    connection: "PostgresConnection",
    tables: Sequence[str],  # noqa: ARG001  (the triggers are on these)
    tenant: int,  # noqa: ARG001  (each row has it)
    report_id: str,
) -> Iterator[None]:
    """Record in `hidden_changes` how the rows were that the block changes."""
    sql = connection.statements("journal")["set_report"]
    connection.execute(sql, {"report_id": report_id})
    yield
    connection.execute(sql, {"report_id": ""})
    _put_in_order(connection, "hidden", {"report_id": report_id})


def count_changed_rows(connection: "PostgresConnection") -> int:
    """Count the rows that this session has changed of late; it counts on while a transaction runs.

    The index of words is left out: it has a row for each word of a document.
    """
    return int(connection.execute(connection.statements("journal")["changed"]).fetchone()[0])


def _put_in_order(
    connection: "PostgresConnection", changes: str, block: Mapping[str, str | int]
) -> None:
    """Put each deleted row behind whatever referred to it."""
    sql = connection.statements("journal")
    references = connection.tuples(sql[f"{changes}_references"], block)
    if not any(deleted < referring for referring, deleted in references):
        return
    newest_first = [n for (n,) in connection.tuples(sql[changes], block)]
    places = dict(zip(newest_first, _sort(newest_first, references), strict=True))
    moved = {place: n for place, n in places.items() if place != n}
    connection.execute(sql[f"place_{changes}"], {**block, "places": json.dumps(moved)})


def _sort(newest_first: Sequence[int], references: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield changes so that each deleted row comes before whatever referred to it."""
    deleted_by = defaultdict[int, list[int]](list)
    for referring, deleted in sorted(references):
        deleted_by[referring].append(deleted)
    waiting = list(reversed(newest_first))
    seen, done = set[int](), set[int]()
    while waiting:
        n = waiting[-1]
        if n in seen:
            waiting.pop()
            if n not in done:
                done.add(n)
                yield n
        else:
            seen.add(n)
            waiting += [one for one in deleted_by[n] if one not in seen]
