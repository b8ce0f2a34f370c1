"""An MCP server that does nothing: eight tools of the same names, no memory, nothing to load.

It is the measure of how fast a server of Python can be there: `python -I -S idle_server.py`.
"""

import json
import sys

TOOLS = (
    "forget_memory",
    "get_memory",
    "record_conversation",
    "remember",
    "revise_memory",
    "search_conversation_traces",
    "search_memory",
    "update_scratchpad",
)
_ABOUT = {"name": "memoria", "version": "0"}
_CAPABILITIES: dict[str, object] = {"tools": {}}
_ANSWERS = {
    "server/discover": {
        "supportedVersions": ["2026-07-28"],
        "capabilities": _CAPABILITIES,
        "serverInfo": _ABOUT,
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    },
    "tools/list": {
        "tools": [
            {"name": name, "description": "Does nothing.", "inputSchema": {"type": "object"}}
            for name in TOOLS
        ],
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    },
    "ping": {},
}


def main() -> None:
    """Answer until standard input closes."""
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if number is None or method is None:
            continue
        if method == "initialize":
            asked = message["params"]["protocolVersion"]
            result = {"protocolVersion": asked, "capabilities": _CAPABILITIES, "serverInfo": _ABOUT}
            said = {"result": result}
        elif method in _ANSWERS:
            said = {"result": _ANSWERS[method]}
        else:
            said = {"error": {"code": -32601, "message": f"{method} is not here"}}
        print(json.dumps({"jsonrpc": "2.0", "id": number, **said}), flush=True)


main()
