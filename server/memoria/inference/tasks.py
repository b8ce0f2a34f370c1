"""Requests to a chat model: one typed function for each that Memoria makes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol, TypeVar

from pydantic import Field

from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.inference.templates import load_template
from memoria.model import Checks, EpisodeSummary, Focus, Operation, Rulings
from memoria.model.base import Value
from memoria.model.nightly import Concept, DaySummary, Decision, ReviewAnswer
from memoria.model.operation import SummaryPatch
from memoria.model.skills import SkillReading

_MOST_OPERATIONS = 50
MAX_SEGMENTS = 8
"""Most segments that are read with one request."""
_NONE = "-"
_Operation = Annotated[Operation, Field(discriminator="op")]
"""Operation with its discriminator, so that a complaint names the problems of one kind alone."""
MAX_SEARCHES = 3
"""Most searches of a reviewer before a decision."""
_NOTHING = "(nothing)"


class Extraction(Value):
    """Operations that a model proposes for the turns it read."""

    operations: Annotated[tuple[_Operation, ...], Field(max_length=_MOST_OPERATIONS)]
    focus: Focus | None = None
    """The task in hand after these turns, if they say so."""


class SegmentReading(Extraction):
    """Operations for whole conversation segments, and the summary of each."""

    episodes: Annotated[tuple[EpisodeSummary, ...], Field(max_length=MAX_SEGMENTS)] | None = None
    """Summaries of the segments; None if the model left them out: then it is asked again."""


@dataclass(frozen=True, slots=True)
class ReadingMaterial:
    """Text that a model is shown to draw memories from."""

    people: str
    """Speakers and which of them is the user, in a few sentences."""
    known: str
    """Memories that may have to do with the turns, a JSON object a line."""
    before: str
    """The turns before these, for context only."""
    conversation: str
    """The turns, each with its number, below the day they were said on."""


ReadingT = TypeVar("ReadingT", bound=Extraction)


def request_extraction(
    answer: type[ReadingT], matter: ReadingMaterial, *, max_output_tokens: int
) -> ChatRequest[ReadingT]:
    """Build the request for the memories that a part of a conversation gives rise to.

    Args:
        answer: `Extraction`, or `SegmentReading` where whole segments are to be summed up as well.
        matter: what there is to read.
        max_output_tokens: the longest answer.
    """
    return load_template("extract").build_request(
        answer,
        max_output_tokens,
        people=matter.people,
        known=matter.known or _NONE,
        before=matter.before or _NONE,
        conversation=matter.conversation,
    )


def request_episode(
    *, said_on: str, conversation: str, changed: str, max_output_tokens: int
) -> ChatRequest[EpisodeSummary]:
    """Build the request for the summary of a conversation segment.

    Args:
        said_on: the day, with its weekday.
        conversation: the turns, each with its number.
        changed: what was said in it and no longer holds, a statement a line.
        max_output_tokens: the longest answer.
    """
    return load_template("episode").build_request(
        EpisodeSummary,
        max_output_tokens,
        said_on=said_on,
        conversation=conversation,
        changed=changed or _NOTHING,
    )


def request_patch(
    *, summary: str, changed: str, max_output_tokens: int
) -> ChatRequest[SummaryPatch]:
    """Build the request to reword the sentences of a summary that tell what no longer holds.

    Args:
        summary: its sentences, a numbered JSON object a line.
        changed: what was said and no longer holds, a statement a line.
        max_output_tokens: the longest answer.
    """
    return load_template("patch").build_request(
        SummaryPatch, max_output_tokens, summary=summary, changed=changed
    )


def request_rulings(*, pairs: str, max_output_tokens: int) -> ChatRequest[Rulings]:
    """Build the request for how each new statement relates to the known one of its pair.

    Args:
        pairs: the pairs, a numbered JSON object a line.
        max_output_tokens: the longest answer.
    """
    return load_template("adjudicate").build_request(Rulings, max_output_tokens, pairs=pairs)


def request_checks(*, statements: str, max_output_tokens: int) -> ChatRequest[Checks]:
    """Build the request to check whether each statement is supported by the words that it cites.

    Args:
        statements: with their words and turns, a numbered JSON object a line.
        max_output_tokens: the longest answer.
    """
    return load_template("verify").build_request(Checks, max_output_tokens, statements=statements)


class AskModel(Protocol):
    """Asks a chat model for one tenant, whose budget pays."""

    def __call__(self, request: ChatRequest[AnswerT]) -> AnswerT:
        """Return the answer to a request.

        Raises:
            ChatModelError: there is none.
        """
        ...


@dataclass(frozen=True, slots=True)
class ReviewCase:
    """A memory under review."""

    today: str
    """The day, with its weekday."""
    why: str
    """Reason for the review, as the rest of a sentence: `it is used often`."""
    memory: str
    """The memory, a JSON object."""
    known: str
    """The memories nearest to it, a JSON object a line."""


def review_memory(
    ask: AskModel, search: Callable[[str], str], case: ReviewCase, *, max_output_tokens: int
) -> Decision:
    """Have the model decide about a memory, after searches of its own; return the decision.

    Args:
        ask: the way to the model, asked up to four times.
        search: finds memories by words, up to three times; gives a JSON object a line.
        case: the memory.
        max_output_tokens: the longest answer.

    Raises:
        ChatModelError: the model gave no decision.
    """
    found: list[str] = []
    for left in range(MAX_SEARCHES, 0, -1):
        step = ask(_request_review(ReviewAnswer, case, found, left, max_output_tokens))
        if step.decision != "SEARCH":
            return Decision(decision=step.decision, reason=step.reason)
        found.append(f"{step.words}:\n{search(step.words) or _NOTHING}")
    last = ask(_request_review(Decision, case, found, 0, max_output_tokens))
    return Decision(decision=last.decision, reason=last.reason)


def _request_review(
    answer: type[AnswerT], case: ReviewCase, found: list[str], left: int, max_output_tokens: int
) -> ChatRequest[AnswerT]:
    return load_template("review").build_request(
        answer,
        max_output_tokens,
        today=case.today,
        why=case.why,
        searches_left=str(left),
        memory=case.memory,
        known=case.known or _NOTHING,
        found="\n\n".join(found) or _NOTHING,
    )


def request_concept(*, memories: str, max_output_tokens: int) -> ChatRequest[Concept]:
    """Build the request for what several linked memories have in common.

    Args:
        memories: the memories, a numbered JSON object a line.
        max_output_tokens: the longest answer.
    """
    return load_template("concept").build_request(Concept, max_output_tokens, memories=memories)


def request_day_summary(
    *, day: str, episodes: str, max_output_tokens: int
) -> ChatRequest[DaySummary]:
    """Build the request for the summary of a day.

    Args:
        day: the day, with its weekday.
        episodes: the summaries of its conversations, a numbered JSON object a line.
        max_output_tokens: the longest answer.
    """
    return load_template("day").build_request(
        DaySummary, max_output_tokens, day=day, episodes=episodes
    )


def request_skills(
    *, known: str, sessions: str, max_output_tokens: int
) -> ChatRequest[SkillReading]:
    """Build the request for tasks that were done again and again, and for skills that failed.

    Args:
        known: the skills on record, a JSON object a line.
        sessions: the sessions of a project, their lines numbered.
        max_output_tokens: the longest answer.
    """
    return load_template("skill").build_request(
        SkillReading, max_output_tokens, known=known or _NOTHING, sessions=sessions
    )
