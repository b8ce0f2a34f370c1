"""Full text: the best documents by BM25.

How rare a word is, is counted in the whole file: FTS5 knows no tenants. In a home that many tenants
share, a word that is common with one weighs less with all. A home of its own for each tenant avoids
that, and so will an engine with postings of its own.

BM25 as FTS5 has it counts every phrase of a query by walking its list, the scope's as well: where
one tenant holds nearly everything, that alone takes as long as all the words. So in a home of more
documents than the budget the words are matched alone, and what they find is held against the scope
from the best downwards. Scores are the same either way: the scope weighs nothing. Where too little
of what was found may be seen, the scope is matched too. Words that only stand in more documents
than that are not scored at all: the newest that hold one and may be seen are taken.
"""

from collections.abc import Collection, Mapping, Sequence

from memoria.store.sqlite.narrowing import Narrowing
from memoria.store.sqlite.rows import Parameter, TenantRows, as_json
from memoria.store.sqlite.terms import (
    BUDGET,
    Age,
    CountCache,
    TermStatistics,
    choose_affordable,
    count_horizon,
)
from memoria.store.sqlite.visibility import may_be_token
from memoria.store.values import Frequencies, Match

# Who said it and when: worth less than what was said. On LoCoMo 0.3 to 1.0 are within a point.
_CONTEXT_WEIGHT = 0.6
_TEXT = "{words context}"
_ALL = -1
_ANYWHERE: Mapping[str, Parameter] = {}
_SPARE = 4
"""One more of so many is looked at than is wanted, where nearly all may be seen."""


class Matching:
    """The full-text index as one tenant's questions meet it."""

    def __init__(self, rows: TenantRows, counted: TermStatistics | None) -> None:
        """Nothing is read yet.

        Args:
            rows: where the index is.
            counted: what a process remembers; None for a writer, who counts each time.
        """
        self._rows = rows
        self._counted = counted
        self._age: Age | None = None

    def best(
        self, terms: Sequence[str], scope: str, narrowing: Narrowing, limit: int
    ) -> list[Match]:
        """The best documents that the scope shows and that pass."""
        if self._read_age()[1] <= BUDGET or self._count_now(scope) <= BUDGET:
            return self._best_of_few(_in_scope(scope, terms), narrowing, limit)
        if narrowing.ids_if_few is not None:
            return self._best_of_many(
                _restrict_to(narrowing.ids_if_few), terms, scope, narrowing, limit
            )
        counts = self._count_in_home(terms, self._rows.number("newest_of_all"))
        kept = choose_affordable(terms, counts.__getitem__)
        if sum(map(counts.__getitem__, kept)) > BUDGET:
            most = BUDGET if narrowing.is_narrow else limit
            return narrowing.best(
                self._run_match("match_newest", _in_scope(scope, kept), most), limit
            )
        return self._best_of_many(_ANYWHERE, kept, scope, narrowing, limit)

    def _best_of_few(self, query: str, narrowing: Narrowing, limit: int) -> list[Match]:
        if narrowing.ids_if_few is not None:
            return self._run_match(
                "match_filtered", query, limit, **_restrict_to(narrowing.ids_if_few)
            )
        if narrowing.is_narrow:
            return narrowing.best(self._run_match("match", query, _ALL), limit)
        return self._run_match("match", query, limit)

    def _best_of_many(
        self,
        where: Mapping[str, Parameter],
        terms: Sequence[str],
        scope: str,
        narrowing: Narrowing,
        limit: int,
    ) -> list[Match]:
        statement = "match_filtered" if where else "match"
        most = _ALL if narrowing.is_narrow and not where else limit + limit // _SPARE
        found = self._run_match(statement, _any_of(terms), most, **where)
        best = narrowing.best(found, limit)
        if len(best) == limit or len(found) != most:
            return best
        return narrowing.best(
            self._run_match(statement, _in_scope(scope, terms), limit, **where), limit
        )

    def frequencies(self, terms: Sequence[str], scope: str) -> Frequencies:
        """How common the terms are among what the scope shows; in a large one, in the home."""
        shown = self._count_now(scope)
        if shown > BUDGET:
            total = self._rows.number("newest_of_all")
            return Frequencies(total, self._count_in_home(terms, total))
        return Frequencies(
            shown, {term: self._count_now(_in_scope(scope, [term])) for term in terms}
        )

    def shows_any(self, scope: str) -> bool:
        """Whether the scope shows anything."""
        return self._count_now(scope) > 0

    def _run_match(self, statement: str, query: str, limit: int, **where: Parameter) -> list[Match]:
        asked = {"query": query, "limit": limit, "context_weight": _CONTEXT_WEIGHT, **where}
        return list(map(Match._make, self._rows.all(statement, **asked)))

    def _count_in_home(self, terms: Sequence[str], newest: int) -> dict[str, int]:
        """In how many documents of the home each term occurs, judging by those up to a horizon."""
        last = count_horizon(newest)

        def count(term: str) -> int:
            return self._count(_any_of([term]), last)

        age = last, self._rows.number("erasures_of_all")
        known = self._counted.terms if self._counted else CountCache()
        return {term: known.look_up(term, age, count) * newest // last for term in terms}

    def _count_now(self, query: str) -> int:
        """How many of the tenant's documents match; counted once, as long as nothing changes."""
        age = self._read_age()
        known = self._counted.of_tenant(self._rows.tenant) if self._counted else CountCache()
        return known.look_up(query, age, lambda query: self._count(query, age[1]))

    def _read_age(self) -> Age:
        """How often the tenant's documents have changed, and the newest of them."""
        if self._age is None or self._counted is None:  # a writer sees its own changes
            self._age = self._rows.number("changes"), self._rows.number("newest")
        return self._age

    def _count(self, query: str, last: int) -> int:
        """How many documents up to a number match, up to one more than the budget."""
        return self._rows.number("count_up_to", query=query, last=last, most=BUDGET + 1)


def quote_term(term: str) -> str:
    """A finished token as FTS5 takes it: no operator can hide in one."""
    return f'"{term}"'


def _restrict_to(listed: Collection[int]) -> dict[str, Parameter]:
    """Parameters for a search of these documents alone; the index reads from first to last."""
    ends = {"first": min(listed, default=0), "last": max(listed, default=0)}
    return {"allowed": as_json(listed), **ends}


def _any_of(terms: Sequence[str]) -> str:
    """An FTS5 expression for documents that hold any of the terms.

    To name the columns takes a third of the time again, so they are where it matters.
    """
    words = f"({' OR '.join(map(quote_term, terms))})"
    return f"{_TEXT}:{words}" if any(map(may_be_token, terms)) else words


def _in_scope(scope: str, terms: Sequence[str]) -> str:
    return f"{scope} AND {_any_of(terms)}"
