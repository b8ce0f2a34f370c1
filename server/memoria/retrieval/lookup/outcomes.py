"""Outcomes: for calls that failed, what worked afterwards, and what was changed in between."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

from memoria.language.calls.kinship import are_kin, is_reader
from memoria.language.calls.outcome import Outcome
from memoria.store.rows.tool_calls import CallRow
from memoria.store.rows.transaction import Transaction

_REACH = 60
"""Turns of a session that are looked at behind a failure."""
_MOST_FAILURES = 40
_MOST_LATER = 200
_MOST_BETWEEN = 2


class FoundOutcome(NamedTuple):
    """A failed call, by the numbers of turns."""

    failed: int
    error: str
    command: str
    worked: int | None
    way: Literal["same", "other"] | None
    between: tuple[int, ...]
    alike: tuple[int, ...] = ()
    """Further calls that failed alike."""


def find_outcomes(tx: Transaction, failed: Sequence[int]) -> list[FoundOutcome]:
    """Find what worked after calls that failed; failures that are alike are told once.

    Args:
        tx: where to look.
        failed: numbers of the turns, the newest first.
    """
    groups: dict[tuple[str, str], list[FoundOutcome]] = {}
    for n in failed[:_MOST_FAILURES]:
        for found in _follow(tx, n):
            groups.setdefault((found.command, found.error), []).append(found)
    return [_join(alike) for alike in groups.values()]


def _join(alike: Sequence[FoundOutcome]) -> FoundOutcome:
    """Return the newest of like failures after which something worked, with the others."""
    best = next((one for one in alike if one.worked is not None), alike[0])
    others = tuple(one.failed for one in alike if one.failed != best.failed)
    return best._replace(alike=others)


def _follow(tx: Transaction, n: int) -> Iterator[FoundOutcome]:
    """Yield what came of each command, or else of each edit, that failed in a turn."""
    rows = tx.tool_calls.list_following(n, _REACH)
    own = [row for row in rows if row.turn_n == n and row.outcome is Outcome.FAILED]
    later = [row for row in rows if row.turn_n != n]
    error = next((row.key for row in own if row.kind == "error"), "")
    commands = [row for row in own if row.kind == "command"]
    for command in commands[-1:]:
        yield _follow_command(tx, command, error, later)
    if not commands:
        for touched in (row for row in own if row.kind == "file"):
            worked = next((row for row in later if _mends(row, touched)), None)
            number = None if worked is None else worked.turn_n
            yield FoundOutcome(n, error, touched.key, number, "other" if worked else None, ())


def _mends(row: CallRow, touched: CallRow) -> bool:
    is_same = row.kind == "file" and row.key == touched.key
    return is_same and row.is_edit and row.outcome is Outcome.WORKED


def _follow_command(
    tx: Transaction, failed: CallRow, error: str, later: Sequence[CallRow]
) -> FoundOutcome:
    worked = next((row for row in later if _works_for(row, failed)), None)
    if worked is None:
        of_key = tx.tool_calls.list_of_keys("command", [failed.key], _MOST_LATER)
        newer = (row for row in reversed(of_key) if row.turn_n > failed.turn_n)
        worked = next((row for row in newer if _works_for(row, failed)), None)
    if worked is None:
        return FoundOutcome(failed.turn_n, error, failed.key, None, None, ())
    is_same = _bare(worked.detail) == _bare(failed.detail)
    between = _list_between(later, worked.turn_n) if is_same else ()
    return FoundOutcome(
        failed.turn_n, error, failed.key, worked.turn_n, "same" if is_same else "other", between
    )


def _bare(detail: str) -> str:
    """Return a command without a whole path in front, by which clients name the project itself."""
    return detail.partition("] ")[2] if detail.startswith("[/") else detail


def _works_for(row: CallRow, failed: CallRow) -> bool:
    """Check whether a call worked that may have been made in the place of one that failed."""
    if row.kind != "command" or row.outcome is not Outcome.WORKED:
        return False
    has_same_key = row.key == failed.key
    if not has_same_key and is_reader(row.key):
        return False
    return are_kin(failed.detail, row.detail, has_same_key=has_same_key)


def _list_between(later: Sequence[CallRow], worked: int) -> tuple[int, ...]:
    """List what was changed before a command worked: edits, and commands that do something."""
    before = takewhile(lambda row: row.turn_n != worked, later)
    changes = dict.fromkeys(row.turn_n for row in before if _changes_something(row))
    return tuple(changes)[-_MOST_BETWEEN:]


def _changes_something(row: CallRow) -> bool:
    if row.outcome is not Outcome.WORKED:
        return False
    if row.kind == "file":
        return row.is_edit
    return row.kind == "command" and not is_reader(row.key)
