"""Judge: the candidates are read, each with what speaks for it and what it is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memoria.model import Memory, MemoryVersion, StoredTurn, Validity
from memoria.retrieval.evidence.rank import conclusive
from memoria.retrieval.excerpt import excerpt
from memoria.retrieval.familiar import Familiarity, telling_terms
from memoria.retrieval.fuse import Fused, with_graph
from memoria.retrieval.gate import Support, coverage
from memoria.retrieval.plan import Plan
from memoria.retrieval.weigh import memory_factors, product, turn_factors
from memoria.store.base import Transaction
from memoria.store.values import Filters, Kind
from memoria.text.analyser import tokens
from memoria.text.document import full_text
from memoria.text.script import is_cjk

_JUDGED_CHARS = 4000
"""How much of a document the gate reads: of a long one, the part that answers."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A memory in one of its wordings."""

    memory: Memory
    version: MemoryVersion


@dataclass(frozen=True, slots=True)
class Judged:
    """A document with what speaks for it. Higher scores are better, within one search."""

    document: StoredTurn | Wording
    fused: Fused
    support: Support
    relevance: float
    """How well it matches, 0 to 1."""
    factors: Mapping[str, float]
    score: float
    words: frozenset[str]

    @property
    def kind(self) -> Kind:
        """Which kind of document it is."""
        return "turn" if isinstance(self.document, StoredTurn) else "memory"

    @property
    def id(self) -> str:
        """The memory's or turn's id."""
        document = self.document
        return document.id if isinstance(document, StoredTurn) else document.memory.id

    @property
    def text(self) -> str:
        """What it says."""
        return _text(self.document)


def judge(tx: Transaction, plan: Plan, fused: Sequence[Fused], asked: Familiarity) -> list[Judged]:
    """The documents that may be seen, best first; of a memory one wording."""
    documents = _read(tx, plan, fused)
    shown = [item for item in fused if item.n in documents]
    held = _words(tx, plan, shown, documents)
    evenly = dict.fromkeys(telling_terms(plan), 1.0)
    judged = [_judged(plan, item, documents[item.n], held[item.n], asked, evenly) for item in shown]
    best: dict[tuple[str, int], Judged] = {}
    for each in sorted(judged, key=lambda each: -each.score):
        best.setdefault(_same(each), each)
    return list(best.values())


def _same(each: Judged) -> tuple[str, int]:
    """Versions of a message, and wordings of a memory that past truths are asked for by."""
    document = each.document
    return (document.id, document.n) if isinstance(document, StoredTurn) else (
        document.memory.id, document.version.n)  # fmt: skip


def _read(tx: Transaction, plan: Plan, fused: Sequence[Fused]) -> dict[int, StoredTurn | Wording]:
    indexed = [item.n for item in fused if item.indexed or _from_elsewhere(plan)]
    turns = tx.conversations.turns(indexed)
    documents: dict[int, StoredTurn | Wording] = {
        n: turn for n, turn in turns.items() if _may_be_shown(turn, plan)
    }
    if "memory" in plan.kinds:
        ns = [item.n for item in fused if item.n not in turns]
        for n, memory in tx.memories.by_versions(ns).items():
            version = _held(memory, n, plan)
            if version is not None:
                documents[n] = Wording(memory, version)
    return documents


def _from_elsewhere(plan: Plan) -> bool:
    """Whether turns count that no index has found: of a time, and in the record what is linked."""
    return plan.question.only_of_time or not plan.first_level


def _may_be_shown(turn: StoredTurn, plan: Plan) -> bool:
    """Whether it was said by the moment asked for, and on the first level may stand in.

    There a turn speaks until memories have been drawn from it, and after that for what no memory
    keeps: an error code, a path, an address.
    """
    if plan.as_of is not None and not (turn.current and turn.at <= plan.as_of):
        return False
    if turn.barred and (plan.first_level or plan.unasked):
        return False
    return not (plan.first_level and turn.processed) or plan.question.stands_in(full_text(turn))


def _held(memory: Memory, n: int, plan: Plan) -> MemoryVersion | None:
    """The wording to show: the one found, or the one that held at the moment asked for."""
    moment = plan.now if plan.as_of is None else plan.as_of
    if memory.expires_at is not None and memory.expires_at <= moment:
        return None  # it was meant to count until then
    if plan.as_of is None:
        return next(version for version in memory.versions if version.n == n)
    if not _counted_at(memory, moment):
        return None
    held = (version for version in memory.versions if _held_at(version, moment))
    return next((version for version in held if _wanted(version, plan.filters)), None)


def _counted_at(memory: Memory, moment: int) -> bool:
    """Whether it was held true at a moment: it is now, or was until it was put aside later."""
    if memory.validity in (Validity.ARCHIVED, Validity.SUPERSEDED):
        ever = memory.updated_at > memory.created_at  # some are kept for the history alone
        return ever and moment < memory.updated_at
    return memory.validity is Validity.ACTIVE


def _held_at(version: MemoryVersion, moment: int) -> bool:
    return version.valid_from <= moment and (version.valid_to is None or moment < version.valid_to)


def _wanted(version: MemoryVersion, filters: Filters) -> bool:
    """Whether a wording passes the filters, which were put to the one that was found."""
    early = filters.since is not None and version.valid_from < filters.since
    late = filters.until is not None and version.valid_from >= filters.until
    return not early and not late and filters.session_id in (None, version.provenance.session_id)


def _words(
    tx: Transaction,
    plan: Plan,
    fused: Sequence[Fused],
    documents: Mapping[int, StoredTurn | Wording],
) -> dict[int, frozenset[str]]:
    """The tokens of each, of a long one those of the part that answers."""
    texts = {item.n: _text(documents[item.n]) for item in fused}
    stored: dict[int, frozenset[str]] = {}
    if "text" not in plan.way.without and plan.as_of is None:
        short = [item for item in fused if len(texts[item.n]) <= _JUDGED_CHARS]
        stored = {item.n: frozenset(item.words.split(" ")) for item in short if item.words}
        stored |= tx.documents.words([item.n for item in short if item.n not in stored])
    return {n: stored.get(n) or _words_that_answer(text, plan) for n, text in texts.items()}


def _words_that_answer(text: str, plan: Plan) -> frozenset[str]:
    start, end = excerpt(text, plan.terms, _JUDGED_CHARS)
    return frozenset(tokens(text[start:end]))


def _text(document: StoredTurn | Wording) -> str:
    return document.version.content if isinstance(document, Wording) else full_text(document)


def _named(item: Fused, document: StoredTurn | Wording) -> frozenset[str]:
    """Tokens of who said it, and of the names it is linked with whatever words it uses."""
    speaker = document.speaker if isinstance(document, StoredTurn) else None
    return frozenset().union(*map(_tokens, (speaker or "", *item.named)))


@lru_cache(maxsize=256)
def _tokens(name: str) -> frozenset[str]:
    """A name's tokens: of thirty documents most have one of the same few speakers."""
    return frozenset(tokens(name))


def _judged(
    plan: Plan,
    item: Fused,
    document: StoredTurn | Wording,
    words: frozenset[str],
    asked: Familiarity,
    evenly: Mapping[str, float],
) -> Judged:
    held = words | _named(item, document)
    across = is_cjk(_text(document)[:_JUDGED_CHARS]) != asked.cjk
    covered = coverage(asked.weights, held)
    support = Support(covered, item.cosine, item.graph, item.context, across)
    relevance = _relevance(plan, item, coverage(evenly, held))
    factors = _factors(plan, document)
    return Judged(document, item, support, relevance, factors, relevance * product(factors), words)


def _factors(plan: Plan, document: StoredTurn | Wording) -> dict[str, float]:
    if plan.question.only_of_time or not plan.way.stages.weights:
        return {}  # of a time the newest first, whatever it is worth
    if isinstance(document, Wording):
        return memory_factors(document.memory, document.version, plan)
    return turn_factors(document, plan)


def _relevance(plan: Plan, item: Fused, covered: float) -> float:
    if not plan.first_level or plan.question.only_of_time:
        return item.score
    return with_graph(conclusive(item.lexical, covered, item.cosine), item.graph)
