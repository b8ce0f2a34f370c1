"""Unread: what was recorded and never queued is queued, and read as far as the night allows."""

from collections.abc import Sequence

from memoria.config import Settings
from memoria.ingest.intake import Intake, IntakeLimits
from memoria.lifecycle.interface import ItemResult, StepContext
from memoria.lifecycle.steps.process_queue import describe_unread, process_next
from memoria.model.nightly import StepOutcome
from memoria.store.values import ClosedSegment

_AT_ONCE = 100
"""Stretches that are looked at in one transaction."""
_MOST_ENTRIES = 400
"""Entries that are queued in one transaction; a stretch is never parted."""
_COUNTED = 1_000_000
_MS_PER_MINUTE = 60_000


class BackfillStep:
    """Queues what a model never read: what came before there was one, and what nobody closed."""

    name = "unread"

    def describe_limits(self, context: StepContext) -> str | None:
        """Whether nobody reads, or what is left to be read."""
        if context.chat is None:
            left = self.count_waiting(context)
            said = f"no chat model is asked; stretches that were never queued: {left}"
            return said if left else None
        return describe_unread(context)

    def count_waiting(self, context: StepContext) -> int:
        """Stretches that were closed and never queued."""
        with context.store.read(context.tenant) as tx:
            return len(tx.conversations.list_unqueued_segments(_COUNTED))

    def work_on_next(self, context: StepContext) -> list[ItemResult]:
        """Queue some, or read one where none is left to queue."""
        if context.extraction is None:
            return []
        _close_idle(context)
        return [ItemResult(StepOutcome.QUEUED)] * _queue_some(
            context, context.extraction.intake
        ) or process_next(context)


def _close_idle(context: StepContext) -> None:
    """Close some of what has been idle; it is unread then, and queued like the rest."""
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
    """As many as come to few enough entries, and one at least."""
    entries = 0
    for many, (_, first, last, _) in enumerate(segments):
        entries += 2 + (last - first) // limits.batch
        if entries > _MOST_ENTRIES:
            return segments[: max(1, many)]
    return segments


def _idle_ms(settings: Settings) -> int:
    return round(settings.idle_minutes * _MS_PER_MINUTE)
