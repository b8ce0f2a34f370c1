"""Reading: what waits for a chat model, what it could not read, and what reading has cost."""

from typing import Annotated, Literal
from urllib.parse import urlencode

from pydantic import Field

from memoria.model import QueueState, now_millis
from memoria.model.moments import from_millis
from memoria.model.status import DaySpending, TokenPrice, describe_cost
from memoria.surface.http.viewer.table import (
    ROOT,
    Action,
    Area,
    Done,
    Filled,
    PageRow,
    Visit,
    Wish,
    sentence,
)

PATH = f"{ROOT}/reading"
_ON_PAGE = 50
_State = Literal["waiting", "done", "dead", "dropped"]
_STATES: dict[_State, str] = {
    "waiting": sentence("Waiting"),
    "dead": sentence("Given up"),
    "done": sentence("Read"),
    "dropped": sentence("Dropped"),
}

_REASONS = {
    "remember": sentence("asked to be remembered"),
    "rule": sentence("asked for, for good"),
    "session_end": sentence("the session has ended"),
    "compaction": sentence("the conversation was shortened"),
    "idle": sentence("nobody has said more for a while"),
    "overflow": sentence("the part had grown long"),
}
"""Why a part of a conversation came into the queue; another reason is shown by its name."""


class ReadingWish(Wish):
    """Entries of the queue in a state, behind one of them."""

    state: _State | None = None
    """By default what waits; where nothing does, what was given up."""
    after: str | None = None


class EntryWish(Wish):
    """An entry of the queue, by its id; without one, all that were given up."""

    entry_id: Annotated[str, Field(min_length=1)] | None = None


async def show_reading(visit: Visit, wish: ReadingWish) -> Filled:
    """Show the queue, and the tokens and the money of the last 30 days."""
    queue, settings = visit.memory.queue, visit.memory.settings
    status = await queue.status()
    state = wish.state or ("dead" if status.dead and not status.waiting else "waiting")
    entries = await queue.list_entries(QueueState(state), limit=_ON_PAGE, after=wish.after)
    last = entries[-1].id if len(entries) == _ON_PAGE else None
    going_on = last and urlencode({"state": state, "after": last})
    spending = await queue.list_spending()
    return Filled(
        "reading.html",
        {
            "status": status,
            "states": _STATES,
            "reasons": _REASONS,
            "state": state,
            "entries": entries,
            "now": now_millis(),
            "next": going_on and f"{PATH}?{going_on}",
            "path": PATH,
            "days": _sum_up_days(spending, settings.daily_cap.price),
            "most": max((one.tokens for one in spending), default=0),
            "cap": settings.daily_cap,
            "most_cost": describe_cost(settings.daily_cap.cost) if settings.daily_cap.cost else "",
            "utc_day": lambda millis: from_millis(millis).date().isoformat(),
            "model": await _name_model(visit),
            "has_reader": queue.has_reader,
            "unread": (await visit.memory.count_unread()).turns,
        },
    )


async def retry_entries(visit: Visit, wish: EntryWish) -> Done:
    """Have an entry read again, or all that were given up or put off."""
    ids = None if wish.entry_id is None else [wish.entry_id]
    changed = await visit.memory.queue.retry(ids)
    return Done(PATH, "To be read again: {n}. Take it back: drop them.", {"n": str(len(changed))})


async def drop_entries(visit: Visit, wish: EntryWish) -> Done:
    """Take an entry out of the queue unread, or all that wait or were given up."""
    ids = None if wish.entry_id is None else [wish.entry_id]
    changed = await visit.memory.queue.drop(ids)
    return Done(
        f"{PATH}?state=dropped",
        "Taken out of the queue unread: {n}. Take it back: read again.",
        {"n": str(len(changed))},
    )


async def _name_model(visit: Visit) -> str | None:
    """Name the chat model; the machine it is on to a tenant alone on the server."""
    from memoria.admin.findings import name_model  # noqa: PLC0415  (doctor's, with its imports)

    settings = visit.memory.settings
    if await visit.memory.is_alone():
        return name_model(settings)
    return settings.llm_model if settings.llm_base_url else None


def _sum_up_days(
    spending: list[DaySpending], price: TokenPrice | None
) -> list[tuple[DaySpending, str | None]]:
    """Return each day's spending with its cost, where the user has set prices."""
    return [(one, None if price is None else describe_cost(price.cost_of(one))) for one in spending]


AREA = Area(
    (PageRow(PATH, "reading", "Reading and cost", ReadingWish, show_reading, menu="more"),),
    (
        Action(f"{PATH}/retry", "retry reading", EntryWish, retry_entries),
        Action(f"{PATH}/drop", "drop unread", EntryWish, drop_entries),
    ),
)
