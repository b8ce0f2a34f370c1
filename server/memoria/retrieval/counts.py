"""Counts: how often each of a question's terms stands in a document.

The index finds by BM25 with weights of its own, made for documents of any kind. What it found is
counted anew, so that turns can be weighed as what they are: pieces of a conversation.

A word that only begins like a term (`volunteer`, `voluntary`) counts for a part of it where the
term itself is missing. To cut words at four or five letters finds in most European languages what
a stemmer misses (P. McNamee and J. Mayfield, "Character n-gram tokenization for European language
text retrieval", 2004); terms of other scripts and numbers are left alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoria.store.values import Indexed

Floats = NDArray[np.float64]

_PREFIX = 4
_ALIKE = 0.3


@dataclass(frozen=True, slots=True)
class Counts:
    """The terms in some documents: a row a document, a column a term."""

    ns: tuple[int, ...]
    said: Floats
    """In what was said."""
    framed: Floats
    """In who said it and when."""
    lengths: Floats
    """In tokens, of all there is."""


def count(documents: Mapping[int, Indexed], terms: Sequence[str], *, alike: bool) -> Counts:
    """The terms counted in each of the documents.

    Args:
        documents: by number.
        terms: a question's.
        alike: whether words that begin like a term count for a part of it.
    """
    whole = [f" {term} " for term in terms]
    begun = [f" {term[:_PREFIX]}" if alike and _may_vary(term) else None for term in terms]
    said = [_said(f" {each.words} ", whole, begun) for each in documents.values()]
    framed = [_framed(f" {each.context} ", whole) for each in documents.values()]
    lengths = [_length(each) for each in documents.values()]
    shape = len(documents), len(terms)
    return Counts(
        tuple(documents),
        np.array(said, np.float64).reshape(shape),
        np.array(framed, np.float64).reshape(shape),
        np.array(lengths, np.float64),
    )


def _said(words: str, whole: Sequence[str], begun: Sequence[str | None]) -> list[float]:
    return [
        words.count(term) or (_ALIKE if start is not None and start in words else 0.0)
        for term, start in zip(whole, begun, strict=True)
    ]


def _framed(context: str, whole: Sequence[str]) -> list[int]:
    return [context.count(term) for term in whole]


def _may_vary(term: str) -> bool:
    return len(term) >= _PREFIX and term.isascii() and term.isalpha()


def _length(document: Indexed) -> int:
    return document.words.count(" ") + document.context.count(" ") + 2
