"""Process the queue: the chat model reads waiting segments before memories are looked at.

The run reads the queue as any open window does, with the same leases: each segment is read once,
whoever reads it. The journal sees none of it, so an undo takes back no reading: a window would have
read the segment minutes later.
"""

from memoria.errors import ChatModelError, EmbedderError, InvalidAnswerError, ModelRefusedError
from memoria.ingest.extraction import ProcessedEntry
from memoria.lifecycle.interface import ItemResult, PiecewiseStep, StepContext
from memoria.model import QueueState
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome

_STALLED = "reading"
"""Key of the reason why nothing more is read in this run."""
_OUTCOMES: dict[QueueState | None, StepOutcome] = {
    QueueState.DONE: StepOutcome.DONE,
    QueueState.WAITING: StepOutcome.PUT_OFF,
    QueueState.DEAD: StepOutcome.GIVEN_UP,
}


class ProcessQueueStep(PiecewiseStep):
    """Reads the queue with the chat model."""

    name = "process_queue"
    summary = "Have the chat model read the conversation segments that wait in the queue."
    things = ("part of a conversation", "parts of conversations")
    deed = "read by the chat model"

    def describe_limits(self, context: StepContext) -> str | None:
        """Describe the waiting queue, without a chat model; with one, what it left unread."""
        if context.chat is None:
            left = count_waiting(context)
            said = f"{WITHOUT_MODEL} parts of conversations wait in the queue: {left}"
            return said if left else None
        return describe_unread(context)

    def count_work(self, context: StepContext) -> int:
        """Count the entries of the queue that nobody has read."""
        return count_waiting(context)

    def do_piece(self, context: StepContext) -> list[ItemResult]:
        """Read one segment."""
        return process_next(context)


def count_waiting(context: StepContext) -> int:
    """Count the entries of the queue that are not read."""
    with context.store.read(context.tenant) as tx:
        return tx.queue.status().waiting


def describe_unread(context: StepContext) -> str | None:
    """Describe how much of the queue is left, and why if known; None where nothing is left."""
    left, why = count_waiting(context), context.shortfalls.get(_STALLED)
    because = f" ({why})" if why else ""
    return f"segments left to read: {left}{because}" if left else None


def process_next(context: StepContext) -> list[ItemResult]:
    """Read the next entry of the queue; return nothing once it is clear that the model can't."""
    if context.extraction is None or _STALLED in context.shortfalls:
        return []
    read = context.extraction.process_next(context.tenant)
    if read is None:
        return []
    if _stalls(read):
        context.shortfalls[_STALLED] = str(read.error)
    return [ItemResult(_OUTCOMES.get(read.state, StepOutcome.CHANGED_SINCE))] * read.finished


def _stalls(read: ProcessedEntry) -> bool:
    """Check whether the next entry would fail for the same reason."""
    match read.error:
        case InvalidAnswerError() | ModelRefusedError():
            return False
        case ChatModelError() as error:
            return not error.too_much
        case error:
            return isinstance(error, EmbedderError)
