"""Answers that are given before the server has loaded: what it would say, word for word.

A client asks for much at its start that no memory has a part in: who we are, which tools there
are. The answers are in `early.json`, taken from the server itself, so they can be given at once.
Whatever is not understood completely, and whatever needs the memory, is left to the server.
"""

import os
from collections.abc import Callable, Mapping

from memoria.bare.plain_json import read_json
from memoria.surface.front.messages import (
    INITIALIZE,
    LISTEN,
    MODERN,
    Json,
    acknowledge,
    has_envelope,
    is_whole_envelope,
    is_whole_handshake,
    read_message,
    request_id,
)

FILE = os.path.join(os.path.dirname(__file__), "early.json")
"""Results by protocol version and method, or the name of the version that has the same result.

`python -m tests.surface.early_answers` writes it.
"""
_SPEAKS_FOR_US = (INITIALIZE, "server/discover")
"""Methods whose results have instructions in them."""


class Reply:
    """An answer given ahead of the server."""

    __slots__ = ("is_passed_on", "message")

    def __init__(self, message: Json, *, is_passed_on: bool) -> None:
        """Keep a message; `is_passed_on` if the server, too, has to hear and answer the request."""
        self.message = message
        self.is_passed_on = is_passed_on


class EarlyAnswers:
    """Answers what can be answered before the server stands.

    It follows what the client says as the server would: the first request decides whether there is
    a handshake, and what the server has to know of is passed on to it though it was answered. If a
    client opens in a way that is not understood, it says nothing more.
    """

    def __init__(self, kept_instructions: Callable[[], str | None]) -> None:
        """Load the answers.

        Args:
            kept_instructions: what the server would tell of itself now, or None where that is not
                known for certain.
        """
        with open(FILE, encoding="utf-8") as opened:
            results = read_json(opened.read())
        self._results: Mapping[str, Mapping[str, Json | str]] = results  # type: ignore[assignment]
        self._kept_instructions = kept_instructions
        self._version: str | None = None
        self._has_begun = False
        self._is_silent = False

    def answer(self, line: str) -> Reply | None:
        """Answer a line of the client; None where the server has to."""
        if self._is_silent or not line.strip():
            return None
        message = read_message(line)
        number = request_id(message)
        if message is None or number is None:
            is_clear = message is not None and message.get("id") is None  # a notification
            self._is_silent = not self._has_begun and not is_clear
            return None
        is_first, self._has_begun = not self._has_begun, True
        method, params = message["method"], message.get("params") or {}
        said = None
        if isinstance(method, str) and isinstance(params, dict):
            if is_first and method != INITIALIZE and has_envelope(params):
                self._version = MODERN
            answer = self._answer_modern if self._version == MODERN else self._answer_handshake
            said = answer(method, number, params)
        if said is None:
            self._is_silent = is_first or method == INITIALIZE
            return None
        return Reply(said, is_passed_on=is_first or method in (INITIALIZE, LISTEN))

    def _answer_modern(self, method: str, number: int | str, params: Json) -> Json | None:
        if not is_whole_envelope(params):
            return None
        if method == LISTEN:
            return acknowledge(number, params)
        return self._answer_static(method, number) if set(params) == {"_meta"} else None

    def _answer_handshake(self, method: str, number: int | str, params: Json) -> Json | None:
        if method == INITIALIZE:
            version = params.get("protocolVersion")
            is_known = isinstance(version, str) and INITIALIZE in self._results.get(version, {})
            if self._version is not None or not is_known or not is_whole_handshake(params):
                return None
            self._version = str(version)
        elif has_envelope(params) or set(params) - {"_meta"}:
            return None
        elif method == "ping":
            return _result(number, {})
        return self._answer_static(method, number)

    def _answer_static(self, method: str, number: int | str) -> Json | None:
        result = self._results.get(self._version or "", {}).get(method)
        if isinstance(result, str):
            result = self._results[result][method]
        if not isinstance(result, dict):
            return None
        if method in _SPEAKS_FOR_US and (kept := self._kept_instructions()) is not None:
            result = {**result, "instructions": kept}
        return _result(number, result)


def _result(number: int | str, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": number, "result": result}
