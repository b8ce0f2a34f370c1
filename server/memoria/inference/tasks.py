"""Tasks: one typed function for each question we ask a model."""

from typing import Annotated

from pydantic import Field

from memoria.inference.chat.base import Question
from memoria.inference.templates import template
from memoria.model import Checks, Focus, Operation, Rulings, Summary
from memoria.model.base import Value

_MOST_OPERATIONS = 20
_Operation = Annotated[Operation, Field(discriminator="op")]
"""What is wrong with one is told of its own kind, and not of every other too."""


class Extraction(Value):
    """What a model would do with what it read."""

    operations: Annotated[tuple[_Operation, ...], Field(max_length=_MOST_OPERATIONS)]
    focus: Focus | None = None
    """The task in hand at the end of it, where the turns say so."""


def extract(
    *, said_on: str, known: str, before: str, conversation: str, max_output_tokens: int
) -> Question[Extraction]:
    """What in a piece of conversation is worth keeping?

    Args:
        said_on: the day, with its weekday.
        known: memories that may have to do with it, a JSON object a line.
        before: the turns before, which are not to be read again.
        conversation: the turns, each with its number.
        max_output_tokens: the longest answer.
    """
    return template("extract").question(
        Extraction,
        max_output_tokens,
        said_on=said_on,
        known=known,
        before=before,
        conversation=conversation,
    )


def episode(*, said_on: str, conversation: str, max_output_tokens: int) -> Question[Summary]:
    """What did a stretch of conversation come to?

    Args:
        said_on: the day, with its weekday.
        conversation: the turns, each with its number.
        max_output_tokens: the longest answer.
    """
    return template("episode").question(
        Summary, max_output_tokens, said_on=said_on, conversation=conversation
    )


def adjudicate(*, pairs: str, max_output_tokens: int) -> Question[Rulings]:
    """What is each new statement to the known one beside it?

    Args:
        pairs: the pairs, a numbered JSON object a line.
        max_output_tokens: the longest answer.
    """
    return template("adjudicate").question(Rulings, max_output_tokens, pairs=pairs)


def verify(*, statements: str, max_output_tokens: int) -> Question[Checks]:
    """Is each statement borne out by the words it was drawn from?

    Args:
        statements: with their words and turns, a numbered JSON object a line.
        max_output_tokens: the longest answer.
    """
    return template("verify").question(Checks, max_output_tokens, statements=statements)
