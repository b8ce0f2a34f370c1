"""Findings of `doctor` on tables, which are the same for all engines."""

from collections.abc import Iterable, Iterator
from typing import Literal

from memoria.config import LONGEST_LEASE_MS
from memoria.language.reading.statement import fingerprint
from memoria.model import FIX, RESTORE, Finding, now_millis
from memoria.store.connection import Connection, Row
from memoria.store.rows.links import count_dangling, count_edges
from memoria.store.rows.texts import intact

UNFINISHED_COPY = "unfinished_copy"
"""Setting of a database that a move has begun to fill."""
_FEW = 5
"""Number of problems of a kind that are shown; whoever has one has a hundred."""


def report_ok(check: str, detail: str) -> Finding:
    """Return a finding that nothing is wrong."""
    return Finding(check=check, state="ok", detail=detail)


def report_error(check: str, detail: str) -> Finding:
    """Return a finding on what only a backup mends."""
    return Finding(check=check, state="error", detail=detail, cure=RESTORE)


def report_mendable(
    check: str, detail: str, state: Literal["error", "warning"] = "error"
) -> Finding:
    """Return a finding on what `doctor --fix` mends."""
    return Finding(check=check, state=state, detail=detail, cure=FIX)


def check_texts(chunks: Iterable[Row], wordings: Iterable[Row], lost: int) -> Finding:
    """Check that every stored text and wording has its hash, and every document its record.

    Args:
        chunks: all stored texts.
        wordings: the wordings of all memories.
        lost: the number of records and texts that others refer to, and that are gone.
    """
    checks = [intact(row["hash"], row["codec"], row["data"]) for row in chunks]
    checks += [fingerprint(row["content"]) == row["fingerprint"] for row in wordings]
    total, damaged = len(checks), checks.count(False)
    if damaged:
        return report_error("raw text", f"{damaged} of {total} stored texts are damaged")
    if lost:
        return report_error("raw text", f"{lost} records or texts are gone that others refer to")
    return report_ok("raw text", f"{total} texts match their hashes")


def check_drift(check: str, total: int, missing: int, extra: int) -> Finding:
    """Check that an index has all that it should have and nothing else.

    Args:
        check: the name of the check.
        total: the number of things that should be indexed.
        missing: the number of them that are not.
        extra: the number of things that are indexed and gone.
    """
    if missing or extra:
        detail = f"{missing} of {total} are not indexed, {extra} are indexed but gone"
        return report_mendable(check, detail)
    return report_ok(check, f"{total} indexed, none missing")


def check_graph(connection: Connection) -> Finding:
    """Check that every edge has two ends, and every entity a name that a memory uses."""
    lost = count_dangling(connection)
    if lost:
        detail = ", ".join(f"{count} {kind}" for kind, count in lost.items())
        return report_mendable("graph", f"lead nowhere: {detail}")
    return report_ok("graph", f"{count_edges(connection)} edges, all held")


def check_leases(connection: Connection) -> Finding:
    """Check that no lease has expired, or ends so late that the clock was wrong."""
    now, rows = now_millis(), connection.execute(connection.statements("examination")["leases"])
    ends = [row["expires_at"] for row in rows]
    stale = sum(not now < end <= now + LONGEST_LEASE_MS for end in ends)
    if stale:
        detail = f"{stale} of {len(ends)} were left behind by a process that died"
        return report_mendable("leases", detail, "warning")
    return report_ok("leases", f"{len(ends)} held")


def check_copy(connection: Connection) -> Iterator[Finding]:
    """Yield a finding if the memory is a copy that a move has begun and not finished."""
    asked = connection.statements("moves")["setting"], {"name": UNFINISHED_COPY}
    if connection.execute(*asked).fetchone() is not None:
        yield Finding(
            check="copy",
            state="error",
            detail="`memoria migrate` has begun to fill this memory and has not come to its end, "
            "so that something is missing",
            cure="Stop the clients that use it, and run the same `memoria migrate` again: it goes "
            "on.",
        )


def name_few(lines: tuple[str, ...] | list[str]) -> str:
    """Join the first few lines, and say how many more there are."""
    more = len(lines) - _FEW
    return "; ".join(lines[:_FEW]) + (f"; and {more} more" if more > 0 else "")
