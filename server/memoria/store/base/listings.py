"""Listings: memories and sessions page by page, for browsing."""

from typing import Protocol

from memoria.store.listed import ListedMemories, ListedPage, ListedSession, ListedSpan


class Listings(Protocol):
    """A tenant's memories and sessions page by page, the newest first."""

    def list_memories(self, wanted: ListedMemories, span: ListedSpan) -> ListedPage[int]:
        """List the numbers of memories' newest wordings, by the time since which these hold."""
        ...

    def list_sessions(self, client: str | None, span: ListedSpan) -> ListedPage[ListedSession]:
        """List the sessions of a client, or of all, in the order of their last turns."""
        ...
