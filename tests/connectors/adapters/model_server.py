"""A model behind OpenAI's HTTP interface, on this machine: it says what a script has it say."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class ModelServer:
    """What it will say, and what it was shown."""

    script: list[str]
    url: str = ""
    shown: list[list[dict[str, Any]]] = field(default_factory=list)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.shown.append(request["messages"])
        message = {"role": "assistant", "content": self.script[len(self.shown) - 1]}
        return {
            "id": f"chatcmpl-{len(self.shown)}",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }


@contextmanager
def serve_model(*script: str) -> Iterator[ModelServer]:
    """A server that says these things, one for each request."""
    model = ModelServer([*script])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = json.dumps(model.answer(json.loads(self.rfile.read(length)))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()
