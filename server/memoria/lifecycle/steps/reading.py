"""Reading: the chat model reads waiting conversation segments before memories are looked at.

The run reads the queue as any open server does, with the same leases: each segment is read once,
whoever reads it. The journal sees no reading, so an undo takes none back: a server would have read
the segment minutes later.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from memoria.errors import ChatModelError, EmbedderError, InvalidAnswerError, ModelRefusedError
from memoria.ingest.extraction import ProcessedEntry
from memoria.ingest.intake import Intake, IntakeLimits
from memoria.lifecycle.interface import (
    Item,
    ItemResult,
    PiecewiseStep,
    PlannedStep,
    StepContext,
    read_pages,
)
from memoria.model import InferredBy, Memory, QueueState, Validity
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome
from memoria.store.rows.transaction import Transaction
from memoria.store.values import ClosedSegment

_STALLED = "reading"
"""Key in `shortfalls` of the reason why nothing more is read in this run."""
_OUTCOMES: dict[QueueState | None, StepOutcome] = {
    QueueState.DONE: StepOutcome.DONE,
    QueueState.WAITING: StepOutcome.PUT_OFF,
    QueueState.DEAD: StepOutcome.GIVEN_UP,
}
_AT_ONCE = 100
"""Number of segments that are looked at in one transaction."""
_MOST_ENTRIES = 400
"""Number of entries that are queued in one transaction; a segment is never split."""
_COUNTED = 1_000_000
_MS_PER_MINUTE = 60_000
MAX_EPISODES = 20
"""Most segments that one run puts back; the others wait for the next run."""
_PAGE = 200


class ProcessQueueStep(PiecewiseStep):
    """Reads the queue with the chat model."""

    name = "process_queue"
    summary = "Have the chat model read the conversation segments that wait in the queue."
    things = ("part of a conversation", "parts of conversations")
    deed = "read by the chat model"

    def describe_limits(self, context: StepContext) -> str | None:
        """Describe how many segments are left: waiting without a chat model, else unread."""
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
    """Read the next entry of the queue; return no result once the model proves unavailable."""
    if context.extraction is None or _STALLED in context.shortfalls:
        return []
    read = context.extraction.process_next(context.tenant)
    if read is None:
        return []
    if _stalls(read):
        context.shortfalls[_STALLED] = str(read.error)
    return [ItemResult(_OUTCOMES.get(read.state, StepOutcome.CHANGED_SINCE))] * read.finished


def _stalls(read: ProcessedEntry) -> bool:
    """Check whether an error would keep the next entry from being read, too."""
    match read.error:
        case InvalidAnswerError() | ModelRefusedError():
            return False
        case ChatModelError() as error:
            return not error.too_much
        case error:
            return isinstance(error, EmbedderError)


class BackfillStep(PiecewiseStep):
    """Queues segments from before there was a chat model, and idle segments."""

    name = "backfill"
    summary = (
        "Queue the segments that were recorded and never queued, and have the chat model read them."
    )
    things = ("part of a conversation", "parts of conversations")
    deed = "read by the chat model"

    def describe_limits(self, context: StepContext) -> str | None:
        """Describe how many segments are left: never queued without a chat model, else unread."""
        if context.chat is None:
            left = self.count_work(context)
            said = f"{WITHOUT_MODEL} parts of conversations were never queued: {left}"
            return said if left else None
        return describe_unread(context)

    def count_work(self, context: StepContext) -> int:
        """Count the segments that were closed and never queued."""
        with context.store.read(context.tenant) as tx:
            return len(tx.conversations.list_unqueued_segments(_COUNTED))

    def do_piece(self, context: StepContext) -> list[ItemResult]:
        """Queue some segments, or read one where none is left to queue."""
        if context.extraction is None:
            return []
        idle_ms = round(context.settings.segment_idle_minutes * _MS_PER_MINUTE)
        with context.store.write(context.tenant) as tx:
            tx.conversations.close_idle_segments(context.at - idle_ms, _AT_ONCE)
        queued = _queue_some(context, context.extraction.intake)
        return [ItemResult(StepOutcome.QUEUED)] * queued or process_next(context)


def _queue_some(context: StepContext, limits: IntakeLimits) -> int:
    with context.store.write(context.tenant) as tx:
        unread = _limit_entries(tx.conversations.list_unqueued_segments(_AT_ONCE), limits)
        Intake(tx, context.digests, limits, context.at).queue_segments(unread)
    return len(unread)


def _limit_entries(
    segments: Sequence[ClosedSegment], limits: IntakeLimits
) -> Sequence[ClosedSegment]:
    """Return as many segments as one transaction may queue, at least one."""
    entries = 0
    for many, (_, first, last, _) in enumerate(segments):
        entries += 2 + (last - first) // limits.batch
        if entries > _MOST_ENTRIES:
            return segments[: max(1, many)]
    return segments


class OutdatedItem(Item):
    """An episode that is outdated; its key is its id."""

    changed_at: int
    """Time of the last change of anything that the episode rests on, UTC epoch ms."""


class RefreshEpisodesStep(PlannedStep[OutdatedItem]):
    """Puts the segments of outdated episodes back into the queue."""

    name = "refresh_episodes"
    summary = "Have the chat model sum up conversations again that tell what has changed since."
    things = ("summary of a conversation", "summaries of conversations")
    deed = "to be written anew"
    item = OutdatedItem
    rows = 10

    def describe_limits(self, context: StepContext) -> str | None:
        """Describe that nothing is summed up without a chat model."""
        if context.chat is not None:
            return None
        return f"{WITHOUT_MODEL} no summary is written anew; searches mark what is outdated"

    def plan(self, context: StepContext) -> Iterator[OutdatedItem]:
        """Yield outdated episodes that were not rewritten since the change, the oldest first."""
        if context.chat is None:
            return
        pages = read_pages(context, lambda tx, after: tx.episodes.list_active(after, _PAGE))
        found = (item for page in pages for item in _find_on_page(context, page))
        yield from islice(found, MAX_EPISODES)

    def apply(self, tx: Transaction, item: OutdatedItem, _context: StepContext) -> ItemResult:
        """Put the segment back, unless it was summed up or decided about since."""
        memory = tx.memories.get(item.key)
        if memory is None or not _may_be_rewritten(memory):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        if not tx.episodes.requeue_summary(item.key, item.changed_at):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        return ItemResult(StepOutcome.DONE, item.key, "something that it tells has changed since")


def _find_on_page(context: StepContext, page: Sequence[tuple[int, str]]) -> list[OutdatedItem]:
    with context.store.read(context.tenant) as tx:
        return [*_find_outdated(tx, [memory_id for _, memory_id in page])]


def _find_outdated(tx: Transaction, ids: list[str]) -> Iterator[OutdatedItem]:
    changed_at: dict[str, int] = {}
    for change in tx.derivations.list_changed(ids):
        last = max(change.changed_at, changed_at.get(change.derived_id, 0))
        changed_at[change.derived_id] = last
    for memory_id in tx.episodes.list_read_before(changed_at):
        memory = tx.memories.get(memory_id)
        if memory is not None and _may_be_rewritten(memory):
            yield OutdatedItem(key=memory_id, changed_at=changed_at[memory_id])


def _may_be_rewritten(episode: Memory) -> bool:
    """Check that no person has decided about an episode."""
    is_ours = episode.validity is Validity.ACTIVE and not (episode.verified or episode.pinned)
    return is_ours and episode.current.inferred_by is InferredBy.MODEL
