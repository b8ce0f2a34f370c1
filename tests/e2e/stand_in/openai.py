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
                {"type": "response.completed", "response": {**response, **ended}},
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


_COMPLETION_USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


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
            call: dict[str, object] = {"index": 0, "id": f"call_{number:08}"}
            if isinstance(reply.arguments, str):
                call |= {"type": "custom", "custom": {"name": reply.tool, "input": reply.arguments}}
            else:
                arguments = json.dumps(reply.arguments)
                function = {"name": reply.tool, "arguments": arguments}
                call |= {"type": "function", "function": function}
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
            return document({**said, "usage": _COMPLETION_USAGE, "choices": [choice]})
        said["object"] = "chat.completion.chunk"
        begun = {"index": 0, "delta": message, "finish_reason": None}
        ended = {"index": 0, "delta": {}, "finish_reason": reason}
        pieces = [{**said, "choices": [one]} for one in (begun, ended)]
        pieces.append(
            {**said, "usage": _COMPLETION_USAGE, "choices": []}
        )  # a client may end where it stands
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
