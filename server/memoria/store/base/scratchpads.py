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
        """A session's notes."""
        ...

    def find_in_hand(self, session_id: str | None, workspace: str | None) -> TaskInHand | None:
        """The focus of a session's notes, or of the latest that are seen from the workspace."""
        ...

    def list_recent(self, limit: int, workspace: str | None = None) -> list[Scratchpad]:
        """The notes touched last that are seen from the workspace, newest first."""
        ...

    def list_later_sessions(self, session_id: str, limit: int) -> list[LaterSession]:
        """The newest sessions of the same project that began after a session's last note."""
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
        """Every note of every session: what is being worked on, and what is done."""
        ...

    def erase(self, unwanted: Callable[[str], bool]) -> int:
        """Erase every note of every session that is unwanted. Gives how many."""
        ...
