"""Marks turns that nobody has looked at: those of older homes, and those that were imported."""

from collections.abc import Sequence

from memoria.inference.bundled import BUNDLED
from memoria.ingest.marks import read_mark
from memoria.lifecycle.interface import ItemResult, PiecewiseStep, StepContext
from memoria.model.nightly import StepOutcome

_AT_ONCE = 200
"""Turns that are marked in one transaction."""


class MarkTurnsStep(PiecewiseStep):
    """Notes of each turn whether it states a wish, something else that lasts, or neither."""

    name = "mark_turns"
    summary = "Mark turns that state a lasting wish or fact, where nobody has looked at them yet."
    things = ("turn", "turns")
    deed = "looked at"

    def count_work(self, context: StepContext) -> int:
        """The turns without a mark."""
        with context.store.read(context.tenant) as tx:
            return tx.conversations.count_unmarked()

    def do_piece(self, context: StepContext) -> Sequence[ItemResult]:
        """Mark some turns."""
        with context.store.write(context.tenant) as tx:
            turns = tx.conversations.list_unmarked(_AT_ONCE)
            vectors = tx.documents.vectors([turn.n for turn in turns], BUNDLED)
            for turn in turns:
                tx.conversations.mark(turn.n, read_mark(turn, vectors.get(turn.n)))
        return [ItemResult(StepOutcome.DONE)] * len(turns)
