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
        """The best documents by BM25 that hold any of the terms, best first."""
        ...

    def age(self) -> object:
        """How old the full-text index is: while it is equal, the same terms match the same."""
        ...

    def expect_vectors(self, vectors: Sequence[Vector]) -> None:
        """Say that `nearest` will be asked for each of these, so one pass can serve all.

        Args:
            vectors: of one model; one at least.
        """
        ...

    def nearest(
        self, kind: DocumentKind, model: str, vector: Vector, filters: Filters, limit: int
    ) -> list[Match]:
        """The nearest documents by cosine (-1 to 1), best first.

        Raises:
            EmbedderError: the vector is not as long as the model's stored ones.
        """
        ...

    def vectors(self, ns: Sequence[int], model: str) -> dict[int, Vector]:
        """The vectors of those of the documents that have one."""
        ...

    def nearest_passages(
        self, ns: Sequence[int], model: str, vector: Vector
    ) -> dict[int, PassageMatch]:
        """Of the documents with passages, the most promising, each with its nearest passage.

        Raises:
            EmbedderError: the vector is not as long as the model's stored ones, or these are
                damaged.
        """
        ...

    def list_containing(self, kind: DocumentKind, terms: Sequence[str]) -> list[int]:
        """Every document of the tenant that holds all of the terms, seen from here or not."""
        ...

    def page(self, kind: DocumentKind, after: int, limit: int) -> list[int]:
        """The tenant's documents with numbers beyond `after`, in order."""
        ...

    def recent(self, kinds: Sequence[DocumentKind], filters: Filters, limit: int) -> list[int]:
        """The newest documents that pass the filters, by when they were said or began to hold."""
        ...

    def distinct_words(self, ns: Sequence[int]) -> dict[int, frozenset[str]]:
        """The distinct tokens of what the documents say, without who said it and when."""
        ...

    def index_tokens(self, ns: Sequence[int], most_chars: int) -> dict[int, IndexTokens]:
        """The tokens of the documents, without those that have more characters than that."""
        ...

    def frequencies(
        self, kinds: Sequence[DocumentKind], terms: Sequence[str], filters: Filters
    ) -> Frequencies:
        """How common the terms are among what can be seen, whatever else the filters want."""
        ...

    def find_words(
        self,
        kinds: Sequence[DocumentKind],
        beginnings: Sequence[str],
        accept: Callable[[str], bool],
        filters: Filters,
    ) -> dict[str, int]:
        """The words of what can be seen that begin so and are accepted, each with how common it is.

        Args:
            kinds: of document.
            beginnings: how a word may begin.
            accept: whether a word is wanted.
            filters: which documents can be seen.
        """
        ...

    def awaiting_vectors(self, ns: Sequence[int]) -> set[int]:
        """Which of the documents have no vector yet."""
        ...

    def list_elsewhere(
        self,
        kinds: Sequence[DocumentKind],
        groups: Sequence[Sequence[str]],
        filters: Filters,
        limit: int,
    ) -> dict[int, str]:
        """The newest documents that only other workspaces see, each with its workspace's name.

        None of a private workspace, and none of those that the filters' own workspace sees.

        Args:
            kinds: of document.
            groups: of terms; a document holds one group whole.
            filters: what else they must pass.
            limit: how many at most.
        """
        ...

    def count_hidden(
        self, kinds: Sequence[DocumentKind], terms: Sequence[str], filters: Filters
    ) -> int:
        """How many documents, seen from here but no longer current, hold all of the terms."""
        ...
