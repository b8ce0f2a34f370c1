"""Events as a stream (server-sent events), for programs and pages that follow a memory."""

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request

from memoria.app import Memoria
from memoria.app.events import EventFeeds
from memoria.errors import MemoriaError
from memoria.model.events import EventPosition
from memoria.surface.mcp.subscriptions import Holds, always_holds

_LOG = logging.getLogger(__name__)
EVENTS_PATH = "/memory/events"
VIEWER_EVENTS_PATH = "/ui/live/events"
"""Path at which a page of the viewer follows events, by its visit's cookie."""
_MOST_EVENTS = 100
"""Number of events that are read at once."""
_CHECKED_S = 5.0
"""Seconds between two looks at the token of a listener to whom nothing happens."""
_KEPT_ALIVE_S = 15
_ENDS_WITHIN_S = 1.0
"""Seconds in which a stream ends by itself when the server stops."""
_COMES_BACK_MS = 2_000
"""Pause after which a client comes back whose stream has ended."""


@dataclass(frozen=True, slots=True)
class Listening:
    """Feeds and checks that streams of events share in a process."""

    feeds: EventFeeds = field(default_factory=EventFeeds)
    holds: Holds = always_holds
    """Tells whether a listener may be told still."""


async def follow_events(
    memory: Memoria,
    listening: Listening,
    request: Request,
    after: EventPosition | None = None,
    *,
    until_newest: bool = False,
) -> AsyncIterator[ServerSentEvent]:
    """Yield a memory's events after a place as they come, until the listener's token ends.

    The first one has no data: its id is the place at which the stream begins.

    Args:
        memory: of the listener's tenant.
        listening: what the streams of this process share.
        request: of the listener, with the token.
        after: place of the last event that the listener has read; None for the newest.
        until_newest: True to end with the newest event.
    """
    with listening.feeds.follow(memory.tenant, memory.events) as feed:
        try:
            reached = await memory.events.newest() if after is None else after
            yield ServerSentEvent(id=str(reached), retry=_COMES_BACK_MS)
            while True:
                page = await memory.events.read(reached, _MOST_EVENTS)
                if not await listening.holds(request):
                    return
                for one in page.events:
                    shown = one.to_json()
                    data = json.dumps(shown, separators=(",", ":"))
                    yield ServerSentEvent(data, event=shown["type"], id=shown["id"])
                if until_newest and page.reached == reached:
                    return
                reached = page.reached
                while not until_newest and not await feed.wait_beyond(reached, _CHECKED_S):
                    if feed.has_ended or not await listening.holds(request):
                        return
        except MemoriaError as error:
            _LOG.warning("A stream of events ends: %s", error)


def answer_with_events(
    events: AsyncIterator[ServerSentEvent], listening: Listening
) -> EventSourceResponse:
    """Return an answer that goes on while there are events.

    Args:
        events: what is told.
        listening: what tells the events to end when the server stops.
    """
    return EventSourceResponse(
        events,
        ping=_KEPT_ALIVE_S,  # a comment, so that nobody takes the connection for dead
        shutdown_event=listening.feeds.stopping,
        shutdown_grace_period=_ENDS_WITHIN_S,
    )
