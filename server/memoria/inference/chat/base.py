"""Protocol of chat models: a request, its reply, and waiting for it until a deadline."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from memoria.errors import AskingStoppedError
from memoria.language.budget import estimate_tokens

AnswerT = TypeVar("AnswerT", bound=BaseModel)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ChatRequest(Generic[AnswerT]):
    """Filled-in prompt, and the type that its answer must have."""

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
    """Text of a model, not parsed yet, and its cost."""

    text: str
    model: str
    input_tokens: int
    """Number as the model reports it, else estimated."""
    output_tokens: int
    finish: str = "stop"
    """`stop`, `length` when it was cut off, `refused` when model or filter would not answer; any
    other word is the endpoint's own."""
    pause_s: float = 0.0
    """Time for which the endpoint wants no further request."""


class ChatModel(Protocol):
    """Answers requests. Calls block and may come from several threads.

    A model tries once: retries, budgets and the log of calls are the `ChatClient`'s.
    """

    @property
    def name(self) -> str:
        """Name of the model, as the log of calls has it."""
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


def request_tokens(request: ChatRequest[AnswerT]) -> int:
    """Estimate the tokens of a request."""
    return estimate_tokens(request.instructions) + estimate_tokens(request.text)


def asking_stopped_error() -> AskingStoppedError:
    """Return the error that a waiting caller gets when Memoria closes."""
    return AskingStoppedError("Memoria was closed while a chat model was asked.", uncounted=True)


class DeadlineRunner:
    """Runs work in threads of its own, so that waiting can end at any moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: set[Future[object]] = set()
        self._stopped = False

    def run(self, work: Callable[[], _T], timeout_s: float) -> _T:
        """Run work; return its result, or raise its error.

        Raises:
            TimeoutError: it takes longer. It goes on, and what it gives is lost.
            AskingStoppedError: `stop` was called before its end.
        """
        future: Future[_T] = Future()
        with self._lock:
            if self._stopped:
                raise asking_stopped_error()
            self._under_way.add(future)  # type: ignore[arg-type]  # only ever given an error
        threading.Thread(
            target=_fulfil_future, args=(future, work), name="memoria-ask", daemon=True
        ).start()
        try:
            return future.result(timeout_s)
        finally:
            with self._lock:
                self._under_way.discard(future)

    def stop(self) -> None:
        """End all waiting, now and from now on."""
        with self._lock:
            self._stopped = True
            for future in self._under_way:
                with suppress(InvalidStateError):
                    future.set_exception(asking_stopped_error())


def _fulfil_future(future: Future[_T], work: Callable[[], _T]) -> None:
    with suppress(InvalidStateError):
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001  (raised again where it is waited for)
            future.set_exception(error)
        else:
            future.set_result(result)
