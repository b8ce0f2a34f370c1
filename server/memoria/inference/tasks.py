"""Tasks: one typed function for each question we ask a model."""

from typing import Annotated

from pydantic import Field

from memoria.inference.chat.base import Question
from memoria.inference.templates import template
from memoria.model import Operation
from memoria.model.base import Value

_MOST_OPERATIONS = 20
_Operation = Annotated[Operation, Field(discriminator="op")]
"""What is wrong with one is told of its own kind, and not of every other too."""


class Extraction(Value):
    """What a model would do with what it read."""

    operations: Annotated[tuple[_Operation, ...], Field(max_length=_MOST_OPERATIONS)]


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
