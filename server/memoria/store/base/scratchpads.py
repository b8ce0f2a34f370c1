"""Scratchpads: working notes, one a session."""

from collections.abc import Callable, Iterable
from typing import Protocol

from memoria.model import (
    Scratchpad,
)
from memoria.store.values import LaterSession, TaskInHand


class Scratchpads(Protocol):
    """Working notes, one a session."""

    def get(self, session_id: str) -> Scratchpad | None:
        """Return a session's notes; None if there are none."""
        ...

    def find_in_hand(self, session_id: str | None, workspace: str | None) -> TaskInHand | None:
        """Return the focus of a session's notes, or of the latest seen from the workspace."""
        ...

    def list_recent(self, limit: int, workspace: str | None = None) -> list[Scratchpad]:
        """List the notes touched last that are seen from the workspace, newest first."""
        ...

    def list_later_sessions(self, session_id: str, limit: int) -> list[LaterSession]:
        """List the newest sessions of the same project that began after a session's last note."""
        ...

    def put(
        self,
        session_id: str,
        focus: str | None,
        completed: Iterable[str],
        now: int,
        keep: int,
        workspace: str | None = None,
    ) -> None:
        """Set the focus, add completed tasks and keep the newest `keep` of them."""
        ...

    def list_notes(self) -> list[str]:
        """List every note of every session: the tasks in hand, and the finished ones."""
        ...

    def erase(self, unwanted: Callable[[str], bool]) -> int:
        """Erase every note of every session that is unwanted, and return their number."""
        ...
