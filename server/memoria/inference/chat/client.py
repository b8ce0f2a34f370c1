"""Client of a chat model: limits attempts, pauses, and the tokens of a day; logs all calls.

Memoria reserves a request's maximum cost in the ledger before it sends the request, and only if the
day's tokens suffice; afterwards the entry is set to the actual cost. So concurrent processes cannot
exceed the cap together, and a process that is killed leaves an entry with the maximum.

The client waits for short pauses only. Where a model asks for a pause of more than a few seconds,
the error says when to ask again, and every request until then gets that error. Once a request has
taken as long as one answer may take, there is no further attempt: a request takes at most twice
that and a pause, or twice as long if its answer has to be repaired.
"""

import json
import logging
import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from memoria.bare.spans import spans
from memoria.config import Settings
from memoria.errors import BudgetSpentError, ChatModelError, ModelUnavailableError
from memoria.inference.chat.answers import UnfitAnswerError, read_answer
from memoria.inference.chat.base import (
    AnswerT,
    ChatModel,
    ChatReply,
    ChatRequest,
    asking_stopped_error,
    request_tokens,
)
from memoria.inference.chat.command import ASKED_BY_MEMORIA, CommandChat
from memoria.inference.chat.loose_answer import LooseAnswer, UnfitItem, join_answers
from memoria.inference.chat.schema import form_in_words, longest_form
from memoria.inference.templates import load_template
from memoria.model import DAY_MS, DailyCap, ModelCall, now_millis, start_of_utc_day, to_iso

_LOG = logging.getLogger(__name__)
_MS_PER_S = 1000
_LONGEST_WAIT_S = 20.0
"""Longest pause for which the client waits; after a longer one the queue asks again."""
_SHOWN_CHARS = 4000
"""Length of an unfit answer that is sent back: 200 kB of prose teach no more than its start."""
_SHOWN_OF_TOO_MUCH = 200
"""Length of an answer that is sent back after it was cut off: most of its text repeats itself."""


class CallLedger(Protocol):
    """Ledger in which calls to a chat model are entered. Several processes may share it."""

    def reserve(self, tenant: str, call: ModelCall, since: int, cap: DailyCap) -> int | None:
        """Enter a call that is about to be made; return its number.

        Return None if the tenant's entries of the day that began at `since` would exceed the cap.
        """
        ...

    def settle(self, tenant: str, n: int, call: ModelCall) -> None:
        """Set an entry to the outcome of the call."""
        ...


def open_call(request: ChatRequest[AnswerT], model: str, now: int) -> ModelCall:
    """Return the ledger entry of a call that is about to be made, with its maximum cost."""
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
    """A call to a chat model under way, with what is known of it so far."""

    def __init__(self, call: ModelCall) -> None:
        self.call = call
        self.reply: ChatReply | None = None
        self.failure: BaseException | None = None

    def final_call(self, duration_ms: int) -> ModelCall:
        """Return the call's ledger entry with tokens, time and outcome."""
        known = {"duration_ms": duration_ms, **self._token_counts(), **self._outcome()}
        return self.call.model_copy(update=known)

    def _token_counts(self) -> dict[str, int]:
        """Return the reported tokens: 0 if the model did nothing, empty if unknown."""
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


@dataclass(frozen=True, slots=True)
class ChatLimits:
    """Limits of a model's use: time, attempts, requests at once and tokens a day."""

    timeout_s: float
    attempts: int
    concurrency: int
    daily_cap: DailyCap
    first_pause_s: float = 0.5
    """Pause after the first failure; it doubles with each, and a part of it is chance."""


class ChatClient:
    """Sends requests to a chat model. Its methods may be called from any thread."""

    def __init__(
        self,
        model: ChatModel,
        ledger: CallLedger,
        limits: ChatLimits,
        now: Callable[[], int] = now_millis,
        *,
        closes_model: bool = True,
    ) -> None:
        """Create the client; it leaves a model open that others use, too."""
        self._closes_model = closes_model
        self.name = model.name
        self._model = model
        self._ledger = ledger
        self._limits = limits
        self._now = now
        self._stopping = threading.Event()
        self._change = threading.Condition()
        self._under_way = 0
        self._not_before = 0

    def ask(self, tenant: str, request: ChatRequest[AnswerT]) -> AnswerT:
        """Return the answer to a request; send an invalid answer back once to be mended.

        Of an answer with sound and unfit items, only the unfit ones are sent back, and kept if they
        are mended.

        Raises:
            ModelUnavailableError: there is none now; `retry_at` says when to ask again.
            BudgetSpentError: the tenant's tokens of the day do not suffice.
            ModelRefusedError: the model will not answer this request.
            InvalidAnswerError: the second answer was none either.
            ModelMisconfiguredError: a setting must be mended first.
            AskingStoppedError: Memoria is closing.
            StoreError: the call can't be entered in the ledger; the model was not asked.
        """
        try:
            read = self._ask_with_retries(tenant, request)
        except UnfitAnswerError as error:
            repaired = _repair_request(request, error)
            return self._ask_with_retries(tenant, repaired).value
        return self._mend_items(tenant, request, read) if read.unfit else read.value

    def _mend_items(
        self, tenant: str, request: ChatRequest[AnswerT], read: LooseAnswer[AnswerT]
    ) -> AnswerT:
        """Return an answer with those of its unfit items that the model can mend."""
        try:
            mended = self._ask_with_retries(tenant, _mend_request(request, read.unfit)).value
        except ChatModelError as error:
            _LOG.warning("%d items of an answer were left out: %s", len(read.unfit), error)
            return read.value
        return join_answers(read.value, mended)

    def stop(self) -> None:
        """End all waiting, now and from now on."""
        self._stopping.set()
        with self._change:
            self._change.notify_all()
        if self._closes_model:
            self._model.close()

    def _ask_with_retries(self, tenant: str, request: ChatRequest[AnswerT]) -> LooseAnswer[AnswerT]:
        began = time.monotonic()
        for attempt in range(1, self._limits.attempts + 1):
            self._wait_until_allowed()
            try:
                return self._ask_once(tenant, request)
            except ModelUnavailableError as error:
                self._postpone_requests(error, attempt)
                late = time.monotonic() - began >= self._limits.timeout_s
                if late or attempt == self._limits.attempts:
                    raise self._with_retry_time(error) from None
        raise asking_stopped_error()  # never so: there is at least one attempt

    def _ask_once(self, tenant: str, request: ChatRequest[AnswerT]) -> LooseAnswer[AnswerT]:
        """Ask the model once, and enter the outcome in the ledger."""
        with self._occupy_slot(), self._record_call(tenant, request) as entry:
            with spans.time("ask chat model", purpose=request.purpose):
                reply = self._model.ask(request)
            entry.reply = reply
            if reply.pause_s:
                self._not_before = self._now() + round(reply.pause_s * _MS_PER_S)
            return read_answer(request, reply)

    @contextmanager
    def _occupy_slot(self) -> Iterator[None]:
        """Occupy one of the places for requests under way."""
        with self._change:
            self._change.wait_for(self._may_start)
            if self._stopping.is_set():
                raise asking_stopped_error()
            self._under_way += 1
        try:
            yield
        finally:
            with self._change:
                self._under_way -= 1
                self._change.notify()

    def _may_start(self) -> bool:
        return self._stopping.is_set() or self._under_way < self._limits.concurrency

    @contextmanager
    def _record_call(self, tenant: str, request: ChatRequest[AnswerT]) -> Iterator[OpenCall]:
        entry = OpenCall(open_call(request, self.name, self._now()))
        n = self._ledger.reserve(
            tenant, entry.call, start_of_utc_day(entry.call.at), self._limits.daily_cap
        )
        if n is None:
            raise self._budget_error(entry.call)
        began = time.monotonic()
        try:
            yield entry
        except BaseException as error:
            entry.failure = error
            raise
        finally:
            call = entry.final_call(round((time.monotonic() - began) * _MS_PER_S))
            _LOG.info(
                "%s for %s: %s in %d ms", call.model, call.prompt, call.outcome, call.duration_ms
            )
            self._ledger.settle(tenant, n, call)

    def _budget_error(self, call: ModelCall) -> BudgetSpentError:
        cap = self._limits.daily_cap
        raised = " or ".join(cap.settings)
        if not cap.allows(call):
            return BudgetSpentError(
                f"The request may take {call.tokens:,} tokens, more than a whole day has ({cap}). "
                f"Raise {raised}, or lower MEMORIA_LLM_OUTPUT_TOKENS."
            )
        free_at = start_of_utc_day(call.at) + DAY_MS
        return BudgetSpentError(
            f"The day's {cap} do not suffice for another request. There are new ones at "
            f"{to_iso(free_at)}; raise {raised} for more.",
            retry_at=free_at,
        )

    def _wait_until_allowed(self) -> None:
        """Wait until the model may be asked, if that is soon."""
        while not self._stopping.is_set():
            left_s = (self._not_before - self._now()) / _MS_PER_S
            if left_s <= 0:
                return
            if left_s > _LONGEST_WAIT_S:
                raise ModelUnavailableError(
                    f"The chat model wants no request before {to_iso(self._not_before)}.",
                    retry_at=self._not_before,
                )
            self._stopping.wait(left_s)
        raise asking_stopped_error()

    def _postpone_requests(self, error: ModelUnavailableError, attempt: int) -> None:
        """Set the time of the next request: what the model wants, else after a doubled pause."""
        doubled_s = min(self._limits.first_pause_s * 2.0 ** (attempt - 1), _LONGEST_WAIT_S)
        pause_s = doubled_s * random.uniform(0.5, 1)  # noqa: S311  (so that processes spread out)
        until = self._now() + round(pause_s * _MS_PER_S)
        self._not_before = max(self._not_before, error.retry_at or until)

    def _with_retry_time(self, error: ModelUnavailableError) -> ModelUnavailableError:
        retry_at = max(self._not_before, self._now())
        return ModelUnavailableError(str(error), retry_at=retry_at, too_much=error.too_much)


def _repair_request(request: ChatRequest[AnswerT], error: UnfitAnswerError) -> ChatRequest[AnswerT]:
    """Return the request again, with the answer it got and what is wrong with the answer."""
    repair = load_template("repair")
    shown = _SHOWN_OF_TOO_MUCH if error.too_much else _SHOWN_CHARS
    again = repair.render(
        answer=error.reply.text[:shown], problem=error.complaint, form=form_in_words(request.answer)
    )
    return replace(
        request,
        prompt=f"{request.prompt}+{repair.label}",
        instructions=f"{request.instructions}\n\n{repair.instructions}",
        text=f"{request.text}\n\n{again}",
    )


def _mend_request(
    request: ChatRequest[AnswerT], unfit: Sequence[UnfitItem]
) -> ChatRequest[AnswerT]:
    """Return a request for some items of an answer alone, without the text to be read."""
    mend = load_template("mend")
    lines = (
        json.dumps({"item": one.item, "wrong": one.problem}, ensure_ascii=False)[:_SHOWN_CHARS]
        for one in unfit
    )
    asked = mend.build_request(request.answer, request.max_output_tokens, items="\n".join(lines))
    return replace(asked, purpose=request.purpose, prompt=f"{request.prompt}+{mend.label}")


def choose_chat_model(settings: Settings) -> ChatModel | None:
    """Return the configured chat model; None if none is configured.

    A Memoria that was started by the program which another Memoria asks has no chat model either.
    """
    if os.environ.get(ASKED_BY_MEMORIA):
        return None
    if settings.llm_command:
        return CommandChat(settings.llm_command, settings.llm_timeout_s)
    if not (settings.llm_base_url and settings.llm_model):
        return None
    from memoria.inference.chat.endpoint import EndpointChat  # noqa: PLC0415  (loads openai)

    key = settings.llm_api_key
    return EndpointChat(
        base_url=settings.llm_base_url,
        model=settings.llm_model,
        api_key=key.get_secret_value() if key else None,
        timeout_s=settings.llm_timeout_s,
    )


def chat_limits(settings: Settings) -> ChatLimits:
    """Return the limits of a model's use, by the settings."""
    return ChatLimits(
        timeout_s=settings.llm_timeout_s,
        attempts=settings.llm_attempts,
        concurrency=settings.llm_concurrency,
        daily_cap=settings.daily_cap,
    )
