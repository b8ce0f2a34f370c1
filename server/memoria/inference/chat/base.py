"""The seam between Memoria and chat models: one question, one reply, no second try."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

AnswerT = TypeVar("AnswerT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ChatRequest(Generic[AnswerT]):
    """What is asked, and the form the answer must have."""

    purpose: str
    """What it is asked for, in a word: `extract`."""
    prompt: str
    """Name and version of the prompt: `extract/3`."""
    instructions: str
    text: str
    answer: type[AnswerT]
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model said, unread, and what it cost."""

    text: str
    model: str
    input_tokens: int
    """As reported, else estimated."""
    output_tokens: int
    finish: str = "stop"
    """`stop`, `length` when it was cut off, `refused` when model or filter would not answer; any
    other word is the endpoint's own."""
    pause_s: float = 0.0
    """How long the endpoint wants no further question."""


class ChatModel(Protocol):
    """Questions in, replies out. Calls block and may come from several threads.

    It tries once: retries, budgets and the log of calls are the `ChatClient`'s.
    """

    @property
    def name(self) -> str:
        """The model, as the log of calls has it."""
        ...

    def ask(self, question: ChatRequest[AnswerT]) -> ChatReply:
        """The reply to a question.

        Raises:
            ModelUnavailableError: there is none now.
            ModelRefusedError: the endpoint will not take this question.
            InvalidAnswerError: what came is no reply.
            ModelMisconfiguredError: there will be none until a setting is mended.
            AskingStoppedError: the model was closed before it answered.
        """
        ...

    def close(self) -> None:
        """Give up the requests under way. Their callers get an error at once."""
        ...
