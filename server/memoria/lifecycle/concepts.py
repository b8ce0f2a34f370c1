"""Concepts: a chat model concludes from related memories, and its words are checked.

Memories are related if they mean nearly the same, if they speak of one person, place or thing, and,
by little, if they are of one conversation; never across two scopes.

A concept must be borne out by passages of at least two of its memories, and have no number that
they lack. It has the scope of the memories that it quotes, rests on their turns and is believed no
more than the least of them. A concept that says something forgotten, something personal or an order
is thrown away before it is written down anywhere. No nightly run changes what the user has said
about a concept.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from memoria.bare.lazy_regex import lazy_regex
from memoria.graph.algorithms import find_communities
from memoria.inference.chat.client import ChatClient
from memoria.inference.tasks import request_concept
from memoria.ingest.processing import compact_json, shorten_statement
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.quotes import find_quote
from memoria.language.reading.statement import says_the_same, sentences_in
from memoria.language.words.characters import is_cjk
from memoria.lifecycle.interface import Item, StepContext, read_pages
from memoria.memories.conditions import is_open
from memoria.memories.derived import END
from memoria.memories.times import date_of_memory
from memoria.memories.validator import OperationValidator, PromptContents, RejectedError
from memoria.memories.wordings import Author
from memoria.model import NO_TEXT_VECTORS, InferredBy, Memory, MemoryType, TextVectors, Validity
from memoria.model.moments import Zone
from memoria.model.nightly import Concept
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.policy.retention import SURE_CONFIDENCE, is_stable_pattern
from memoria.store.rows.derivations import DerivationCandidate, DerivationSource, StatementOccasion
from memoria.store.rows.transaction import Transaction

MOST_SOURCES = 20
"""Most memories that one concept is drawn from."""
_PAGE = 500
LEAST_MEMBERS = 3
_ENTITY, _CONVERSATION = 0.5, 0.1
"""Strength with which a rare common feature ties two memories; a cosine ties by 0.75 to 1."""
_FEW, _MANY = 8, 40
_MOST = 20_000
"""Number of the newest memories that are grouped, so that grouping ends within seconds."""
Members = tuple[DerivationCandidate, ...]
_Ties = defaultdict[tuple[int, int], float]
_NUMBER = lazy_regex(r"\d+(?:[.,:]\d+)*")
MIN_QUOTED_MEMORIES = 2


class DerivationItem(Item):
    """An item drawn from memories, valid while these are as they were when it was planned."""

    sources: tuple[tuple[str, int], ...] = ()
    """Ids of the memories and numbers of their present wordings."""


@dataclass(frozen=True, slots=True)
class DerivedMemory:
    """A memory derived by a nightly run, with the memories that it was drawn from."""

    memory: Memory
    sources: tuple[DerivationSource, ...]
    is_decided: bool
    """True if the user or a client has decided about the memory: no nightly run changes it."""
    is_outdated: bool = False
    """True if something that the memory rests on has changed since."""

    @property
    def source_ids(self) -> frozenset[str]:
        """Ids of the sources of its present wording; once decided about, of all its wordings."""
        return frozenset(one.id for one in self.sources if one.is_current or self.is_decided)

    @property
    def valid_sources(self) -> list[DerivationSource]:
        """Sources of its present wording that still hold."""
        return [one for one in self.sources if one.is_current and one.is_valid]

    @property
    def current_sources(self) -> list[DerivationSource]:
        """Sources that its present wording quotes."""
        return [one for one in self.sources if one.is_current and one.is_quoted]


def read_derived(night: StepContext, kind: MemoryType) -> Iterator[DerivedMemory]:
    """Yield the memories of a type that nightly runs derived, whatever became of them, in order."""
    pages = read_pages(night, lambda tx, after: tx.derivations.list_derived(after, _PAGE))
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
    """Check whether somebody has decided about a memory that a nightly run derived.

    They confirmed, pinned, reworded or archived the memory, or something said has replaced it.
    """
    if memory.pinned or memory.verified or memory.current.provenance.channel != NIGHTLY_CHANNEL:
        return True
    if memory.validity is not Validity.SUPERSEDED:
        return memory.validity is not Validity.ACTIVE
    ended = (entry for entry in tx.audit.list_entries(memory.id) if entry.action == END)
    return all(entry.at != memory.updated_at for entry in ended)


def sources_as_planned(tx: Transaction, item: DerivationItem) -> list[Memory] | None:
    """Return the sources of an item; None if one was changed, archived or is now confidential."""
    found = []
    for memory_id, wording in item.sources:
        memory = tx.memories.get(memory_id)
        if memory is None or memory.current.n != wording or not is_open(tx, memory):
            return None
        if memory.validity is not Validity.ACTIVE or memory.flag is not None:
            return None
        found.append(memory)
    scopes = {(memory.project, memory.sole_task) for memory in found}
    return found if len(scopes) == 1 else None


def derivation_validator(
    tx: Transaction, context: StepContext, by: InferredBy, meanings: TextVectors = NO_TEXT_VECTORS
) -> OperationValidator:
    """Return a validator of statements drawn from memories, with the tenant's rules."""
    nothing = PromptContents({}, {})
    author = Author(NIGHTLY_CHANNEL)
    return OperationValidator(tx, context.digests, nothing, by, author, context.policy, meanings)


def find_patterns(context: StepContext, since: int | None = None) -> list[Members]:
    """Find groups of related memories with broad support; the most broadly supported first.

    Args:
        context: whose memories.
        since: only such as have one that was changed after this, UTC epoch ms; None for all.
    """
    bases: dict[int, DerivationCandidate] = {}
    ties: _Ties = defaultdict(float)
    alike: list[tuple[int, int, float]] = []
    shared: dict[Hashable, list[int]] = defaultdict(list)
    told: dict[int, list[StatementOccasion]] = defaultdict(list)
    pages = read_pages(context, lambda tx, after: tx.derivations.list_candidates(after, _PAGE))
    for page in pages:
        sure = {
            one.n: one._replace(content="") for one in page if one.confidence >= SURE_CONFIDENCE
        }
        bases.update(sure)
        with context.store.read(context.tenant) as tx:
            alike += tx.derivations.similar_pairs(list(sure))
            _note_ties(tx, sure, shared, told)
    for one, other, cosine in alike:
        if one in bases and other in bases and bases[one].scope == bases[other].scope:
            ties[one, other] += cosine
    _tie_sharers(shared, ties)
    newest = set(sorted(bases)[-_MOST:])
    kept = ((*pair, weight) for pair, weight in ties.items() if newest.issuperset(pair))
    hanging = find_communities(kept, least=LEAST_MEMBERS)
    groups = (tuple(bases[n] for n in found[:MOST_SOURCES]) for found in hanging)
    fresh = [group for group in groups if since is None or any(m.updated_at > since for m in group)]
    return sorted(
        (group for group in fresh if _is_broad(group, told)),
        key=lambda group: (-_conversations(group, told), -len(group), group[0].n),
    )


def is_broadly_supported(said: Sequence[StatementOccasion]) -> bool:
    """Check whether a statement was made in several conversations, by several sources."""
    return is_stable_pattern(
        len({one.conversation for one in said}), len({one.source for one in said})
    )


def _note_ties(
    tx: Transaction,
    bases: Mapping[int, DerivationCandidate],
    shared: dict[Hashable, list[int]],
    told: dict[int, list[StatementOccasion]],
) -> None:
    for n, entity in tx.derivations.entities(list(bases)):
        shared[_ENTITY, entity, bases[n].scope].append(n)
    for said in tx.derivations.occasions(list(bases)):
        told[said.memory_n].append(said)
        key = _CONVERSATION, said.conversation, bases[said.memory_n].scope
        shared[key].append(said.memory_n)


def _tie_sharers(shared: Mapping[Hashable, Sequence[int]], ties: _Ties) -> None:
    for what, ns in shared.items():
        assert isinstance(what, tuple)  # noqa: S101  (made in `_note_ties`)
        having = sorted(set(ns))
        if len(having) <= _MANY:
            weight = what[0] * min(1.0, _FEW / len(having))
            for pair in combinations(having, 2):
                ties[pair] += weight


def _is_broad(group: Members, told: Mapping[int, Sequence[StatementOccasion]]) -> bool:
    return is_broadly_supported([said for member in group for said in told.get(member.n, ())])


def _conversations(group: Members, told: Mapping[int, Sequence[StatementOccasion]]) -> int:
    return len({said.conversation for member in group for said in told.get(member.n, ())})


@dataclass(frozen=True, slots=True)
class ProposedConcept:
    """Concept that a model has made of some memories."""

    content: str
    quoted: tuple[str, ...]
    """Ids of the memories that the concept quotes."""


def propose_concept(
    context: StepContext, chat: ChatClient, memories: Sequence[Memory]
) -> ProposedConcept:
    """Ask the model for a concept that some memories amount to; return the concept once checked.

    Args:
        context: whose tokens are spent.
        chat: the chat model.
        memories: of one scope.

    Raises:
        RejectedError: they come to nothing, or to nothing that may be said.
        ChatModelError: the model gave no answer.
        EmbedderError: what was forgotten can't be known again by its meaning now.
    """
    lines = _list_memories(memories, context.store.zone)
    question = request_concept(memories="\n".join(lines), max_output_tokens=context.output_tokens)
    answer = chat.ask(context.tenant, question)
    quoted = _find_quoted(answer, memories)
    wording = _check_wording(answer, memories, quoted)
    with context.store.read(context.tenant) as tx:
        by_meaning = tx.tombstones.has_meanings()
    pieces = list(sentences_in(clean_text(wording, Tally()).strip())) if by_meaning else []
    known = (
        context.recall.embed_meanings(pieces, wait=True)
        if context.recall and pieces
        else NO_TEXT_VECTORS
    )
    with context.store.read(context.tenant) as tx:
        said = derivation_validator(tx, context, InferredBy.MODEL, known)
        content = said.check_derived(wording, memories)
    return ProposedConcept(content, tuple(memory.id for memory in quoted))


def _list_memories(memories: Sequence[Memory], zone: Zone) -> Iterator[str]:
    """Yield a line for each memory; the date stands only in the first line of each day."""
    last = ""
    for number, memory in enumerate(memories, 1):
        day = date_of_memory(memory, zone)
        said_on = {} if day == last else {"said_on": day}
        yield compact_json(
            {"number": number, "memory": shorten_statement(memory.content), **said_on}
        )
        last = day


def _find_quoted(answer: Concept, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories that the answer quotes word for word, in their order."""
    if answer.action == "SKIP":
        raise RejectedError("they come to nothing together")
    texts = dict(enumerate((shorten_statement(memory.content) for memory in memories), 1))
    numbers = {
        passage.memory
        for passage in answer.quotes
        if passage.memory in texts and find_quote(passage.quote, texts[passage.memory])
    }
    if len(numbers) < MIN_QUOTED_MEMORIES:
        raise RejectedError("not borne out by its memories")
    return [memories[number - 1] for number in sorted(numbers)]


def _check_wording(answer: Concept, memories: Sequence[Memory], quoted: Sequence[Memory]) -> str:
    """Return the concept's name and sentence in one line, if the quoted memories support them."""
    wording = _format_concept(answer)
    quoted_texts = " ".join(shorten_statement(memory.content) for memory in quoted)
    if not set(_NUMBER.findall(wording)) <= set(_NUMBER.findall(quoted_texts)):
        raise RejectedError("a number that no memory it quotes has")
    if any(says_the_same(answer.content, shorten_statement(m.content)) for m in memories):
        raise RejectedError("one of them says it already")
    return wording


def _format_concept(answer: Concept) -> str:
    colon = "：" if is_cjk(answer.content) else ": "
    return " ".join(f"{answer.name}{colon}{answer.content}".split())
