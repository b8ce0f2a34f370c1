"""Events: what has changed in a memory, by ids alone, and where they are sent."""

from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from memoria.errors import InvalidInputError, shorten
from memoria.model.base import UNLESS_EMPTY, Shown, Value
from memoria.model.moments import Moment, to_iso

_LONGEST_NUMBER = 18


class EventType(StrEnum):
    """Types of events, by the names that programs read."""

    NODE_CREATED = "Memory.NodeCreated"
    EDGE_CREATED = "Memory.EdgeCreated"
    MEMORY_UPDATED = "Memory.MemoryUpdated"
    WEIGHT_UPDATED = "Memory.WeightUpdated"
    CONSOLIDATED = "Memory.Consolidated"
    CONSOLIDATION_UNDONE = "Memory.ConsolidationUndone"
    ARCHIVED = "Memory.Archived"
    CONFLICT_DETECTED = "Memory.ConflictDetected"
    FORGOTTEN = "Memory.Forgotten"
    EVENTS_LOST = "Memory.EventsLost"
    """Whoever reads it has missed events that are not kept any more."""


class EventPosition(NamedTuple):
    """Place in a tenant's events: the number and the time of the last one read."""

    seq: int
    at: int
    """UTC epoch ms. It tells two events of one number apart: a restored home counts on from its
    backup."""

    def __str__(self) -> str:
        """Return the id of the event at this place."""
        return f"{self.seq}-{self.at}"

    @classmethod
    def parse(cls, text: str) -> "EventPosition":
        """Parse the id of an event.

        >>> EventPosition.parse("17-1795987256674")
        EventPosition(seq=17, at=1795987256674)

        Raises:
            InvalidInputError: no event has such an id.
        """
        parts = text.split("-")
        is_id = len(parts) == 2 and all(  # noqa: PLR2004
            one.isascii() and one.isdigit() and len(one) <= _LONGEST_NUMBER for one in parts
        )
        if not is_id:
            raise InvalidInputError(
                f"{shorten(text)} is no id of an event. Give the id of the last event that you "
                "have read, or none to hear of what comes."
            )
        return cls(int(parts[0]), int(parts[1]))


BEGINNING = EventPosition(0, 0)
"""Place before a tenant's first event."""


class MemoryEvent(Value):
    """A change in a memory. It has no word of what was said."""

    seq: int
    at: Moment
    type: EventType
    data: dict[str, str]
    """Kind of what has changed and its id; of an edge its type and the ids of its ends."""

    @property
    def position(self) -> EventPosition:
        """Place of the event."""
        return EventPosition(self.seq, self.at)

    def _write_fields(self) -> dict[str, Any]:
        return {
            "id": str(self.position),
            "type": self.type.value,
            "at": to_iso(self.at),
            "data": self.data,
        }


class EventPage(NamedTuple):
    """Some events in order, and the place up to which they were read."""

    events: tuple[MemoryEvent, ...]
    reached: EventPosition
    """Later than the last event where events of private projects were left out."""


class Webhook(Value):
    """Address to which a tenant's events are sent. Its secret is shown when it is added, only."""

    id: str
    url: str
    created_at: Moment
    sent: Annotated[EventPosition, Shown(name="last_event", write=str)] = BEGINNING
    """Place of the last event that has arrived, or of the newest when the webhook was added."""
    delivered_at: Moment | None = None
    """Time when events last arrived; None if none did."""
    attempts: Annotated[int, Shown(name="failed_attempts", when_empty=False)] = 0
    """Number of attempts since then that have failed."""
    not_before: Annotated[Moment, UNLESS_EMPTY] = 0
    """Time of the next attempt."""
    last_error: str | None = None
    """Reason why the last attempt failed; None if it did not."""
