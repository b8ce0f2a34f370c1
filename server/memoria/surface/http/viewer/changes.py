"""Changes: what people did to memories, the newest first, and taking it back."""

from memoria.app import Memoria
from memoria.model.forgetting import Change
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.surface.http.viewer import phrases
from memoria.surface.http.viewer.table import (
    ROOT,
    Action,
    Area,
    Done,
    Filled,
    PageRow,
    Visit,
    Wish,
    keep_within,
)

PATH = f"{ROOT}/changes"
_NEWEST = 5
_ON_PAGE = 30
_MOST = 300


class ChangesWish(Wish):
    """Number of changes to list."""

    limit: int = _ON_PAGE


class UndoChangeWish(Wish):
    """A change to take back."""

    change_id: str
    back: str = PATH
    """Page to go to."""


async def find_last_change(memory: Memoria, memory_id: str) -> str | None:
    """Return the id of the last change of a memory, if it is among the newest."""
    newest = await memory.list_latest_changes(_NEWEST)
    return next((one.id for one in newest if one.memory_id == memory_id), None)


async def show_changes(visit: Visit, wish: ChangesWish) -> Filled:
    """List the last changes, each with how it is taken back."""
    limit = max(1, min(wish.limit, _MOST))
    listed = await visit.ask_from(EVERYWHERE).list_latest_changes(limit + 1)
    return Filled(
        "changes.html",
        {
            "changes": [(one, _may_undo(one)) for one in listed[:limit]],
            "next": f"{PATH}?limit={limit + _ON_PAGE}"
            if len(listed) > limit and limit < _MOST
            else None,
            "say": phrases.SAY,
        },
    )


def _may_undo(change: Change) -> bool:
    """Return whether a change can be taken back."""
    is_standing = not (change.is_undone or change.is_gone or change.is_overtaken)
    return is_standing and change.action != "import"


async def undo(visit: Visit, wish: UndoChangeWish) -> Done:
    """Take back a change."""
    change = await visit.ask_from(EVERYWHERE).undo_change(wish.change_id)
    back = keep_within(wish.back)
    if change.action == "forget":
        return Done(back, "Taken back: what was forgotten is here again.")
    return Done(back, "Taken back. This is a change itself: the list of changes takes it back.")


AREA = Area(
    (PageRow(PATH, "changes", "Changes", ChangesWish, show_changes, menu="more"),),
    (Action(f"{PATH}/undo", "undo", UndoChangeWish, undo),),
)
