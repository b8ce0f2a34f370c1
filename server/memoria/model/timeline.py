"""What was said and what came of it: days with their sessions, and sessions with their turns."""

from datetime import date
from typing import Annotated, Literal, NamedTuple

from memoria.model.base import UNLESS_EMPTY, Value
from memoria.model.events import EventPosition, MemoryEvent
from memoria.model.memory import Condition, Memory
from memoria.model.moments import Moment
from memoria.model.turn import Scratchpad, SessionRecord, StoredTurn

ReadingState = Literal["read", "waiting", "failed", "dropped", "unread"]
"""How far a turn has been read for memories: `unread` is one that nothing was to read yet."""


class DayPart(Value):
    """The part of a session that was held in a day."""

    session_id: str
    client: str
    first_at: Moment
    last_at: Moment
    turns: int
    """Number of turns in the day."""
    memories: int
    """Number of memories that rest on turns of the whole session."""
    title: str
    """First sentence of the newest summary of the session, or else the first words of the user."""
    summary: Annotated[str, UNLESS_EMPTY] = ""
    """Newest summary of the session; empty before it has one."""
    workspace: str | None = None


class TimelineDay(Value):
    """A day: its sessions in the order in which they began, and what the night wrote of it."""

    date: date
    sessions: tuple[DayPart, ...]
    summary: Annotated[str, UNLESS_EMPTY] = ""
    """Sentences above the lists of the day's page; empty without a page or sentences."""


class Timeline(Value):
    """Days that follow one another."""

    days: tuple[TimelineDay, ...]
    next_at: Moment | None = None
    """Time from which the days go on; None where all of them is given."""


class Happening(Value):
    """An event with what it is about; neither if that is gone, or may not be shown."""

    event: MemoryEvent
    memory: Memory | None = None
    turn: StoredTurn | None = None
    condition: Condition | None = None
    """Condition under which the turn, or what the memory says, was told."""


class Happenings(NamedTuple):
    """Some events with what they are about, newest first, and the place up to which they go."""

    events: tuple[Happening, ...]
    reached: EventPosition


class TurnReading(Value):
    """State of a turn's reading for memories."""

    state: ReadingState
    error: str | None = None
    """Reason why reading has failed, or why it waits for another attempt."""


class TurnTrace(Value):
    """Outcome of a turn: memories, and the state of its reading."""

    reading: TurnReading
    memories: tuple[Memory, ...] = ()
    """Memories with a wording that was concluded from the turn, or that the turn repeats."""


class SessionTrace(Value):
    """A page of a session with what came of each turn."""

    page: SessionRecord
    traces: dict[str, TurnTrace]
    """What came of the turns of the page, by id."""
    scratchpad: Scratchpad | None = None
