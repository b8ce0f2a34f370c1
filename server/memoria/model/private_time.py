"""Private time: a span in which nothing of a workspace's sessions is kept."""

from collections.abc import Iterable

from memoria.model.base import Value


class PrivateTime(Value):
    """A stretch of time, which the user switches on and off."""

    workspace: str | None = None
    """Project whose sessions are meant; None for those in no project."""
    began_at: int
    """UTC epoch ms."""
    ended_at: int | None = None
    """UTC epoch ms; None as long as it is on."""

    def includes(self, at: int) -> bool:
        """Return whether a moment is in it."""
        return self.began_at <= at and (self.ended_at is None or at < self.ended_at)


def find_open(times: Iterable[PrivateTime]) -> PrivateTime | None:
    """Return the one that is on, None if none is."""
    return next((one for one in times if one.ended_at is None), None)
