"""Task: the work in hand while a query is asked.

Memories of the task in hand gain a little (`boosts`): whoever mends the parser and asks for a
decision means the parser's. A search that names a task is narrowed to it: its memories come first,
those of no task follow, and those of other tasks are left out.
"""

from dataclasses import replace

from memoria.errors import shorten
from memoria.language.statements.tasks import same_task
from memoria.memories.task_in_hand import find_task_in_hand
from memoria.retrieval.query.plan import SearchPlan
from memoria.store.rows.transaction import Transaction


def resolve_task(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """Give a plan the task in hand: the one given, else the asking session's, else the latest."""
    options = plan.options
    if options.is_narrowed and options.task:
        return _narrow_to_task(tx, plan, options.task)
    if options.task is not None:
        return plan
    task = find_task_in_hand(tx, options.session, plan.filters.workspace, plan.now)
    return replace(plan, options=replace(options, task=task))


def is_of_named_task(plan: SearchPlan, task: str | None) -> bool:
    """Return whether a memory's task is the one that the search is narrowed to."""
    return plan.tasks is not None and task in plan.tasks


def is_of_another_task(plan: SearchPlan, task: str | None) -> bool:
    """Return whether a memory's task is another than the one that the search is narrowed to."""
    return plan.tasks is not None and task is not None and task not in plan.tasks


def _narrow_to_task(tx: Transaction, plan: SearchPlan, named: str) -> SearchPlan:
    known = tx.tasks.list_names()
    own = tuple(task for task in known if _is_same(task, named))
    if not own:
        note = f"no memory is noted for the task {shorten(named)}; those of no task are shown"
    elif len(own) < len(known):
        note = f"narrowed to the task {shorten(named)}: memories of other tasks are left out"
    else:
        note = None
    return replace(plan, tasks=own, task_note=note)


def _is_same(task: str, named: str) -> bool:
    return task.casefold() == named.strip().casefold() or same_task(task, named)
