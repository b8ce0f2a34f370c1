"""A scripted chat model as an OpenAI-compatible server on loopback, in this process."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Answer = Callable[[str, str], dict[str, Any]]
"""Gives the JSON of an answer to (instructions, text)."""
AnswerRequest = Callable[[dict[str, Any]], dict[str, Any] | str]
"""Gives the JSON of an answer to the body of a request, or its very text."""
_NOT_TAKEN, _TURNED_AWAY = 400, 403
_MODEL = "scripted"
_TOKENS = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}


class Refusal(Exception):  # noqa: N818  (no fault of whoever asks)
    """Raised by a script that gives no answer: the request is turned away."""

    status = _TURNED_AWAY


class NotInThisForm(Refusal):
    """Raised by a script that takes no request of this form."""

    status = _NOT_TAKEN


@contextmanager
def serve_script(answer: Answer, port: int = 0) -> Iterator[str]:
    """Serve a script while the block runs; gives its URL.

    Args:
        answer: the script.
        port: where; one of its own by default.

    Raises:
        OSError: somebody else listens there.
    """
    with _serve(build_server(answer, port)) as url:
        yield url


@contextmanager
def serve_requests(answer: AnswerRequest) -> Iterator[str]:
    """Serve a script that is given whole requests while the block runs; gives its URL."""
    with _serve(_build_server(answer)) as url:
        yield url


@contextmanager
def _serve(server: ThreadingHTTPServer) -> Iterator[str]:
    thread = Thread(target=server.serve_forever, args=[0.05], daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def build_server(answer: Answer, port: int = 0) -> ThreadingHTTPServer:
    """A server at a port, by default one of its own; it answers once `serve_forever` runs."""
    return _build_server(lambda asked: answer(*_first_and_last(asked)), port)


def _first_and_last(asked: dict[str, Any]) -> tuple[str, str]:
    first, last = (asked["messages"][i]["content"] for i in (0, -1))
    return first, last


def _build_server(answer: AnswerRequest, port: int = 0) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler_for(answer))
    server.daemon_threads = True
    return server


def _handler_for(answer: AnswerRequest) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            """Name the one model that there is."""
            self._send(200, {"object": "list", "data": [{"id": _MODEL, "object": "model"}]})

        def do_POST(self) -> None:
            """Answer a question."""
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            try:
                self._send(200, _completion(answer(asked)))
            except Refusal as refusal:
                self._send(refusal.status, {})

        def _send(self, status: int, document: object) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (its base's name)
            """Print no line for each request."""

    return Handler


def _completion(said: dict[str, Any] | str) -> dict[str, Any]:
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": _MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": _TOKENS,
    }
