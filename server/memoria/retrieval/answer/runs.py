"""Runs: turns of one session and day, which stand together in the order in which they were said."""

from collections.abc import Iterable, Sequence

from memoria.model import AdjacentTurn, Hit
from memoria.model.moments import TO_THE_DAY

_ALONE = ("unprocessed", "verbatim")
"""Status of turns beside memories, which stand by themselves as these do."""
RunKey = tuple[str, ...]
"""Session, client and day of a run of turns; of a memory its id."""


def group_runs(hits: Iterable[Hit]) -> list[list[Hit]]:
    """Group hits by their run, in the order of the best hit of each."""
    runs: dict[RunKey, list[Hit]] = {}
    for hit in hits:
        runs.setdefault(run_key(hit), []).append(hit)
    return list(runs.values())


def order_run(run: Sequence[Hit]) -> Sequence[Hit | AdjacentTurn]:
    """List the turns of a run and those beside them as they were said.

    What stands alone keeps its place: of a memory several where former wordings are asked for.
    """
    if stands_alone(run[0]):
        return run
    beside = (one for hit in run for one in (*hit.before, *hit.after))
    return sorted((*run, *beside), key=find_place)


def find_place(turn: Hit | AdjacentTurn) -> int:
    """Return the place of a turn in its session."""
    index = turn.source.turn_index if isinstance(turn, Hit) else turn.turn_index
    return index or 0


def run_key(hit: Hit) -> RunKey:
    """Return the key of the hit's run."""
    source = hit.source
    is_alone = hit.kind == "memory" or hit.status in _ALONE or hit.later_than is not None
    if is_alone or source.session_id is None:
        return (hit.id,)
    return source.session_id, source.client or "", source.at[:TO_THE_DAY]


def stands_alone(hit: Hit) -> bool:
    """Return whether a hit is a line by itself."""
    return len(run_key(hit)) == 1
