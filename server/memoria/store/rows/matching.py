"""Full text: the best documents by BM25.

FTS5 knows no tenants: the rarity of a word is counted in the whole file, so a word that is common
with one tenant weighs less for all tenants of a home. PostgreSQL has an index for each tenant, and
the home is the tenant in what follows.

FTS5 counts every phrase of a query by walking its list of documents, and a scope of visibilities is
a phrase as well, which may be the longest of all. In a home of more documents than the budget,
words are therefore matched without the scope, and the matches are checked against the scope from
the best downwards; the scope is matched too if too few matches are visible. Scores are the same
either way. Words that stand in more documents than the budget are not scored: the newest visible
documents with such a word are taken.

A reader scores the lists of documents itself (`postings`), which is faster than a query of the
index: in a file within the budget always, in a larger file for words in few documents, once the
process knows the visibility of all documents (`tenant_images`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from memoria.store.image.candidate_filter import CandidateFilter
from memoria.store.image.counts import (
    BUDGET,
    Age,
    CountCache,
    QueryCounts,
    VisibleCounts,
    choose_affordable,
    count_horizon,
)
from memoria.store.image.tenant_images import ImageReader
from memoria.store.image.words import CONTEXT_WEIGHT
from memoria.store.rows.word_lists import WordLists
from memoria.store.rows.workspaces import Scopes
from memoria.store.sql.statements import Parameter, TenantRows, as_json
from memoria.store.values import LAST, Frequencies, Match
from memoria.store.word_query import WordQuery

_ALL = LAST
_ANYWHERE: Mapping[str, Parameter] = {}
_SPARE = 4
"""Share of extra matches read beyond those wanted: one in this many."""


class _Matches(NamedTuple):
    """Matches of a query."""

    asked: int
    """Largest number that was asked for."""
    best: list[Match]

    def holds(self, limit: int) -> bool:
        """Check whether the best `limit` matches are known, or all matches."""
        return len(self.best) != self.asked or limit <= self.asked


class _Share(NamedTuple):
    """The part of a home that a question sees."""

    seen: int
    """Number of visible documents, counted up to one more than the budget."""
    hidden: int | None
    """Number of all others; None if there are too many, or those of other tenants."""


class Matching:
    """Full-text searches of one tenant."""

    def __init__(self, rows: TenantRows, reading: ImageReader | None, counted: CountCache) -> None:
        """Bind to the index of a transaction.

        Args:
            rows: the statements about documents.
            reading: the image, for a reader; None for a writer.
            counted: a cache of the home's numbers of documents by word. A writer adds nothing, for
                its changes may be rolled back.
        """
        self._rows = rows
        self._write = rows.connection.write_query
        self._counted = counted
        self._reading = reading
        self._known: dict[tuple[str, str], _Matches] = {}
        """Matches by statement and query; empty for a writer."""
        self._is_dense = rows.connection.has_dense_numbers
        self._lists = WordLists(rows, reading, BUDGET) if reading and self._is_dense else None
        """None for a writer, as reading lists would make FTS5 write pending changes to the file,
        and without dense numbers, as lists are arrays by number."""

    def best(
        self, terms: Sequence[str], scopes: Scopes, narrowing: CandidateFilter, limit: int
    ) -> list[Match]:
        """Return the best documents that are visible and pass the filters, best first."""
        among = narrowing.ids_if_few
        is_listed = among is not None or not narrowing.is_narrow
        if is_listed and self._lists and self._lists.can_tell(terms):
            return self._lists.best(terms, scopes.seen, among, limit)
        if self._is_small() or self._share_of(scopes).seen <= BUDGET:
            is_open = not narrowing.is_narrow and self._sees_all(scopes)
            query = self._any_of(terms, () if is_open else scopes.seen)
            return self._best_of_few(query, narrowing, limit)
        return self._best_of_large(terms, scopes, narrowing, limit)

    def _best_of_large(
        self, terms: Sequence[str], scopes: Scopes, narrowing: CandidateFilter, limit: int
    ) -> list[Match]:
        """Return the best of more documents than the budget, by the words worth reading."""
        if narrowing.ids_if_few is not None:
            allowed = _restrict_to(narrowing.ids_if_few)
            return self._best_of_many(allowed, terms, scopes, narrowing, limit)
        counts = self._count_in_home(terms, self._rows.number("newest_of_all"))
        kept = choose_affordable(terms, counts.__getitem__)
        if sum(map(counts.__getitem__, kept)) > BUDGET:
            most = BUDGET if narrowing.is_narrow else limit
            newest = self._run_match("match_newest", self._any_of(kept, scopes.seen), most)
            return narrowing.best(newest, limit)
        if self._lists and self._lists.can_rank(kept):
            return narrowing.best_of_visible(self._lists.rank(kept, scopes.seen), limit)
        if narrowing.leaves_out_turns:  # nearly all matches of the words alone would be hidden
            return self._best_of_few(self._any_of(kept, scopes.seen), narrowing, limit)
        return self._best_of_many(_ANYWHERE, kept, scopes, narrowing, limit)

    def _best_of_few(self, query: str, narrowing: CandidateFilter, limit: int) -> list[Match]:
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
        scopes: Scopes,
        narrowing: CandidateFilter,
        limit: int,
    ) -> list[Match]:
        statement = "match_filtered" if where else "match"
        most = _ALL if narrowing.is_narrow and not where else limit + limit // _SPARE
        found = self._run_match(statement, self._any_of(terms), most, **where)
        best = narrowing.best(found, limit)
        if len(best) == limit or len(found) != most:
            return best
        visible = self._any_of(terms, scopes.seen)
        return narrowing.best(self._run_match(statement, visible, limit, **where), limit)

    def frequencies(self, terms: Sequence[str], scopes: Scopes) -> Frequencies:
        """Count the visible documents, in all and by term; in a large home, those of all tenants.

        Every search begins with a call of this function.
        """
        if self._reading is not None:
            self._reading.images.note_question(self._rows.tenant)
        share = self._share_of(scopes)
        if share.seen > BUDGET:
            total = self._rows.number("newest_of_all")
            return Frequencies(total, self._count_in_home(terms, total))
        if self._lists and self._lists.can_tell(terms):
            return Frequencies(share.seen, self._lists.count(terms, scopes.seen))
        return Frequencies(share.seen, self._count_seen(terms, scopes, share))

    def _count_seen(self, terms: Sequence[str], scopes: Scopes, share: _Share) -> dict[str, int]:
        """Count the visible documents that hold each term: all but the hidden ones, if fewer."""
        if scopes.hidden is None or share.hidden is None or share.hidden > share.seen:
            return self._count_each(terms, scopes.seen)
        held = self._count_each(terms)
        hidden = self._count_each(terms, scopes.hidden) if share.hidden else {}
        return {term: many - hidden.get(term, 0) for term, many in held.items()}

    def count_holding_all(self, terms: Sequence[str], tokens: Sequence[str]) -> int:
        """Count the documents of some visibilities whose text holds all of the terms."""
        present = [token for token, many in self._count_visible(tokens).items() if many]
        lists = self._lists
        if not present:
            return 0
        if lists and lists.can_tell(terms) and not lists.may_hold_all(terms, present):
            return 0  # nearly always
        query = self._write(WordQuery.all_of([terms], present))
        return self._rows.number("count_matches", query=query)

    def _sees_all(self, scopes: Scopes) -> bool:
        """Check whether a scope is known to leave nothing out; a writer would have to count."""
        return self._reading is not None and self._share_of(scopes).hidden == 0

    def _is_small(self) -> bool:
        return (self._read_age()[1] if self._is_dense else self._count_documents()) <= BUDGET

    def _count_documents(self) -> int:
        """Count the documents of the index."""
        return self._rows.connection.read_settled(
            ("documents", self._rows.tenant), lambda: self._rows.number("count_all")
        )

    def _share_of(self, scopes: Scopes) -> _Share:
        """Measure the part of the home that a question sees; cached by snapshot."""
        asked = "share", self._rows.tenant, scopes
        return self._rows.connection.read_settled(asked, lambda: self._measure_share(scopes))

    def _measure_share(self, scopes: Scopes) -> _Share:
        if scopes.hidden is None or not self._is_small():
            is_large = self._lists and self._lists.sees_more(scopes.seen, BUDGET)
            seen = BUDGET + 1 if is_large else self._count_now(self._any_of((), scopes.seen))
            return _Share(seen, hidden=None)
        hidden = sum(self._count_visible(scopes.hidden).values())
        every = self._lists.size.documents if self._lists else self._count_documents()
        # A damaged index may hold fewer documents than were counted.
        return _Share(max(every - hidden, 0), hidden)

    def _run_match(self, statement: str, query: str, limit: int, **where: Parameter) -> list[Match]:
        """Return the best matches of a query; cached for a reader, whose snapshot never changes."""
        known = self._known.get((statement, query))
        if known is not None and not where and known.holds(limit):
            return known.best[:limit]
        asked = {"query": query, "limit": limit, "context_weight": CONTEXT_WEIGHT, **where}
        found = Match.list_of(self._rows.tuples(statement, **asked))
        if self._reading is not None and not where:
            self._known[statement, query] = _Matches(limit, found)
        return found

    def _count_each(self, terms: Sequence[str], scopes: Sequence[str] = ()) -> dict[str, int]:
        """Count the documents of some visibilities, or of the home, that hold each term."""
        queries = {term: self._any_of([term], scopes) for term in terms}
        counts = self._count_all_now(list(queries.values()))
        return {term: counts[query] for term, query in queries.items()}

    def _count_in_home(self, terms: Sequence[str], newest: int) -> dict[str, int]:
        """Count the home's documents that hold each term, estimated from those up to a horizon.

        Without dense numbers there is no horizon, and the tenant has an index of its own.
        """
        if not self._is_dense:
            return self._count_each(terms)
        last = count_horizon(newest)
        age = last, self._rows.number("erasures_of_all")
        known = self._counted.recall(terms, age)
        unknown = [term for term in terms if term not in known]
        counted = {term: self._count(self._any_of([term]), last) for term in unknown}
        if self._reading is not None:
            self._counted.keep(age, counted)
        known |= counted
        return {term: known[term] * newest // last for term in terms}

    def _count_visible(self, tokens: Sequence[str]) -> dict[str, int]:
        """Count the tenant's documents of each visibility."""

        def count(tokens: Sequence[str]) -> dict[str, int]:
            queries = {token: self._any_of((), [token]) for token in tokens}
            counts = self._count_queries([*queries.values()])
            return {token: counts[query] for token, query in queries.items()}

        return self._look_up(VisibleCounts, tokens, count)

    def _count_now(self, query: str) -> int:
        """Count the tenant's documents that match; cached, as long as nothing changes."""
        return self._count_all_now([query])[query]

    def _count_all_now(self, queries: Sequence[str]) -> dict[str, int]:
        """Count the matches of several queries, by one statement; cached while nothing changes."""
        return self._look_up(QueryCounts, queries, self._count_queries)

    def _look_up(
        self,
        column: type[QueryCounts],
        asked: Sequence[str],
        count: Callable[[Sequence[str]], dict[str, int]],
    ) -> dict[str, int]:
        """Take counts from the image, and count what it does not have; a writer counts all."""
        if self._reading is None:
            return count(asked)
        with self._reading.open() as image:
            known = image.column(column).recall(asked)
        unknown = [each for each in asked if each not in known]
        if unknown:
            counted = count(unknown)
            with self._reading.open() as image:
                image.column(column).keep(counted)
            known |= counted
        return known

    def _count_queries(self, queries: Sequence[str]) -> dict[str, int]:
        """Count the tenant's documents that match each query, by one statement."""
        if self._is_small():
            return self._count_all_of_few(queries)
        return self._count_all(queries, self._read_age()[1])

    def age(self) -> tuple[int, ...]:
        """Return the tenant's number of changes, its newest document, and the home's newest."""
        return (*self._read_age(), self._rows.number("newest_of_all"))

    def _read_age(self) -> Age:
        """Return the tenant's number of changes, and its newest document."""
        if self._reading is not None:
            return self._reading.tenant.age
        row = self._rows.first("age")
        return (0, 0) if row is None else (row["changes"], row["newest_document"])

    def _count(self, query: str, last: int) -> int:
        """Count the matching documents up to a number, and no further than one above the budget."""
        return self._count_all([query], last)[query]

    def _count_all(self, queries: Sequence[str], last: int) -> dict[str, int]:
        rows = self._rows.all("count_up_to", queries=as_json(queries), last=last, most=BUDGET + 1)
        return {row["query"]: row["total"] for row in rows}

    def _count_all_of_few(self, queries: Sequence[str]) -> dict[str, int]:
        """Count the documents that match each query, in a home too small to stop early."""
        rows = self._rows.all("count_each", queries=as_json(queries))
        return {row["query"]: row["total"] for row in rows}

    def _any_of(self, terms: Sequence[str], scopes: Sequence[str] = ()) -> str:
        """Write a query for documents of some visibilities, or of all, with any of the terms."""
        return self._write(WordQuery.any_of(terms, scopes))


def _restrict_to(listed: Collection[int]) -> dict[str, Parameter]:
    """Build parameters that limit a search to some documents, from the first to the last."""
    ends = {"first": min(listed, default=0), "last": max(listed, default=0)}
    return {"allowed": as_json(listed), **ends}
