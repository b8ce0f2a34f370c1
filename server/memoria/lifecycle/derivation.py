"""Derived memories: conclusions of a night from memories, bound to their sources.

A derived memory has the scope of its sources, rests on their turns and is believed no more than the
least of them. No night changes what the user has said about it since.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from memoria.lifecycle.interface import Item, StepContext
from memoria.lifecycle.pages import read_pages
from memoria.memories.conditions import is_open
from memoria.memories.derived import END
from memoria.memories.validator import OperationValidator, PromptContents
from memoria.memories.values import Author
from memoria.model import (
    NO_TEXT_VECTORS,
    InferredBy,
    Memory,
    MemoryType,
    TextVectors,
    Validity,
)
from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.store.rows.derivations import DerivationSource
from memoria.store.rows.transaction import Transaction

MOST_SOURCES = 20
"""Most memories that one is drawn from."""
_PAGE = 500


class DerivationItem(Item):
    """Something drawn from memories that are as they were when it was planned."""

    sources: tuple[tuple[str, int], ...] = ()
    """Ids of the memories and numbers of their present wordings."""


@dataclass(frozen=True, slots=True)
class DerivedMemory:
    """A memory that a night drew, with what it was drawn from."""

    memory: Memory
    sources: tuple[DerivationSource, ...]
    is_decided: bool
    """True if somebody else has decided about it: no night changes it."""
    is_outdated: bool = False
    """True if something that it rests on has changed since."""

    @property
    def source_ids(self) -> frozenset[str]:
        """Ids of its sources; in all its wordings, where the present one is the user's."""
        return frozenset(one.id for one in self.sources if one.is_current or self.is_decided)

    @property
    def valid_sources(self) -> list[DerivationSource]:
        """Sources of its present wording that still say so."""
        return [one for one in self.sources if one.is_current and one.is_valid]

    @property
    def current_sources(self) -> list[DerivationSource]:
        """Sources that its present wording rests on."""
        return [one for one in self.sources if one.is_current and one.is_quoted]


def read_derived(night: StepContext, kind: MemoryType) -> Iterator[DerivedMemory]:
    """Yield the memories of a kind that nights drew, whatever became of them, in order."""
    pages = read_pages(
        night, lambda tx, after: tx.derivations.list_derived(after, _PAGE), itemgetter(0), 0
    )
    for page in pages:
        ids = [memory_id for _, memory_id in page]
        with night.store.read(night.tenant) as tx:
            found = [tx.memories.get(memory_id) for memory_id in ids]
            sources = tx.derivations.sources(ids)
            outdated = {change.derived_id for change in tx.derivations.list_changed(ids)}
            kept = {one.id for one in found if one is not None and has_user_decision(tx, one)}
        for memory in found:
            if memory is not None and memory.type is kind:
                own = (source for source in sources if source.derived_id == memory.id)
                yield DerivedMemory(memory, tuple(own), memory.id in kept, memory.id in outdated)


def has_user_decision(tx: Transaction, memory: Memory) -> bool:
    """Check whether somebody else has decided about what a night drew.

    They confirmed, pinned, reworded or archived it, or it made room for something that was said.
    """
    if memory.pinned or memory.verified or memory.current.provenance.channel != NIGHTLY_CHANNEL:
        return True
    if memory.validity is not Validity.SUPERSEDED:
        return memory.validity is not Validity.ACTIVE
    ended = (entry for entry in tx.audit.list_entries(memory.id) if entry.action == END)
    return all(entry.at != memory.updated_at for entry in ended)


def sources_as_planned(tx: Transaction, item: DerivationItem) -> list[Memory] | None:
    """Return an item's sources; None where one of them was changed, put aside or confided."""
    found = []
    for memory_id, wording in item.sources:
        memory = tx.memories.get(memory_id)
        if memory is None or memory.current.n != wording or not _is_usable(memory):
            return None
        if not is_open(tx, memory):
            return None
        found.append(memory)
    return found if _have_one_scope(found) else None


def _is_usable(memory: Memory) -> bool:
    return memory.validity is Validity.ACTIVE and memory.flag is None


def _have_one_scope(memories: Sequence[Memory]) -> bool:
    return len({(memory.project, memory.sole_task) for memory in memories}) == 1


def derivation_validator(
    tx: Transaction, context: StepContext, by: InferredBy, meanings: TextVectors = NO_TEXT_VECTORS
) -> OperationValidator:
    """Return a validator for statements about memories, in the tenant's own rules."""
    nothing = PromptContents({}, {})
    author = Author(NIGHTLY_CHANNEL)
    personal = context.settings.personal_data or {}
    return OperationValidator(tx, context.digests, nothing, by, author, personal, meanings)
