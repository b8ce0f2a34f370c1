"""Who answers from the lines: the extractive reader, or the configured chat model."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio.to_thread
from pydantic import BaseModel

from memoria import Hit, SearchResult
from memoria.errors import InvalidAnswerError
from memoria.inference.chat.answers import read_answer
from memoria.inference.chat.base import ChatModel, ChatRequest
from memoria.surface.text import result_text

_INSTRUCTIONS: Final = Path(__file__).parent / "answer.md"
_MOST_TOKENS = 400


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and what it rests on."""

    answer: str | None
    """None where the reader does not know."""
    cited: tuple[Hit, ...] = ()
    tokens: int = 0
    """Tokens that were read and, by a model, written."""
    is_unfit: bool = False
    """Whether a model said something that is no answer."""


Reader = Callable[[str, SearchResult | None], Awaitable[Reply]]
"""Answers a question from what a search has found; from nothing where there is None."""


class ModelAnswer(BaseModel):
    """What a model answers."""

    answer: str | None
    cited: tuple[str, ...] = ()
    """Ids as they stand in the lines."""


async def extract_first_line(question: str, found: SearchResult | None) -> Reply:
    """Answer with the text of the line that stands first, whatever it says.

    It does not know where nothing is shown, or where the answer says that nothing fits well.
    """
    del question  # the search has read it
    if found is None:
        return Reply(None)
    first = found.hits[:1] if found.answered else ()
    return Reply(first[0].text if first else None, first, found.tokens)


class ModelAnswerer:
    """A chat model that answers from the lines it is shown, and from what it knows."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def __call__(self, question: str, found: SearchResult | None) -> Reply:
        """Ask the model once. An answer of another form counts as none."""
        request = ChatRequest(
            purpose="answer",
            prompt="evaluate/1",
            instructions=_INSTRUCTIONS.read_text("utf-8"),
            text=question if found is None else f"{result_text(found)}\n\n{question}",
            answer=ModelAnswer,
            max_output_tokens=_MOST_TOKENS,
        )
        reply = await anyio.to_thread.run_sync(self._model.ask, request)
        tokens = reply.input_tokens + reply.output_tokens
        try:
            said = read_answer(request, reply).value
        except InvalidAnswerError:
            return Reply(None, tokens=tokens, is_unfit=True)
        ids = tuple(one.strip("[]").rpartition(" ")[2] for one in said.cited)
        hits = () if found is None else found.hits
        cited = tuple(hit for hit in hits if any(one and hit.id.endswith(one) for one in ids))
        return Reply((said.answer or "").strip() or None, cited, tokens)
