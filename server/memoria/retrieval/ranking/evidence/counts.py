"""Counts: how often each of a query's terms stands in a document.

The index finds by BM25 with weights of its own, made for documents of any kind. What it found is
counted anew, so that turns can be ranked as what they are: pieces of a conversation.

A word that only begins like a term (`volunteer`, `voluntary`) counts for a part of it where the
term itself is missing. To cut words at four or five letters finds in most European languages what
a stemmer misses (P. McNamee and J. Mayfield, "Character n-gram tokenization for European language
text retrieval", 2004); terms of other scripts and numbers are left alone.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Self

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
    words = _Words.of_terms(terms, alike=alike)
    frames: dict[str, tuple[dict[str, float], int]] = {}
    counted: dict[int, TermCounts] = {}
    for n, (said, context) in documents.items():
        if context not in frames:  # most turns share theirs with those around them
            frames[context] = words.count_frame(f" {context} ")
        frame, around = frames[context]
        body = words.count_body(f" {said} ")
        counted[n] = TermCounts(body, frame, said.count(" ") + 1 + around)
    return counted


class _Words(NamedTuple):
    """The terms as they are looked for in documents."""

    tokens: dict[str, str]
    """Each term as it stands among others, between spaces."""
    beginnings: dict[str, str]
    """What stands wherever the term or a word like it does."""
    varying: frozenset[str]
    """Those for which a word that only begins like them counts for a part."""

    @classmethod
    def of_terms(cls, terms: Sequence[str], *, alike: bool) -> Self:
        tokens = {term: f" {term} " for term in terms}
        varying = frozenset(term for term in terms if alike and _may_vary(term))
        starts = {term: f" {term[:_PREFIX]}" for term in varying}
        return cls(tokens, {**tokens, **starts}, varying)

    def count_frame(self, context: str) -> tuple[dict[str, float], int]:
        """The terms in who said it and when, and how many tokens that has."""
        present = (term for term, token in self.tokens.items() if token in context)
        return dict.fromkeys(present, 1.0), context.count(" ") - 1

    def count_body(self, said: str) -> dict[str, float]:
        """How often each term stands in what was said. Of a few each is looked for by itself."""
        tokens, beginnings = self.tokens, self.beginnings
        may_stand: Collection[str] = tokens
        if len(tokens) > _MANY:
            may_stand = (tokens.keys() & said.split(" ")) | self.varying
        body: dict[str, float] = {}
        for term in may_stand:
            if beginnings[term] in said:
                times = said.count(tokens[term])
                if times or term in self.varying:
                    body[term] = times or _PREFIX_WEIGHT
        return body


def _may_vary(term: str) -> bool:
    return len(term) >= _PREFIX and term.isascii() and term.isalpha()
