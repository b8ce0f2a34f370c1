"""An endpoint on loopback that plays a hostile chat model, and keeps every request."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_TOKENS = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All that the model is shown."""
        return "\n".join(str(message["content"]) for message in self.body.get("messages", ()))


@dataclass(frozen=True, slots=True)
class Response:
    """A response, as hostile as its bytes."""

    body: bytes | Iterable[bytes]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Play = Callable[[Request], object]
"""Answers a request: with a response, a text, or whatever becomes JSON."""


class Endpoint:
    """What a running endpoint has been asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[Request] = []

    @property
    def seen(self) -> str:
        """All that it was ever shown."""
        return "\n".join(request.text for request in self.requests)


@contextmanager
def serve_model(play: Play) -> Iterator[Endpoint]:
    """Serve while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.daemon_threads, server.block_on_close = True, False
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    server.RequestHandlerClass = _handler_for(play, endpoint)
    thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def always(answer: object) -> Play:
    """A model that gives one answer to whatever it is asked."""
    return lambda _request: answer


def complete(said: object, *, usage: Mapping[str, object] | None = None) -> bytes:
    """The body of a completion; text as it is, anything else as JSON."""
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    message = {"role": "assistant", "content": text}
    completion = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "hostile",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage or _TOKENS,
    }
    return json.dumps(completion).encode()


def _handler_for(play: Play, endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Note the request, and play."""
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.path, headers, json.loads(data or b"{}"))
            endpoint.requests.append(request)
            answer = play(request)
            given = answer if isinstance(answer, Response) else Response(complete(answer))
            parts = [given.body] if isinstance(given.body, bytes) else given.body
            self.send_response(given.status)
            if isinstance(given.body, bytes):
                self.send_header("content-length", str(len(given.body)))
            for name, value in {"content-type": "application/json", **given.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):  # whoever asked has left
                for part in parts:
                    self.wfile.write(part)

        do_GET = do_POST  # noqa: N815  (its base's name)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (its base's name)
            """Print no line for each request."""

    return Handler
