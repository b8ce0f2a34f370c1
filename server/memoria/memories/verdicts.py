"""Verdicts: memories that a claim is compared with, its relation to each, and its outcome."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, Protocol, TypeVar

from memoria.language.names.keys import same_task, subject_key
from memoria.language.statements.lasting import is_for_one_session
from memoria.language.words.analyser import query_terms
from memoria.memories.drafts import describe_new
from memoria.memories.wordings import NewWording
from memoria.model import Memory, MemoryChange, RelatedStatement, Relation, TextVectors, Validity
from memoria.policy.conflict import (
    Claim,
    ConflictVerdict,
    Contradict,
    KeepBoth,
    NeedsReview,
    SameStatement,
    Supersede,
    compare_claim,
    decide_replacement,
    is_older,
    start_of,
)
from memoria.policy.questions import OWN_POLICY, HomePolicy
from memoria.policy.scope import decide_scope, default_scope
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, NewMemory

_VerdictT = TypeVar("_VerdictT", bound=ConflictVerdict)
_MOST_TERMS = 64
_MOST_ALIKE = 12
"""Most memories compared with a claim because they share words with it."""


@dataclass(frozen=True, slots=True)
class ReadAhead:
    """Memories that share words with likely claims, found before the write begins."""

    age: object = None
    """Age of the searched index; once the age has changed, the search is repeated."""
    alike: Mapping[tuple[str, str | None], tuple[int, ...]] = field(default_factory=dict)
    """Numbers of the found wordings, by the likely claim and its workspace."""


NOTHING_READ = ReadAhead()


@dataclass(frozen=True, slots=True)
class NewClaim:
    """A claim, and the memory that it becomes if no memory speaks of the same."""

    claim: Claim
    memory: NewMemory
    wording: NewWording
    names_task: bool = False
    """True if the task of the memory was named with the claim, and is not just the one in hand."""
    relations: Mapping[str, Relation] = field(default_factory=dict)
    """Relations of the claim to memories, by id, as a model found them."""
    ahead: ReadAhead = NOTHING_READ
    """Memories found before the transaction in which the claim is judged."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Effects of a claim on the memories that speak of the same."""

    same: tuple[Memory, ...]
    replaced: tuple[tuple[Memory, int], ...]
    """Memories that the claim replaces, with the moment from which the claim holds."""
    newer: tuple[Memory, ...]
    """Memories that the claim would replace if they were not newer."""
    elsewhere: tuple[Memory, ...]
    """Memories that the claim replaces in its own project alone."""
    stronger: tuple[tuple[Memory, Contradict | NeedsReview], ...]

    @property
    def opponents(self) -> tuple[Memory, ...]:
        """Memories that cannot be true together with the claim and are not replaced by it."""
        return tuple(memory for memory, _ in self.stronger)


def judge_claim(
    tx: Transaction, new: NewClaim, now: int, policy: HomePolicy = OWN_POLICY
) -> Verdicts:
    """Decide the effect of a claim on the active memories that speak of the same."""
    found: list[tuple[Memory, ConflictVerdict]] = []
    for memory in _rivals(tx, new):
        relation = new.relations.get(memory.id)
        verdict = compare_claim(new.claim, memory, now, relation)
        found.append((memory, _ask_policy(policy, new, memory, verdict, now)))
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


def judge_named(
    new: NewClaim, memory: Memory, now: int, policy: HomePolicy
) -> Supersede | Contradict | NeedsReview | KeepBoth:
    """Decide whether a claim replaces the memory that its author or a model has named."""
    verdict = decide_replacement(new.claim, memory, now)
    return _ask_policy(policy, new, memory, verdict, now)


def _ask_policy(
    policy: HomePolicy, new: NewClaim, memory: Memory, verdict: _VerdictT, now: int
) -> _VerdictT | Supersede | Contradict | KeepBoth:
    """Return the verdict that stands once the home's policy was asked."""
    if not policy.is_asked:
        return verdict
    since = start_of(new.claim.event_at, new.claim.said_at, memory)
    draft = describe_new(new.memory, new.wording, now)
    return policy.decide_replacement(draft, memory, since, verdict)


def read_ahead(
    tx: Transaction, contents: Iterable[str], workspaces: Iterable[str | None]
) -> ReadAhead:
    """Find the memories with which likely claims will be compared, ahead of the write.

    The search takes long in a large home, and a write would make all other writers wait for it.
    """
    alike: dict[tuple[str, str | None], tuple[int, ...]] = {}
    for content, workspace in product(contents, workspaces):
        alike[content, workspace] = _match_words(tx, content, workspace)
    return ReadAhead(tx.documents.age(), alike)


def applies_elsewhere(tx: Transaction, new: NewClaim, memory: Memory) -> bool:
    """Return whether a claim is for one project and the memory is seen in every project.

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
    own = new.memory.subject and subject_key(new.memory.subject)
    alike = (
        one
        for one in _alike(tx, new)
        if own is None or one.subject is None or subject_key(one.subject) == own
    )
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
    """Return whether a claim is for one session, and can't replace a memory that lasts."""
    for_session = is_for_one_session(new.wording.content, new.memory.type)
    return for_session and not is_for_one_session(memory.content, memory.type)


def _may_be_of_one_task(new: NewClaim, memory: Memory) -> bool:
    """Return whether a claim and a memory may speak of the same, going by their tasks.

    A rule or a preference of one task is an exception there. All else was merely learnt at a task,
    and what is learnt at the next one may replace it, unless two tasks were named.
    """
    one, other = new.memory.task, memory.task
    if one == other or same_task(one, other):
        return True
    if new.memory.type.is_guide or memory.type.is_guide:
        return new.memory.sole_task == memory.sole_task
    return not (new.names_task and one and other)


def _about_the_same(tx: Transaction, memory: NewMemory) -> Iterable[Memory]:
    """List memories of the same subject that have the same property, or none by name."""
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
    """Effect of a claim on known memories, to be told to the maker of the claim."""

    action: ClaimAction
    memory_id: str
    """The memory that says the claim now."""
    supersedes: tuple[Memory, ...] = ()
    """The memories that were replaced, as they were before."""
    contradicts: tuple[Memory, ...] = ()
    """The memories that contradict the claim."""
    superseded_by: Memory | None = None
    """The memory that says what holds now, where the claim is of an earlier time."""
    is_echo: bool = False
    """True if an assistant or a tool only repeated what the user had said."""

    def describe_successor(self) -> RelatedStatement | None:
        """Return the statement that holds now, if the claim is of an earlier time; else None."""
        return None if self.superseded_by is None else _to_statement(self.superseded_by)

    def describe_change(self, content: str) -> MemoryChange | None:
        """Describe the effect on known memories, for a receipt; None if there is none."""
        if not (self.supersedes or self.contradicts):
            return None
        return MemoryChange(
            id=self.memory_id,
            content=content,
            supersedes=tuple(map(_to_statement, self.supersedes)),
            contradicts=tuple(map(_to_statement, self.contradicts)),
        )


def _to_statement(memory: Memory) -> RelatedStatement:
    return RelatedStatement(id=memory.id, content=memory.content)


class RelatedMemories(Protocol):
    """Finds memories that are related to a text."""

    def find_related(self, tx: Transaction, text: str, workspace: str | None) -> list[Memory]:
        """Find the memories that may have to do with a text, and the newest."""
        ...

    def find_bearing(self, tx: Transaction, text: str, workspace: str | None) -> list[Memory]:
        """Find the few memories to show to a model that reads a text, pending ones included."""
        ...

    def embed_meanings(self, texts: Sequence[str], *, wait: bool) -> TextVectors:
        """Embed texts, outside of any transaction: embedding may take long.

        Without `wait` there are no vectors until the embedder is loaded.

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
"""Action in the audit log for two memories found to differ: the subject and, by id, the detail."""


def list_apart(tx: Transaction, memories: Iterable[Memory]) -> set[tuple[str, str]]:
    """List the pairs of memories that a model found to differ, in their present wordings.

    In a pair the smaller id comes first.
    """
    by_id = {memory.id: memory for memory in memories}
    found = set[tuple[str, str]]()
    for memory in by_id.values():
        for line in tx.audit.list_entries(memory.id):
            other = by_id.get(line.detail or "") if line.action == APART else None
            if other and line.at >= max(memory.current.ingested_at, other.current.ingested_at):
                found.add((min(memory.id, other.id), max(memory.id, other.id)))
    return found
