"""Task: what is being worked on while a query is asked.

Memories of the same task gain a little (`boosts`): whoever mends the parser and asks for a decision
means the parser's. A task on a scratchpad that nobody has touched for a day is over, and one that
was noted after the moment asked of had not begun.
"""

from dataclasses import replace

from memoria.model import DAY_MS
from memoria.retrieval.query.plan import SearchPlan
from memoria.store.base import Transaction


def resolve_task(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """The plan with the task in hand: the one given, else the asking session's, else the latest."""
    if plan.options.task is not None:
        return plan
    own = tx.scratchpads.get(plan.options.session) if plan.options.session else None
    pads = [own] if own else tx.scratchpads.list_recent(1, plan.filters.workspace)
    fresh = (pad.current_focus for pad in pads if 0 <= plan.now - pad.updated_at < DAY_MS)
    return replace(plan, options=replace(plan.options, task=next(fresh, None)))
