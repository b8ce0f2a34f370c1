"""Health: whether all is well, what the memory holds, and the log of what was done."""

from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field

from memoria.model.access import Access
from memoria.store.values import LAST
from memoria.surface.http.viewer.phrases import ACTIONS
from memoria.surface.http.viewer.table import ROOT, Area, Filled, PageRow, Visit, Wish, sentence

_LOG = f"{ROOT}/log"
_ON_PAGE = 100
_ACTIONS = {
    **ACTIONS,
    "begin night": sentence("began nightly maintenance"),
    "call": sentence("kept the key of a call, so that the same call is not done twice"),
    "create token": sentence("created a token"),
    "export": sentence("exported"),
    "lift": sentence("allowed to be remembered again"),
    "note": sentence("noted what a session is about"),
    "open viewer": sentence("opened the viewer"),
    "record": sentence("recorded"),
    "refuse": sentence("refused"),
    "restore home": sentence("put a backup in the home's place"),
    "revoke token": sentence("revoked a token"),
    "set aside": sentence("set aside"),
    "undo night": sentence("undid nightly maintenance"),
}
"""Words for actions, those on no memory too; one that is not here is shown by its name."""
_CHECKS = frozenset(
    (
        sentence("version"),
        sentence("disk"),
        sentence("privacy"),
        sentence("leftovers"),
        sentence("files"),
        sentence("core files"),
        sentence("kept answers"),
        sentence("backups"),
        sentence("settings"),
        sentence("projects"),
        sentence("hooks"),
        sentence("engine"),
        sentence("integrity"),
        sentence("schema"),
        sentence("full text"),
        sentence("vectors"),
        sentence("graph"),
        sentence("leases"),
        sentence("erasure"),
        sentence("model"),
        sentence("backlog"),
        sentence("chat model"),
        sentence("queue"),
        sentence("private time"),
        sentence("sources"),
        sentence("tenants' folders"),
    )
)
"""Names of doctor's checks that are translated."""
_STATES = {"ok": sentence("well"), "warning": sentence("to look at"), "error": sentence("broken")}


class HealthWish(Wish):
    """Closeness of the look: everything that is held is gone through, or nothing."""

    closely: bool = False


class LogWish(Wish):
    """The newest lines of the log, or those before a line's number."""

    before: Annotated[int, Field(ge=1)] = LAST


async def show_health(visit: Visit, wish: HealthWish) -> Filled:
    """Show findings, and after a close look counts; what is the machine's to its owner alone."""
    memory = visit.memory
    is_alone = await memory.is_alone()
    sees_all = is_alone and wish.closely
    health = await (
        memory.health(deep=False) if sees_all else memory.quick_health(own=not is_alone)
    )
    order = ("error", "warning", "ok")
    findings = sorted(health.findings, key=lambda one: order.index(one.state))
    return Filled(
        "health.html",
        {
            "findings": findings,
            "states": _STATES,
            "checks": _CHECKS,
            "held": await memory.statistics() if wish.closely else None,
            "is_alone": is_alone,
            "is_admin": visit.access.includes(Access.ADMIN),
            "notable": len(health.notable),
        },
    )


async def show_log(visit: Visit, wish: LogWish) -> Filled:
    """Show what was done, when and by whom, newest first."""
    lines = await visit.memory.provenance.list_actions(_ON_PAGE, before=wish.before)
    last = lines[-1].n if len(lines) == _ON_PAGE else None
    return Filled(
        "log.html",
        {
            "lines": lines,
            "actions": _ACTIONS,
            "next": last and f"{_LOG}?{urlencode({'before': last})}",
        },
    )


AREA = Area(
    (
        PageRow(f"{ROOT}/health", "health", "Health", HealthWish, show_health, menu="more"),
        PageRow(_LOG, "log", "Log", LogWish, show_log, Access.ADMIN),
    )
)
