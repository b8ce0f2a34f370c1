"""Episodes: a model's summaries of conversation segments."""

from typing import Annotated

from pydantic import Field

from memoria.model.base import Value
from memoria.model.operation import Mention

_Sentence = Annotated[str, Field(min_length=1, max_length=300)]


class TurnQuote(Value):
    """Words of a turn, by its number in the prompt."""

    turn: Annotated[int, Field(ge=1)]
    quote: Annotated[str, Field(min_length=1, max_length=300)]


class TurnRange(Value):
    """The turns of a session that an episode sums up, from one place to another."""

    session_id: str
    source: str
    first_index: int
    last_index: int


class EpisodeSummary(Value):
    """The summary of a segment; empty where there is nothing to sum up."""

    goal: _Sentence | None = None
    """The user's aim, in a phrase."""
    summary: Annotated[str, Field(max_length=1200)] = ""
    """Account of the conversation, in two to five sentences."""
    outcome: _Sentence | None = None
    """Result, if it had one."""
    importance: Annotated[float, Field(ge=0, le=1)] = 0.4
    entities: Annotated[tuple[Mention, ...], Field(max_length=8)] = ()
    quotes: Annotated[tuple[TurnQuote, ...], Field(max_length=6)] = ()
    """Words it rests on above all."""


class PatchedSentence(Value):
    """A sentence of a summary in other words, by its number in the prompt; empty: left out."""

    number: Annotated[int, Field(ge=1)]
    text: Annotated[str, Field(max_length=600)] = ""


class SummaryPatch(Value):
    """Sentences of a summary that needed a change, with their new text."""

    sentences: Annotated[tuple[PatchedSentence, ...], Field(max_length=20)]
