"""What memory does for sessions: those in which it spoke beside those in which it was silent."""

from typing import Annotated

from memoria.model.base import UNLESS_EMPTY, Value


class ShareInterval(Value):
    """A share or a difference of shares with the bounds between which it lies, 95 times of 100."""

    value: float
    low: float
    high: float


class SessionGroup(Value):
    """Sessions of one kind that were compared, which ran a command each."""

    sessions: int
    repeats: int
    """Failures that earlier sessions had met and that were met again."""
    repeating: int
    """Sessions with such a failure."""
    share: ShareInterval | None = None
    """Repeating sessions ÷ sessions; None without sessions."""
    tokens: float
    """Estimated tokens told unasked, for each session."""


class SilenceReport(Value):
    """Sessions told what memory has beside those in which it was silent."""

    share: float
    """Share of sessions in which memory is silent, as it is set."""
    since: Annotated[int | None, UNLESS_EMPTY] = None
    """Time of the first session that was noted; None if none was."""
    told: SessionGroup
    silent: SessionGroup
    difference: ShareInterval | None = None
    """Share of repeating sessions where memory spoke, less that where it was silent."""
    missing: int
    """Sessions that are missing before either kind has enough of them; 0 if none is."""
