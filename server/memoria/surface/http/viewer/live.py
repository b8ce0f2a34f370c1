"""Live: what comes in and what changes, as it happens.

The stream tells by ids alone that something has happened; the page then asks for itself from where
it has come to, and takes over what is new. Without a script it is read by loading it again.
"""

from http import HTTPStatus

from starlette.responses import PlainTextResponse, Response

from memoria.model.events import EventPosition, EventType
from memoria.surface.http.events import VIEWER_EVENTS_PATH, answer_with_events, follow_events
from memoria.surface.http.viewer.days import ROLES, link_session
from memoria.surface.http.viewer.table import ROOT, Area, Filled, PageRow, Visit, Wish, sentence

_PATH = f"{ROOT}/live"
_MOST = 100
_TEXT_CHARS = 600
_LABELS = {
    (EventType.NODE_CREATED, "memory"): sentence("A memory was made"),
    (EventType.NODE_CREATED, "turn"): sentence("Something was said"),
    (EventType.MEMORY_UPDATED, "memory"): sentence("A memory was changed"),
    (EventType.ARCHIVED, "memory"): sentence("A memory was put aside"),
    (EventType.FORGOTTEN, "memory"): sentence("A memory was forgotten"),
    (EventType.FORGOTTEN, "turn"): sentence("A turn was forgotten"),
    (EventType.CONSOLIDATED, "night"): sentence("Nightly maintenance has ended"),
    (EventType.CONSOLIDATION_UNDONE, "night"): sentence("A night was undone"),
}
_OTHER = sentence("Something was missed: load the page again")
"""What is said where events are not kept any more."""

_TYPES = " ".join(sorted({EventType.EVENTS_LOST, *(type_ for type_, _ in _LABELS)}))
"""Types of events of which a script of the page wants to hear."""


class LiveWish(Wish):
    """The place from which the page goes on."""

    after: str | None = None
    """Id of the last event that is shown already."""


async def show_live(visit: Visit, wish: LiveWish) -> Filled:
    """Show what has happened last, or since a place."""
    after = None if wish.after is None else EventPosition.parse(wish.after)
    found = await visit.memory.timeline.list_happenings(after, limit=_MOST)
    values = {
        "happenings": found.events,
        "reached": str(found.reached),
        "stream": VIEWER_EVENTS_PATH,
        "path": _PATH,
        "types": _TYPES,
        "roles": ROLES,
        "link_session": link_session,
        "cut": lambda text: text if len(text) <= _TEXT_CHARS else f"{text[:_TEXT_CHARS]}…",
        "forgotten": [text for (type_, _), text in _LABELS.items() if type_ is EventType.FORGOTTEN],
        "label": lambda one: _LABELS.get((one.type, one.data.get("kind", "")), _OTHER),
    }
    return Filled("live.html", values)


async def follow_live(visit: Visit, wish: LiveWish) -> Response:
    """Tell the page that something has happened, as it happens."""
    memory, listening = visit.memory, visit.listening
    last = visit.request.headers.get("last-event-id") or wish.after
    after = EventPosition.parse(last) if last else None
    if listening.feeds.is_full(memory.tenant):
        return PlainTextResponse("Too many listen.", HTTPStatus.TOO_MANY_REQUESTS)
    return answer_with_events(follow_events(memory, listening, visit.request, after), listening)


AREA = Area(
    (
        PageRow(_PATH, "live", "Live", LiveWish, show_live, menu="more", example={}),
        PageRow(VIEWER_EVENTS_PATH, "live_events", "Live", LiveWish, follow_live),
    )
)
