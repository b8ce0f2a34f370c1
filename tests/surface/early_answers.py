"""What the server says that no memory has a part in, by protocol version and method.

    python -m tests.surface.early_answers

asks the server and writes it to where the front of `serve` has it from.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse, jsonrpc_message_adapter
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from memoria.app import open_memoria
from memoria.config import Settings
from memoria.surface.front.serve import FILE
from memoria.surface.front.streams import MODERN
from memoria.surface.mcp.server import MemoriaServer, build_server

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
CLIENT = {"name": "early", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
Results = dict[str, Any]
"""Results by method; the name of an earlier version in place of one that is the same there."""


async def ask_server(home: Path) -> dict[str, Results]:
    """The results of a server without a word of its own in its instructions."""
    settings = Settings.from_values(home=home, embedder="off")
    server = build_server(lambda: open_memoria(settings=settings))
    answers: dict[str, Results] = {}
    for version in (*sorted(HANDSHAKE_PROTOCOL_VERSIONS), MODERN):
        results = await ask(server, version)
        answers[version] = {
            method: next((one for one in answers if answers[one][method] == result), result)
            for method, result in results.items()
            if method in LISTS
        } | {method: result for method, result in results.items() if method not in LISTS}
    return answers


async def ask(server: MemoriaServer, version: str) -> Results:
    """The results of one connection."""
    requests: dict[str, dict[str, Any]]
    if version == MODERN:
        requests = {method: {"_meta": ENVELOPE} for method in ("server/discover", *LISTS)}
    else:
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
        requests = {"initialize": hello, **{method: {} for method in LISTS}}
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    results: Results = {}
    async with anyio.create_task_group() as tasks, to_server, from_server:
        tasks.start_soon(server.run, incoming, outgoing, server.create_initialization_options())
        for method, params in requests.items():
            request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
            message = jsonrpc_message_adapter.validate_python(request, by_name=False)
            await to_server.send(SessionMessage(message))
            answer = (await from_server.receive()).message
            assert isinstance(answer, JSONRPCResponse), answer
            results[method] = answer.result
        tasks.cancel_scope.cancel()
    return results


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="memoria-early-") as folder:
        results = anyio.run(ask_server, Path(folder) / "home")
    Path(FILE).write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
