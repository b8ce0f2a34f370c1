"""A chat model in a process of its own: OpenAI-compatible, on loopback, with a script for a mind.

It reads the turns out of the question and proposes what a diligent model would: a memory for each,
with the names in it, and that a known one was of use. So its answers are parsed, judged, linked and
stored like any other's.

    python bench/latency/model.py MILLISECONDS     # how long it takes for an answer
"""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

_TURN = re.compile(r"^\[(\d+)\] [^:\n]{1,100}: (.*\S)", re.MULTILINE)
_KNOWN = re.compile(r'^\{"id": "([^"]+)"', re.MULTILINE)
_NAME = re.compile(r"\b[A-Z][a-z]{2,20}\b")
_QUOTE_CHARS = 120
_NAMES = 3


@contextmanager
def chat_model(answer_ms: int) -> Iterator[str]:
    """Start one and give its URL; it ends with the block, or with this process."""
    command = [sys.executable, __file__, str(answer_ms)]
    with subprocess.Popen(  # noqa: S603  (ourselves)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:  # pragma: no cover  (never)
            raise RuntimeError
        yield process.stdout.readline().strip()
        process.stdin.close()


def answer(text: str) -> dict[str, object]:
    """What it makes of a question."""
    operations = [_add(int(number), said) for number, said in _TURN.findall(text)]
    useful = [{"op": "BOOST", "id": memory_id} for memory_id in _KNOWN.findall(text)[:1]]
    return {"operations": [*operations, *useful] or [{"op": "SKIP", "reason": "nothing"}]}


def _add(number: int, said: str) -> dict[str, object]:
    quote = said[:_QUOTE_CHARS].strip()
    names = dict.fromkeys(_NAME.findall(quote))
    return {
        "op": "ADD",
        "type": "fact",
        "content": quote,
        "quote": quote,
        "turn": number,
        "subject": "user",
        "predicate": max(quote.lower().split(), key=len)[:_QUOTE_CHARS // 2],
        "entities": [{"name": name, "kind": "person"} for name in list(names)[:_NAMES]],
    }  # fmt: skip


def _handler(answer_s: float) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Answer a question."""
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            time.sleep(answer_s)
            body = json.dumps(_completion(answer(asked["messages"][-1]["content"]))).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (its base's name)
            """Keep quiet."""

    return Handler


def _completion(said: object) -> dict[str, object]:
    message = {"role": "assistant", "content": json.dumps(said, ensure_ascii=False)}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200},
    }


def _serve(answer_ms: int) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answer_ms / 1000))
    Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    sys.stdin.read()  # until whoever started this is done, or gone


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
