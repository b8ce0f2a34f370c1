"""Turn table: places, speakers and features of the turns that searches have met.

Each search needs of hundreds of turns their place in their conversation, their speaker and time,
and a few features of their texts: numbers that hardly ever change. So turns are read when they are
first met, and found again by number and by place. The table holds nobody's words, but the names of
speakers.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from memoria.model import Role
from memoria.store.features import (
    SESSION_BITS,
    UNHEARD,
    Surroundings,
    TextFeatureColumns,
    TurnMetadataColumns,
)
from memoria.store.image.sorted_rows import Integers, SortedRows, list_once
from memoria.store.image.tenant_image import ImageColumn, TenantChanges

_MOST = 20_000
"""Number of documents; their rows take a twentieth of what their vectors take."""
_MOST_NEW = 1_000
_NOWHERE = -1
"""Place of a document that is no turn."""
_REACH = 2
"""Number of places around a turn that are asked for."""
_SMALL_HOME_BITS, _BLOCK_BITS = 8, 3
"""Bits of the blocks by which turns are read with those around them: large blocks in a home that
fits in whole, so that soon none is left to be read."""
_ROLES = {role.value: code for code, role in enumerate(Role)}
_USER, _ASSISTANT = _ROLES[Role.USER], _ROLES[Role.ASSISTANT]
_SAID = ("words", "asks", "wish")
_ROW = np.dtype(
    [
        ("n", np.int64),
        ("place", np.int64),
        ("at", np.int64),
        ("speaker", np.int32),
        ("words", np.int16),
        ("wish", np.int16),
        ("asks", np.bool_),
        ("role", np.int8),
        ("is_current", np.bool_),
        ("is_processed", np.bool_),
        ("is_fleeting", np.bool_),  # was never embedded, so it does not tell when it is changed
        ("is_known", np.bool_),  # whether it has not been changed since it was read
    ]
)


_NONE: Integers = np.zeros(0, np.int64)


class TurnReads(NamedTuple):
    """Reads of turns on a snapshot; a turn is a tuple of its number, session, place and so on."""

    list_turns: Callable[[Sequence[int]], Sequence[tuple[Any, ...]]]
    """Reads turns by number."""
    list_spans: Callable[[Sequence[tuple[int, int, int]]], Sequence[tuple[Any, ...]]]
    """Reads turns by session, first and last place; turns of several spans may come twice."""
    newest: int = 0
    """Number of the tenant's newest document."""


class TurnTable(ImageColumn):
    """Turns that searches have met, a row for each."""

    def __init__(self) -> None:
        self._forget_all()

    def apply(self, changes: TenantChanges) -> bool:
        """Mark changed rows, to be read when next met; return False if very many are new."""
        is_grown = changes.now.newest_document - changes.newest > _MOST_NEW
        if is_grown or not len(self._by_number):
            return False
        if changes.now.changes > changes.seen:
            rows, is_met = self._by_number.find(np.array(changes.changed, np.int64))
            self._rows["is_known"][rows[is_met]] = False
            self._rows["is_known"][self._rows["is_fleeting"]] = False
        self._unread += range(changes.newest + 1, changes.now.newest_document + 1)
        return True

    def find_around(
        self,
        reads: TurnReads,
        central: Sequence[int],
        others: Sequence[int],
        *,
        include_processed: bool,
    ) -> Surroundings:
        """Return the places of turns, and of turns around the central ones."""
        self._keep_within_bounds()
        rows = self._meet(reads, np.array([*central, *others], np.int64))
        middle = self._select_turns(rows[: len(central)])
        rest = self._select_turns(rows[len(central) :])
        places = self._rows["place"][middle]
        self._meet_around(reads, places)
        around = self._by_place.list_between(places - _REACH, places + _REACH)
        self._meet(reads, self._rows["n"][around[~self._rows["is_known"][around]]])
        is_shown = self._rows["is_current"][around]
        if not include_processed:
            is_shown &= ~self._rows["is_processed"][around]
        wanted = list_once(np.concatenate([middle, rest, around[is_shown]]))
        wanted = wanted[self._rows["place"][wanted].argsort()]
        speakers = set(self._rows["speaker"][middle].tolist())
        return Surroundings(
            self._rows["n"][wanted],
            self._rows["place"][wanted],
            frozenset(self._names[who] for who in speakers if who),
        )

    def list_remarks(self, reads: TurnReads, ns: Sequence[int]) -> TurnMetadataColumns:
        """Return speakers, times and features of turns, a row for each."""
        self._keep_within_bounds()
        rows = self._meet(reads, np.array(ns, np.int64))
        is_turn, roles = self._rows["place"][rows] != _NOWHERE, self._rows["role"][rows]
        return TurnMetadataColumns(
            is_turn,
            self._rows["at"][rows],
            is_turn & (roles == _USER),
            is_turn & (roles == _ASSISTANT),
            self._rows["speaker"][rows],
            tuple(self._names),
            TextFeatureColumns(*(self._rows[field][rows] for field in _SAID)),
        )

    def note_sayings(self, ns: Sequence[int], sayings: TextFeatureColumns) -> None:
        """Keep features of the texts of turns that have been met."""
        rows, is_met = self._by_number.find(np.array(ns, np.int64))
        for field, values in zip(_SAID, sayings, strict=True):
            former = self._rows[field][rows[is_met]]
            self._rows[field][rows[is_met]] = np.maximum(former, values[is_met])

    def _forget_all(self) -> None:
        self._rows = np.zeros(0, _ROW)
        """Rows in the order in which they were met, with room for more."""
        self._by_number, self._by_place = SortedRows(), SortedRows()
        self._names = [""]
        self._codes: dict[str | None, int] = {None: 0, "": 0}
        self._blocks: set[int] = set()
        """Numbers of the blocks whose turns, and those around them, have all been met."""
        self._unread: list[int] = []
        """Documents newer than all that were met: some may be neighbours of these."""

    def _keep_within_bounds(self) -> None:
        if len(self._by_number) > _MOST:
            self._forget_all()

    def _meet(self, reads: TurnReads, ns: Integers) -> Integers:
        """Return the rows of documents, and read unknown documents."""
        wanted = np.append(ns, self._unread) if self._unread else ns
        self._unread = []
        rows, is_met = self._by_number.find(wanted)
        is_met[is_met] = self._rows["is_known"][rows[is_met]]
        if not is_met.all():
            unmet = list_once(wanted[~is_met])
            self._put(reads.list_turns(unmet.tolist()), unmet)
            rows, _ = self._by_number.find(ns)
        return rows[: len(ns)]

    def _meet_around(self, reads: TurnReads, places: Integers) -> None:
        """Read the turns around these places, unless their blocks have been read."""
        bits = _SMALL_HOME_BITS if reads.newest <= _MOST else _BLOCK_BITS
        unmet = {*(places >> bits).tolist()} - self._blocks
        if unmet:
            self._put(reads.list_spans([_find_span(block << bits, 1 << bits) for block in unmet]))
            self._blocks |= unmet

    def _put(self, found: Sequence[tuple[Any, ...]], asked: Integers = _NONE) -> None:
        """Keep turns that were read; a document in `asked` that was not found is no turn."""
        by_number = {row[0]: row for row in found}
        if by_number:
            ns, sessions, indexes, ats, roles, speakers, current, processed, changed = zip(
                *by_number.values(), strict=True
            )
            places = (np.array(sessions, np.int64) << SESSION_BITS) + indexes
            rows = self._enter(np.array(ns, np.int64), places)
            self._rows["at"][rows] = ats
            self._rows["role"][rows] = [_ROLES[role] for role in roles]
            self._rows["speaker"][rows] = [self._code_of(speaker) for speaker in speakers]
            self._rows["is_current"][rows], self._rows["is_processed"][rows] = current, processed
            self._rows["is_fleeting"][rows] = np.equal(changed, 0)
        others = asked[[n not in by_number for n in asked.tolist()]]
        self._enter(others, np.full(len(others), _NOWHERE))

    def _enter(self, ns: Integers, places: Integers) -> Integers:
        """Return the rows of documents; new documents get rows behind the others."""
        rows, is_met = self._by_number.find(ns)
        is_new, many = ~is_met, len(self._by_number)
        total = many + np.count_nonzero(is_new)
        if total > len(self._rows):
            room = np.zeros(total + total // 2, _ROW)
            room[:many] = self._rows[:many]
            self._rows = room
        new = rows[is_new] = np.arange(many, total)
        self._by_number.add(ns[is_new], new)
        is_turn = places[is_new] != _NOWHERE
        self._by_place.add(places[is_new][is_turn], new[is_turn])
        self._rows["n"][new], self._rows["place"][new] = ns[is_new], places[is_new]
        self._rows["words"][new[is_turn]] = self._rows["wish"][new[is_turn]] = UNHEARD
        self._rows["is_known"][rows] = True
        return rows

    def _code_of(self, speaker: str | None) -> int:
        code = self._codes.setdefault(speaker, len(self._names))
        if code == len(self._names):
            self._names.append(speaker or "")
        return code

    def _select_turns(self, rows: Integers) -> Integers:
        """Select the rows that are turns."""
        turns: Integers = rows[self._rows["place"][rows] != _NOWHERE]
        return turns


def _find_span(place: int, many: int) -> tuple[int, int, int]:
    """Return the session, first and last place of a block, widened by the reach."""
    session, first = divmod(place, 1 << SESSION_BITS)
    return session, first - _REACH, first + many - 1 + _REACH
