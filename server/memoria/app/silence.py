"""Sessions in which memory was silent beside the others, by what the record shows of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memoria.bare.shown import number_of
from memoria.language.calls.outcome import Outcome
from memoria.model.value import SilenceReport
from memoria.policy.repeats import (
    CommandRun,
    count_missing,
    count_repeats,
    describe_group,
    find_difference,
)
from memoria.store.rows.transaction import Transaction


class _Told(NamedTuple):
    """Note of a session: whether memory is silent in it, and the tokens it was told."""

    silent: bool
    tokens: int


def compare_sessions(
    tx: Transaction, notes: Iterable[Mapping[str, object]], share: float
) -> SilenceReport:
    """Compare the sessions that hooks have noted and that ran a command.

    Args:
        tx: sees the tenant's rows.
        notes: of hooks, as `bare/silence.py` reads them.
        share: of sessions in which memory is silent, as it is set.
    """
    known, since = _join_notes(notes)
    repeats: dict[bool, dict[str, int]] = {True: {}, False: {}}
    tokens: dict[str, int] = {}
    for session, count in count_repeats(_list_runs(tx)).items():
        noted = known.get(number_of(session))
        if noted is not None:
            repeats[noted.silent][session] = count
            tokens[session] = noted.tokens
    told, silent = (describe_group(repeats[kind], tokens) for kind in (False, True))
    difference = None
    if told.share is not None and silent.share is not None:
        difference = find_difference(told.share, silent.share)
    return SilenceReport(
        share=share,
        since=since,
        told=told,
        silent=silent,
        difference=difference,
        missing=count_missing(told, silent),
    )


def _list_runs(tx: Transaction) -> Iterable[CommandRun]:
    for session, project_n, command, outcome in tx.tool_calls.list_runs():
        has_failed, has_worked = outcome is Outcome.FAILED, outcome is Outcome.WORKED
        yield CommandRun(session, project_n, command, has_failed, has_worked)


def _join_notes(notes: Iterable[Mapping[str, object]]) -> tuple[dict[str, _Told], int | None]:
    """Return what is noted of each session, and the time of the first note.

    A session of which some hooks found memory silent and others did not, as the share was changed
    meanwhile, is neither kind and left out.
    """
    kinds: dict[str, set[bool]] = defaultdict(set)
    tokens: dict[str, int] = defaultdict(int)
    times: list[int] = []
    for note in notes:
        match note:
            case {"at": int(at), "in": str(number), "silent": bool(silent), "tokens": int(told)}:
                kinds[number].add(silent)
                tokens[number] += told
                times.append(at)
            case _:
                continue  # of another version
    known = {
        number: _Told(kind.copy().pop(), tokens[number])
        for number, kind in kinds.items()
        if len(kind) == 1
    }
    return known, min(times, default=None)
