"""Edits that broke the next command and were undone."""

from collections.abc import Iterator, Sequence

from memoria.bare.guard import EDIT, list_tokens
from memoria.bare.tool_calls import CallEdit
from memoria.policy.guard.lessons import list_following
from memoria.policy.guard.steps import GuardStep
from memoria.policy.guard.telling import name_day, quote_code

_MOST_TOKENS = 12
_LEAST_CHARS = 4

Drawn = tuple[dict[str, object], tuple[str, ...]]


def draw_edits(steps: Sequence[GuardStep]) -> Iterator[Drawn]:
    """Yield words on edits, the newest first."""
    for i in reversed(range(len(steps))):
        for edit in steps[i].edits:
            found = _find_undoing(steps, i, edit)
            if found is None:
                continue
            broken, undone, kept, gone = found
            said = " ".join(one.said for one in steps[undone + 1 :])
            if any(one in said for one in gone if len(one) >= _LEAST_CHARS):
                continue  # the user has spoken of it since
            line = (
                f"This edit of {quote_code(edit.path.rpartition('/')[2])} was made on"
                f" {name_day(steps[i].at)}, broke {quote_code(broken, 60)} and was undone;"
                f" {quote_code(kept)} stood afterwards [{steps[undone].id}]"
            )
            tokens = [f"adds {one}" for one in sorted(gone)[:_MOST_TOKENS]]
            wanted = [EDIT, f"at {edit.path}", *tokens]
            yield {"all": wanted, "line": line}, (steps[i].id, steps[undone].id)


def _find_undoing(
    steps: Sequence[GuardStep], i: int, edit: CallEdit
) -> tuple[str, int, str, set[str]] | None:
    """Find what an edit broke, the step that undid it, what it put there, and what went."""
    added = list_tokens(edit.new) - list_tokens(edit.old)
    broken, undone = "", None
    for j, step in list_following(steps, i):
        if not broken:
            if step.successes:
                return None
            broken = step.failure.text if step.failure else ""
            continue
        for later in step.edits:
            gone = added & (list_tokens(later.old) - list_tokens(later.new))
            if gone and later.path == edit.path:
                undone = broken, j, later.new, gone
        if step.successes and undone is not None:
            return undone
    return None
