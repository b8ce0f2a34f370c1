"""Health: whether all is well, what the memory holds, and the log of what was done."""

from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field

from memoria.model.access import Access
from memoria.store.values import LAST
from memoria.surface.http.viewer.table import ROOT, Area, Page, Shown, Visit, Wish, sentence

_LOG = f"{ROOT}/log"
_ON_PAGE = 100
_ACTIONS = {
    "archive": sentence("archived"),
    "begin night": sentence("began nightly maintenance"),
    "call": sentence("kept the key of a call, so that the same call is not done twice"),
    "confirm": sentence("confirmed"),
    "correct": sentence("corrected"),
    "create token": sentence("created a token"),
    "downvote": sentence("voted down"),
    "export": sentence("exported"),
    "forget": sentence("forgotten"),
    "import": sentence("imported"),
    "lift": sentence("allowed to be remembered again"),
    "note": sentence("noted what a session is about"),
    "open viewer": sentence("opened the viewer"),
    "pin": sentence("pinned"),
    "record": sentence("recorded"),
    "refine": sentence("told in more or other words"),
    "refuse": sentence("refused"),
    "remember": sentence("remembered"),
    "restore": sentence("restored"),
    "restore home": sentence("put a backup in the home's place"),
    "revoke token": sentence("revoked a token"),
    "set aside": sentence("set aside"),
    "supersede": sentence("superseded"),
    "undo": sentence("taken back"),
    "undo night": sentence("undid nightly maintenance"),
    "unpin": sentence("unpinned"),
    "upvote": sentence("voted up"),
}
"""Words for actions; one that is not here is shown by its name."""
_STATES = {"ok": sentence("well"), "warning": sentence("to look at"), "error": sentence("broken")}


class LogWish(Wish):
    """The newest lines of the log, or those before a line's number."""

    before: Annotated[int, Field(ge=1)] = LAST


async def show_health(visit: Visit, _wish: Wish) -> Shown:
    """Show the findings of a quick look, and counts; what is the machine's to its owner alone."""
    memory = visit.memory
    is_alone = await memory.is_alone()
    health = await (memory.health(deep=False) if is_alone else memory.own_health())
    order = ("error", "warning", "ok")
    findings = sorted(health.findings, key=lambda one: order.index(one.state))
    return Shown(
        "health.html",
        {
            "findings": findings,
            "states": _STATES,
            "held": await memory.statistics(),
            "is_alone": is_alone,
            "is_admin": visit.access.includes(Access.ADMIN),
            "notable": len(health.notable),
        },
    )


async def show_log(visit: Visit, wish: LogWish) -> Shown:
    """Show what was done, when and by whom, newest first."""
    lines = await visit.memory.provenance.list_actions(_ON_PAGE, before=wish.before)
    last = lines[-1].n if len(lines) == _ON_PAGE else None
    return Shown(
        "log.html",
        {
            "lines": lines,
            "actions": _ACTIONS,
            "next": last and f"{_LOG}?{urlencode({'before': last})}",
        },
    )


AREA = Area(
    (
        Page(f"{ROOT}/health", "health", "Health", Wish, show_health, menu="more"),
        Page(_LOG, "log", "Log", LogWish, show_log, Access.ADMIN),
    )
)
