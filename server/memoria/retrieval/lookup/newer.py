"""Newer statements: what was said after a memory and is near enough to be about the same.

A newer statement stands beside the memory wherever the memory is shown without a search: in core
files, the briefing, a listing, or by its id. Nothing is concluded; whoever reads both, with their
days, does that. Left out is what was told in confidence, in another project or by somebody else,
and what a model has ruled to be another matter.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from memoria.inference import LazyEmbedder, calibration_of
from memoria.memories.conditions import condition_of_turn, is_open
from memoria.memories.times import zone_of_turn
from memoria.model import Memory, MemoryType, Role, StoredTurn, Validity, Vector, to_iso
from memoria.model.memory import LaterStatement
from memoria.model.moments import TO_THE_DAY, TO_THE_MINUTE, Zone
from memoria.policy.scope import decide_scope
from memoria.retrieval.ranking.nearest import LaterSearch, Said
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, Match

MayTell = Callable[[StoredTurn], bool]
"""Function that tells whether a turn may be shown where the memory is shown."""
_LOOKED_AT = 6
"""Number of the nearest statements that are looked at, of which some may not be shown."""
_EVERYTHING = Filters(everywhere=True, include_processed=True)
_Item = TypeVar("_Item")
_Key = TypeVar("_Key", bound=Hashable)


class Told(NamedTuple):
    """Memory to find newer statements for."""

    id: str
    n: int
    """Number of the memory's present wording."""
    at: int
    """Time since when the memory holds, UTC epoch milliseconds."""


class Newer(NamedTuple):
    """Later statement: a memory, or a turn of the user's of which no memory was made."""

    id: str
    when: str
    """Local day, with the time if the older memory is of that day."""
    content: str
    is_memory: bool


def find_newer(
    tx: Transaction,
    embedder: LazyEmbedder | None,
    told: Sequence[Told],
    project: str | None,
    may_tell: MayTell = lambda _turn: True,
) -> dict[str, Newer]:
    """Map the ids of memories to a newer statement each, where there is one.

    Args:
        tx: where to look.
        embedder: whose vectors are compared; without measured cosines nothing is found.
        told: the memories.
        project: the project that asks; None for no project.
        may_tell: returns False for turns to leave out.
    """
    calibration = calibration_of(embedder)
    about_same = calibration.about_same
    if embedder is None or about_same is None or not told:
        return {}
    users = (Role.USER, None)
    search = LaterSearch(tx, embedder.name, calibration, _EVERYTHING)
    later = search.find([Said(one.n, one.at, users) for one in told], _LOOKED_AT)
    picker = _Picker(tx, project, may_tell, about_same, calibration.alike)
    vectors = tx.documents.vectors([one.n for one in told], embedder.name)
    found: dict[str, Newer | None] = {}
    for one in told:
        near = _list_near_memories(tx, embedder.name, vectors.get(one.n))
        found[one.id] = picker.pick(one, near, later.get(one.n, ()))
    return {memory_id: newer for memory_id, newer in found.items() if newer is not None}


def mark_later(
    tx: Transaction, embedder: LazyEmbedder | None, memories: Sequence[Memory], project: str | None
) -> list[Memory]:
    """Add newer statements to the memories that hold."""
    told = [
        Told(one.id, one.current.n, one.current.valid_from)
        for one in memories
        if one.validity is Validity.ACTIVE and not one.type.is_derived
    ]
    newer = find_newer(tx, embedder, told, project)
    return [
        one.model_copy(update={"later": _as_statement(newer[one.id])}) if one.id in newer else one
        for one in memories
    ]


def _as_statement(newer: Newer) -> LaterStatement:
    return LaterStatement(id=newer.id, when=newer.when, content=newer.content)


def put_newer_first(
    items: Iterable[_Item], key_of: Callable[[_Item], _Key], newer: Mapping[_Key, _Key]
) -> list[_Item]:
    """Return items in their order, but each newer item ahead of the older, where both are given.

    Args:
        items: the items.
        key_of: returns an item's key.
        newer: the newer item's key by the older item's key.
    """
    by_key = {key_of(item): item for item in items}
    placed: dict[_Key, _Item] = {}
    for first in by_key:
        chain = [first]
        while (later := newer.get(chain[-1])) is not None and later in by_key:
            chain.append(later)
        placed |= {one: by_key[one] for one in reversed(chain) if one not in placed}
    return list(placed.values())


def _list_near_memories(tx: Transaction, model: str, vector: Vector | None) -> list[Match]:
    """List the memories nearest to a vector."""
    if vector is None:
        return []
    return tx.documents.nearest("memory", model, vector, _EVERYTHING, _LOOKED_AT)


@dataclass(frozen=True, slots=True)
class _Picker:
    """Picker of the statement that may stand beside a memory."""

    tx: Transaction
    project: str | None
    may_tell: MayTell
    about_same: float
    alike: float

    def pick(self, told: Told, near: Sequence[Match], later: Sequence[Match]) -> Newer | None:
        """Return the nearest later statement that is near enough and may be shown.

        Memories come first: what was said still later stands beside these.

        Args:
            told: the older memory.
            near: the memories nearest to the older memory.
            later: what the user said later, nearest to the older memory.
        """
        ns = [match.n for match in near if match.score >= self.alike]
        memories = self.tx.memories.by_version_numbers(ns)
        turns = self.tx.conversations.turns(
            [match.n for match in later if match.score >= self.about_same]
        )
        known = (self._take_memory(told, memories[n]) for n in ns if n in memories)
        said = (self._read_turn(told, turns[one.n]) for one in later if one.n in turns)
        return next(filter(None, (newer for found in (known, said) for newer in found)), None)

    def _take_memory(self, told: Told, memory: Memory) -> Newer | None:
        """Return a later memory that holds, may be seen and is no other matter; else None."""
        is_seen = (
            memory.id != told.id
            and memory.validity is Validity.ACTIVE
            and not memory.type.is_derived
            and memory.project in (None, self.project)
            and (memory.current.valid_from, memory.current.n) > (told.at, told.n)
        )
        if not is_seen or not is_open(self.tx, memory):
            return None
        if (told.n, memory.current.n) in self.tx.pairs.list_distinct([told.n]):
            return None
        said = memory.current
        zone = self.tx.zone.at_offset(said.valid_from, said.utc_offset)
        when = _tell_when(said.valid_from, told.at, zone)
        return Newer(memory.id, when, memory.content, is_memory=True)

    def _read_turn(self, told: Told, turn: StoredTurn) -> Newer | None:
        """Return a later turn, or the memory made of the turn; None if neither may be shown."""
        if turn.suppressed or not turn.current or not _is_seen_from(turn, self.project):
            return None
        memories = self.tx.memories
        made = [*memories.list_stated_in([turn.n]), *memories.list_repeated_in([turn.n])]
        if told.id in made:
            return None
        if made:
            known = (memories.get(one) for one in made)
            taken = (self._take_memory(told, one) for one in known if one is not None)
            return next(filter(None, taken), None)
        if condition_of_turn(self.tx, turn) is not None or not self.may_tell(turn):
            return None
        when = _tell_when(turn.at, told.at, zone_of_turn(turn, self.tx.zone))
        return Newer(turn.id, when, turn.content, is_memory=False)


def _is_seen_from(turn: StoredTurn, project: str | None) -> bool:
    """Return whether a turn is of a project, of no project, or about the person."""
    if turn.workspace in (None, project):
        return True
    return decide_scope(turn.content, MemoryType.FACT) == "everywhere"


def _tell_when(at: int, earlier: int, zone: Zone) -> str:
    """Return the day of a moment, with the time if an earlier moment is of that day."""
    moment, former = to_iso(at, zone), to_iso(earlier, zone)
    is_same_day = moment[:TO_THE_DAY] == former[:TO_THE_DAY]
    return moment[:TO_THE_MINUTE].replace("T", " ") if is_same_day else moment[:TO_THE_DAY]
