"""Counts of a query's terms in documents.

The index finds by BM25 with weights of its own, made for documents of any kind. What it found is
counted anew, so that turns can be ranked as what they are: pieces of a conversation.

A word that only begins like a term (`volunteer`, `voluntary`) counts for a part of it where the
term itself is missing. To cut words at four or five letters finds in most European languages what
a stemmer misses (P. McNamee and J. Mayfield, "Character n-gram tokenization for European language
text retrieval", 2004); terms of other scripts and numbers are left alone.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from memoria.retrieval.ranking.evidence.words import Bits, Floats, Integers, WordTable
from memoria.store.index_tokens import IndexTokens

_PREFIX = 4
_PREFIX_WEIGHT = 0.3


class TermCounts(NamedTuple):
    """Counts of a query's terms in documents: a row for each document, in order."""

    ns: Integers
    """Numbers of the documents."""
    body: Floats
    """Occurrences in what was said: a column for each term."""
    frame: Floats
    """1 if it stands in who said it and when, else 0: a column for each term."""
    lengths: Integers
    """Number of tokens of all there is."""


def count_terms(
    documents: Mapping[int, IndexTokens], terms: Sequence[str], *, alike: bool
) -> TermCounts:
    """Count the terms in each of the documents.

    Args:
        documents: by number, in order.
        terms: a query's.
        alike: whether words that begin like a term count for a part of it.
    """
    table = WordTable.of_pairs([*documents.values()])
    varying = [at for at, term in enumerate(terms) if alike and _may_vary(term)]
    beginnings = [*(f"{term} " for term in terms), *(terms[at][:_PREFIX] for at in varying)]
    times = _count(table, beginnings).reshape(len(documents), 2, len(beginnings))
    body, frame = times[:, 0, : len(terms)], times[:, 1, : len(terms)]
    like = np.zeros_like(body)
    like[:, varying] = np.where(times[:, 0, len(terms) :] > 0, _PREFIX_WEIGHT, 0.0)
    return TermCounts(
        np.fromiter(documents, np.int64, len(documents)),
        np.where(body > 0, body, like),
        np.minimum(frame, 1.0),
        table.lengths.reshape(-1, 2).sum(axis=1),
    )


def _count(table: WordTable, beginnings: Sequence[str]) -> Floats:
    """Count the words that begin so in each text: a row for each, one after the other."""
    at, words = table.find(beginnings)
    cells = table.texts_of(words) * len(beginnings) + at
    follows = (words[1:] == words[:-1] + 1) & (cells[1:] == cells[:-1])
    if follows.any():
        cells = cells[_select_apart(follows)]
    return np.bincount(cells, minlength=len(table.firsts) * len(beginnings)).astype(np.float64)


def _select_apart(follows: Bits) -> Bits:
    """Drop every second of adjacent repeats of a word: they share the space between them."""
    at = np.arange(len(follows) + 1)
    begins = at.copy()
    begins[1:][follows] = 0
    apart: Bits = (at - np.maximum.accumulate(begins)) % 2 == 0
    return apart


def _may_vary(term: str) -> bool:
    return len(term) >= _PREFIX and term.isascii() and term.isalpha()
