"""Counts: how often each of a query's terms stands in a document.

The index finds by BM25 with weights of its own, made for documents of any kind. What it found is
counted anew, so that turns can be ranked as what they are: pieces of a conversation.

A word that only begins like a term (`volunteer`, `voluntary`) counts for a part of it where the
term itself is missing. To cut words at four or five letters finds in most European languages what
a stemmer misses (P. McNamee and J. Mayfield, "Character n-gram tokenization for European language
text retrieval", 2004); terms of other scripts and numbers are left alone.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from memoria.store.values import IndexTokens

_PREFIX = 4
_PREFIX_WEIGHT = 0.3
_MANY = 20
"""Terms from which on it is faster to take a document apart."""


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
    wanted = {term: f" {term} " for term in terms}
    begins = [(term, f" {term[:_PREFIX]}") for term in terms if alike and _may_vary(term)]
    return {n: _count_document(document, wanted, begins) for n, document in documents.items()}


def _count_document(
    document: IndexTokens, wanted: Mapping[str, str], begins: Sequence[tuple[str, str]]
) -> TermCounts:
    words, context = f" {document.words} ", f" {document.context} "
    body: dict[str, float] = {
        term: words.count(wanted[term]) for term in _list_present(words, wanted)
    }
    for term, start in begins:
        if start in words and term not in body:
            body[term] = _PREFIX_WEIGHT
    frame = dict.fromkeys(_list_present(context, wanted), 1.0)
    return TermCounts(body, frame, words.count(" ") + context.count(" ") - 2)


def _list_present(tokens: str, wanted: Mapping[str, str]) -> Collection[str]:
    """The terms that stand among the tokens. Of a few terms each is looked for by itself."""
    if len(wanted) > _MANY:
        return wanted.keys() & tokens.split(" ")
    return [term for term, token in wanted.items() if token in tokens]


def _may_vary(term: str) -> bool:
    return len(term) >= _PREFIX and term.isascii() and term.isalpha()
