"""Recall: what the write path asks of retrieval. `app` hands it in."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model import Memory, TextVectors
from memoria.store.base import Transaction


class RelatedMemories(Protocol):
    """Finds memories that something new may have to do with."""

    def find_related(self, tx: Transaction, text: str, workspace: str | None) -> list[Memory]:
        """What to show a model that reads a text."""
        ...

    def embed_meanings(self, texts: Sequence[str], *, wait: bool) -> TextVectors:
        """The vectors of texts; none, unless it has to wait, where no model is loaded yet.

        Takes as long as the embedder does: not inside a transaction.

        Raises:
            EmbedderError: it was to be waited for, and none can be made.
        """
        ...

    def find_near(
        self, tx: Transaction, meanings: TextVectors, text: str, workspace: str | None
    ) -> list[Memory]:
        """Active memories that mean nearly what one of the texts means, nearest first."""
        ...
