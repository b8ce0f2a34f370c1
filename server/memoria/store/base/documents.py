"""Documents: the derived indexes over whatever can be found."""

from collections.abc import Callable, Sequence
from typing import Protocol

from memoria.model import Vector
from memoria.store.index_tokens import IndexTokens
from memoria.store.values import (
    DocumentKind,
    Filters,
    Frequencies,
    Match,
    PassageMatch,
)


class Documents(Protocol):
    """The derived indexes over whatever can be found."""

    def match(
        self, kinds: Sequence[DocumentKind], terms: Sequence[str], filters: Filters, limit: int
    ) -> list[Match]:
        """Return the best documents by BM25 that hold any of the terms, best first."""
        ...

    def age(self) -> object:
        """Return a stamp of the full-text index: while it is equal, terms match the same."""
        ...

    def expect_vectors(self, vectors: Sequence[Vector]) -> None:
        """Announce that `nearest` will be asked for each of these, so one pass can serve all.

        Args:
            vectors: of one model; one at least.
        """
        ...

    def nearest(
        self, kind: DocumentKind, model: str, vector: Vector, filters: Filters, limit: int
    ) -> list[Match]:
        """Return the nearest documents by cosine (-1 to 1), best first.

        Raises:
            EmbedderError: the vector is not as long as the model's stored ones.
        """
        ...

    def vectors(self, ns: Sequence[int], model: str) -> dict[int, Vector]:
        """Map documents to their vectors; those without one are missing."""
        ...

    def nearest_passages(
        self, ns: Sequence[int], model: str, vector: Vector
    ) -> dict[int, PassageMatch]:
        """Map the most promising of the documents with passages to the nearest passage of each.

        Raises:
            EmbedderError: the vector is not as long as the model's stored ones, or these are
                damaged.
        """
        ...

    def list_containing(self, kind: DocumentKind, terms: Sequence[str]) -> list[int]:
        """List every document of the tenant that holds all of the terms, seen from here or not."""
        ...

    def page(self, kind: DocumentKind, after: int, limit: int) -> list[int]:
        """List the tenant's documents with numbers beyond `after`, in order."""
        ...

    def recent(self, kinds: Sequence[DocumentKind], filters: Filters, limit: int) -> list[int]:
        """List the newest documents that pass the filters, by the time said or valid from."""
        ...

    def distinct_words(self, ns: Sequence[int]) -> dict[int, frozenset[str]]:
        """Map documents to the distinct tokens of what they say, without who said it and when."""
        ...

    def index_tokens(self, ns: Sequence[int], most_chars: int) -> dict[int, IndexTokens]:
        """Map documents to their tokens; those of more than `most_chars` characters are missing."""
        ...

    def frequencies(
        self, kinds: Sequence[DocumentKind], terms: Sequence[str], filters: Filters
    ) -> Frequencies:
        """Count the visible documents, and those with each term; no other filter applies."""
        ...

    def find_words(
        self,
        kinds: Sequence[DocumentKind],
        beginnings: Sequence[str],
        accept: Callable[[str], bool],
        filters: Filters,
    ) -> dict[str, int]:
        """Map the accepted words of visible documents that begin so to their numbers of documents.

        Args:
            kinds: of document.
            beginnings: how a word may begin.
            accept: whether a word is wanted.
            filters: which documents can be seen.
        """
        ...

    def awaiting_vectors(self, ns: Sequence[int]) -> set[int]:
        """Select the documents that have no vector yet."""
        ...

    def list_elsewhere(
        self,
        kinds: Sequence[DocumentKind],
        groups: Sequence[Sequence[str]],
        filters: Filters,
        limit: int,
    ) -> dict[int, str]:
        """Map the newest documents that only other workspaces see to their workspaces' names.

        Those of private workspaces, and those that the filters' own workspace sees, are left out.

        Args:
            kinds: of document.
            groups: of terms; a document holds one group whole.
            filters: further conditions.
            limit: the largest number of documents.
        """
        ...

    def count_hidden(
        self, kinds: Sequence[DocumentKind], terms: Sequence[str], filters: Filters
    ) -> int:
        """Count documents, seen from here but no longer current, that hold all of the terms."""
        ...
