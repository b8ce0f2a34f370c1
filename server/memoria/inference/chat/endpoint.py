"""An OpenAI-compatible `/chat/completions` endpoint: OpenAI, Ollama, llama.cpp, vLLM.

Endpoints differ in two things: in which form they take a wish for JSON, and how they call the
longest answer. A refusal of one is followed by the next, and what worked is remembered.
"""

import logging
import ssl
import weakref
from functools import cache
from typing import Any

import httpx2
import openai

from memoria.errors import (
    ChatModelError,
    ModelMisconfiguredError,
    ModelRefusedError,
    ModelUnavailableError,
)
from memoria.inference.chat.base import AnswerT, ChatReply, ChatRequest
from memoria.inference.chat.completion import is_final, read_completion, to_chat_error
from memoria.inference.chat.deadline import DeadlineRunner
from memoria.inference.chat.forms import (
    FORMS,
    Form,
    first_form,
    put_form_in_words,
    response_format,
)
from memoria.inference.http import restrict_client

_NO_KEY = "none"  # the client insists on a key; local servers ignore it
_MOST_BYTES = 16_000_000
"""Most bytes of an answer: three times what the longest that can be asked for takes."""
_NEVER_SENT = "ConnectError"  # of whichever HTTP library the client has
_FORM_IN_DOUBT = (400, 422, 501)
_CAPS = ("max_tokens", "max_completion_tokens")
"""Names of the longest answer: everywhere, and in OpenAI's newer models."""

# Older versions of the client write whole requests there.
logging.getLogger("openai._base_client").setLevel(logging.INFO)


@cache
def _tls() -> ssl.SSLContext:
    """Return the certificates of the machine, read once: that takes longer than to open a home."""
    return httpx2.create_ssl_context()


class EndpointChat:
    """Asks over HTTP, each request once."""

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
        """Give up what is under way."""
        self._waiting.stop()

    def _ask_in_accepted_form(self, request: ChatRequest[AnswerT]) -> ChatReply:
        """Ask in the form that worked last, else in those that ask less of the endpoint."""
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
    """Check whether the endpoint has another name for the longest answer; some say so in prose."""
    return error.param in _CAPS or any(f"'{cap}'" in error.message for cap in _CAPS)
