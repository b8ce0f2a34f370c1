"""Private times: spans in which nothing of a workspace's sessions is kept."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model.private_time import PrivateTime


class PrivateTimes(Protocol):
    """A tenant's private times."""

    def add(self, time: PrivateTime) -> None:
        """Add a private time, over or not."""
        ...

    def merge(self, times: Sequence[PrivateTime]) -> None:
        """Add private times; each replaces one that began at the same moment in its workspace."""
        ...

    def end(self, workspace: str | None, at: int) -> None:
        """End the private time that is on in a workspace; None for no project."""
        ...

    def all(self) -> tuple[PrivateTime, ...]:
        """List every private time, in the order in which they began."""
        ...

    def applying(
        self, workspace: str | None, source: str, session_id: str
    ) -> tuple[PrivateTime, ...]:
        """List the private times of a workspace, and of the one that a session belongs to.

        Args:
            workspace: in which something is said now; None for no project.
            source: whose numbering of sessions is meant.
            session_id: the session, whether or not anything is kept of it.
        """
        ...
