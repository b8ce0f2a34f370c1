"""Anthropic's Messages API, as Claude Code speaks it."""

import json
from collections.abc import Sequence

from tests.e2e.stand_in.dialect import Answer, Body, document, stream, strings
from tests.e2e.stand_in.script import Call, Reply, Say

Block = dict[str, object]

_USAGE = {"input_tokens": 10, "output_tokens": 10}


class Anthropic:
    """Messages, streamed or whole."""

    def is_turn(self, path: str, body: Body) -> bool:
        """Whatever lists tools; titles and topics are asked for without any."""
        return path.partition("?")[0] == "/v1/messages" and bool(body.get("tools"))

    def answer(self, path: str, body: Body, reply: Reply, number: int) -> Answer:
        """The reply as one block of content."""
        if "count_tokens" in path:
            return document({"input_tokens": 10})
        block, empty, delta = _block(reply, number)
        reason = "tool_use" if isinstance(reply, Call) else "end_turn"
        message = {
            "id": f"msg_{number:08}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "stand-in"),
            "content": [block],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": _USAGE,
        }
        if not body.get("stream"):
            return document(message)
        begun = {**message, "content": [], "stop_reason": None}
        ended = {"stop_reason": reason, "stop_sequence": None}
        events: list[Block] = [
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": ended, "usage": _USAGE},
            {"type": "message_stop"},
        ]
        return stream(events, named=True)

    def tools(self, body: Body) -> Sequence[str]:
        """Those with a schema."""
        return [str(tool["name"]) for tool in body.get("tools", [])]

    def results(self, body: Body) -> Sequence[str]:
        """Blocks among the messages."""
        return [
            text
            for message in body.get("messages", [])
            for block in message["content"]
            if isinstance(block, dict) and block.get("type") == "tool_result"
            for text in strings(block.get("content"))
        ]


def _block(reply: Reply, number: int) -> tuple[Block, Block, Block]:
    """A reply as a block: whole, as it begins in a stream, and what is added to it there."""
    if isinstance(reply, Say):
        text: Block = {"type": "text", "text": reply.text}
        return text, {**text, "text": ""}, {"type": "text_delta", "text": reply.text}
    call: Block = {
        "type": "tool_use",
        "id": f"toolu_{number:08}",
        "name": reply.tool,
        "input": reply.arguments,
    }
    arguments = json.dumps(reply.arguments)
    return call, {**call, "input": {}}, {"type": "input_json_delta", "partial_json": arguments}
