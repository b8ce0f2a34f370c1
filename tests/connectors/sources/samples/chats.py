"""Exports of ChatGPT and claude.ai."""

import json
from pathlib import Path
from typing import Any

from tests.connectors.sources.samples.base import ANNA, DAY, LIN, dump, write_zip

# ChatGPT


def _node(
    own: str,
    parent: str | None,
    role: str,
    words: str | None,
    **more: Any,  # noqa: ANN401  (fields of JSON)
) -> dict[str, Any]:
    content = more.pop("content", {"content_type": "text", "parts": [words or ""]})
    message = {
        "id": own,
        "author": {"role": role, "name": more.pop("name", None), "metadata": {}},
        "create_time": DAY + len(own),
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": more.pop("metadata", {}),
        "recipient": more.pop("recipient", "all"),
    }
    is_root = words is None and content["content_type"] == "text"
    return {"id": own, "message": None if is_root else message, "parent": parent, "children": []}


def chatgpt_conversation(own: str, *nodes: dict[str, Any]) -> dict[str, Any]:
    mapping = {node["id"]: node for node in nodes}
    for node in nodes:
        if node["parent"]:
            mapping[node["parent"]]["children"].append(node["id"])
    return {
        "title": "A chat",
        "create_time": DAY + 0.25,
        "update_time": DAY + 60.5,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": nodes[-1]["id"],
        "conversation_id": own,
        "id": own,
        "is_archived": False,
    }


def chatgpt_conversations() -> list[dict[str, Any]]:
    garden = chatgpt_conversation(
        "garden",
        _node("root", None, "system", None),
        _node(
            "hidden", "root", "system", "", metadata={"is_visually_hidden_from_conversation": True}
        ),
        _node("ask-first", "hidden", "user", "Anna's allotment has nine gooseberries"),
        _node("old-answer", "ask-first", "assistant", "Nine it is."),
        _node("ask-again", "hidden", "user", ANNA),
        _node(
            "think",
            "ask-again",
            "assistant",
            "x",
            content={"content_type": "thoughts", "thoughts": []},
        ),
        _node(
            "call",
            "think",
            "assistant",
            None,
            recipient="python",
            content={"content_type": "code", "language": "python", "text": "print(11)"},
        ),
        _node(
            "output",
            "call",
            "tool",
            None,
            name="python",
            content={"content_type": "execution_output", "text": "11"},
        ),
        _node("bio", "output", "assistant", "The user grows raspberries.", recipient="bio"),
        _node(
            "bio-done",
            "bio",
            "tool",
            "Model set context updated.",
            name="bio",
            metadata={"is_visually_hidden_from_conversation": True},
        ),
        _node("answer", "bio-done", "assistant", "Eleven canes are plenty."),
    )
    racket = chatgpt_conversation(
        "racket",
        _node("r", None, "system", None),
        _node(
            "photo",
            "r",
            "user",
            "",
            content={
                "content_type": "multimodal_text",
                "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file-1"}, LIN],
            },
        ),
        _node("reply", "photo", "assistant", "好的，记住了。"),
    )
    return [garden, racket]


def write_chatgpt(folder: Path) -> Path:
    first, second = chatgpt_conversations()
    return write_zip(
        folder / "chatgpt-export.zip",
        chat_DOT_html="<html></html>",
        user_DOT_json=dump({"id": "user-1"}),
        **{
            "conversations-000_DOT_json": dump([first]),
            "conversations-001_DOT_json": dump([second]),
        },
    )


def write_chatgpt_json(folder: Path) -> Path:
    path = folder / "conversations.json"
    path.write_text(json.dumps(chatgpt_conversations()), "utf-8")  # as it is written: \uXXXX
    return path


# claude.ai


def claude_message(
    own: str,
    parent: str,
    sender: str,
    *blocks: dict[str, Any],
    **more: Any,  # noqa: ANN401  (fields of JSON)
) -> dict[str, Any]:
    return {
        "uuid": own,
        "text": "",
        "content": list(blocks),
        "sender": sender,
        "created_at": f"2026-02-03T08:00:{len(own):02}.123456Z",
        "updated_at": "2026-02-03T08:01:00.000000Z",
        "attachments": more.get("attachments", []),
        "files": [],
        "parent_message_uuid": parent,
    }


def said(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "citations": []}


def claude_conversations() -> list[dict[str, Any]]:
    root = "00000000-0000-4000-8000-000000000000"
    messages = [
        claude_message("m1", root, "human", said("a first try")),
        claude_message(
            "m-22",
            root,
            "human",
            said(ANNA),
            attachments=[
                {
                    "file_name": "plan.txt",
                    "file_size": 12,
                    "file_type": "txt",
                    "extracted_content": "bed 4: leeks",
                }
            ],
        ),
        claude_message(
            "m-333",
            "m-22",
            "assistant",
            {"type": "thinking", "thinking": "hm"},
            said("Let me look."),
            {"type": "tool_use", "id": "call-1", "name": "web_search", "input": {"query": "canes"}},
            {
                "type": "tool_result",
                "tool_use_id": "call-1",
                "name": "web_search",
                "content": [{"type": "text", "text": "two feet apart"}],
                "is_error": False,
            },
            said("Two feet apart."),
        ),
    ]
    other = {**claude_message("old", "", "human"), "text": LIN, "parent_message_uuid": None}
    return [
        {
            "uuid": "c-garden",
            "name": "Garden",
            "created_at": "2026-02-03T08:00:00Z",
            "updated_at": "2026-02-03T08:01:00Z",
            "account": {"uuid": "a"},
            "chat_messages": messages,
        },
        {
            "uuid": "c-racket",
            "name": "",
            "created_at": "2026-02-04T08:00:00Z",
            "updated_at": "2026-02-04T08:01:00Z",
            "account": {"uuid": "a"},
            "chat_messages": [other],
        },
    ]


def write_claude_ai(folder: Path) -> Path:
    memory = (
        "**Work context**\n\nAnna keeps the accounts of the allotment club.\n\n"
        "**Personal context**\n\nAnna has a cat."
    )
    return write_zip(
        folder / "data-2026.zip",
        conversations_DOT_json=dump(claude_conversations()),
        memories_DOT_json=dump(
            [{"conversations_memory": memory, "project_memories": {}, "account_uuid": "a"}]
        ),
        projects_DOT_json="[]",
        users_DOT_json=dump([{"uuid": "a"}]),
    )


def write_claude_json(folder: Path) -> Path:
    path = folder / "conversations.json"
    path.write_text(dump(claude_conversations()), "utf-8")
    return path


def claude_split_export(folder: Path) -> list[Path]:
    """An archive for each kind of data, as since 2026."""
    project = {"uuid": "p-1", "name": "Allotment plan"}
    memory = {
        "conversations_memory": "**Work context**\n\nAnna keeps accounts.\n\n"
        "**Personal context**\n\nAnna has a cat.",
        "project_memories": {"p-1": "Anna mulches with straw."},
        "memory_files": [
            {
                "path": "/areas/badminton.md",
                "content": "# Badminton\n\n林岚每周三打羽毛球。\n\n- 球拍借给了老周",
                "updated_at": "2026-02-05T08:00:00Z",
            }
        ],
        "account_uuid": "a",
    }
    plan = {
        **project,
        "description": "",
        "is_private": True,
        "prompt_template": "Answer as a gardener.",
        "docs": [
            {
                "uuid": "d",
                "filename": "plan.md",
                "content": "bed 7: garlic",
                "created_at": "2026-02-03T08:00:00Z",
            }
        ],
        "created_at": "2026-02-02T08:00:00Z",
        "updated_at": "2026-02-02T08:00:00Z",
    }
    return [
        write_zip(
            folder / "conversations-000.zip", conversations_DOT_json=dump(claude_conversations())
        ),
        write_zip(folder / "memories-000.zip", memories__a_DOT_json=dump(memory)),
        write_zip(folder / "projects-000.zip", projects__p_DOT_json=dump(plan)),
        write_zip(
            folder / "design_chats-000.zip", design_chats__x_DOT_json=dump(_design_chat(project))
        ),
    ]


def _design_chat(project: dict[str, Any]) -> dict[str, Any]:
    day = "2026-02-06T08:00:00Z"
    blocks = [
        {"type": "thinking", "text": "hm"},
        {"type": "text", "text": "Here is a plan."},
        {"type": "tool_call", "toolCall": {"name": "write_file", "input": {"path": "plan.svg"}}},
    ]
    return {
        "uuid": "x",
        "title": "Plan",
        "project": project,
        "created_at": day,
        "updated_at": day,
        "messages": [
            {
                "uuid": "x1",
                "role": "user",
                "content": {"content": "Draw the allotment", "attachments": []},
                "created_at": day,
            },
            {
                "uuid": "x2",
                "role": "assistant",
                "content": {"content": "", "contentBlocks": blocks},
                "created_at": day,
            },
        ],
    }
