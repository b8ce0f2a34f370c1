"""Entries of the spool as they are taken in, the report of an intake, and its progress.

Hooks may point to a folder, such as a network's, in which a call never ends. No thread can be ended
from outside. So whoever waits gives up an intake that stays too long at one step, and the intake,
should it ever go on, finds that out before it writes.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from memoria.connectors.transcripts.base import as_turn
from memoria.model import CaptureEvent, Receipt, Turn, now_millis
from memoria.store.rows.capture import TranscriptPlace


class TurnRecorder(Protocol):
    """Recorder of turns of one channel in one project, here or at a server elsewhere."""

    def record(self, turns: Sequence[Turn], session_id: str, event: CaptureEvent | None) -> Receipt:
        """Record turns as `Capture.record` does, with its errors."""
        ...


@dataclass(slots=True)
class SpoolReport:
    """Outcome of taking in the spool."""

    entries: int = 0
    """Number of entries taken in and removed."""
    recorded: int = 0
    """Number of turns that were new."""
    unreadable: int = 0
    """Number of entries, transcripts and lines that could not be used, set aside or not."""
    waiting: int = 0
    """Number of entries that are left for the next time."""
    is_refused: bool = False
    """True if nothing was done, because another process takes in, or there is no spool."""


@dataclass(frozen=True, slots=True)
class SpoolEntry:
    """An entry of the spool, with the fields that can be used."""

    name: str
    client: str
    event: str
    session: str
    cwd: str | None
    transcript: str | None
    offset: int
    at: int
    turns: Sequence[object]


@dataclass(slots=True)
class IntakeBudget:
    """Number of bytes that may still be read, and the report so far."""

    left: int
    report: SpoolReport = field(default_factory=SpoolReport)


def read_entry(name: str, entry: dict[str, object]) -> SpoolEntry | None:
    """Read an entry as a hook wrote it; None where it can't be used."""

    def text(field: str) -> str | None:
        value = entry.get(field)
        return value if isinstance(value, str) and value else None

    def number(field: str) -> int:
        value = entry.get(field)
        return value if isinstance(value, int) else 0

    client, transcript = text("client"), text("transcript")
    session = text("session") or (transcript and Path(transcript).stem)
    if client is None or not session:
        return None
    turns = entry.get("turns")
    return SpoolEntry(
        name,
        client,
        text("event") or "",
        session,
        text("cwd"),
        transcript,
        number("offset"),
        number("at"),
        turns if isinstance(turns, list) else [],
    )


def read_turn(entry: SpoolEntry, i: int, each: object) -> Turn | None:
    """Read a turn of an entry; a turn without an id gets one from the entry's name."""
    if not isinstance(each, dict):
        return None
    fields = {("message_id" if key == "id" else str(key)): each[key] for key in each}
    own = {"session_id": entry.session, "message_id": f"{entry.name}.{i}", "at": entry.at or None}
    turn = as_turn(i, {**own, **{key: value for key, value in fields.items() if value is not None}})
    return turn if isinstance(turn, Turn) else None


def touch(entry: SpoolEntry) -> int:
    """Return the present as the time a session was last heard of, negative if the session ended."""
    return -now_millis() if entry.event == "end" else now_millis()


def point_at(place: TranscriptPlace) -> dict[str, object]:
    """Make an entry, as a hook would, for the unread rest of a transcript."""
    return {
        "v": 1,
        "client": place.source,
        "event": "stop",
        "session": place.session_id,
        "at": abs(place.touched_at),
        "transcript": place.path,
    }


def has_grown(place: TranscriptPlace) -> bool:
    """Check whether a transcript is longer than what was read of it."""
    try:
        return Path(place.path).is_absolute() and Path(place.path).stat().st_size > place.offset
    except OSError:
        return False


class GivenUpError(Exception):
    """Raised in an intake that nobody waits for any more: another may be under way."""


class Progress:
    """Step that an intake is at, and when it began."""

    def __init__(self) -> None:
        """Start the clock."""
        self._is_given_up = False
        self.names: Sequence[str] = ()
        """Names of the entries that are to be set aside if this step never ends."""
        self._since = time.monotonic()

    def begin(self, names: Sequence[str]) -> None:
        """Begin to take in some entries.

        Raises:
            GivenUpError: nobody waits for it.
        """
        self.names = names
        self.go_on()

    def go_on(self) -> None:
        """Begin the next step of taking in the same entries.

        Raises:
            GivenUpError: nobody waits for it.
        """
        if self._is_given_up:
            raise GivenUpError
        self._since = time.monotonic()

    def seconds(self) -> float:
        """Count the seconds of this step."""
        return time.monotonic() - self._since

    def give_up(self) -> None:
        """Tell the intake to end at its next step, if it comes to one."""
        self._is_given_up = True
