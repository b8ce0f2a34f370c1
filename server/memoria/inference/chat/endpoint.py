"""Chat model behind an OpenAI-compatible endpoint: OpenAI, Ollama, llama.cpp, vLLM.

Endpoints differ in two things: how they are asked for JSON, and the name of the limit on an
answer's tokens. If one way is refused, the next is tried, and the way that worked is remembered.

Errors quote no words of the server but a few well-known codes: the server may quote the request or
the key.
"""

import logging
import ssl
import weakref
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

import httpx2
import openai
from pydantic import BaseModel, ValidationError

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import (
    ChatModelError,
    ModelMisconfiguredError,
    ModelRefusedError,
    ModelUnavailableError,
)
from memoria.inference.chat.base import (
    AnswerT,
    ChatReply,
    ChatRequest,
    DeadlineRunner,
    request_tokens,
)
from memoria.inference.chat.schema import (
    FORMS,
    Form,
    first_form,
    put_form_in_words,
    response_format,
)
from memoria.inference.http import restrict_client
from memoria.language.budget import estimate_tokens
from memoria.model import now_millis, to_millis

LONGEST_PAUSE_S = 24 * 3600.0
"""Longest pause for which an endpoint is believed."""
_LIMITS = ("requests", "tokens")
_SPAN = lazy_regex(
    r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?"
)
_MILLISECONDS = lazy_regex(r"(\d{1,12}(?:\.\d{1,9})?)ms")
_NUMBER = lazy_regex(r"\d{1,12}(?:\.\d{1,9})?")
_UNITS_S = (86_400, 3600, 60, 1)
_MS_PER_S = 1000
_MOST_TOKENS = 10**9
"""Most tokens of one request; a larger count of an endpoint is not believed."""
_REDIRECTS = range(300, 400)
_PASSING = (408, 409, 425, 429)
_SERVER_ERROR = 500
_WRONG_SETTINGS = {
    401: "Check MEMORIA_LLM_API_KEY.",
    402: "The account behind MEMORIA_LLM_API_KEY has nothing left to spend.",
    403: "Check MEMORIA_LLM_API_KEY and that it may use MEMORIA_LLM_MODEL.",
    404: "Check MEMORIA_LLM_BASE_URL (it often ends with /v1) and MEMORIA_LLM_MODEL.",
    405: "Check MEMORIA_LLM_BASE_URL; it often ends with /v1.",
}
_CODES = frozenset(
    "content_filter context_length_exceeded insufficient_quota invalid_api_key model_not_found "
    "rate_limit_exceeded unsupported_parameter unsupported_value".split()
)
_NO_QUOTA = "insufficient_quota"
_FILTERED = "content_filter"
_NO_MODEL = "model_not_found"
_TOO_LONG = "context_length_exceeded"
_SAYS_TOO_LONG = ("context size", "context length", "context window")
"""Words for too long a request in errors of servers that have no code for it: llama.cpp, vLLM."""
_FINAL = (_FILTERED, _TOO_LONG, _NO_MODEL)
"""Codes of errors that no other form of the request would mend."""
_NO_KEY = "none"  # the client insists on a key; local servers ignore it
_MOST_BYTES = 16_000_000
"""Most bytes of an answer: three times what the longest possible answer takes."""
_NEVER_SENT = "ConnectError"  # of whichever HTTP library the client has
_FORM_IN_DOUBT = (400, 422, 501)
_CAPS = ("max_tokens", "max_completion_tokens")
"""Names of the limit on an answer's tokens: everywhere, and in OpenAI's newer models."""


def retry_pause_s(headers: Mapping[str, str], now: int) -> float | None:
    """Return the seconds to wait that the headers ask for, at most a day; else None.

    Args:
        headers: by names in lower case.
        now: the present, in UTC epoch milliseconds.
    """
    asked = _retry_after_s(headers, now)
    if asked is None:
        resets = [
            _span_s(headers.get(f"x-ratelimit-reset-{limit}", ""))
            for limit in _list_exhausted(headers)
        ]
        asked = max((reset for reset in resets if reset is not None), default=None)
    return None if asked is None else min(max(asked, 0.0), LONGEST_PAUSE_S)


def _list_exhausted(headers: Mapping[str, str]) -> list[str]:
    """List the rate limits that are used up."""
    return [name for name in _LIMITS if headers.get(f"x-ratelimit-remaining-{name}") == "0"]


def _retry_after_s(headers: Mapping[str, str], now: int) -> float | None:
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    after = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(after):
        return float(after)
    try:
        return (to_millis(parsedate_to_datetime(after)) - now) / 1000
    except (ValueError, OverflowError, OSError):
        return None


def _span_s(span: str) -> float | None:
    """Convert `20ms`, `1s`, `6m0s`, `1h30m` or a bare number to seconds."""
    span = span.strip()
    if _NUMBER.fullmatch(span):
        return float(span)
    if milliseconds := _MILLISECONDS.fullmatch(span):
        return float(milliseconds[1]) / 1000
    parts = _SPAN.fullmatch(span)
    if parts is None or not span:
        return None
    return sum(float(part or 0) * unit for part, unit in zip(parts.groups(), _UNITS_S, strict=True))


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    """Fields of an answer that Memoria reads; the client's own type is built without a check."""

    choices: list[_Choice]
    usage: _Usage | None = None


def read_completion(
    body: bytes, headers: Mapping[str, str], request: ChatRequest[AnswerT], model: str
) -> ChatReply:
    """Return the reply in a body that came with status 200.

    Raises:
        ModelUnavailableError: the body is no completion.
    """
    try:
        completion = _Completion.model_validate_json(body)
        choice = completion.choices[0]
    except (ValidationError, IndexError):
        raise ModelUnavailableError(
            "The chat model's endpoint answered with something that is no chat completion. If this "
            "goes on, check MEMORIA_LLM_BASE_URL; it often ends with /v1.",
            uncounted=True,
        ) from None
    text = choice.message.content or ""
    usage = completion.usage or _Usage()
    return ChatReply(
        text=text,
        model=model,
        input_tokens=_usage_or_estimate(usage.prompt_tokens, request_tokens(request)),
        output_tokens=_usage_or_estimate(usage.completion_tokens, estimate_tokens(text)),
        finish=_finish_reason(choice),
        pause_s=retry_pause_s(headers, now_millis()) or 0.0,
    )


def to_chat_error(error: openai.APIStatusError, request: ChatRequest[AnswerT]) -> ChatModelError:
    """Convert an HTTP status of 300 and more to an error of Memoria's."""
    status, code = error.status_code, _find_code(error)
    what = f"The chat model's endpoint answered HTTP {status}" + (f" ({code})" if code else "")
    if status in _REDIRECTS:
        return ModelMisconfiguredError(
            f"{what}: it sends us elsewhere, and Memoria goes nowhere but to the address that you "
            "named. Write the final address into MEMORIA_LLM_BASE_URL."
        )
    if status in _WRONG_SETTINGS or code in (_NO_QUOTA, _NO_MODEL):
        cure = _WRONG_SETTINGS.get(status, _WRONG_SETTINGS[402 if code == _NO_QUOTA else 404])
        return ModelMisconfiguredError(f"{what}. {cure}")
    if status in _PASSING or status >= _SERVER_ERROR:
        return ModelUnavailableError(f"{what}. It is asked again.", retry_at=_retry_at(error))
    if code == _FILTERED:
        return ModelRefusedError(f"{what}: a filter refuses the request.")
    if code == _TOO_LONG:
        return ModelRefusedError(
            f"{what}: a request of about {request_tokens(request):,} tokens and its answer are "
            "more than MEMORIA_LLM_MODEL can read. Serve it with a larger context, or lower "
            "MEMORIA_LLM_OUTPUT_TOKENS.",
            too_much=True,
        )
    return ModelRefusedError(
        f"{what}: it does not take a request of about {request_tokens(request):,} tokens. Check "
        "how much MEMORIA_LLM_MODEL can read, and its limits."
    )


def is_final(error: openai.APIStatusError) -> bool:
    """Check whether every other form of the request would fail in the same way."""
    return _find_code(error) in _FINAL


def _find_code(error: openai.APIStatusError) -> str | None:
    """Return the error's code, if it is a well-known one."""
    if error.code in _CODES:
        return error.code
    asked_wrongly = error.status_code < _SERVER_ERROR
    said = error.message.lower()
    return _TOO_LONG if asked_wrongly and any(word in said for word in _SAYS_TOO_LONG) else None


def _retry_at(error: openai.APIStatusError) -> int | None:
    now = now_millis()
    pause = retry_pause_s(error.response.headers, now)
    return None if pause is None else now + round(pause * _MS_PER_S)


def _usage_or_estimate(tokens: int | None, estimate: int) -> int:
    return tokens if tokens is not None and 0 <= tokens <= _MOST_TOKENS else estimate


def _finish_reason(choice: _Choice) -> str:
    if choice.message.refusal or choice.finish_reason in (_FILTERED, "refusal"):
        return "refused"
    return choice.finish_reason if choice.finish_reason == "length" else "stop"


# Older versions of the client write whole requests there.
logging.getLogger("openai._base_client").setLevel(logging.INFO)


@cache
def _tls() -> ssl.SSLContext:
    """Load the machine's certificates, once, as this takes longer than opening a home."""
    return httpx2.create_ssl_context()


class EndpointChat:
    """Chat model behind an HTTP endpoint: each request is sent once."""

    def __init__(self, base_url: str, model: str, api_key: str | None, timeout_s: float) -> None:
        self.name = model
        self._timeout_s = timeout_s
        http = openai.DefaultHttpxClient(verify=_tls(), **restrict_client(_MOST_BYTES))
        weakref.finalize(self, http.close)
        self._client = openai.OpenAI(
            base_url=base_url,
            api_key=api_key or _NO_KEY,
            timeout=timeout_s,
            max_retries=0,
            http_client=http,
        )
        self._waiting = DeadlineRunner()
        self._known: tuple[Form, str] = (first_form(base_url), _CAPS[0])

    def ask(self, request: ChatRequest[AnswerT]) -> ChatReply:
        """Return the reply to a request, in the first form that the endpoint takes."""
        try:
            # The client's own limit is one on silence: a byte a second would satisfy it for ever.
            return self._waiting.run(lambda: self._ask_in_accepted_form(request), self._timeout_s)
        except (TimeoutError, openai.APITimeoutError):
            raise ModelUnavailableError(
                f"The chat model gave no answer within {self._timeout_s:g} s "
                "(MEMORIA_LLM_TIMEOUT_S). It is asked again later.",
                uncounted=True,
                too_much=True,
            ) from None
        except openai.APIConnectionError as error:
            raise ModelUnavailableError(
                "The chat model's endpoint can't be reached, or broke off its answer. Check that "
                "it runs and MEMORIA_LLM_BASE_URL; it is asked again.",
                uncounted=type(error.__cause__).__name__ != _NEVER_SENT,
            ) from None
        except UnicodeEncodeError:
            raise ModelMisconfiguredError(
                "MEMORIA_LLM_API_KEY holds a character that no key has. Mend it and start again."
            ) from None

    def close(self) -> None:
        """Give up the requests under way."""
        self._waiting.stop()

    def _ask_in_accepted_form(self, request: ChatRequest[AnswerT]) -> ChatReply:
        """Ask in the form that worked last; if refused, in forms that ask less of the endpoint."""
        refusal: ChatModelError | None = None
        for form in FORMS[FORMS.index(self._known[0]) :]:
            for cap in sorted(_CAPS, key=lambda cap: cap != self._known[1]):
                try:
                    reply = self._send(request, form, cap)
                except openai.APIStatusError as error:
                    refusal = to_chat_error(error, request)
                    if error.status_code not in _FORM_IN_DOUBT or is_final(error):
                        raise refusal from None
                    if not _blames_the_cap(error):
                        break
                else:
                    self._known = form, cap
                    return reply
        raise refusal or ModelRefusedError("The chat model takes requests in no form.")

    def _send(self, request: ChatRequest[AnswerT], form: Form, cap: str) -> ChatReply:
        asked = put_form_in_words(form, request)
        body: dict[str, Any] = {cap: request.max_output_tokens}
        wanted = response_format(form, request)
        if wanted is not None:
            body["response_format"] = wanted
        answer = self._client.chat.completions.with_raw_response.create(
            model=self.name,
            messages=[
                {"role": "system", "content": asked.instructions},
                {"role": "user", "content": asked.text},
            ],
            **body,
        ).http_response
        return read_completion(answer.content, answer.headers, asked, self.name)


def _blames_the_cap(error: openai.APIStatusError) -> bool:
    """Check whether an error is about the token limit's name; some endpoints say so in prose."""
    return error.param in _CAPS or any(f"'{cap}'" in error.message for cap in _CAPS)
