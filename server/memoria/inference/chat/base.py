"""The seam between Memoria and chat models: one request, one reply, no second try."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

AnswerT = TypeVar("AnswerT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ChatRequest(Generic[AnswerT]):
    """A prompt filled in, and the form that its answer must have."""

    purpose: str
    """Purpose of the answer, in a word: `extract`."""
    prompt: str
    """Name and version of the prompt: `extract/3`."""
    instructions: str
    text: str
    answer: type[AnswerT]
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class ChatReply:
    """Text of a model, unread, and its cost."""

    text: str
    model: str
    input_tokens: int
    """Number as reported, else estimated."""
    output_tokens: int
    finish: str = "stop"
    """`stop`, `length` when it was cut off, `refused` when model or filter would not answer; any
    other word is the endpoint's own."""
    pause_s: float = 0.0
    """Time for which the endpoint wants no further request."""


class ChatModel(Protocol):
    """Requests in, replies out. Calls block and may come from several threads.

    It tries once: retries, budgets and the log of calls are the `ChatClient`'s.
    """

    @property
    def name(self) -> str:
        """The model, as the log of calls has it."""
        ...

    def ask(self, request: ChatRequest[AnswerT]) -> ChatReply:
        """Return the reply to a request.

        Raises:
            ModelUnavailableError: there is none now.
            ModelRefusedError: the endpoint will not take this request.
            InvalidAnswerError: what came is no reply.
            ModelMisconfiguredError: there will be none until a setting is mended.
            AskingStoppedError: the model was closed before it answered.
        """
        ...

    def close(self) -> None:
        """Give up the requests under way. Their callers get an error at once."""
        ...
