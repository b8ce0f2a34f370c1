"""Score: the candidates are read, and each gets a relevance, its boosts and what speaks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from memoria.model import InferredBy, Memory, MemoryVersion, Role, StoredTurn, Validity
from memoria.policy.properties.keys import has_one_value
from memoria.retrieval.query.aim import Aim
from memoria.retrieval.query.numbers import holds_number
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.boosts import combine_boosts, memory_boosts, turn_boosts
from memoria.retrieval.ranking.evidence.rank import score_conclusion
from memoria.retrieval.ranking.fusion import FusedCandidate, add_graph_score
from memoria.retrieval.ranking.statistics import QueryStatistics, discriminative_terms
from memoria.retrieval.ranking.threshold import RelevanceSignals, term_coverage
from memoria.store.base import Transaction
from memoria.store.values import DocumentKind, Filters
from memoria.text.analyser import tokens
from memoria.text.document import full_text
from memoria.text.excerpt import find_excerpt, weigh_evenly
from memoria.text.script import is_cjk

_READ_CHARS = 4000
"""How much of a document is read for its words: of a long one, the part that answers."""
_LONGEST_DAY_MS = 25 * 3_600_000
"""A day, where the clocks are put back."""


@dataclass(frozen=True, slots=True)
class MemoryWording:
    """A memory in one of its wordings."""

    memory: Memory
    version: MemoryVersion


class ScoredCandidate(NamedTuple):
    """A document with what speaks for it. Higher scores are better, within one search."""

    document: StoredTurn | MemoryWording
    candidate: FusedCandidate
    signals: RelevanceSignals
    relevance: float
    """How well it matches, 0 to 1."""
    boosts: Mapping[str, float]
    score: float
    words: frozenset[str]
    margin: float = 0.0
    """By how much it fits better than the relevance threshold demands; below 0 it is no hit."""

    @property
    def kind(self) -> DocumentKind:
        """Which kind of document it is."""
        return "turn" if isinstance(self.document, StoredTurn) else "memory"

    @property
    def id(self) -> str:
        """The memory's or turn's id."""
        document = self.document
        return document.id if isinstance(document, StoredTurn) else document.memory.id

    @property
    def identity(self) -> tuple[str, int]:
        """A version of a message, or a wording of a memory."""
        document = self.document
        return (document.id, document.n) if isinstance(document, StoredTurn) else (
            document.memory.id, document.version.n)  # fmt: skip

    @property
    def text(self) -> str:
        """What it says."""
        return _document_text(self.document)


def score_candidates(
    tx: Transaction,
    plan: SearchPlan,
    fused: Sequence[FusedCandidate],
    statistics: QueryStatistics,
    known: Mapping[int, StoredTurn] = MappingProxyType({}),
) -> list[ScoredCandidate]:
    """The documents that may be seen, best first; of a memory one wording.

    Args:
        tx: where they are read.
        plan: the search.
        fused: the candidates.
        statistics: what the record knows of the query.
        known: turns that were read already, by number.
    """
    documents = _read_documents(tx, plan, fused, known)
    visible = [item for item in fused if item.n in documents]
    texts = {item.n: _document_text(documents[item.n]) for item in visible}
    words = _words_by_document(tx, plan, visible, texts)
    evenly = dict.fromkeys(discriminative_terms(plan), 1.0)
    asked = frozenset((*evenly, *statistics.terms))
    scored = [
        _score_candidate(
            plan,
            item,
            documents[item.n],
            words[item.n],
            asked,
            statistics,
            evenly,
            is_cross_language=is_cjk(texts[item.n][:_READ_CHARS]) != statistics.is_cjk,
        )
        for item in visible
    ]
    best: dict[tuple[str, int], ScoredCandidate] = {}
    for each in sorted(scored, key=lambda each: -each.score):
        best.setdefault(each.identity, each)
    return list(best.values())


def _read_documents(
    tx: Transaction,
    plan: SearchPlan,
    fused: Sequence[FusedCandidate],
    known: Mapping[int, StoredTurn],
) -> dict[int, StoredTurn | MemoryWording]:
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
    """Whether turns count that no index has found: those of a time, and those that are linked."""
    return plan.parsed.is_time_only or plan.profile.includes_linked_turns


def _may_be_shown(turn: StoredTurn, plan: SearchPlan) -> bool:
    """Whether it was said by the moment asked for, and may stand for itself.

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
    """The wording to show: the one found, or the one that was valid at the moment asked for."""
    moment = plan.now if plan.as_of is None else plan.as_of
    is_over = memory.expires_at is not None and memory.expires_at <= moment
    if is_over and (plan.as_of is not None or not plan.filters.include_history):
        return None  # it was meant to count until then
    if plan.as_of is None:
        return next(version for version in memory.versions if version.n == n)
    if not _is_active_at(memory, moment):
        return None
    valid = (version for version in memory.versions if _is_valid_at(version, moment))
    return next((version for version in valid if _passes_filters(version, plan.filters)), None)


def _is_active_at(memory: Memory, moment: int) -> bool:
    """Whether it was active at a moment: it is now, or was until it ended later."""
    if memory.validity in (Validity.ARCHIVED, Validity.SUPERSEDED):
        ever = memory.updated_at > memory.created_at  # some are kept for the history alone
        return ever and moment < memory.updated_at
    return memory.validity is Validity.ACTIVE


def _is_valid_at(version: MemoryVersion, moment: int) -> bool:
    return version.valid_from <= moment and (version.valid_to is None or moment < version.valid_to)


def _passes_filters(version: MemoryVersion, filters: Filters) -> bool:
    """Whether a wording passes the filters, which were put to the one that was found."""
    early = filters.since is not None and version.valid_from < filters.since
    late = filters.until is not None and version.valid_from >= filters.until
    return not early and not late and filters.session_id in (None, version.provenance.session_id)


def _words_by_document(
    tx: Transaction,
    plan: SearchPlan,
    fused: Sequence[FusedCandidate],
    texts: Mapping[int, str],
) -> dict[int, frozenset[str]]:
    """The tokens of each, of a long one those of the part that answers."""
    stored: dict[int, frozenset[str]] = {}
    if "text" not in plan.options.without and plan.as_of is None:
        short = [item for item in fused if len(texts[item.n]) <= _READ_CHARS]
        stored = {item.n: frozenset(item.words.split(" ")) for item in short if item.words}
        stored |= tx.documents.distinct_words([item.n for item in short if item.n not in stored])
    return {n: stored.get(n) or _excerpt_words(text, plan) for n, text in texts.items()}


def _excerpt_words(text: str, plan: SearchPlan) -> frozenset[str]:
    start, end = find_excerpt(text, weigh_evenly(plan.terms), _READ_CHARS)
    return frozenset(tokens(text[start:end]))


def _document_text(document: StoredTurn | MemoryWording) -> str:
    return document.version.content if isinstance(document, MemoryWording) else full_text(document)


def _name_tokens(item: FusedCandidate, document: StoredTurn | MemoryWording) -> frozenset[str]:
    """Tokens of who said it, and of the names it is linked with whatever words it uses."""
    speaker = document.speaker if isinstance(document, StoredTurn) else None
    return frozenset().union(*map(_tokens, (speaker or "", *item.entity_names)))


@lru_cache(maxsize=256)
def _tokens(name: str) -> frozenset[str]:
    """A name's tokens: of thirty documents most have one of the same few speakers."""
    return frozenset(tokens(name))


def _property_tokens(document: StoredTurn | MemoryWording) -> frozenset[str]:
    """Tokens of what a memory tells of its subject: "works at Northwind" tells the employer.

    Only of properties with one value, whose names are fixed; others are named as a model pleases.
    """
    if not isinstance(document, MemoryWording):
        return frozenset()
    predicate = document.memory.predicate
    is_present = document.version.n == document.memory.current.n
    if not predicate or not is_present or not has_one_value(predicate):
        return frozenset()
    return _tokens(predicate.replace("_", " "))


def _score_candidate(
    plan: SearchPlan,
    item: FusedCandidate,
    document: StoredTurn | MemoryWording,
    words: frozenset[str],
    asked: frozenset[str],
    statistics: QueryStatistics,
    evenly: Mapping[str, float],
    *,
    is_cross_language: bool,
) -> ScoredCandidate:
    beside = _name_tokens(item, document) | _property_tokens(document)
    held = (asked & words) | (asked & beside)
    signals = RelevanceSignals(
        coverage=term_coverage(statistics.weights, held),
        cosine=item.cosine,
        graph=item.graph,
        context_coverage=item.context,
        rare_words=statistics.count_rare(held),
        is_cross_language=is_cross_language,
        lacks_number=_lacks_number(document, statistics) and not is_cross_language,
        is_of_named_day=_is_of_named_day(document, plan),
        is_reply=plan.parsed.aim is Aim.REPLY and _is_by_assistant(document),
        is_by_rules=_is_by_rules(document),
    )
    relevance = _relevance(plan, item, document, term_coverage(evenly, held))
    boosts = _boosts(plan, document)
    return ScoredCandidate(
        document, item, signals, relevance, boosts, relevance * combine_boosts(boosts), words
    )


def _lacks_number(document: StoredTurn | MemoryWording, statistics: QueryStatistics) -> bool:
    is_turn = isinstance(document, StoredTurn)
    return is_turn and statistics.asks_number and not holds_number(_document_text(document))


def _is_of_named_day(document: StoredTurn | MemoryWording, plan: SearchPlan) -> bool:
    """Whether a turn was said within the time that is asked about, if that is hardly a day."""
    time = plan.parsed.time
    if time is None or time.from_ms is None or time.until_ms is None:
        return False
    is_day = time.until_ms - time.from_ms <= _LONGEST_DAY_MS
    is_within = isinstance(document, StoredTurn) and time.from_ms <= document.at < time.until_ms
    return is_day and is_within


def _is_by_assistant(document: StoredTurn | MemoryWording) -> bool:
    return isinstance(document, StoredTurn) and document.role is Role.ASSISTANT


def _is_by_rules(document: StoredTurn | MemoryWording) -> bool:
    if not isinstance(document, MemoryWording):
        return False
    return document.version.inferred_by is InferredBy.RULES


def _boosts(plan: SearchPlan, document: StoredTurn | MemoryWording) -> dict[str, float]:
    if not plan.profile.uses_boosts or not plan.options.stages.boosts:
        return {}
    if plan.parsed.is_time_only:
        return {}  # of a time the newest come first, whatever favours them
    if isinstance(document, MemoryWording):
        return memory_boosts(document.memory, document.version, plan)
    return turn_boosts(document, plan)


def _relevance(
    plan: SearchPlan,
    item: FusedCandidate,
    document: StoredTurn | MemoryWording,
    coverage: float,
) -> float:
    """How well it matches: a memory as one sentence by itself, a turn in its conversation."""
    is_conclusion = plan.profile.scores_conclusions and isinstance(document, MemoryWording)
    if not is_conclusion or plan.parsed.is_time_only:
        return item.score
    score = score_conclusion(item.lexical, coverage, item.cosine, plan.calibration)
    return item.phrase * add_graph_score(score, item.graph)
