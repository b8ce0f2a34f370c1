"""Marks for turns that nobody has looked at: those of older homes, and those that were imported."""

from collections.abc import Sequence

from memoria.language.statements.plain_statements import find_plain_statements
from memoria.lifecycle.interface import ItemResult, PiecewiseStep, StepContext
from memoria.memories.turn_links import is_tool_call
from memoria.model.nightly import StepOutcome

_AT_ONCE = 200
"""Number of turns that are marked in one transaction."""


class MarkTurnsStep(PiecewiseStep):
    """Notes of each turn whether it asks for something from now on."""

    name = "mark_turns"
    summary = "Mark turns that ask for something from now on, where nobody has looked at them yet."
    things = ("turn", "turns")
    deed = "looked at"

    def count_work(self, context: StepContext) -> int:
        """Count the turns without a mark."""
        with context.store.read(context.tenant) as tx:
            return tx.conversations.count_unmarked()

    def do_piece(self, context: StepContext) -> Sequence[ItemResult]:
        """Mark some turns."""
        with context.store.write(context.tenant) as tx:
            turns = tx.conversations.list_unmarked(_AT_ONCE)
            for turn in turns:
                read = find_plain_statements(turn.role, turn.content, tool_call=is_tool_call(turn))
                tx.conversations.mark(turn.n, read.mark)
        return [ItemResult(StepOutcome.DONE)] * len(turns)
