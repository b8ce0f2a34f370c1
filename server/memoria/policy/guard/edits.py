"""Edits that broke the next command and were undone."""

from collections.abc import Iterator, Sequence

from memoria.bare.guard import is_same_file, tokens_of
from memoria.language.calls.outcome import Outcome
from memoria.policy.guard.steps import GuardStep
from memoria.policy.guard.telling import name_day, quote_code

_REACH = 6
"""Number of calls within which an edit breaks something, and is undone then."""
_MOST_BAD = 12
_SHORTEST_NAMED = 3

Drawn = tuple[dict[str, object], tuple[str, ...]]


def draw_edits(steps: Sequence[GuardStep]) -> Iterator[Drawn]:
    """Yield words on edits, the newest first."""
    for i in range(len(steps) - 1, -1, -1):
        for edit in steps[i].edits if steps[i].outcome is Outcome.WORKED else ():
            bad = tokens_of(edit.new) - tokens_of(edit.old)
            found = _find_undoing(steps, i, edit.path, bad)
            if found is None:
                continue
            broken, undone, left, kept = found
            match: dict[str, object] = {
                "kind": "edit", "file": edit.path, "bad": sorted(left)[:_MOST_BAD],
            }  # fmt: skip
            if _is_spoken_of(steps[undone + 1 :], left):
                continue
            name = edit.path.rpartition("/")[2]
            failed = steps[broken].failed
            line = (
                f"This edit of {quote_code(name)} was made on {name_day(steps[i].at)}, broke "
                f"{quote_code(failed.text if failed else '', 60)} and was undone; "
                f"{quote_code(kept)} stood afterwards [{steps[undone].id}]"
            )
            yield {**match, "line": line}, (steps[i].id, steps[undone].id)


def _find_undoing(
    steps: Sequence[GuardStep], i: int, path: str, bad: set[str]
) -> tuple[int, int, set[str], str] | None:
    """Find what an edit broke, where it was undone, which of its words went, and what came."""
    broken, calls = None, 0
    undone: tuple[int, set[str], str] | None = None
    for j in range(i + 1, len(steps)):
        step = steps[j]
        if step.said:
            continue
        if step.session != steps[i].session or calls >= _REACH * 2:
            return None
        calls += 1
        if broken is None:
            if (step.shapes and step.worked) or calls > _REACH:
                return None
            if step.failed is not None:
                broken = j
            continue
        undone = _read_undoing(step, j, path, bad) or undone
        if step.worked and undone is not None:
            return broken, *undone
    return None


def _read_undoing(
    step: GuardStep, j: int, path: str, bad: set[str]
) -> tuple[int, set[str], str] | None:
    """Return which of an edit's words a step takes out of the file, and what it puts there."""
    for edit in step.edits if step.outcome is Outcome.WORKED else ():
        gone = bad & (tokens_of(edit.old) - tokens_of(edit.new))
        if gone and is_same_file(edit.path, path):
            return j, gone, edit.new
    return None


def _is_spoken_of(later: Sequence[GuardStep], bad: set[str]) -> bool:
    """Check whether the user has spoken of it since."""
    named = [one.casefold() for one in bad if len(one) > _SHORTEST_NAMED]
    return any(one in step.said.casefold() for step in later if step.said for one in named)
