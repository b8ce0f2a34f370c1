"""OpenAI's Chat Completions API, which most clients speak where a person names an address."""

import json
from collections.abc import Sequence

from tests.e2e.stand_in.dialect import Answer, Body, document, strings
from tests.e2e.stand_in.script import Call, Reply

_USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


class Completions:
    """Completions, streamed or whole."""

    def is_turn(self, path: str, body: Body) -> bool:
        """Whatever lists tools; titles and summaries are asked for without any."""
        return _is_completion(path) and bool(body.get("tools"))

    def answer(self, path: str, body: Body, reply: Reply, number: int) -> Answer:
        """The reply as the one choice of a completion."""
        if not _is_completion(path):
            model = {"id": "stand-in", "object": "model", "created": 1, "owned_by": "nobody"}
            return document({"object": "list", "data": [model]})
        if isinstance(reply, Call):
            function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
            call = {"index": 0, "id": f"call_{number:08}", "type": "function", "function": function}
            message: dict[str, object] = {
                "role": "assistant",
                "content": None,
                "tool_calls": [call],
            }
        else:
            message = {"role": "assistant", "content": reply.text}
        reason = "tool_calls" if isinstance(reply, Call) else "stop"
        said = {
            "id": f"chatcmpl-{number:08}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": body.get("model", "stand-in"),
        }
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return document({**said, "usage": _USAGE, "choices": [choice]})
        said["object"] = "chat.completion.chunk"
        begun = {"index": 0, "delta": message, "finish_reason": None}
        ended = {"index": 0, "delta": {}, "finish_reason": reason}
        pieces = [{**said, "choices": [one]} for one in (begun, ended)]
        pieces.append({**said, "usage": _USAGE, "choices": []})  # a client may end where it stands
        lines = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in pieces]
        return Answer("text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode())

    def tools(self, body: Body) -> Sequence[str]:
        """The names of its functions."""
        return [
            str(tool["function"]["name"]) for tool in body.get("tools", []) if "function" in tool
        ]

    def results(self, body: Body) -> Sequence[str]:
        """Messages of tools."""
        return [
            text
            for message in body.get("messages", [])
            if message.get("role") == "tool"
            for text in strings(message.get("content"))
        ]


def _is_completion(path: str) -> bool:
    return path.partition("?")[0].endswith("/chat/completions")
