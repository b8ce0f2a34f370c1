"""The seam between Memoria and embedding models."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model import Vector


class Embedder(Protocol):
    """Texts in, unit vectors out. Calls block and may come from several threads.

    Queries and documents are embedded by different calls, because some models want to be told
    which is which.
    """

    @property
    def name(self) -> str:
        """The model with its version. Vectors of different names are never compared."""
        ...

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, shape (dims,).

        Raises:
            EmbedderError: no vector could be made.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of documents, in order, each of shape (dims,).

        Raises:
            EmbedderError: no vectors could be made; none of the texts is to blame alone.
        """
        ...
