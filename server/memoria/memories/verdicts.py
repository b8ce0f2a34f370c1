"""Verdicts: memories that a claim is compared with, its relation to each, and its outcome."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, Protocol

from memoria.language.names.keys import same_task, subject_key
from memoria.language.statements.lasting import is_for_one_session
from memoria.language.words.analyser import query_terms
from memoria.memories.wordings import NewWording
from memoria.model import Memory, MemoryChange, RelatedStatement, Relation, TextVectors, Validity
from memoria.policy.conflict import (
    Claim,
    ConflictVerdict,
    Contradict,
    NeedsReview,
    SameStatement,
    Supersede,
    compare_claim,
    is_older,
)
from memoria.policy.scope import decide_scope, default_scope
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, NewMemory

_MOST_TERMS = 64
_MOST_ALIKE = 12
"""Most memories compared with a claim because they share words with it."""


@dataclass(frozen=True, slots=True)
class ReadAhead:
    """Memories that share words with likely claims, found before the write begins."""

    age: object = None
    """Age of the index they were found in; once it has changed they are looked for again."""
    alike: Mapping[tuple[str, str | None], tuple[int, ...]] = field(default_factory=dict)
    """Numbers of their wordings, by the likely claim and its workspace."""


NOTHING_READ = ReadAhead()


@dataclass(frozen=True, slots=True)
class NewClaim:
    """A claim, and the memory that it becomes where nothing is known of the same."""

    claim: Claim
    memory: NewMemory
    wording: NewWording
    names_task: bool = False
    """True if the task of the memory was named with the claim, and is not just the one in hand."""
    relations: Mapping[str, Relation] = field(default_factory=dict)
    """Relations that a model found to memories, by their ids. They are compared in any case."""
    ahead: ReadAhead = NOTHING_READ
    """Memories found before the transaction in which it is judged."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Effects of a claim on the memories that speak of the same."""

    same: tuple[Memory, ...]
    replaced: tuple[tuple[Memory, int], ...]
    """Memories that it replaces, with the moment from which the claim holds instead."""
    newer: tuple[Memory, ...]
    """Memories that it would replace if they were not younger than it."""
    elsewhere: tuple[Memory, ...]
    """Memories that it replaces for its own project alone."""
    stronger: tuple[tuple[Memory, Contradict | NeedsReview], ...]

    @property
    def opponents(self) -> tuple[Memory, ...]:
        """Memories that cannot be true together with the claim and are not replaced by it."""
        return tuple(memory for memory, _ in self.stronger)


def judge_claim(tx: Transaction, new: NewClaim, now: int) -> Verdicts:
    """Decide the effect of a claim on the active memories that speak of the same.

    Args:
        tx: the transaction to read in.
        new: the claim.
        now: UTC epoch milliseconds.
    """
    found: list[tuple[Memory, ConflictVerdict]] = []
    for memory in _rivals(tx, new):
        relation = new.relations.get(memory.id)
        found.append((memory, compare_claim(new.claim, memory, now, relation)))
    superseded = [(memory, v) for memory, v in found if isinstance(v, Supersede)]
    newer = tuple(memory for memory, _ in superseded if is_older(new.claim, memory))
    rest = [(memory, v) for memory, v in superseded if memory not in newer]
    elsewhere = tuple(memory for memory, _ in rest if applies_elsewhere(tx, new, memory))
    return Verdicts(
        same=tuple(memory for memory, v in found if isinstance(v, SameStatement)),
        replaced=tuple((m, v.valid_from) for m, v in rest if m not in elsewhere),
        newer=newer,
        elsewhere=elsewhere,
        stronger=tuple(
            (memory, v) for memory, v in found if isinstance(v, Contradict | NeedsReview)
        ),
    )


def read_ahead(
    tx: Transaction, contents: Iterable[str], workspaces: Iterable[str | None]
) -> ReadAhead:
    """Read what may soon be claimed, and what it will be compared with, before anybody writes.

    In a large home finding what shares words with it takes half of the time in which the home would
    be kept from all others.

    Args:
        tx: the transaction to read in.
        contents: what will perhaps be claimed.
        workspaces: from where it may be said.
    """
    alike: dict[tuple[str, str | None], tuple[int, ...]] = {}
    for content, workspace in product(contents, workspaces):
        alike[content, workspace] = _match_words(tx, content, workspace)
    return ReadAhead(tx.documents.age(), alike)


def applies_elsewhere(tx: Transaction, new: NewClaim, memory: Memory) -> bool:
    """Return whether a memory is seen in every project and the claim is for one alone.

    What is about the person applies everywhere, whatever project it is said in. Where the words of
    the claim leave it open, it is of the same kind as what it replaces.
    """
    if new.memory.workspace is None or memory.project is not None:
        return False
    if tx.memories.is_private(new.memory.workspace):
        return new.memory.scope != "everywhere"
    scope = (
        new.memory.scope
        or decide_scope(new.wording.content, new.memory.type, new.memory.subject)
        or decide_scope(memory.content, memory.type, memory.subject)
    )
    return (scope or default_scope(memory.type)) == "project"


def _rivals(tx: Transaction, new: NewClaim) -> list[Memory]:
    """List the active memories to compare a claim with, the likeliest first."""
    related = map(tx.memories.get, new.relations)
    alike = (one for one in _alike(tx, new) if _may_be_of_one(one.subject, new.memory.subject))
    found = [*related, *_about_the_same(tx, new.memory), *alike]
    return [
        memory
        for memory in {m.id: m for m in found if m is not None}.values()
        if memory.validity is Validity.ACTIVE
        and memory.id != new.memory.id
        and not memory.type.is_derived
        and _may_be_of_one_task(new, memory)
        and not _is_for_less_time(new, memory)
    ]


def _is_for_less_time(new: NewClaim, memory: Memory) -> bool:
    """Return whether a claim is for one session and a memory is not: it takes nothing from that."""
    for_session = is_for_one_session(new.wording.content, new.memory.type)
    return for_session and not is_for_one_session(memory.content, memory.type)


def _may_be_of_one_task(new: NewClaim, memory: Memory) -> bool:
    """Return whether the tasks of a claim and a memory let both speak of the same.

    A rule or a preference of one task is an exception there. All else was merely learnt at a task,
    and what is learnt at the next one may replace it, unless two tasks were named.
    """
    one, other = new.memory.task, memory.task
    if one == other or same_task(one, other):
        return True
    if new.memory.type.is_guide or memory.type.is_guide:
        return new.memory.sole_task == memory.sole_task
    return not (new.names_task and one and other)


def _may_be_of_one(one: str | None, other: str | None) -> bool:
    """Return whether two subjects may be one: they are equal, or one of them is not known."""
    return one is None or other is None or subject_key(one) == subject_key(other)


def _about_the_same(tx: Transaction, memory: NewMemory) -> Iterable[Memory]:
    """List memories of the same subject that speak of the same property, or of none by name."""
    if memory.subject is None:
        return ()
    return tx.memories.list_of_property(memory.subject, memory.predicate, memory.workspace)


def _alike(tx: Transaction, new: NewClaim) -> Iterable[Memory]:
    """List memories that share words with the claim, the likeliest first."""
    content, workspace = new.wording.content, new.memory.workspace
    ns = new.ahead.alike.get((content, workspace))
    if ns is None or new.ahead.age != tx.documents.age():
        ns = _match_words(tx, content, workspace)
    return tx.memories.by_version_numbers(ns).values()


def _match_words(tx: Transaction, content: str, workspace: str | None) -> tuple[int, ...]:
    """Find the numbers of wordings that share words with a statement, the likeliest first."""
    terms = query_terms(content)[:_MOST_TERMS]
    seen = Filters(workspace=workspace)
    return tuple(m.n for m in tx.documents.match(("memory",), terms, seen, _MOST_ALIKE))


ClaimAction = Literal["ADD", "UPDATE", "evidence", "known", "restored", "past", "pending"]


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """Outcome of a claim."""

    action: ClaimAction
    memory_id: str
    """The memory that says it now."""
    supersedes: tuple[Memory, ...] = ()
    """The memories whose place it took, as they were before."""
    contradicts: tuple[Memory, ...] = ()
    """The memories that cannot be true together with it."""
    superseded_by: Memory | None = None
    """The memory that says what holds since, where the claim is of an earlier time."""
    is_echo: bool = False
    """True if an assistant or a tool only repeated what the user had said."""

    def describe_successor(self) -> RelatedStatement | None:
        """Return the statement that holds since, where the claim is of an earlier time."""
        return None if self.superseded_by is None else _to_statement(self.superseded_by)

    def describe_change(self, content: str) -> MemoryChange | None:
        """Describe the effect on known memories, for a receipt; None if there is none."""
        if not (self.supersedes or self.contradicts):
            return None
        return MemoryChange(
            id=self.memory_id,
            content=content,
            supersedes=_to_statements(self.supersedes),
            contradicts=_to_statements(self.contradicts),
        )


def _to_statements(memories: Iterable[Memory]) -> tuple[RelatedStatement, ...]:
    return tuple(map(_to_statement, memories))


def _to_statement(memory: Memory) -> RelatedStatement:
    return RelatedStatement(id=memory.id, content=memory.content)


class RelatedMemories(Protocol):
    """Finds memories that are related to a text."""

    def find_related(self, tx: Transaction, text: str, workspace: str | None) -> list[Memory]:
        """Find the memories that may have to do with a text, and the newest."""
        ...

    def find_bearing(self, tx: Transaction, text: str, workspace: str | None) -> list[Memory]:
        """Find the memories to show to a model that reads a text: few, and those that bear on it.

        Those that wait for the user's confirmation are among them.
        """
        ...

    def embed_meanings(self, texts: Sequence[str], *, wait: bool) -> TextVectors:
        """Embed some texts. Must not be called inside a transaction, for it may take long.

        Args:
            texts: what to embed.
            wait: whether to wait for the embedder; without, there are none until it is loaded.

        Raises:
            EmbedderError: vectors were to be waited for, and none can be made.
        """
        ...

    def find_near(
        self, tx: Transaction, meanings: TextVectors, text: str, workspace: str | None
    ) -> list[Memory]:
        """Find active memories that mean nearly the same as a text, the nearest first."""
        ...


APART = "apart"
"""What the log calls it: the line is of the one memory, and its detail is the id of the other."""


def list_apart(tx: Transaction, memories: Iterable[Memory]) -> set[tuple[str, str]]:
    """List the pairs of these memories that are noted and say the same as then.

    The smaller id comes first.
    """
    by_id = {memory.id: memory for memory in memories}
    found = set[tuple[str, str]]()
    for memory in by_id.values():
        for line in tx.audit.list_entries(memory.id):
            other = by_id.get(line.detail or "") if line.action == APART else None
            if other and line.at >= max(memory.current.ingested_at, other.current.ingested_at):
                found.add((min(memory.id, other.id), max(memory.id, other.id)))
    return found
