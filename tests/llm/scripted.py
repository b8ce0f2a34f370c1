"""A chat model that follows a script: an OpenAI-compatible server on loopback, and a command.

    with ScriptedModel([rate_limited(1), says({"colour": "red"})]) as model:
        ...  # ask model.url
    assert len(model.requests) == 2

Behaviours are taken from the script one by one. When it is at its end, `answer` is asked: a
function of the request that gives a behaviour, or the object to answer with.
"""

import json
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from textwrap import dedent
from types import TracebackType
from typing import Any, Self

JSON = "application/json"


@dataclass(frozen=True)
class Behaviour:
    """What becomes of one request: a response, cut short or held back if so wished."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = JSON
    cut: bool = False
    hang: bool = False
    drip: bool = False


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    headers: dict[str, str]
    body: dict[str, Any]
    path: str = ""

    @property
    def instructions(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def text(self) -> str:
        return str(self.body["messages"][1]["content"])

    @property
    def form(self) -> str:
        wanted = self.body.get("response_format")
        return str(wanted["type"]) if wanted else "text"


Answer = Callable[[Asked], object]


def says(
    answer: object,
    *,
    finish: str = "stop",
    refusal: str | None = None,
    usage: tuple[int, int] | None = (100, 20),
    **headers: str,
) -> Behaviour:
    """A completion. Text is sent as it is, anything else as JSON."""
    text = answer if isinstance(answer, str) or answer is None else json.dumps(answer)
    message = {"role": "assistant", "content": text, "refusal": refusal}
    completion: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage is not None:
        completion["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return Behaviour(json.dumps(completion).encode(), headers=_dashed(headers))


def fails(
    status: int,
    *,
    code: str | None = None,
    param: str | None = None,
    message: str = "no",
    **headers: str,
) -> Behaviour:
    """An HTTP error, with a body such as OpenAI's. A header's `_` is a dash."""
    error = {"message": message, "type": "error", "code": code, "param": param}
    return Behaviour(json.dumps({"error": error}).encode(), status, _dashed(headers))


def rate_limited(retry_after_ms: float = 1) -> Behaviour:
    return fails(429, code="rate_limit_exceeded", retry_after_ms=f"{retry_after_ms:g}")


def hangs() -> Behaviour:
    """No answer until the server is released, and then a closed connection."""
    return Behaviour(hang=True)


def cuts() -> Behaviour:
    """The connection ends in the middle of a good answer."""
    return Behaviour(says({"colour": "red"}).body, cut=True)


def drips() -> Behaviour:
    """A good answer, a byte at a time: never silent for long, and never done."""
    return Behaviour(says({"colour": "red"}).body, drip=True)


def prose(chars: int = 200_000) -> Behaviour:
    words = "Certainly! Here is what I think about colours in general. "
    return says((words * (chars // len(words) + 1))[:chars])


def refuses() -> Behaviour:
    return says(None, refusal="I can't help with that.")


def empty() -> Behaviour:
    return says("")


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


class ScriptedModel:
    """A server that follows a script and keeps every request. Leave its block to stop it."""

    def __init__(
        self,
        script: Iterable[Behaviour] = (),
        answer: Answer | None = None,
        *,
        forms: Iterable[str] = ("json_schema", "json_object", "text"),
        caps: Iterable[str] = ("max_tokens", "max_completion_tokens"),
    ) -> None:
        """
        Args:
            script: what becomes of the first requests.
            answer: what becomes of all others.
            forms: the forms of `response_format` it takes; another is answered with status 400.
            caps: the names of the longest answer it takes.
        """
        self.script = deque(script)
        self.answer = answer
        self.forms = set(forms)
        self.caps = set(caps)
        self.requests: list[Asked] = []
        self._released = threading.Event()
        self._arrived = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def release(self) -> None:
        """Let go of every request that hangs."""
        self._released.set()

    def wait_for_requests(self, count: int, timeout_s: float = 30) -> None:
        """Wait until so many have come."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.requests) >= count, timeout_s)

    def hold(self) -> None:
        """Wait until released: what a hanging request does."""
        self._released.wait(60)

    def drip(self, body: bytes) -> Iterator[bytes]:
        """The bytes of a body one by one, with a pause before each until released."""
        for i in range(len(body)):
            self._released.wait(0.05)
            yield body[i : i + 1]

    def next(self, asked: Asked) -> Behaviour:
        """What becomes of this request."""
        with self._arrived:
            self.requests.append(asked)
            self._arrived.notify_all()
            scripted = self._unfit(asked) or (self.script.popleft() if self.script else None)
        if scripted is not None:
            return scripted
        if self.answer is None:
            return fails(500, message="the script has come to its end")
        given = self.answer(asked)
        return given if isinstance(given, Behaviour) else says(given)

    def _unfit(self, asked: Asked) -> Behaviour | None:
        if asked.form not in self.forms:
            return fails(400, param="response_format", message="unavailable now")
        unknown = {"max_tokens", "max_completion_tokens"} & asked.body.keys() - self.caps
        if unknown:
            return fails(400, message=f"Unsupported parameter: '{unknown.pop()}'.")
        return None


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            behaviour = model.next(Asked(headers, body, self.path))
            if behaviour.hang:
                model.hold()
                return
            self.send_response(behaviour.status)
            self.send_header("content-type", behaviour.content_type)
            self.send_header("content-length", str(len(behaviour.body)))
            for name, value in behaviour.headers.items():
                self.send_header(name, value)
            self.end_headers()
            sent = behaviour.body[: len(behaviour.body) // 2] if behaviour.cut else behaviour.body
            with suppress(OSError):  # whoever asked has left
                for part in model.drip(sent) if behaviour.drip else [sent]:
                    self.wfile.write(part)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep quiet."""

    return Handler


def scripted_command(folder: Path, program: str) -> str:
    """A command line that runs this Python program, for `MEMORIA_LLM_COMMAND`."""
    script = folder / "model.py"
    script.write_text(dedent(program), "utf-8")
    return f'"{sys.executable}" "{script}"'
