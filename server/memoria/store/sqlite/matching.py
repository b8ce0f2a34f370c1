"""Full text: the best documents by BM25.

BM25 as FTS5 has it counts every phrase of a query by walking its list, the scope's as well: where
one tenant holds nearly everything, that alone takes as long as all the words. So in a home of more
documents than the budget the words are matched alone, and what they find is held against the scope
from the best downwards. Scores are the same either way: the scope weighs nothing. Where too little
of what was found may be seen, the scope is matched too.
"""

from collections.abc import Collection, Sequence

from memoria.store.sqlite.narrowing import Narrowing
from memoria.store.sqlite.rows import TenantRows, as_json
from memoria.store.sqlite.terms import BUDGET, Counted, Counts, affordable, mark
from memoria.store.values import Frequencies, Match

# Who said it and when: worth less than what was said. On LoCoMo 0.3 to 1.0 are within a point.
_CONTEXT_WEIGHT = 0.6
_TEXT = "{words context}"
_SPARE = 4
"""One more of so many is looked at than is wanted, where nearly all may be seen."""


class Matching:
    """The full-text index as one tenant's questions meet it."""

    def __init__(self, rows: TenantRows, counted: Counted | None) -> None:
        """Nothing is read yet.

        Args:
            rows: where the index is.
            counted: what a process remembers; None for a writer, who counts each time.
        """
        self._rows = rows
        self._counted = counted

    def among(
        self, allowed: Collection[int], terms: Sequence[str], scope: str, limit: int
    ) -> list[Match]:
        """The best of these documents that the scope shows."""
        return self._found("match_filtered", _both(scope, terms), limit, allowed=as_json(allowed))

    def best(
        self, terms: Sequence[str], scope: str, narrowing: Narrowing, limit: int
    ) -> list[Match]:
        """The best documents that the scope shows and that pass."""
        newest = self._rows.number("newest")
        most = -1 if narrowing.narrow else limit
        if newest <= BUDGET or self._count_shown(scope, newest) <= BUDGET:
            found = self._found("match", _both(scope, terms), most)
            return narrowing.best(found, limit) if narrowing.narrow else found
        counts = self._counts(terms, newest)
        kept = affordable(terms, counts.__getitem__)
        statement = "match" if sum(map(counts.__getitem__, kept)) <= BUDGET else "match_newest"
        asked = most if narrowing.narrow else limit + limit // _SPARE
        found = self._found(statement, _words(kept), asked)
        best = narrowing.best(found, limit)
        if len(best) == limit or (statement == "match" and len(found) != asked):
            return best
        return narrowing.best(self._found(statement, _both(scope, kept), most), limit)

    def frequencies(self, terms: Sequence[str], scope: str) -> Frequencies:
        """How common the terms are among what the scope shows; in a large one, in the home."""
        newest = self._rows.number("newest")
        shown = self._count_shown(scope, newest)
        if shown > BUDGET:
            return Frequencies(newest, self._counts(terms, newest))
        return Frequencies(
            shown, {term: self._count(_both(scope, [term]), newest) for term in terms}
        )

    def _found(
        self, statement: str, query: str, limit: int, **parameters: str | int
    ) -> list[Match]:
        rows = self._rows.all(
            statement,
            query=query,
            context_weight=_CONTEXT_WEIGHT,
            limit=limit,
            newest=BUDGET,
            **parameters,
        )
        return [Match(*row) for row in rows]

    def _counts(self, terms: Sequence[str], newest: int) -> dict[str, int]:
        """In how many documents each term stands, judging by those up to the mark."""
        last = mark(newest)

        def count(term: str) -> int:
            return self._count(_words([term]), last)

        age = last, self._rows.number("erased_at")
        known = self._counted.terms if self._counted else Counts()
        return {term: known.of(term, age, count) * newest // last for term in terms}

    def _count_shown(self, scope: str, newest: int) -> int:
        """How many documents the scope shows, as long as nothing changes."""
        known = self._counted.scopes if self._counted else Counts()
        age = self._rows.number("changed_at"), newest
        return known.of(scope, age, lambda scope: self._count(scope, newest))

    def _count(self, query: str, last: int) -> int:
        """How many documents up to a number match, up to one more than the budget."""
        return self._rows.number("count_up_to", query=query, last=last, most=BUDGET + 1)


def quoted(term: str) -> str:
    """A finished token as FTS5 takes it: no operator can hide in one."""
    return f'"{term}"'


def _words(terms: Sequence[str]) -> str:
    """An FTS5 expression for documents that hold any of the terms."""
    return f"{_TEXT}:({' OR '.join(map(quoted, terms))})"


def _both(scope: str, terms: Sequence[str]) -> str:
    return f"{scope} AND {_words(terms)}"
