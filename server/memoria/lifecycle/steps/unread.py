"""Unread: what was recorded and never queued is queued, and read as far as the night allows."""

from collections.abc import Sequence

from memoria.config import Settings
from memoria.ingest.intake import Intake, IntakeLimits
from memoria.lifecycle.face import Applied, Night
from memoria.lifecycle.steps.drain import left_to_read, read_next
from memoria.model.night import Outcome
from memoria.store.values import ClosedStretch

_AT_ONCE = 100
"""Stretches that are looked at in one transaction."""
_MOST_ENTRIES = 400
"""Entries that are queued in one transaction; a stretch is never parted."""
_COUNTED = 1_000_000
_MS_PER_MINUTE = 60_000


class Unread:
    """Queues what a model never read: what came before there was one, and what nobody closed."""

    name = "unread"

    def reduced(self, night: Night) -> str | None:
        """Whether nobody reads, or what is left to be read."""
        if night.gate is None:
            left = self.waiting(night)
            said = f"no chat model is asked; stretches that were never queued: {left}"
            return said if left else None
        return left_to_read(night)

    def waiting(self, night: Night) -> int:
        """Stretches that were closed and never queued."""
        with night.store.read(night.tenant) as tx:
            return len(tx.conversations.unread_stretches(_COUNTED))

    def work(self, night: Night) -> list[Applied]:
        """Queue some, or read one where none is left to queue."""
        if night.reader is None:
            return []
        _close(night)
        return [Applied(Outcome.QUEUED)] * _queue(night, night.reader.intake) or read_next(night)


def _close(night: Night) -> None:
    """Close some of what has been idle; it is unread then, and queued like the rest."""
    with night.store.write(night.tenant) as tx:
        tx.conversations.close_idle_stretches(night.at - _idle_ms(night.settings), _AT_ONCE)


def _queue(night: Night, limits: IntakeLimits) -> int:
    with night.store.write(night.tenant) as tx:
        unread = _some(tx.conversations.unread_stretches(_AT_ONCE), limits)
        Intake(tx, night.marks, limits, night.at).closed(unread)
    return len(unread)


def _some(stretches: Sequence[ClosedStretch], limits: IntakeLimits) -> Sequence[ClosedStretch]:
    """As many as come to few enough entries, and one at least."""
    entries = 0
    for many, (_, first, last, _) in enumerate(stretches):
        entries += 2 + (last - first) // limits.batch
        if entries > _MOST_ENTRIES:
            return stretches[: max(1, many)]
    return stretches


def _idle_ms(settings: Settings) -> int:
    return round(settings.idle_minutes * _MS_PER_MINUTE)
