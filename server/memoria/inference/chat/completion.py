"""Answers of an OpenAI-compatible endpoint, read as a reply or as one of our errors.

No words of the server go into an error, but for a few well-known codes: it may quote the request,
or the key.
"""

from collections.abc import Mapping

import openai
from pydantic import BaseModel, ValidationError

from memoria.errors import (
    ChatModelError,
    ModelMisconfiguredError,
    ModelRefusedError,
    ModelUnavailableError,
)
from memoria.inference.chat.base import AnswerT, ChatReply, ChatRequest
from memoria.inference.chat.retry_after import retry_pause_s
from memoria.inference.chat.tokens import request_tokens
from memoria.language.budget import estimate_tokens
from memoria.model import now_millis

_MS_PER_S = 1000
_MOST_TOKENS = 10**9
"""Most tokens of one request; an endpoint that counts more does not count."""
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
"""Words of servers that have no code for it: llama.cpp, vLLM."""
_FINAL = (_FILTERED, _TOO_LONG, _NO_MODEL)
"""Codes of errors that no other form of the request would mend."""


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
    """Fields that we read of an answer. The client's own type is built without a check."""

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
    """Return our error for a status of 300 and more."""
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
    """Check that no other form of the request would mend the error."""
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
