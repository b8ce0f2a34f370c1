"""Google's Gemini API, as Gemini CLI speaks it."""

from collections.abc import Sequence

from tests.e2e.stand_in.dialect import Answer, Body, document, stream, strings
from tests.e2e.stand_in.script import Call, Reply

_USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}


class Gemini:
    """Contents, streamed or whole."""

    def is_turn(self, path: str, body: Body) -> bool:
        """Whatever lists tools; routing and summaries are asked for without any."""
        return "enerateContent" in path and bool(body.get("tools"))

    def answer(self, path: str, body: Body, reply: Reply, number: int) -> Answer:
        """The reply as one part of a candidate."""
        if "countTokens" in path:
            return document({"totalTokens": 10})
        part: dict[str, object]
        if isinstance(reply, Call):
            part = {"functionCall": {"name": reply.tool, "args": reply.arguments}}
        else:
            part = {"text": reply.text}
        content = {"role": "model", "parts": [part]}
        said = {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": _USAGE,
            "responseId": f"resp{number:08}",
        }
        return stream([said], named=False) if "stream" in path else document(said)

    def tools(self, body: Body) -> Sequence[str]:
        """All that are declared."""
        return [
            str(declared["name"])
            for tool in body.get("tools", [])
            for declared in tool.get("functionDeclarations", [])
        ]

    def results(self, body: Body) -> Sequence[str]:
        """Parts of the contents."""
        return [
            text
            for content in body.get("contents", [])
            for part in content.get("parts", [])
            if "functionResponse" in part
            for text in strings(part["functionResponse"]["response"])
        ]
