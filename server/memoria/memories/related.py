"""Protocol of the search for memories that a new text may repeat or replace.

The protocol stands here because retrieval must not be imported; `app` hands in the implementation.
"""

from collections.abc import Sequence
from typing import Protocol

from memoria.model import Memory, TextVectors
from memoria.store.rows.transaction import Transaction


class RelatedMemories(Protocol):
    """Finds memories that are related to a text."""

    def find_related(self, tx: Transaction, text: str, workspace: str | None) -> list[Memory]:
        """Find the memories that may have to do with a text, and the newest."""
        ...

    def find_bearing(self, tx: Transaction, text: str, workspace: str | None) -> list[Memory]:
        """Find the memories to show to a model that reads a text: few, and those that bear on it.

        Those that wait for the user's confirmation are among them.
        """
        ...

    def embed_meanings(self, texts: Sequence[str], *, wait: bool) -> TextVectors:
        """Embed some texts. Must not be called inside a transaction, for it may take long.

        Args:
            texts: what to embed.
            wait: whether to wait for the embedder; without, there are none until it is loaded.

        Raises:
            EmbedderError: vectors were to be waited for, and none can be made.
        """
        ...

    def find_near(
        self, tx: Transaction, meanings: TextVectors, text: str, workspace: str | None
    ) -> list[Memory]:
        """Find active memories that mean nearly the same as a text, the nearest first."""
        ...
