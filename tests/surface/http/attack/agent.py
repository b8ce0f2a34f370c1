"""An agent that speaks MCP over HTTP by itself, without an SDK that would mend what it sends."""

import json
from itertools import count
from typing import Any, Literal

import httpx2
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

McpEra = Literal["new", "old"]
"""Era of the protocol: `new` has no connection, `old` begins with a handshake."""
_NEW, _OLD = "2026-07-28", "2025-06-18"
_CLIENT = {"name": "attacker", "version": "1"}
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_FORMS = "application/json, text/event-stream"


class McpAgent:
    """An agent with one connection of one era."""

    def __init__(self, http: httpx2.Client, era: McpEra = "new") -> None:
        self.http = http
        self.era: McpEra = era
        self.session: str | None = None
        """Id of the connection, of the old era only."""
        self._numbers = count(1)

    @property
    def own_session(self) -> str:
        """The session that the server sees this agent in: its connection, or its token's end."""
        token_id = self.http.headers["Authorization"].split(".")[1]
        return self.session or token_id[-8:]

    def request(self, method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401  (JSON)
        """Send a request; return the message that answers it."""
        if self.era == "old" and self.session is None:
            self.shake_hands()
        return read_message(self.post(method, params))

    def post(self, method: str, params: dict[str, Any]) -> httpx2.Response:
        """Send a request; return what came back by HTTP."""
        body, headers = self.write(method, params)
        return self.http.post("/mcp", json=body, headers=headers)

    def write(self, method: str, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """Write a request, with the headers that belong to it."""
        body = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        headers = {"Accept": _FORMS}
        if self.era == "old":
            headers["MCP-Protocol-Version"] = _OLD
            if self.session is not None:
                headers["Mcp-Session-Id"] = self.session
            return body, headers
        meta = {
            PROTOCOL_VERSION_META_KEY: _NEW,
            CLIENT_INFO_META_KEY: _CLIENT,
            CLIENT_CAPABILITIES_META_KEY: {},
        }
        headers |= {"MCP-Protocol-Version": _NEW, "Mcp-Method": method}
        if method in _NAMED:
            headers["Mcp-Name"] = str(params[_NAMED[method]])
        return {**body, "params": {**params, "_meta": meta}}, headers

    def shake_hands(self) -> None:
        """Begin a connection of the old era."""
        params = {"protocolVersion": _OLD, "capabilities": {}, "clientInfo": _CLIENT}
        answer = self.post("initialize", params)
        assert answer.status_code == 200, answer.text
        self.session = answer.headers["mcp-session-id"]
        _, headers = self.write("", {})
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert self.http.post("/mcp", json=done, headers=headers).status_code == 202

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401  (JSON)
        """Call a tool; return the message that answers it."""
        return self.request("tools/call", name=tool, arguments=arguments)

    def do(self, tool: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401  (JSON)
        """Call a tool that must not fail; return its structured answer."""
        answer = self.call(tool, **arguments)
        result: dict[str, Any] = answer["result"]
        assert not result.get("isError"), result
        content: dict[str, Any] = result["structuredContent"]
        return content


def read_message(answer: httpx2.Response) -> dict[str, Any]:
    """Return the last message of an answer, which is a JSON text or a stream of them."""
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        lines = [one for one in answer.text.splitlines() if one.startswith("data: {")]
        message: dict[str, Any] = json.loads(lines[-1].removeprefix("data: "))
        return message
    found: dict[str, Any] = answer.json()
    return found
