"""Reflections: a model's conclusions from memories in nightly maintenance, when nobody waits.

Not among the names of `memoria.model`: no start-up needs them.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from memoria.model.base import Value

Judgement = Literal["PROMOTE", "KEEP", "DELETE"]
"""Fate of a memory. Even DELETE only puts it aside."""
_Number = Annotated[int, Field(ge=1)]
_Reason = Annotated[str, Field(max_length=300)]
_Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
_Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
_LEAST_SOURCES = 2


class Decision(Value):
    """A reviewer's last word."""

    decision: Judgement
    words: _Words = ""
    """Unused: nothing is searched for any more, but the form the model was shown has them."""
    reason: _Reason = ""


class ReviewAnswer(Value):
    """A reviewer's next step: a decision, or a search before there is one."""

    decision: Literal["SEARCH", "PROMOTE", "KEEP", "DELETE"]
    words: _Words = ""
    """Words to search for."""
    reason: _Reason = ""

    @model_validator(mode="after")
    def _check_search_words(self) -> Self:
        if self.decision == "SEARCH" and not self.words:
            raise ValueError("SEARCH needs words to search for")
        return self


class MemoryQuote(Value):
    """Words of a memory, by its number in the prompt."""

    memory: _Number
    quote: _Line


class Concept(Value):
    """Common point of some memories, or the statement that there is none."""

    action: Literal["CONCEPT", "SKIP"]
    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=80)] = ""
    """Theme, in a few words."""
    content: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)] = ""
    """A sentence that stands by itself."""
    quotes: Annotated[tuple[MemoryQuote, ...], Field(max_length=20)] = ()
    """Quotes that bear it out."""

    @model_validator(mode="after")
    def _check_sources(self) -> Self:
        if self.action == "CONCEPT":
            if not (self.name and self.content):
                raise ValueError("CONCEPT needs a name and a content")
            if len({passage.memory for passage in self.quotes}) < _LEAST_SOURCES:
                raise ValueError("CONCEPT needs quotes of at least two memories")
        return self


class DaySentence(Value):
    """A sentence about a day, and the numbers of the summaries it rests on."""

    text: _Line
    episodes: Annotated[tuple[_Number, ...], Field(min_length=1, max_length=20)]


class DaySummary(Value):
    """Summary of a day; no sentences where it came to nothing."""

    sentences: Annotated[tuple[DaySentence, ...], Field(max_length=5)]
