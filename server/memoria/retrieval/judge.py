"""Judge: the ranked documents are read, each with what speaks for it and what it is worth."""

from collections.abc import Sequence
from dataclasses import dataclass

from memoria.model import Memory, MemoryVersion, StoredTurn, now_millis
from memoria.retrieval.evidence import Ranked, conclusive
from memoria.retrieval.excerpt import excerpt
from memoria.retrieval.gate import Support, coverage, passes, worth_showing
from memoria.retrieval.plan import Plan
from memoria.retrieval.weigh import memory_weight, stand_in_weight
from memoria.store.base import Transaction
from memoria.store.values import Kind
from memoria.text.analyser import tokens
from memoria.text.document import full_text

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
    support: Support
    score: float

    @property
    def kind(self) -> Kind:
        """Which kind of document it is."""
        return "turn" if isinstance(self.document, StoredTurn) else "memory"


def worthy(tx: Transaction, plan: Plan, ranked: Sequence[Ranked]) -> list[Judged]:
    """The documents that may be shown, best first."""
    if not plan.terms:
        return []  # no word was asked for, so nothing is an answer
    judged = sorted(_judge(tx, plan, ranked), key=lambda each: -each.score)
    if plan.first_level:
        return _once([each for each in judged if passes(each.kind, each.support)])
    return judged if any(worth_showing(each.support) for each in judged) else []


def _once(found: list[Judged]) -> list[Judged]:
    """Without the turns from which one of the memories found was drawn: it answers for them."""
    documents = [each.document for each in found]
    drawn_from = {one.version.provenance.turn_id for one in documents if isinstance(one, Wording)}
    return [
        each
        for each in found
        if isinstance(each.document, Wording) or each.document.id not in drawn_from
    ]


def _judge(tx: Transaction, plan: Plan, ranked: Sequence[Ranked]) -> list[Judged]:
    documents = _read(tx, plan, [item.n for item in ranked])
    texts = {n: _text(document) for n, document in documents.items()}
    words = tx.documents.words([n for n, text in texts.items() if len(text) <= _JUDGED_CHARS])
    judged = []
    for item in ranked:
        if item.n in documents:
            document = documents[item.n]
            held = words.get(item.n) or _words_that_answer(texts[item.n], plan)
            support = Support(coverage(plan.terms, held | _named(document)), item.cosine)
            judged.append(Judged(document, support, _score(plan, item, document, support)))
    return judged


def _read(tx: Transaction, plan: Plan, ns: Sequence[int]) -> dict[int, StoredTurn | Wording]:
    documents: dict[int, StoredTurn | Wording] = {**tx.conversations.turns(ns)}
    if "memory" in plan.kinds:
        for n, memory in tx.memories.by_versions(ns).items():
            if memory.expires_at is not None and memory.expires_at <= now_millis():
                continue  # it was meant to count until then
            documents[n] = Wording(memory, next(v for v in memory.versions if v.n == n))
    return documents


def _text(document: StoredTurn | Wording) -> str:
    return document.version.content if isinstance(document, Wording) else full_text(document)


def _named(document: StoredTurn | Wording) -> frozenset[str]:
    """Tokens of who said it."""
    speaker = document.speaker if isinstance(document, StoredTurn) else None
    return frozenset(tokens(speaker or ""))


def _words_that_answer(text: str, plan: Plan) -> frozenset[str]:
    start, end = excerpt(text, plan.terms, _JUDGED_CHARS)
    return frozenset(tokens(text[start:end]))


def _score(plan: Plan, item: Ranked, document: StoredTurn | Wording, support: Support) -> float:
    if not plan.first_level:
        return item.score
    weight = (
        memory_weight(document.memory)
        if isinstance(document, Wording)
        else stand_in_weight(document)
    )
    return conclusive(item.lexical, support.coverage, item.cosine) * weight
