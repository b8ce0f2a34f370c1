"""Drain: what waits for a chat model is read before a night looks at memories.

A night reads the queue as any window does, with the same leases: each stretch once, whoever reads
it. None of it is in the night's journal (docs/decisions.md), so an undo takes back no reading.
"""

from memoria.errors import ChatModelError, EmbedderError, InvalidAnswerError, ModelRefusedError
from memoria.ingest.extraction import Read
from memoria.lifecycle.face import Applied, Night
from memoria.model import QueueState
from memoria.model.night import Outcome

_STALLED = "reading"
"""Under this name it is noted why nothing more is read this night."""
_CAME_TO: dict[QueueState | None, Outcome] = {
    QueueState.DONE: Outcome.DONE,
    QueueState.WAITING: Outcome.PUT_OFF,
    QueueState.DEAD: Outcome.GIVEN_UP,
}


class Drain:
    """Has the model read what is in the queue."""

    name = "drain"

    def reduced(self, night: Night) -> str | None:
        """Whether nobody reads, or what is left to be read."""
        if night.gate is None:
            left = waiting(night)
            said = f"no chat model is asked; stretches of conversation that wait for one: {left}"
            return said if left else None
        return left_to_read(night)

    def waiting(self, night: Night) -> int:
        """Entries of the queue that are not read."""
        return waiting(night)

    def work(self, night: Night) -> list[Applied]:
        """Read one."""
        return read_next(night)


def waiting(night: Night) -> int:
    """Entries of the queue that are not read."""
    with night.store.read(night.tenant) as tx:
        return tx.queue.status().waiting


def left_to_read(night: Night) -> str | None:
    """How much of the queue is left, and why, where that is known; None where nothing is."""
    left, why = waiting(night), night.short.get(_STALLED)
    because = f" ({why})" if why else ""
    return f"stretches left to read: {left}{because}" if left else None


def read_next(night: Night) -> list[Applied]:
    """Read the next entry of the queue; nothing once it is clear that the model can't."""
    if night.reader is None or _STALLED in night.short:
        return []
    read = night.reader.read_next(night.tenant)
    if read is None:
        return []
    if _stalls(read):
        night.short[_STALLED] = str(read.error)
    return [Applied(_CAME_TO.get(read.state, Outcome.CHANGED_SINCE))]


def _stalls(read: Read) -> bool:
    """Whether the next entry would fare no better."""
    match read.error:
        case InvalidAnswerError() | ModelRefusedError():
            return False
        case ChatModelError() as error:
            return not error.too_much
        case error:
            return isinstance(error, EmbedderError)
