"""Questions about the MemoryBank chats, marked by hand with the turns that answer them.

All were written from reading the chats alone, before any search had been run on them.
`memorybank.jsonl` asks in the language of the chat, `cross_language.jsonl` in the other one. The
rule they were marked by:

- A turn is named by its day and its number in the day, from 1. An exchange is two turns: what the
  user wrote, then what came back.
- `gold` lists the pieces of evidence an answer needs: most often one. A piece lists the turns any
  of which gives it. A second turn stands there only where it states the same fact by itself, so
  that an assessor who reads nothing but that turn would accept it; one that merely asks for the
  fact, thanks for it or comes after it does not.
- A turn may rely on the exchange before it for what is spoken of, as "about eight people" does.

Kinds: `direct` shares its main words with the evidence (in a cross-language question: would, if
translated); `paraphrased` shares few or none; `dated` names a day or asks for one; `two_turns`
needs two pieces.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from memoria.model.base import Value

_FOLDER = Path(__file__).parent
MEMORYBANK = _FOLDER / "memorybank.jsonl"
CROSS_LANGUAGE = _FOLDER / "cross_language.jsonl"

Kind = Literal["direct", "paraphrased", "dated", "two_turns"]
TurnName = Annotated[str, Field(pattern=r"^2023-\d\d-\d\d:[1-9]\d*$")]
"""Such as `2023-04-28:3`."""


class Marked(Value):
    """A question with the turns that answer it."""

    id: str
    user: str
    """Whose chats are asked about; the Chinese and the English chats have different names."""
    language: Literal["en", "zh"]
    """Of the question."""
    kind: Kind
    question: str
    gold: tuple[Annotated[tuple[TurnName, ...], Field(min_length=1)], ...] = Field(min_length=1)


def read_marked(path: Path) -> Iterator[Marked]:
    """The questions of a file, in its order.

    Args:
        path: `MEMORYBANK`, `CROSS_LANGUAGE` or another file of the same form.

    Raises:
        pydantic.ValidationError: a line is no question.
    """
    for line in path.read_text("utf-8").splitlines():
        yield Marked.model_validate_json(line)
