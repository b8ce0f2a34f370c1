"""Postings: in which documents a question's words stand, read once and scored at once.

FTS5 computes BM25 one document after the other, and counts each word before that by walking its
list; whoever asks how common the words are walks the lists again, and so does the next question
that sees other documents. So the lists of a question's words are read as they are, once, and all
the rest is arithmetic over arrays: how common each word is among what may be seen, and the score of
each document, to the last bit the one that FTS5 gives.

That reads what nobody may see as well, so it is for homes whose every document is within the
budget. What stands in FTS5's own tables beside the index is of the file's form, which newer
versions of SQLite can't change.
"""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoria.store.sqlite.rows import TenantRows
from memoria.store.sqlite.standings import Integers, Standing, Standings
from memoria.store.sqlite.tenants import StoreTenant
from memoria.store.sqlite.varints import read_varints
from memoria.store.values import Match

Floats = NDArray[np.float64]

_K1 = 1.2
_B = 0.75
_LEAST_IDF = 1e-6
"""What a word tells that stands in every other document, as the other two the choice of FTS5."""


class _Posting(NamedTuple):
    """Where a word stands."""

    ns: Integers
    """The documents, in order."""
    times: Floats
    """How often in each; what frames a text weighs less."""


class Postings:
    """The words that were asked for, as one snapshot of the file has them."""

    def __init__(
        self,
        rows: TenantRows,
        tenant: StoreTenant,
        standings: Standings,
        context_weight: float,
    ) -> None:
        """No word is known yet.

        Args:
            rows: the statements about documents.
            tenant: who asks.
            standings: what is known of their documents.
            context_weight: what a word counts that stands in who said it and when.
        """
        self._rows = rows
        self._tenant = tenant
        self._standings = standings
        self._context_weight = context_weight
        self._known: dict[str, _Posting] = {}
        self._total, self._mean_length = self._read_averages()

    def put(self, places: Mapping[str, str]) -> None:
        """Take in where words stand: as one list, which is then divided.

        Args:
            places: by word, a number for each time in order of the documents: twice the
                document's, and one more where it stands in who said it and when.
        """
        many = [text.count(",") + 1 if text else 0 for text in places.values()]
        run = ",".join(filter(None, places.values()))
        numbers = np.array(json.loads(f"[{run}]"), np.int64)
        at = np.repeat(np.arange(len(many)), many)
        ns, weights = numbers >> 1, np.where(numbers & 1, self._context_weight, 1.0)
        begins = np.ones(len(ns), np.bool_)
        begins[1:] = (ns[1:] != ns[:-1]) | (at[1:] != at[:-1])
        times: Floats = np.bincount(begins.cumsum() - 1, weights).astype(np.float64)
        ends = np.bincount(at[begins], minlength=len(many)).cumsum().tolist()
        ns = ns[begins]
        for term, start, end in zip(places, [0, *ends], ends, strict=False):
            self._known[term] = _Posting(ns[start:end], times[start:end])

    def count(self, terms: Sequence[str], scope: Sequence[str]) -> dict[str, int]:
        """In how many of the documents that may be seen each word stands.

        Args:
            terms: the words.
            scope: the visibilities that may be seen.
        """
        ns, at, _ = self._list_places(terms)
        standing = self._read_standing(ns)
        is_seen = self._standings.select(standing, scope)
        counts = np.bincount(at[is_seen], minlength=len(terms))
        return dict(zip(terms, counts.tolist(), strict=True))

    def best(
        self, terms: Sequence[str], scope: Sequence[str], among: Collection[int] | None, limit: int
    ) -> list[Match]:
        """The best documents by BM25, of equals the oldest first.

        Args:
            terms: any of these words, in the order of the query.
            scope: the visibilities that may be seen.
            among: the only documents that are wanted; None for all.
            limit: how many.
        """
        places, at, times = self._list_places(terms)
        standing = self._read_standing(places)
        kept = self._standings.select(standing, scope)
        if among is not None:
            kept &= np.isin(places, np.fromiter(among, np.int64, len(among)))
        ns, of_place = np.unique(places[kept], return_inverse=True)
        gains = self._saturate(times[kept], standing.lengths[kept])
        scores = np.bincount(of_place, self._weigh(terms)[at[kept]] * gains, len(ns))
        best = np.argsort(-scores, kind="stable")[:limit]
        return Match.list_of(zip(ns[best].tolist(), scores[best].tolist(), strict=True))

    def _weigh(self, terms: Sequence[str]) -> Floats:
        """What each word tells, by how rare it is in the file."""
        held = [len(self._known[term].ns) for term in terms]
        tells = [math.log((self._total - many + 0.5) / (many + 0.5)) for many in held]
        return np.array([idf if idf > 0 else _LEAST_IDF for idf in tells])

    def _saturate(self, times: Floats, lengths: NDArray[np.int32]) -> Floats:
        """What it tells that a word stands so many times in documents of these lengths."""
        norms = _K1 * (1 - _B + _B * lengths / self._mean_length)
        return (times * (_K1 + 1)) / (times + norms)

    def _list_places(self, terms: Sequence[str]) -> tuple[Integers, Integers, Floats]:
        """The documents of each of the words, one after the other, which it is, and how often."""
        found = [self._known[term] for term in terms]
        at = np.repeat(np.arange(len(found)), [len(each.ns) for each in found])
        ns, times = zip(*found, strict=True)
        return np.concatenate(ns), at, np.concatenate(times)

    def _read_standing(self, ns: Integers) -> Standing:
        found = self._standings.read(self._rows, self._tenant, ns)
        if found is None:  # others have seen what is not there yet
            self._standings = Standings()
            return self._read_standing(ns)
        return found

    def _read_averages(self) -> tuple[int, float]:
        """How many documents the file has, and how many words one has on average."""
        block = self._rows.first("averages")
        total, *words = (block and [*read_varints(block["block"])]) or [0]
        return total, sum(words) / total if total else 0.0
