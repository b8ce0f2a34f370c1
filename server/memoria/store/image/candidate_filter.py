"""Candidate filter: applying a question's filters before or after an index is searched.

If few documents pass, they are listed beforehand, and an index of text or vectors is searched among
these alone. If many do, a list would cost more than the search: what the index finds, best first,
is checked against the filters afterwards, until enough has passed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property

from memoria.store.image.counts import BUDGET
from memoria.store.sql.statements import (
    Parameter,
    TenantRows,
    as_json,
    as_json_or_null,
    list_numbers,
)
from memoria.store.values import LAST, DocumentKind, Filters, Match

_SPARE = 4
"""Extra matches that are looked at first: one in so many of those wanted."""
_WIDER = 4


class CandidateFilter:
    """Filters of a question over a tenant's documents."""

    def __init__(
        self,
        rows: TenantRows,
        kinds: Sequence[DocumentKind],
        filters: Filters,
        place: int | None,
        private: Sequence[int] = (),
    ) -> None:
        """Bind a question's filters to a tenant's documents.

        Args:
            rows: where the documents are.
            kinds: the kinds of documents that are asked for.
            filters: the conditions.
            place: the workspace of the filters.
            private: the workspaces that are seen from themselves alone.
        """
        self._rows = rows
        self._kinds = kinds
        self._filters = filters
        self._place = place
        self._private = private

    @cached_property
    def view(self) -> Mapping[str, Parameter]:
        """Parameters of statements that name the visible documents."""
        return {
            "kinds": as_json(self._kinds),
            "history": self._filters.include_history,
            "include_processed": self._filters.include_processed,
            "everywhere": self._filters.everywhere,
            "place": self._place,
            "private": as_json(self._private),
        }

    @cached_property
    def _of_memories(self) -> Mapping[str, Parameter]:
        tasks = self._filters.tasks
        return {
            "types": as_json_or_null(self._filters.types),
            "tasks": None if tasks is None else as_json(tasks),
        }

    @cached_property
    def _said(self) -> Mapping[str, Parameter]:
        return {
            "since": self._filters.since,
            "until": self._filters.until,
            "session_id": self._filters.session_id,
            "metadata": self._filters.metadata,
            "history": self._filters.include_history,
        }

    @property
    def _turns(self) -> bool:
        return "turn" in self._kinds and self._filters.includes_turns

    @property
    def _memories(self) -> bool:
        return "memory" in self._kinds and not (self._filters.roles or self._filters.tool)

    @property
    def leaves_out_turns(self) -> bool:
        """True if only memories are asked for: in a large home, few of all documents."""
        return "turn" not in self._kinds

    @property
    def is_narrow(self) -> bool:
        """True if fewer documents are wanted than can be seen."""
        return self._filters.is_narrow

    @cached_property
    def ids_if_few(self) -> frozenset[int] | None:
        """Documents that pass the filters; None if many pass, or nothing is filtered."""
        if not self.is_narrow or self._is_long_period:
            return None
        listed = frozenset(self._list_passing(BUDGET + 1))
        return listed if len(listed) <= BUDGET else None

    @cached_property
    def all_ids(self) -> frozenset[int] | None:
        """Documents that pass the filters, however many; None if nothing is filtered."""
        if self.ids_if_few is None and self.is_narrow:
            return frozenset(self._list_passing(LAST))
        return self.ids_if_few

    def best(self, found: Sequence[Match], limit: int) -> list[Match]:
        """Return the first `limit` matches that are visible and pass the filters."""
        return _select_first(found, limit, self._visible_and_passing)

    def best_of_visible(self, found: Sequence[Match], limit: int) -> list[Match]:
        """Return the first `limit` of visible matches that pass the filters."""
        if not self.is_narrow:
            return [*found[:limit]]
        return _select_first(found, limit, self._passing_ids)

    @property
    def _is_long_period(self) -> bool:
        """True if a period is the only filter, and holds more documents than are listed.

        To count them, one entry of an index is read for each; to list them, the document, too.
        """
        said = self._filters
        if replace(said, since=None, until=None).is_narrow:
            return False
        found = self._rows.tuples(
            "is_long_period",
            since=said.since,
            until=said.until,
            turns=self._turns,
            memories=self._memories,
            few=BUDGET,
        )
        return bool(found)

    def _visible_and_passing(self, ns: Sequence[int]) -> Set[int]:
        seen = self._visible_ids(ns)
        if not self.is_narrow:
            return seen
        return seen & self._passing_ids(seen)

    def _visible_ids(self, ns: Sequence[int]) -> set[int]:
        return {n for (n,) in self._rows.tuples("seen", ns=list_numbers(ns), **self.view)}

    def _passing_ids(self, among: Iterable[int]) -> set[int]:
        ns, passing = list_numbers(among), set[int]()
        if self._turns:
            roles = as_json_or_null(self._filters.roles)
            rows = self._rows.tuples(
                "passing_turns", ns=ns, roles=roles, tool=self._filters.tool, **self._said
            )
            passing.update(n for (n,) in rows)
        if self._memories:
            rows = self._rows.tuples("passing_memories", ns=ns, **self._of_memories, **self._said)
            passing.update(n for (n,) in rows)
        return passing

    def _list_passing(self, most: int) -> Iterator[int]:
        if self._turns:
            roles = as_json_or_null(self._filters.roles)
            one = self._filters.session_id is not None
            name = "allowed_turns_of_session" if one else "allowed_turns"
            rows = self._rows.tuples(
                name, roles=roles, tool=self._filters.tool, most=most, **self._said
            )
            yield from (n for (n,) in rows)
        if self._memories:
            of_tasks = "" if self._filters.tasks is None else "_of_tasks"
            name = f"allowed_memories{of_tasks}"
            rows = self._rows.tuples(name, most=most, **self._of_memories, **self._said)
            yield from (n for (n,) in rows)


def _select_first(
    found: Sequence[Match], limit: int, pick: Callable[[Sequence[int]], Set[int]]
) -> list[Match]:
    """Return the first `limit` matches that `pick` selects, looking no further than needed."""
    passed: list[Match] = []
    for part in _growing_parts(found, limit + limit // _SPARE):
        through = pick([match.n for match in part])
        passed += [match for match in part if match.n in through]
        if len(passed) >= limit:
            break
    return passed[:limit]


def _growing_parts(found: Sequence[Match], first: int) -> Iterator[Sequence[Match]]:
    """Yield a list in parts of growing length."""
    start, length = 0, first
    while start < len(found):
        yield found[start : start + length]
        start, length = start + length, length * _WIDER
