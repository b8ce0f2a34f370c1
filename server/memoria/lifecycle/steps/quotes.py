"""Quotes: turns are marked that ask for something from now on; what rules concluded is archived.

Former versions made memories of sentences that rules understood, in other words, and of habits told
every week. These are archived with their history and evidence; the turns they rest on stay. What
anybody confirmed, pinned, edited or voted for, what was asked to be remembered, and what ends
another memory stays a memory.
"""

from collections.abc import Iterator, Sequence

from memoria.language.statements.plain_statements import find_plain_statements, find_request
from memoria.lifecycle.interface import (
    Item,
    ItemResult,
    PiecewiseStep,
    PlannedStep,
    StepContext,
    read_pages,
)
from memoria.memories.entities import is_tool_call
from memoria.model import InferredBy, Memory, Validity
from memoria.model.nightly import StepOutcome
from memoria.store.rows.transaction import Transaction

_AT_ONCE = 200
"""Number of turns that are marked in one transaction."""
_PAGE = 200


class MarkTurnsStep(PiecewiseStep):
    """Marks turns that ask for something from now on."""

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


class RuleMadeItem(Item):
    """A memory that rules concluded; its key is its id."""


class QuotesStep(PlannedStep[RuleMadeItem]):
    """Archives memories that rules concluded."""

    name = "quotes"
    summary = "Archive what rules once concluded of a conversation; its words stay as quotes."
    things = ("conclusion of rules", "conclusions of rules")
    deed = "archived"
    item = RuleMadeItem
    rows = 40

    def plan(self, context: StepContext) -> Iterator[RuleMadeItem]:
        """Yield the memories that rules made and nobody has touched, in order of their numbers."""
        pages = read_pages(context, lambda tx, after: tx.retention.list_rule_made(after, _PAGE))
        for page in pages:
            for _, memory_id, quote in page:
                if find_request(quote) is None:
                    yield RuleMadeItem(key=memory_id)

    def apply(self, tx: Transaction, item: RuleMadeItem, context: StepContext) -> ItemResult:
        """Archive the memory, unless somebody has touched it since."""
        memory = tx.memories.get(item.key)
        if memory is None or not _is_untouched(memory):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        context.memory_writer(tx).end(item.key, "rules concluded it; what was said is a quote")
        return ItemResult(StepOutcome.DONE, item.key, "rules had concluded it")


def _is_untouched(memory: Memory) -> bool:
    return (
        memory.validity is Validity.ACTIVE
        and memory.current.inferred_by is InferredBy.RULES
        and not (memory.pinned or memory.verified or memory.upvotes or memory.downvotes)
    )
