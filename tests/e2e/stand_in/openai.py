"""OpenAI's Responses API, as Codex speaks it."""

import json
from collections.abc import Sequence

from tests.e2e.stand_in.dialect import Answer, Body, document, stream, strings
from tests.e2e.stand_in.script import Call, Reply

_USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 20,
}


class OpenAI:
    """Responses, always streamed."""

    def is_turn(self, path: str, body: Body) -> bool:
        """Whatever is asked of the model."""
        return _is_response(path)

    def answer(self, path: str, body: Body, reply: Reply, number: int) -> Answer:
        """The reply as one item of output."""
        if not _is_response(path):
            return document({"object": "list", "data": [], "models": []})
        item: dict[str, object]
        if isinstance(reply, Call):
            space, _, name = reply.tool.rpartition(".")
            item = {
                "type": "function_call",
                "id": f"fc_{number:08}",
                "call_id": f"call_{number:08}",
                "name": name,
                "arguments": json.dumps(reply.arguments),
                **({"namespace": space} if space else {}),
            }
        else:
            item = {
                "type": "message",
                "id": f"msg_{number:08}",
                "role": "assistant",
                "content": [{"type": "output_text", "text": reply.text, "annotations": []}],
            }
        ended = {"status": "completed", "usage": _USAGE, "output": [item]}
        response = {"id": f"resp_{number:08}", "object": "response"}
        return stream(
            [
                {"type": "response.created", "response": {**response, "status": "in_progress"}},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {
                    "type": "response.completed",
                    "response": {**response, **ended},
                },
            ],
            named=True,
        )

    def tools(self, body: Body) -> Sequence[str]:
        """Those of a namespace as `namespace.name`."""
        names = []
        for tool in body.get("tools", []):
            if tool.get("type") == "namespace":
                names += [f"{tool['name']}.{inner['name']}" for inner in tool["tools"]]
            else:
                names.append(str(tool.get("name", tool["type"])))
        return names

    def results(self, body: Body) -> Sequence[str]:
        """Items of the input."""
        return [
            text
            for item in body.get("input", [])
            if item.get("type") == "function_call_output"
            for text in strings(item.get("output"))
        ]


def _is_response(path: str) -> bool:
    return path.partition("?")[0].endswith("/responses")
