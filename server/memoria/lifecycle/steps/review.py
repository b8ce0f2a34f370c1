"""Review: the chat model decides about memories that fade, and about those that may rise.

It may search for other memories before it decides. Its decision is carried out as far as rules
allow: it promotes memories in lasting use into the core, and archives those that nobody has pinned
or confirmed. A doubtful memory is kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest

from memoria.errors import ChatModelError, InvalidAnswerError, ModelRefusedError
from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.inference.chat.client import ChatClient
from memoria.inference.tasks import ReviewCase, review_memory
from memoria.ingest.processing import compact_json, shorten_statement
from memoria.language.statements.orders import instruction_shaped
from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext, log_action
from memoria.lifecycle.steps.retention import ARCHIVED_UNASKED, active_memories
from memoria.memories.times import date_of_memory
from memoria.model import Memory, Trust
from memoria.model.memory_types import DERIVED_TYPES
from memoria.model.moments import Zone
from memoria.model.nightly import Judgement, StepOutcome
from memoria.model.retention import MemoryTier, RetentionAttributes
from memoria.policy.retention import (
    is_fading,
    may_be_archived,
    may_rise_to_core,
    tier_after_promotion,
)
from memoria.store.rows.transaction import Transaction

_MAX_RELATED = 4
"""Most memories that the model is shown beside the reviewed one, and from one search."""
_RESERVE_S = 5.0
"""Seconds kept for carrying out decisions, so that no question is asked in vain."""
MAX_REVIEWS = 40
"""Number of memories that are reviewed in one run."""
_FADING = "it has grown weak: it was not said again, used or confirmed for a long time"
_RISING = "it is important and is often used or said again"
_USED = "it is important and is often used"
"""Reason for a derived memory, which nobody has said."""


class MemoryReviewer:
    """Asks a chat model to decide about memories, for one run."""

    def __init__(self, context: StepContext, chat: ChatClient) -> None:
        """Create the reviewer.

        Args:
            context: whose memories they are and whose tokens are spent.
            chat: the chat model.
        """
        self._context = context
        self._chat = chat
        self.shortfalls: list[str] = []
        """Sentences on decisions that the model did not give, and why."""

    def review_memories(
        self, cases: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[Memory, Judgement]]:
        """Yield memories with the decisions about them; those without a decision are left out.

        Args:
            cases: (memory, why it is reviewed).
        """
        unclear, asked, stopped = 0, 0, "the time is up"
        for memory_id, why in cases:
            memory = self._memory(memory_id)
            if self._context.time_left() <= _RESERVE_S:
                break
            try:
                decision = None if memory is None else self._decision(memory, why)
            except (InvalidAnswerError, ModelRefusedError):
                unclear, decision = unclear + 1, None
            except ChatModelError as error:
                stopped = str(error)
                break
            asked += 1
            if memory is not None and decision is not None:
                yield memory, decision
        if unclear:
            self.shortfalls.append(f"of {unclear} the model gave no clear word: they are kept")
        if asked < len(cases):
            left = len(cases) - asked
            self.shortfalls.append(
                f"{left} of {len(cases)} were not judged and are kept: {stopped}"
            )

    def _memory(self, memory_id: str) -> Memory | None:
        with self._context.store.read(self._context.tenant) as tx:
            return tx.memories.get(memory_id)

    def _decision(self, memory: Memory, why: str) -> Judgement:
        context = self._context
        case = ReviewCase(
            today=f"{context.store.zone.date_of(context.at):%A, %Y-%m-%d}",
            why=why,
            memory=_memory_in_full(memory, context.store.zone),
            known=self._lines_about(memory, memory.content),
        )
        decided = review_memory(
            self._ask,
            lambda words: self._lines_about(memory, words),
            case,
            max_output_tokens=context.output_tokens,
        )
        if decided.decision == "PROMOTE" and not _may_enter_core(memory):
            return "KEEP"
        return decided.decision

    def _ask(self, request: ChatRequest[AnswerT]) -> AnswerT:
        return self._chat.ask(self._context.tenant, request)

    def _lines_about(self, memory: Memory, words: str) -> str:
        """Return a line for each memory related to some words, except the reviewed one."""
        recall = self._context.recall
        if recall is None:
            return ""
        with self._context.store.read(self._context.tenant) as tx:
            found = recall.find_related(tx, words, memory.workspace)
        others = [other for other in found if other.id != memory.id]
        return _memory_lines(others[:_MAX_RELATED], self._context.store.zone)


def _may_enter_core(memory: Memory) -> bool:
    """Check that a memory may enter core memory: it is neither a tool's word nor an order."""
    trust = memory.current.provenance.trust
    ordered = instruction_shaped(memory.content, trust)
    return not ordered and trust is not Trust.TOOL and memory.flag is None


def _memory_in_full(memory: Memory, zone: Zone) -> str:
    """Return the memory under review as JSON, with its whole text.

    A derived memory was never said itself, however many turns it rests on.
    """
    said = {} if memory.type.is_derived else {"times_said": memory.evidence}
    return _json(
        memory,
        memory.content,
        zone,
        **said,
        times_used=memory.use_count,
        importance=round(memory.importance, 2),
    )


def _memory_lines(memories: Iterable[Memory], zone: Zone) -> str:
    return "\n".join(_json(memory, shorten_statement(memory.content), zone) for memory in memories)


def _json(memory: Memory, content: str, zone: Zone, **more: float) -> str:
    shown = {"type": memory.type.value, "content": content, **more}
    shown["said_on"] = date_of_memory(memory, zone)
    return compact_json(shown)


class ReviewItem(Item):
    """A memory that was reviewed; its key is its id."""

    decision: Judgement
    wording: int
    """The number of the wording that was reviewed."""


class ReviewStep(PlannedStep[ReviewItem]):
    """Promotes, keeps or archives memories as a chat model decided."""

    name = "review"
    summary = (
        "Ask the chat model which fading memories to keep and which important ones to promote."
    )
    things = ("memory", "memories")
    deed = "moved by the reviewing chat model"
    item = ReviewItem
    rows = 40

    def describe_limits(self, context: StepContext) -> str | None:
        """Return a sentence on memories that the step can't review or decide on; None if none."""
        if context.chat is None:
            return ARCHIVED_UNASKED
        return context.shortfalls.get(self.name)

    def plan(self, context: StepContext) -> Iterator[ReviewItem]:
        """Yield the reviewer's decisions, the most important memories first."""
        if context.chat is None:
            return
        cases = _find_cases(context)
        reviewer = MemoryReviewer(context, context.chat)
        for memory, judged in reviewer.review_memories(cases[:MAX_REVIEWS]):
            is_kept = judged == "DELETE" and _is_kept_by_policy(memory, context)
            decision: Judgement = "KEEP" if is_kept else judged
            yield ReviewItem(key=memory.id, decision=decision, wording=memory.current.n)
        short = [*reviewer.shortfalls]
        if len(cases) > MAX_REVIEWS:
            short.append(f"{len(cases) - MAX_REVIEWS} more wait for the next run")
        context.shortfalls.update({self.name: "; ".join(short)} if short else {})

    def apply(self, tx: Transaction, item: ReviewItem, context: StepContext) -> ItemResult:
        """Carry the decision out, unless the memory was used, confirmed or changed since."""
        one, memory = tx.retention.get_attributes(item.key), tx.memories.get(item.key)
        if one is None or memory is None or memory.current.n != item.wording:
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        if _review_reason(one, context) is None:
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        if item.decision == "DELETE" and may_be_archived(one, context.retention):
            return _archive(tx, one, context)
        return _keep_or_promote(tx, one, item, context)


def _is_kept_by_policy(memory: Memory, context: StepContext) -> bool:
    return context.policy.decide_fate(memory, "archive") == "keep"


def _find_cases(context: StepContext) -> list[tuple[str, str]]:
    """Return pairs (memory's id, reason for its review), fading and rising memories by turns."""
    found: dict[str, list[RetentionAttributes]] = {_FADING: [], _RISING: [], _USED: []}
    for one in active_memories(context):
        why = _review_reason(one, context)
        if why is not None:
            found[why].append(one)
    queues = (
        [(one.id, why) for one in sorted(some, key=lambda one: (-one.importance, one.id))]
        for why, some in found.items()
    )
    return [case for case in chain.from_iterable(zip_longest(*queues)) if case is not None]


def _review_reason(one: RetentionAttributes, context: StepContext) -> str | None:
    if is_fading(one, context.at, context.retention):
        return _FADING
    if not may_rise_to_core(one, context.at, context.retention):
        return None
    return _USED if one.type in DERIVED_TYPES else _RISING


def _archive(tx: Transaction, one: RetentionAttributes, context: StepContext) -> ItemResult:
    why = "a reviewer found that nobody would miss it"
    context.memory_writer(tx).end(one.id, why)
    return ItemResult(StepOutcome.DONE, one.id, why)


def _keep_or_promote(
    tx: Transaction, one: RetentionAttributes, item: ReviewItem, context: StepContext
) -> ItemResult:
    tier, importance = one.tier, one.importance
    if item.decision == "PROMOTE":
        tier, importance = tier_after_promotion(one, context.at, context.retention)
    tx.retention.note_review(one.id, context.at, tier, importance)
    if tier is one.tier:
        return ItemResult(StepOutcome.KEPT)
    why = (
        "a reviewer lifted it into the core"
        if tier is MemoryTier.CORE
        else f"a reviewer: {tier}-term"
    )
    log_action(tx, context.at, f"promote to {tier}", one.id, why)
    return ItemResult(StepOutcome.DONE, one.id, why)
