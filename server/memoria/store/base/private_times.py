"""Private times: when nothing of a workspace's sessions is kept."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model.private_time import PrivateTime


class PrivateTimes(Protocol):
    """A tenant's private times."""

    def add(self, time: PrivateTime) -> None:
        """Add one, over or not."""
        ...

    def merge(self, times: Sequence[PrivateTime]) -> None:
        """Have these instead of those that began at the same moment in the same workspace."""
        ...

    def end(self, workspace: str | None, at: int) -> None:
        """End the one that is on in a workspace; None for no project."""
        ...

    def all(self) -> tuple[PrivateTime, ...]:
        """Every one, in the order in which they were begun."""
        ...

    def applying(
        self, workspace: str | None, source: str, session_id: str
    ) -> tuple[PrivateTime, ...]:
        """Those of a workspace, and of the one that a session belongs to.

        Args:
            workspace: in which something is said now; None for no project.
            source: whose numbering of sessions is meant.
            session_id: the session, whether or not anything is kept of it.
        """
        ...
