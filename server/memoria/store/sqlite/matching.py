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

A home of one tenant is mostly seen whole. There words are matched and counted alone as well, and
what little is hidden is taken off.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from memoria.store.sqlite.narrowing import Narrowing
from memoria.store.sqlite.rows import Parameter, TenantRows, as_json
from memoria.store.sqlite.scopes import Scopes, write_scope
from memoria.store.sqlite.tenants import Reading
from memoria.store.sqlite.terms import (
    BUDGET,
    Age,
    CountCache,
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
_HARDLY_ANY = 50
"""Documents: of so few, hardly any holds a word of a question; of more, one mostly does."""
_SPARE = 4
"""One more of so many is looked at than is wanted, where nearly all may be seen."""


class _Matches(NamedTuple):
    """What a query has found."""

    asked: int
    """How many were wanted at most."""
    best: list[Match]

    def holds(self, limit: int) -> bool:
        """Whether so many of the best are known, or all there are."""
        return len(self.best) != self.asked or 0 <= limit <= self.asked


class _Sight(NamedTuple):
    """What a question sees of a home."""

    seen: int
    """How many documents, up to one more than the budget."""
    hidden: tuple[str, ...] | None
    """The visibilities of the others; None where these are not few, or can't be told."""
    others: int = 0
    """How many the others are, where that is known."""


class Matching:
    """The full-text index as one tenant's questions meet it."""

    def __init__(self, rows: TenantRows, reading: Reading | None, counted: CountCache) -> None:
        """Nothing is read yet.

        Args:
            rows: where the index is.
            reading: what a reader knows from the start; None for a writer.
            counted: in how many documents of the home words stand. A writer adds nothing to it, for
                what it writes may yet be taken back.
        """
        self._rows = rows
        self._counted = counted
        self._reading = reading
        self._known: dict[tuple[str, str], _Matches] = {}
        """By statement and query; empty for a writer."""
        self._sights: dict[Scopes, _Sight] = {}

    def best(
        self, terms: Sequence[str], scopes: Scopes, narrowing: Narrowing, limit: int
    ) -> list[Match]:
        """The best documents that are seen and that pass."""
        scope = write_scope(*scopes.seen)
        if self._is_small() or self._count_now(scope) <= BUDGET:
            hidden = None if narrowing.is_narrow else self._look(scopes).hidden
            if hidden == ():
                return self._run_match("match", _any_of(terms), limit)
            if hidden is not None:
                return self._best_of_nearly_all(terms, scope, narrowing, limit)
            return self._best_of_few(_in_scope(scope, terms), narrowing, limit)
        return self._best_of_large(terms, scope, narrowing, limit)

    def _best_of_large(
        self, terms: Sequence[str], scope: str, narrowing: Narrowing, limit: int
    ) -> list[Match]:
        """The best of more documents than the budget, by the words that are worth reading."""
        if narrowing.ids_if_few is not None:
            allowed = _restrict_to(narrowing.ids_if_few)
            return self._best_of_many(allowed, terms, scope, narrowing, limit)
        counts = self._count_in_home(terms, self._rows.number("newest_of_all"))
        kept = choose_affordable(terms, counts.__getitem__)
        if sum(map(counts.__getitem__, kept)) > BUDGET:
            most = BUDGET if narrowing.is_narrow else limit
            newest = self._run_match("match_newest", _in_scope(scope, kept), most)
            return narrowing.best(newest, limit)
        if narrowing.leaves_out_turns:  # of what words alone find, nearly all would be hidden
            return self._best_of_few(_in_scope(scope, kept), narrowing, limit)
        return self._best_of_many(_ANYWHERE, kept, scope, narrowing, limit)

    def _best_of_few(self, query: str, narrowing: Narrowing, limit: int) -> list[Match]:
        if narrowing.ids_if_few is not None:
            return self._run_match(
                "match_filtered", query, limit, **_restrict_to(narrowing.ids_if_few)
            )
        if narrowing.is_narrow:
            return narrowing.best(self._run_match("match", query, _ALL), limit)
        return self._run_match("match", query, limit)

    def _best_of_nearly_all(
        self, terms: Sequence[str], scope: str, narrowing: Narrowing, limit: int
    ) -> list[Match]:
        """The best, looked for among all and shown if they may be seen, as nearly all may."""
        query, most = _any_of(terms), limit + limit // _SPARE
        known = self._known.get(("match", query))
        if known is not None and known.holds(most):  # by a question that sees other documents
            found = known.best[:most]
            best = narrowing.best(found, limit)
        else:
            asked = {"limit": most, "context_weight": _CONTEXT_WEIGHT}
            rows = self._rows.all("match_seen", query=query, **asked, **narrowing.view)
            found = self._remember("match", query, most, ((n, score) for n, score, _ in rows))
            best = [match for match, row in zip(found, rows, strict=True) if row["is_seen"]][:limit]
        if len(best) == limit or len(found) != most:
            return best
        return self._run_match("match", _in_scope(scope, terms), limit)

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

    def frequencies(self, terms: Sequence[str], scopes: Scopes) -> Frequencies:
        """How common the terms are among what is seen; in a large home, in all of it."""
        sight = self._look(scopes)
        if sight.seen > BUDGET:
            total = self._rows.number("newest_of_all")
            return Frequencies(total, self._count_in_home(terms, total))
        if sight.hidden is None:
            return Frequencies(sight.seen, self._count_each(terms, write_scope(*scopes.seen)))
        return Frequencies(sight.seen, self._count_but(terms, sight.hidden, sight.others))

    def list_present(self, tokens: Sequence[str]) -> list[str]:
        """Which of these visibilities any document has."""
        counts = self._count_all_now(list(map(write_scope, tokens)))
        return [token for token in tokens if counts[write_scope(token)]]

    def _is_small(self) -> bool:
        return self._read_age()[1] <= BUDGET

    def _look(self, scopes: Scopes) -> _Sight:
        """What a question sees of the home; a reader looks once."""
        if scopes not in self._sights or self._reading is None:
            self._sights[scopes] = self._look_anew(scopes)
        return self._sights[scopes]

    def _look_anew(self, scopes: Scopes) -> _Sight:
        if scopes.hidden is None or not self._is_small():
            return _Sight(self._count_now(write_scope(*scopes.seen)), None)
        each = {token: write_scope(token) for token in scopes.hidden}
        counts = self._count_all_now(list(each.values()))
        hidden = sum(counts.values())
        seen = self._rows.number("count_all") - hidden
        present = [token for token, scope in each.items() if counts[scope]]
        return _Sight(seen, tuple(present) if _SPARE * hidden <= seen else None, hidden)

    def _run_match(self, statement: str, query: str, limit: int, **where: Parameter) -> list[Match]:
        """The best that a query finds; a reader remembers them, for a snapshot does not change."""
        known = self._known.get((statement, query))
        if known is not None and not where and known.holds(limit):
            return known.best if limit == _ALL else known.best[:limit]
        asked = {"query": query, "limit": limit, "context_weight": _CONTEXT_WEIGHT, **where}
        rows = self._rows.all(statement, **asked)
        return Match.list_of(rows) if where else self._remember(statement, query, limit, rows)

    def _remember(
        self, statement: str, query: str, asked: int, rows: Iterable[Sequence[float]]
    ) -> list[Match]:
        """What a statement has found, which a reader need not ask again."""
        found = Match.list_of(rows)
        if self._reading is not None:
            self._known[statement, query] = _Matches(asked, found)
        return found

    def _count_but(
        self, terms: Sequence[str], hidden: Sequence[str], others: int
    ) -> dict[str, int]:
        """In how many documents each term occurs, but for the others, of these visibilities."""
        counts = self._count_each(terms)
        scope = write_scope(*hidden)
        if not others or not terms:
            return counts
        if others <= _HARDLY_ANY and not self._count_now(_in_scope(scope, terms)):
            return counts
        without = self._count_each(terms, scope)
        return {term: count - without[term] for term, count in counts.items()}

    def _count_each(self, terms: Sequence[str], scope: str | None = None) -> dict[str, int]:
        """In how many documents of a scope, or of the home, each term occurs."""
        queries = {
            term: _any_of([term]) if scope is None else _in_scope(scope, [term]) for term in terms
        }
        counts = self._count_all_now(list(queries.values()))
        return {term: counts[query] for term, query in queries.items()}

    def _count_in_home(self, terms: Sequence[str], newest: int) -> dict[str, int]:
        """In how many documents of the home each term occurs, judging by those up to a horizon."""
        last = count_horizon(newest)

        def count(term: str) -> int:
            return self._count(_any_of([term]), last)

        age = last, self._rows.number("erasures_of_all")
        if self._reading is not None:
            known = {term: self._counted.look_up(term, age, count) for term in terms}
        else:
            known = self._counted.recall(terms, age)
            known |= {term: count(term) for term in terms if term not in known}
        return {term: known[term] * newest // last for term in terms}

    def _count_now(self, query: str) -> int:
        """How many of the tenant's documents match; counted once, as long as nothing changes."""
        return self._count_all_now([query])[query]

    def _count_all_now(self, queries: Sequence[str]) -> dict[str, int]:
        """The same of several queries, by one statement."""
        age = self._read_age()
        known = CountCache()
        if self._reading is not None:
            known = self._reading.counted.of_tenant(self._rows.tenant)
        if self._is_small():
            return known.look_up_all(queries, age, self._count_all_of_few)
        return known.look_up_all(queries, age, lambda unknown: self._count_all(unknown, age[1]))

    def _read_age(self) -> Age:
        """How often the tenant's documents have changed, and the newest of them."""
        if self._reading is not None:
            return self._reading.tenant.changes, self._reading.tenant.newest_document
        row = self._rows.first("age")
        return (0, 0) if row is None else (row["changes"], row["newest_document"])

    def _count(self, query: str, last: int) -> int:
        """How many documents up to a number match, up to one more than the budget."""
        return self._count_all([query], last)[query]

    def _count_all(self, queries: Sequence[str], last: int) -> dict[str, int]:
        rows = self._rows.all("count_up_to", queries=as_json(queries), last=last, most=BUDGET + 1)
        return {row["query"]: row["total"] for row in rows}

    def _count_all_of_few(self, queries: Sequence[str]) -> dict[str, int]:
        """How many documents match each query, in a home too small to stop early."""
        rows = self._rows.all("count_each", queries=as_json(queries))
        return {row["query"]: row["total"] for row in rows}


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
