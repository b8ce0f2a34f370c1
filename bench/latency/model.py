"""A chat model in a process of its own: OpenAI-compatible, on loopback, with a script for a mind.

It reads the turns out of the question and proposes what a diligent model would: a memory for each,
with the names in it, and that a known one was of use. So its answers are parsed, judged, linked and
stored like any other's.

    PYTHONPATH=. python bench/latency/model.py MILLISECONDS     # how long it takes for an answer
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from bench.chat_server import build_server

_ROOT = Path(__file__).resolve().parents[2]
_TURN = re.compile(r"^\[(\d+)\] [^:\n]{1,100}: (.*\S)", re.MULTILINE)
_KNOWN = re.compile(r'^\{"id": ?"([^"]+)"', re.MULTILINE)
_NAME = re.compile(r"\b[A-Z][a-z]{2,20}\b")
_QUOTE_CHARS = 120
_NAMES = 3


@contextmanager
def chat_model(answer_ms: int) -> Iterator[str]:
    """Start one and give its URL; it ends with the block, or with this process."""
    command = [sys.executable, __file__, str(answer_ms)]
    with subprocess.Popen(  # noqa: S603  (ourselves)
        command,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
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


def _serve(answer_ms: int) -> None:
    def answer_slowly(_instructions: str, text: str) -> dict[str, object]:
        time.sleep(answer_ms / 1000)
        return answer(text)

    server = build_server(answer_slowly)
    Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    sys.stdin.read()  # until whoever started this is done, or gone


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
