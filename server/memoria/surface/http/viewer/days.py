"""Days and sessions: what was said when, and what came of it."""

import json
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal
from urllib.parse import quote, urlencode

from pydantic import JsonValue

from memoria.errors import InvalidInputError, shorten
from memoria.model import Memory, StoredTurn, now_millis
from memoria.surface.http.rest.table import EXAMPLE_IDS
from memoria.surface.http.viewer.table import ROOT, Area, Filled, PageRow, Visit, Wish, sentence

_DAYS = f"{ROOT}/days"
_SESSIONS = f"{ROOT}/sessions"
_WEEK = 7
_SESSIONS_SHOWN = 50
_TURNS = 40
_TEXT_CHARS = 4_000
"""Characters of a turn that are shown among others; the turn's own page has all."""
_TOOL_CHARS = 2_000
_WEEKDAYS = (
    *(sentence("Monday"), sentence("Tuesday"), sentence("Wednesday"), sentence("Thursday")),
    *(sentence("Friday"), sentence("Saturday"), sentence("Sunday")),
)
ROLES = {
    "user": sentence("User"),
    "assistant": sentence("Assistant"),
    "tool": sentence("Tool"),
    "system": sentence("System"),
}
_READINGS = {
    "read": sentence("read"),
    "waiting": sentence("waits to be read"),
    "failed": sentence("could not be read"),
    "dropped": sentence("left unread"),
    "unread": sentence("not read yet"),
}


class DaysWish(Wish):
    """A day, or the week that it is in."""

    day: str | None = None
    """Date, such as 2026-11-29; today by default."""
    span: Literal["day", "week"] = "week"
    project: str | None = None
    """Project asked from; all by default."""
    after: int = 0
    """Time from which the day is shown, UTC epoch ms."""


class SessionWish(Wish):
    """A session, and the place at which the page begins."""

    session_id: str
    offset: int = 0


async def show_days(visit: Visit, wish: DaysWish) -> Filled:
    """Show a day, or a week from Monday on, with its sessions."""
    day = _read_day(visit, wish.day)
    is_week = wish.span == "week"
    first = day - timedelta(days=day.weekday()) if is_week else day
    number = _WEEK if is_week else 1
    timeline = await visit.memory.timeline.list_days(
        first, number, workspace=wish.project or "*", after=wish.after, limit=_SESSIONS_SHOWN
    )
    is_any = any(one.sessions for one in timeline.days)
    kept = {"span": wish.span, **({"project": wish.project} if wish.project else {})}
    values = {
        "wish": wish,
        "chosen": day,
        "days": [one for one in timeline.days if one.sessions or one.summary],
        "first": first,
        "last": first + timedelta(days=number - 1),
        "before": _link_days(first - timedelta(days=number), kept),
        "after": _link_days(first + timedelta(days=number), kept),
        "other": _link_days(day, kept | {"span": "day" if is_week else "week"}),
        "weekdays": _WEEKDAYS,
        "link_day": lambda one: _link_days(one, kept | {"span": "day"}),
        "rest": None
        if timeline.next_at is None
        else _link_days(day, kept | {"after": str(timeline.next_at)}),
        "link_session": link_session,
        "clock": lambda millis: f"{visit.memory.settings.zone.to_local(millis):%H:%M}",
        "latest": None if is_any else await _find_latest(visit, kept),
        "projects": await visit.memory.complete("project", ""),
    }
    return Filled("days.html", values)


async def show_session(visit: Visit, wish: SessionWish) -> Filled:
    """Show a page of a session: each turn, and beside it what came of it."""
    trace = await visit.memory.timeline.trace_session(
        wish.session_id, offset=max(0, wish.offset), limit=_TURNS
    )
    path = link_session(trace.page.session_id)
    end = max(0, wish.offset) + _TURNS
    values = {
        "trace": trace,
        "page": trace.page,
        "first": next(iter(trace.page.turns), None),
        "offset": max(0, wish.offset),
        "before": f"{path}?offset={max(0, wish.offset - _TURNS)}" if wish.offset > 0 else None,
        "after": f"{path}?offset={end}" if end < trace.page.total else None,
        "link_day": lambda one: _link_days(_find_day(visit, one), {"span": "day"}),
        "replay": f"{ROOT}/replay/{quote(trace.page.session_id, safe='')}",
        "roles": ROLES,
        "readings": _READINGS,
        "concluded": _find_wording,
        "cut": lambda text: text[:_TEXT_CHARS],
        "is_cut": lambda text: len(text) > _TEXT_CHARS,
        "tool_parts": _list_tool_parts,
    }
    return Filled("session.html", values)


def link_session(session_id: str) -> str:
    """Return the path of a session's page."""
    return f"{_SESSIONS}/{quote(session_id, safe='')}"


def _read_day(visit: Visit, given: str | None) -> date:
    """Return the day that is asked for, or today by the user's clock.

    Raises:
        InvalidInputError: it is no date.
    """
    if given is None:
        return _find_day(visit, now_millis())
    try:
        day = date.fromisoformat(given)
    except ValueError:
        day = date.min
    if not date.min + timedelta(weeks=2) < day < date.max - timedelta(weeks=2):
        raise InvalidInputError(f"{shorten(given)} is no date. Write it as 2026-11-29.")
    return day


def _find_day(visit: Visit, millis: int) -> date:
    return visit.memory.settings.zone.to_local(millis).date()


def _link_days(day: date, kept: dict[str, str]) -> str:
    return f"{_DAYS}?{urlencode({'day': day.isoformat(), **kept})}"


async def _find_latest(visit: Visit, kept: dict[str, str]) -> str | None:
    """Return the path of the day of the newest session; None if there is none."""
    page = await visit.memory.list_sessions(workspace=kept.get("project", "*"), limit=1)
    last = next((one.last_at for one in page.sessions), None)
    return None if last is None else _link_days(_find_day(visit, last), kept | {"span": "day"})


def _find_wording(memory: Memory, turn: StoredTurn) -> str:
    """Return the wording of a memory that was concluded from a turn, or else the present one."""
    own = (one.content for one in memory.versions if one.provenance.turn_id == turn.id)
    return next(own, memory.content)


def _list_tool_parts(turn: StoredTurn) -> Sequence[str]:
    """List the arguments and the result of a tool's call as texts, cut where they are long."""
    given = (turn.tool_args, turn.tool_result)
    return [_write_value(value)[:_TOOL_CHARS] for value in given if value is not None]


def _write_value(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


AREA = Area(
    (
        PageRow(
            _DAYS, "days", "Days", DaysWish, show_days, menu="first", example={}, is_savable=True
        ),
        PageRow(
            f"{_SESSIONS}/{{session_id:path}}",
            "session",
            "Session",
            SessionWish,
            show_session,
            example={"session_id": EXAMPLE_IDS["session"]},
            is_savable=True,
        ),
    )
)
