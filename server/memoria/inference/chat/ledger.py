"""Ledger of calls to a chat model: an entry is made before a call and settled after it."""

from typing import Protocol

from memoria.errors import ChatModelError
from memoria.inference.chat.base import AnswerT, ChatReply, ChatRequest
from memoria.inference.chat.forms import longest_form
from memoria.inference.chat.tokens import request_tokens
from memoria.model import DailyCap, ModelCall


class CallLedger(Protocol):
    """Ledger in which calls are entered. Several processes may share it."""

    def reserve(self, tenant: str, call: ModelCall, since: int, cap: DailyCap) -> int | None:
        """Enter a call that is about to be made; return its number.

        None if the tenant's entries of the day that began at `since` would come to more than the
        cap.
        """
        ...

    def settle(self, tenant: str, n: int, call: ModelCall) -> None:
        """Set an entry to the outcome of the call."""
        ...


def open_call(request: ChatRequest[AnswerT], model: str, now: int) -> ModelCall:
    """Return the entry of a call to be made, with the most it may cost."""
    return ModelCall(
        at=now,
        purpose=request.purpose,
        prompt=request.prompt,
        model=model,
        input_tokens=request_tokens(longest_form(request)),
        output_tokens=request.max_output_tokens,
        outcome="open",
    )


class OpenCall:
    """A call under way, and its data so far."""

    def __init__(self, call: ModelCall) -> None:
        self.call = call
        self.reply: ChatReply | None = None
        self.failure: BaseException | None = None

    def final_call(self, duration_ms: int) -> ModelCall:
        """Return the call as it went."""
        known = {"duration_ms": duration_ms, **self._token_counts(), **self._outcome()}
        return self.call.model_copy(update=known)

    def _token_counts(self) -> dict[str, int]:
        """Return the reported tokens; 0 where nothing was done, empty if unknown."""
        match self.reply, self.failure:
            case ChatReply() as reply, _:
                return {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
            case _, ChatModelError(uncounted=False):
                return {"input_tokens": 0, "output_tokens": 0}
            case _:
                return {}

    def _outcome(self) -> dict[str, str | None]:
        match self.failure:
            case None:
                return {"outcome": "ok", "detail": None}
            case ChatModelError() as error:
                return {"outcome": error.outcome, "detail": str(error)}
            case error:
                return {"outcome": "failed", "detail": type(error).__name__}
