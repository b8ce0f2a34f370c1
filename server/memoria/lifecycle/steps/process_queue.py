"""Drain: what waits for a chat model is read before a night looks at memories.

A night reads the queue as any window does, with the same leases: each stretch once, whoever reads
it. None of it is in the night's journal (docs/decisions.md), so an undo takes back no reading.
"""

from memoria.errors import ChatModelError, EmbedderError, InvalidAnswerError, ModelRefusedError
from memoria.ingest.extraction import ProcessedEntry
from memoria.lifecycle.interface import ItemResult, StepContext
from memoria.model import QueueState
from memoria.model.nightly import StepOutcome

_STALLED = "reading"
"""Under this name it is noted why nothing more is read this night."""
_OUTCOMES: dict[QueueState | None, StepOutcome] = {
    QueueState.DONE: StepOutcome.DONE,
    QueueState.WAITING: StepOutcome.PUT_OFF,
    QueueState.DEAD: StepOutcome.GIVEN_UP,
}


class ProcessQueueStep:
    """Has the model read what is in the queue."""

    name = "drain"

    def describe_limits(self, context: StepContext) -> str | None:
        """Whether nobody reads, or what is left to be read."""
        if context.chat is None:
            left = count_waiting(context)
            said = f"no chat model is asked; stretches of conversation that wait for one: {left}"
            return said if left else None
        return describe_unread(context)

    def count_waiting(self, context: StepContext) -> int:
        """Entries of the queue that are not read."""
        return count_waiting(context)

    def work_on_next(self, context: StepContext) -> list[ItemResult]:
        """Read one."""
        return process_next(context)


def count_waiting(context: StepContext) -> int:
    """Entries of the queue that are not read."""
    with context.store.read(context.tenant) as tx:
        return tx.queue.status().waiting


def describe_unread(context: StepContext) -> str | None:
    """How much of the queue is left, and why, where that is known; None where nothing is."""
    left, why = count_waiting(context), context.shortfalls.get(_STALLED)
    because = f" ({why})" if why else ""
    return f"stretches left to read: {left}{because}" if left else None


def process_next(context: StepContext) -> list[ItemResult]:
    """Read the next entry of the queue; nothing once it is clear that the model can't."""
    if context.extraction is None or _STALLED in context.shortfalls:
        return []
    read = context.extraction.process_next(context.tenant)
    if read is None:
        return []
    if _stalls(read):
        context.shortfalls[_STALLED] = str(read.error)
    return [ItemResult(_OUTCOMES.get(read.state, StepOutcome.CHANGED_SINCE))]


def _stalls(read: ProcessedEntry) -> bool:
    """Whether the next entry would fare no better."""
    match read.error:
        case InvalidAnswerError() | ModelRefusedError():
            return False
        case ChatModelError() as error:
            return not error.too_much
        case error:
            return isinstance(error, EmbedderError)
