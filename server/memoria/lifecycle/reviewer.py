"""The reviewer: a chat model decides about a memory, and may search for others before it does."""

from collections.abc import Iterable, Iterator, Sequence

from memoria.errors import ChatModelError, InvalidAnswerError, ModelRefusedError
from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.inference.chat.client import ChatClient
from memoria.inference.tasks import ReviewCase, review_memory
from memoria.ingest.processing import compact_json, shorten_statement
from memoria.language.statements.orders import instruction_shaped
from memoria.lifecycle.interface import StepContext
from memoria.memories.days import date_of_memory
from memoria.model import Memory, Trust
from memoria.model.reflection import Judgement
from memoria.model.zone import Zone

_MAX_RELATED = 4
"""Number of memories it is shown beside the one it judges, and of those that a search finds."""
_RESERVE_S = 5.0
"""Time kept for what was decided: nobody is asked in vain."""


class MemoryReviewer:
    """Decides about the memories of a run."""

    def __init__(self, context: StepContext, chat: ChatClient) -> None:
        """Create the reviewer.

        Args:
            context: whose memories they are and whose tokens are spent.
            chat: the chat model.
        """
        self._context = context
        self._chat = chat
        self.shortfalls: list[str] = []
        """Notes on decisions that it did not give, and why."""

    def review_memories(
        self, cases: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[Memory, Judgement]]:
        """Yield memories and the decisions about them; some may get no decision.

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
        """Return lines of memories related to some words, in the memory's scope, without it."""
        recall = self._context.recall
        if recall is None:
            return ""
        with self._context.store.read(self._context.tenant) as tx:
            found = recall.find_related(tx, words, memory.workspace)
        others = [other for other in found if other.id != memory.id]
        return _memory_lines(others[:_MAX_RELATED], self._context.store.zone)


def _may_enter_core(memory: Memory) -> bool:
    """Check whether a memory may enter core memory: neither a tool's words nor an order may."""
    trust = memory.current.provenance.trust
    ordered = instruction_shaped(memory.content, trust)
    return not ordered and trust is not Trust.TOOL and memory.flag is None


def _memory_in_full(memory: Memory, zone: Zone) -> str:
    """Return the memory under review, in full: its beginning alone would not do.

    What was derived from others was never said itself, however many turns it rests on.
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
