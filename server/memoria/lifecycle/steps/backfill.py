"""Backfill: segments that were recorded and never queued are queued, and read as time allows."""

from collections.abc import Sequence

from memoria.config import Settings
from memoria.ingest.intake import Intake, IntakeLimits
from memoria.lifecycle.interface import ItemResult, PiecewiseStep, StepContext
from memoria.lifecycle.steps.process_queue import describe_unread, process_next
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome
from memoria.store.values import ClosedSegment

_AT_ONCE = 100
"""Number of segments that are looked at in one transaction."""
_MOST_ENTRIES = 400
"""Number of entries that are queued in one transaction; a segment is never split."""
_COUNTED = 1_000_000
_MS_PER_MINUTE = 60_000


class BackfillStep(PiecewiseStep):
    """Queues segments from before there was a chat model, and those that nobody closed."""

    name = "backfill"
    summary = (
        "Queue the segments that were recorded and never queued, and have the chat model read them."
    )
    things = ("part of a conversation", "parts of conversations")
    deed = "read by the chat model"

    def describe_limits(self, context: StepContext) -> str | None:
        """Describe what was never queued, without a chat model; with one, what it left unread."""
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
        _close_idle(context)
        return [ItemResult(StepOutcome.QUEUED)] * _queue_some(
            context, context.extraction.intake
        ) or process_next(context)


def _close_idle(context: StepContext) -> None:
    """Close some idle segments, which are then queued like the rest."""
    with context.store.write(context.tenant) as tx:
        tx.conversations.close_idle_segments(context.at - _idle_ms(context.settings), _AT_ONCE)


def _queue_some(context: StepContext, limits: IntakeLimits) -> int:
    with context.store.write(context.tenant) as tx:
        unread = _limit_entries(tx.conversations.list_unqueued_segments(_AT_ONCE), limits)
        Intake(tx, context.digests, limits, context.at).queue_segments(unread)
    return len(unread)


def _limit_entries(
    segments: Sequence[ClosedSegment], limits: IntakeLimits
) -> Sequence[ClosedSegment]:
    """Return as many segments as come to few enough entries, and one at least."""
    entries = 0
    for many, (_, first, last, _) in enumerate(segments):
        entries += 2 + (last - first) // limits.batch
        if entries > _MOST_ENTRIES:
            return segments[: max(1, many)]
    return segments


def _idle_ms(settings: Settings) -> int:
    return round(settings.segment_idle_minutes * _MS_PER_MINUTE)
