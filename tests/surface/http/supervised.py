"""A small server of two workers, run as a program: its argument is the descriptor of its socket.

Each answer is the number of the process that gave it.
"""

import os
import socket
import sys

import uvicorn
from starlette.types import Receive, Scope, Send

from memoria.surface.http.workers import Workers, end_with_parent


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer every request with the number of this process."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": str(os.getpid()).encode()})
        return
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


def build() -> object:
    """Build the application in a worker."""
    end_with_parent()
    return answer


def _main() -> None:
    from memoria.surface.http.logs import start_logging  # noqa: PLC0415  (slow, and no worker's)

    start_logging(None)
    config = uvicorn.Config(
        build, factory=True, workers=2, log_level="critical", timeout_worker_healthcheck=20
    )
    listening = socket.socket(fileno=int(sys.argv[1]))
    Workers(config, [listening], lambda: print("ready", flush=True)).run()  # noqa: T201


if __name__ == "__main__":
    _main()
