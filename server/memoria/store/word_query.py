"""Queries of the full-text index, as values that each engine writes in its own language."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class WordQuery(NamedTuple):
    """Conditions that a document must meet. A query has terms, visibilities, or both."""

    groups: tuple[tuple[str, ...], ...] = ()
    """Terms: a document holds all terms of at least one group. A term is one token, or several
    with spaces between them, which then stand one after the other."""
    scopes: tuple[str, ...] = ()
    """Tokens of visibilities: a document has one of these."""
    only_text: bool = False
    """True if words of the text count alone, not those of who said it and when."""

    @classmethod
    def any_of(cls, terms: Iterable[str], scopes: Sequence[str] = ()) -> "WordQuery":
        """Build a query for documents that hold any of the terms."""
        return cls(tuple((term,) for term in terms), (*scopes,))

    @classmethod
    def all_of(cls, groups: Iterable[Sequence[str]], scopes: Sequence[str]) -> "WordQuery":
        """Build a query for documents whose text holds all terms of at least one group."""
        return cls(tuple(map(tuple, groups)), (*scopes,), only_text=True)
