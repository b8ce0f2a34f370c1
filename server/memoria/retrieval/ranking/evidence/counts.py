"""Counts: how often each of a query's terms stands in a document.

The index finds by BM25 with weights of its own, made for documents of any kind. What it found is
counted anew, so that turns can be ranked as what they are: pieces of a conversation.

A word that only begins like a term (`volunteer`, `voluntary`) counts for a part of it where the
term itself is missing. To cut words at four or five letters finds in most European languages what
a stemmer misses (P. McNamee and J. Mayfield, "Character n-gram tokenization for European language
text retrieval", 2004); terms of other scripts and numbers are left alone.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoria.store.values import IndexTokens

_PREFIX = 4
_PREFIX_WEIGHT = 0.3


class TermCounts(NamedTuple):
    """How often a query's terms stand in a document; only those that do."""

    body: dict[str, float]
    """Times in what was said."""
    frame: dict[str, float]
    """Times in who said it and when."""
    length: int
    """In tokens, of all there is."""


def count_terms(
    documents: Mapping[int, IndexTokens], terms: Sequence[str], *, alike: bool
) -> dict[int, TermCounts]:
    """The terms counted in each of the documents.

    Args:
        documents: by number.
        terms: a query's.
        alike: whether words that begin like a term count for a part of it.
    """
    wanted = [
        (term, f" {term} ", f" {term[:_PREFIX]}" if alike and _may_vary(term) else None)
        for term in terms
    ]
    return {n: _count_document(document, wanted) for n, document in documents.items()}


def _count_document(
    document: IndexTokens, wanted: Sequence[tuple[str, str, str | None]]
) -> TermCounts:
    words, context = f" {document.words} ", f" {document.context} "
    body: dict[str, float] = {}
    for term, token, start in wanted:
        if start is not None and start not in words:
            continue  # where nothing begins like a term, the term is missing as well
        if many := words.count(token):
            body[term] = many
        elif start is not None:
            body[term] = _PREFIX_WEIGHT
    frame: dict[str, float] = {term: 1.0 for term, token, _ in wanted if token in context}
    return TermCounts(body, frame, words.count(" ") + context.count(" ") - 2)


def _may_vary(term: str) -> bool:
    return len(term) >= _PREFIX and term.isascii() and term.isalpha()
