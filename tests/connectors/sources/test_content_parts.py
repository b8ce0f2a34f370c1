"""Words that a program keeps in parts are read on every path."""

import json
from pathlib import Path
from typing import Any

import pytest

from memoria.connectors.sources.items import read_file
from memoria.connectors.sources.table import SOURCES
from memoria.connectors.transcripts import TranscriptSource, TranscriptTurn
from memoria.connectors.transcripts.omission import FoldersLeftOut
from memoria.model import Turn
from memoria.model.content import content_text

IMAGE = {"type": "image", "source": {"type": "base64", "data": "aGk="}}
PARTS: tuple[Any, ...] = (
    [{"type": "text", "text": "Whet the scythe"}, IMAGE],
    ["Whet the scythe", IMAGE],
    [["Whet the scythe"], [IMAGE]],
    [{"type": "text", "text": ["Whet the scythe"]}, IMAGE],
)


def read(tmp_path: Path, source: str, name: str, content: object) -> list[Turn]:
    path = tmp_path / name
    path.write_text(json.dumps(content), "utf-8")
    items = read_file(TranscriptSource(path, "s"), SOURCES[source].read, FoldersLeftOut())
    return [item.turn for item in items if isinstance(item, TranscriptTurn)]


@pytest.mark.parametrize("parts", PARTS)
def test_words_beside_a_picture_are_read_from_every_client(tmp_path: Path, parts: object) -> None:
    said: list[Turn] = [
        *read(tmp_path, "jsonl", "a.jsonl", {"role": "user", "content": parts}),
        *read(
            tmp_path,
            "claude-code",
            "b.jsonl",
            {"type": "user", "sessionId": "s", "message": {"role": "user", "content": parts}},
        ),
        *read(
            tmp_path,
            "codex",
            "rollout-c.jsonl",
            {
                "type": "response_item",
                "payload": {"type": "message", "role": "user", "content": parts},
            },
        ),
        *read(
            tmp_path,
            "claude-ai",
            "d.json",
            [{"uuid": "c", "chat_messages": [{"sender": "human", "content": parts}]}],
        ),
        *read(
            tmp_path,
            "chatgpt",
            "e.json",
            [
                {
                    "title": "",
                    "mapping": {
                        "a": {"message": {"author": {"role": "user"}, "content": {"parts": parts}}}
                    },
                }
            ],
        ),
        *read(
            tmp_path,
            "goose",
            "f.jsonl",
            {"role": "user", "created": 1_767_225_600, "content": parts},
        ),
        *read(
            tmp_path,
            "cursor",
            "g.jsonl",
            {"role": "user", "message": {"content": parts}},
        ),
    ]
    assert len(said) == 7
    assert all("Whet the scythe" in turn.content for turn in said)


@pytest.mark.parametrize("result", [*PARTS, {"content": PARTS[0]}])
def test_a_tools_result_in_parts_keeps_its_words(tmp_path: Path, result: object) -> None:
    block = {"type": "tool_result", "tool_use_id": "t", "content": result}
    message = {"role": "user", "content": [block]}
    (turn,) = read(
        tmp_path, "claude-code", "a.jsonl", {"type": "user", "sessionId": "s", "message": message}
    )
    assert "Whet the scythe" in str(turn.tool_result)
    payload = {"type": "function_call_output", "call_id": "t", "output": result}
    (turn,) = read(
        tmp_path, "codex", "rollout-b.jsonl", {"type": "response_item", "payload": payload}
    )
    assert "Whet the scythe" in str(turn.tool_result)


def test_a_content_in_parts_is_its_texts_and_marks_of_the_rest() -> None:
    assert content_text("as it is ") == "as it is "
    assert content_text([{"type": "text", "text": "a"}, IMAGE]) == "a\n\n[image]"
    assert content_text([{"type": "input_image"}, {"type": "image_url"}]) == "[image]\n\n[image]"
    assert content_text([{"type": "thinking", "text": "hm"}, None, 3, {}]) == ""
    deep: object = "bottom"
    for _ in range(500):
        deep = [deep]
    assert content_text(deep) == "[…]"


async def test_a_recorded_turn_of_text_and_picture_keeps_the_text(quiet: Any) -> None:  # noqa: ANN401
    turns = [{"role": "user", "content": [{"type": "text", "text": "Whet the scythe"}, IMAGE]}]
    receipt = await quiet.record_conversation(turns, session_id="s")
    assert receipt.recorded == 1
    (hit,) = (await quiet.search_conversation_traces("scythe")).hits
    assert hit.text == "Whet the scythe\n\n[image]"
