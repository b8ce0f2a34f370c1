"""Consolidation: concepts are derived from several memories each.

Only a chat model can word a concept; without one none is written. Groups of memories that came to
nothing are logged by a digest, and asked about again only when they have changed. A concept that
its memories no longer bear out is ended, with or without a model.

A concept rests on the memories that the model quotes. Memories that the model was merely shown are
noted apart: a word of them may be in the concept, so forgetting one takes the concept along.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from memoria.errors import ChatModelError, EmbedderError, InvalidAnswerError, ModelRefusedError
from memoria.inference.chat.client import ChatClient
from memoria.lifecycle.concepts import (
    MIN_QUOTED_MEMORIES,
    MOST_SOURCES,
    DerivationItem,
    DerivedMemory,
    Members,
    ProposedConcept,
    derivation_validator,
    find_patterns,
    has_user_decision,
    is_broadly_supported,
    propose_concept,
    read_derived,
    sources_as_planned,
)
from memoria.lifecycle.interface import ItemResult, PlannedStep, StepContext
from memoria.memories.derived import (
    DerivedDraft,
    add_derived,
    end_derived,
    is_known,
    revise_derived,
)
from memoria.memories.times import date_of_memory
from memoria.memories.validator import RejectedError
from memoria.model import InferredBy, Memory, MemoryType, Validity
from memoria.model.moments import Zone
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.store.rows.transaction import Transaction

MAX_CONCEPTS = 8
"""Number of concepts that one run writes."""
_MAX_QUESTIONS = 24
_LEAST_DAYS = 3
_GROWTH = 2
"""Divisor: of a group that came to nothing, a half must be new before the model is asked again."""
_AUDIT_ACTION = "ask what they come to"
_UNSUPPORTED = "its memories no longer bear it out"
_CHANGED = "a memory that it quotes has changed"


class ConceptItem(DerivationItem):
    """A concept to write, rewrite or end, or memories that amount to no concept."""

    do: Literal["write", "rewrite", "end", "nothing"]
    concept: str | None = None
    """Id of the concept that exists already; None for a new one."""
    wording: int = 0
    """Number of the present wording of that concept."""
    content: str = ""
    quoted: tuple[str, ...] = ()
    """Ids of the memories that the content quotes."""
    model: str = ""
    why: str = ""


class ConsolidateStep(PlannedStep[ConceptItem]):
    """Makes concepts of related memories."""

    name = "consolidate"
    summary = (
        "Write what several memories come to as a concept, and end concepts they no longer support."
    )
    things = ("concept", "concepts")
    deed = "written or ended"
    item = ConceptItem
    rows = 300

    def describe_limits(self, context: StepContext) -> str | None:
        """Describe that no concept is written without a chat model, or what was left out."""
        if context.chat is None:
            return f"{WITHOUT_MODEL} no concept is written; those without support are ended"
        return context.shortfalls.get(self.name)

    def plan(self, context: StepContext) -> Iterator[ConceptItem]:
        """Yield the concepts that a chat model proposes, then those whose support is gone."""
        concepts = list(read_derived(context, MemoryType.CONCEPT))
        anew: set[str | None] = set()
        if context.chat is not None:
            for item in _propose_concepts(context, context.chat, concepts):
                anew.add(item.concept)
                yield item
        for one in concepts:
            why = None if one.memory.id in anew else _reason_to_end(context, one)
            if why is not None:
                yield _concept_item("end", (), one, why=why)

    def apply(self, tx: Transaction, item: ConceptItem, context: StepContext) -> ItemResult:
        """Write the concept, unless one of its sources was changed or forgotten since."""
        memory = None if item.concept is None else tx.memories.get(item.concept)
        if item.concept is not None and (memory is None or _has_changed(tx, memory, item)):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.concept)
        if item.do == "end" and memory is not None:
            end_derived(context.memory_writer(tx), memory, item.why)
            return ItemResult(StepOutcome.DONE, memory.id, item.why)
        sources = sources_as_planned(tx, item)
        if sources is None:
            return ItemResult(StepOutcome.CHANGED_SINCE)
        if item.do == "nothing":
            return _note_no_concept(tx, item, context.at, item.why)
        return _write_concept(tx, item, context, memory, sources)


def _propose_concepts(
    context: StepContext, chat: ChatClient, concepts: Sequence[DerivedMemory]
) -> Iterator[ConceptItem]:
    asked, found = 0, 0
    taken: set[str] = set()
    for members, outdated in _list_groups(context, concepts):
        if asked == _MAX_QUESTIONS or found == MAX_CONCEPTS:
            return
        left = [each for each in concepts if each.memory.id not in taken]
        one = outdated or _matching_concept(members, left)
        if one is not None and _covers(one, members):
            taken |= set() if one.is_decided else {one.memory.id}
            continue
        if _was_asked(context, members, chat):
            continue
        memories = _memories(context, members)
        if one is None and _is_of_one_day(memories, context.store.zone):
            continue
        asked += 1
        try:
            proposed = propose_concept(context, chat, memories)
            _check_breadth(context, members, proposed)
        except RejectedError as error:
            yield _concept_item("nothing", members, None, model=chat.name, why=str(error))
        except (InvalidAnswerError, ModelRefusedError):
            continue
        except (ChatModelError, EmbedderError) as error:
            context.shortfalls[ConsolidateStep.name] = (
                f"not every group of memories was asked about: {error}"
            )
            return
        else:
            found += 1
            taken |= set() if one is None else {one.memory.id}
            do: Literal["write", "rewrite"] = "write" if one is None else "rewrite"
            yield _concept_item(do, members, one, proposed=proposed, model=chat.name)


def _list_groups(
    context: StepContext, concepts: Sequence[DerivedMemory]
) -> Iterator[tuple[Members, DerivedMemory | None]]:
    """Yield groups of memories to ask about: sources of outdated concepts first, then patterns.

    The sources of an outdated concept are asked about even if they are no longer related.
    """
    asked: list[set[int]] = []
    for one in concepts:
        if one.is_outdated and not one.is_decided and one.memory.validity is Validity.ACTIVE:
            members = _present_sources(context, one)
            if len(members) >= MIN_QUOTED_MEMORIES:
                asked.append({member.n for member in members})
                yield members, one
    for members in find_patterns(context, context.run.options.since):
        if not any(ns.issuperset(member.n for member in members) for ns in asked):
            yield members, None


def _present_sources(context: StepContext, one: DerivedMemory) -> Members:
    """Return the present sources of a concept, with replacements of superseded ones."""
    ns = sorted({source.n for source in one.sources if source.is_current})
    with context.store.read(context.tenant) as tx:
        found = [each for n in ns for each in tx.derivations.list_candidates(n - 1, 1)]
    present = [each for each in found if each.n in ns]
    same_scope = (each for each in present if each.scope == present[0].scope)
    return tuple(same_scope)[:MOST_SOURCES]


def _matching_concept(members: Members, concepts: Sequence[DerivedMemory]) -> DerivedMemory | None:
    """Return the concept with most sources in common, at least half of either's; or None."""
    ids = {member.id for member in members}

    def common(one: DerivedMemory) -> int:
        return len(ids & one.source_ids)

    near = [one for one in concepts if 2 * common(one) >= min(len(ids), len(one.source_ids)) > 0]
    return max(near, key=common, default=None)


def _covers(one: DerivedMemory, members: Members) -> bool:
    """Check whether a concept needs no change to cover these memories, or may not be changed."""
    if one.is_decided:
        return True
    holding = {source.id for source in one.valid_sources}
    covers_all = holding >= {member.id for member in members}
    return one.memory.validity is Validity.ACTIVE and covers_all and not one.is_outdated


def _reason_to_end(context: StepContext, one: DerivedMemory) -> str | None:
    """Return why a concept is to be ended; None if it may stay."""
    if one.is_decided or one.memory.validity is not Validity.ACTIVE:
        return None
    if one.is_outdated:
        return _CHANGED
    holding = [source.n for source in one.current_sources if source.is_valid]
    with context.store.read(context.tenant) as tx:
        said = tx.derivations.occasions(holding)
    stays = len(holding) >= MIN_QUOTED_MEMORIES and is_broadly_supported(said)
    return None if stays else _UNSUPPORTED


def _check_breadth(context: StepContext, members: Members, proposed: ProposedConcept) -> None:
    """Check that a concept rests on more than one conversation.

    Raises:
        RejectedError: it does not.
    """
    quoted = [member.n for member in members if member.id in proposed.quoted]
    with context.store.read(context.tenant) as tx:
        if not is_broadly_supported(tx.derivations.occasions(quoted)):
            raise RejectedError("what it quotes is of one conversation")


def _has_changed(tx: Transaction, memory: Memory, item: ConceptItem) -> bool:
    return memory.current.n != item.wording or has_user_decision(tx, memory)


def _memories(context: StepContext, members: Members) -> list[Memory]:
    with context.store.read(context.tenant) as tx:
        found = tx.memories.by_version_numbers([member.wording for member in members])
    return [found[member.wording] for member in members if member.wording in found]


def _is_of_one_day(memories: Sequence[Memory], zone: Zone) -> bool:
    """Check whether memories are from too few days for a pattern."""
    return len({date_of_memory(memory, zone) for memory in memories}) < _LEAST_DAYS


def _was_asked(context: StepContext, members: Members, chat: ChatClient) -> bool:
    """Check whether the model found no concept in these memories before, some new ones aside."""
    in_order = sorted(members, key=lambda member: member.n)
    fewest = max(len(in_order) - (len(in_order) - 1) // _GROWTH, 1)
    ids = [member.id for member in in_order]
    digests = [_digest(ids[:count]) for count in range(fewest, len(ids) + 1)]
    with context.store.read(context.tenant) as tx:
        found = [entry for digest in digests for entry in tx.audit.list_entries(digest)]
    return any(entry.client == chat.name for entry in found)


def _digest(ids: Iterable[str]) -> str:
    """Return a digest of some ids, in whatever order."""
    return hashlib.sha256("|".join(sorted(ids)).encode()).hexdigest()[:32]


def _concept_item(
    do: Literal["write", "rewrite", "end", "nothing"],
    members: Members,
    one: DerivedMemory | None,
    *,
    proposed: ProposedConcept | None = None,
    model: str = "",
    why: str = "",
) -> ConceptItem:
    sources = tuple((member.id, member.wording) for member in members)
    return ConceptItem(
        key=f"{do}|{one.memory.id if one else ''}|{_digest(f'{i} {n}' for i, n in sources)}",
        do=do,
        concept=one.memory.id if one else None,
        wording=one.memory.current.n if one else 0,
        sources=sources,
        content="" if proposed is None else proposed.content,
        quoted=() if proposed is None else proposed.quoted,
        model=model,
        why=why,
    )


def _write_concept(
    tx: Transaction,
    item: ConceptItem,
    context: StepContext,
    memory: Memory | None,
    sources: Sequence[Memory],
) -> ItemResult:
    try:
        said = derivation_validator(tx, context, InferredBy.MODEL)
        content = said.check_derived(item.content, sources)
    except RejectedError as error:
        return _note_no_concept(tx, item, context.at, str(error))
    quoted = [source for source in sources if source.id in item.quoted]
    draft = DerivedDraft(
        MemoryType.CONCEPT,
        content,
        InferredBy.MODEL,
        min(source.confidence for source in sources),
        turns=1,
        client=item.model,
        shown=tuple(source for source in sources if source.id not in item.quoted),
    )
    writer = context.memory_writer(tx)
    if is_known(writer, draft, sources[0].project, item.concept):
        return _note_no_concept(tx, item, context.at, "known in the same words")
    why = f"drawn from {len(quoted)} memories"
    if memory is None:
        return ItemResult(StepOutcome.DONE, add_derived(writer, draft, quoted, context.at), why)
    revise_derived(writer, memory, draft, quoted, context.at)
    return ItemResult(StepOutcome.DONE, memory.id, f"{why} anew")


def _note_no_concept(tx: Transaction, item: ConceptItem, at: int, why: str) -> ItemResult:
    """Log that the model need not be asked about these memories again."""
    tx.audit.add(
        at=at,
        channel=NIGHTLY_CHANNEL,
        client=item.model,
        action=_AUDIT_ACTION,
        subject=_digest(memory_id for memory_id, _ in item.sources),
        detail=why,
    )
    return ItemResult(StepOutcome.UNCHANGED)
