"""Documents of the candidates, and the wording in which a memory is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoria.language.reading.excerpt import find_excerpt, weigh_evenly
from memoria.language.words.analyser import distinct_tokens
from memoria.language.words.document import full_text
from memoria.model import Memory, MemoryVersion, StoredTurn, Validity
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.fusion import FusedCandidate
from memoria.store.index_tokens import list_words
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

READ_CHARS = 4000
"""Most characters of a document read for its words: of a long one, the part that answers."""


@dataclass(frozen=True, slots=True)
class MemoryWording:
    """A memory in one of its wordings."""

    memory: Memory
    version: MemoryVersion


def read_documents(
    tx: Transaction,
    plan: SearchPlan,
    fused: Sequence[FusedCandidate],
    known: Mapping[int, StoredTurn],
) -> dict[int, StoredTurn | MemoryWording]:
    """Read the candidates that may be seen; turns that were read already are taken as known."""
    indexed = [item.n for item in fused if item.is_indexed or _includes_unindexed(plan)]
    turns = {n: known[n] for n in indexed if n in known}
    turns |= tx.conversations.turns([n for n in indexed if n not in turns])
    documents: dict[int, StoredTurn | MemoryWording] = {
        n: turn for n, turn in turns.items() if _may_be_shown(turn, plan)
    }
    if "memory" in plan.kinds:
        ns = [item.n for item in fused if item.n not in turns]
        for n, memory in tx.memories.by_version_numbers(ns).items():
            version = _wording_to_show(memory, n, plan)
            if version is not None:
                documents[n] = MemoryWording(memory, version)
    return documents


def _includes_unindexed(plan: SearchPlan) -> bool:
    """Return whether turns count that no index found: those of a time, or linked ones."""
    return plan.parsed.is_time_only or plan.profile.includes_linked_turns


def _may_be_shown(turn: StoredTurn, plan: SearchPlan) -> bool:
    """Return whether a turn was said by the moment asked for, and may stand for itself.

    Among memories a turn does until memories have been made of it, and after that for what no
    memory keeps: an error code, a path, an address.
    """
    if plan.as_of is not None and not (turn.current and turn.at <= plan.as_of):
        return False
    if turn.suppressed and not plan.profile.shows_suppressed_turns:
        return False
    stands_for_itself = not (plan.profile.only_unprocessed_turns and turn.processed)
    return stands_for_itself or plan.parsed.occurs_in(full_text(turn))


def _wording_to_show(memory: Memory, n: int, plan: SearchPlan) -> MemoryVersion | None:
    """Return the wording found, or the one valid at the moment asked for; None for none."""
    moment = plan.now if plan.as_of is None else plan.as_of
    is_over = memory.expires_at is not None and memory.expires_at <= moment
    if is_over and (plan.as_of is not None or not plan.filters.include_history):
        return None  # it was meant to count until then
    if plan.as_of is None:
        return next(version for version in memory.versions if version.n == n)
    if not _is_active_at(memory, moment):
        return None
    valid = (version for version in memory.versions if _is_valid_at(version, moment))
    return next((version for version in valid if passes_filters(version, plan.filters)), None)


def _is_active_at(memory: Memory, moment: int) -> bool:
    """Return whether it was active at a moment: it is now, or was until it ended later."""
    if memory.validity in (Validity.ARCHIVED, Validity.SUPERSEDED):
        ever = memory.updated_at > memory.created_at  # some are kept for the history alone
        return ever and moment < memory.updated_at
    return memory.validity is Validity.ACTIVE


def _is_valid_at(version: MemoryVersion, moment: int) -> bool:
    return version.valid_from <= moment and (version.valid_to is None or moment < version.valid_to)


def passes_filters(version: MemoryVersion, filters: Filters) -> bool:
    """Return whether a wording passes the filters, which were put to the one that was found."""
    early = filters.since is not None and version.valid_from < filters.since
    late = filters.until is not None and version.valid_from >= filters.until
    return not early and not late and filters.session_id in (None, version.provenance.session_id)


def read_words(
    tx: Transaction,
    plan: SearchPlan,
    fused: Sequence[FusedCandidate],
    texts: Mapping[int, str],
) -> dict[int, frozenset[str]]:
    """Map each document to its tokens, of a long one those of the part that answers."""
    stored: dict[int, frozenset[str]] = {}
    if "text" not in plan.options.without and plan.as_of is None:
        short = [item for item in fused if len(texts[item.n]) <= READ_CHARS]
        stored = {item.n: frozenset(list_words(item.indexed)) for item in short if item.indexed}
        stored |= tx.documents.distinct_words([item.n for item in short if item.n not in stored])
    return {n: stored.get(n) or _excerpt_words(text, plan) for n, text in texts.items()}


def _excerpt_words(text: str, plan: SearchPlan) -> frozenset[str]:
    start, end = find_excerpt(text, weigh_evenly(plan.terms), READ_CHARS)
    return distinct_tokens(text[start:end])


def read_text(document: StoredTurn | MemoryWording) -> str:
    """Return all words of a document."""
    return document.version.content if isinstance(document, MemoryWording) else full_text(document)
