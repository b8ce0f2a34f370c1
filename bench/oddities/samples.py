"""A sound sample of each format: items in a row, and how they are written into a folder.

All words are made up. Each item says a word of its own, by which it is found afterwards; its ids
have the word backwards.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Item = dict[str, Any]
DAY = 1_767_225_600  # 2026-01-01T00:00:00Z
_ISO = "2026-01-01T00:00:{:02}.000Z"


@dataclass(frozen=True)
class Sample:
    """A format, and how a file of it comes about."""

    name: str
    make: Callable[[str, int], Item]
    """An item that says a word, and what its place in the row is."""
    head: Callable[[str], list[Item]]
    """The items that a file begins with, by its session."""
    write: Callable[[Path, str, Sequence[bytes]], Path]
    """Writes a file of a session from items in bytes; gives the path that is imported."""
    is_document: bool = False
    """Whether its items stand in one JSON document, and are not a line or a file each."""


def dump(value: object) -> bytes:
    """Return a value as JSON; half a character is written as an escape."""
    return json.dumps(value).encode()


def _no_head(_session: str) -> list[Item]:
    return []


def _chatgpt(word: str, _place: int) -> Item:
    def node(own: str, parent: str, child: str | None, role: str, words: str) -> Item:
        content = {"content_type": "text", "parts": [words]}
        message = {
            "id": f"{word[::-1]}-{own}",
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": DAY + len(own),
            "content": content,
            "metadata": {},
            "recipient": "all",
        }
        children = [child] if child else []
        return {"id": own, "message": message, "parent": parent, "children": children}

    return {
        "title": "Hinges",
        "create_time": DAY,
        "update_time": DAY + 5,
        "conversation_id": word[::-1],
        "current_node": "bb",
        "mapping": {
            "r": {"id": "r", "message": None, "parent": None, "children": ["a"]},
            "a": node("a", "r", "bb", "user", f"Where did I put the hinge {word}?"),
            "bb": node("bb", "a", None, "assistant", "In the blue crate."),
        },
    }


def _claude_ai(word: str, _place: int) -> Item:
    def message(own: int, sender: str, words: str) -> Item:
        return {
            "uuid": f"{word[::-1]}-{own}",
            "text": "",
            "content": [{"type": "text", "text": words, "citations": []}],
            "sender": sender,
            "created_at": _ISO.format(own),
            "attachments": [],
            "files": [],
            "parent_message_uuid": f"{word[::-1]}-{own - 1}",
        }

    return {
        "uuid": word[::-1],
        "name": "Kayaks",
        "created_at": _ISO.format(0),
        "updated_at": _ISO.format(9),
        "account": {"uuid": "a"},
        "chat_messages": [
            message(1, "human", f"My kayak is called {word}."),
            message(2, "assistant", "A fine name."),
        ],
    }


def _claude_code(word: str, place: int) -> Item:
    is_user = place % 2 == 0
    words = f"Count the canes of {word}."
    blocks: list[Item] = [{"type": "text", "text": words}]
    if not is_user:
        call = {
            "type": "tool_use",
            "id": f"toolu-{word[::-1]}",
            "name": "Bash",
            "input": {"cmd": "ls"},
        }
        blocks.append(call)
    message: Item = {"role": "user" if is_user else "assistant", "content": blocks}
    return {
        "type": message["role"],
        "uuid": f"u-{word[::-1]}",
        "parentUuid": None,
        "sessionId": "s",
        "cwd": "/nowhere/garden",
        "timestamp": _ISO.format(place),
        "message": message if is_user else {**message, "id": f"m-{word[::-1]}", "model": "m"},
    }


def _codex(word: str, place: int) -> Item:
    role, kind = (("user", "input_text"), ("assistant", "output_text"))[place % 2]
    content = [{"type": kind, "text": f"Prune the quince {word}."}]
    payload = {"type": "message", "id": f"i-{word[::-1]}", "role": role, "content": content}
    return {"timestamp": _ISO.format(place), "type": "response_item", "payload": payload}


def _codex_head(session: str) -> list[Item]:
    meta = {"id": session, "cwd": "/nowhere/garden", "timestamp": _ISO.format(0)}
    return [{"timestamp": _ISO.format(0), "type": "session_meta", "payload": meta}]


def _gemini(word: str, place: int) -> Item:
    call = {
        "id": f"c-{word[::-1]}",
        "name": "ls",
        "args": {},
        "result": [],
        "timestamp": _ISO.format(3),
    }
    return {
        "id": f"g-{word[::-1]}",
        "timestamp": _ISO.format(place),
        "type": ("user", "gemini")[place % 2],
        "content": [{"text": f"Whet the scythe {word}."}],
        **({"toolCalls": [call]} if place % 2 else {}),
    }


def _gemini_head(session: str) -> list[Item]:
    return [{"sessionId": session, "projectHash": "h", "startTime": _ISO.format(0)}]


def _opencode(word: str, place: int) -> Item:
    return {
        "message": {
            "id": f"msg_{place}{word[::-1]}",
            "role": ("user", "assistant")[place % 2],
            "time": {"created": (DAY + place) * 1000},
        },
        "part": {"id": f"prt_{word[::-1]}", "type": "text", "text": f"Oil the gate {word}."},
    }


def _server_memory(word: str, _place: int) -> Item:
    return {
        "type": "entity",
        "name": f"Person {word}",
        "entityType": "Person",
        "observations": [f"Repairs the clock {word}", {"content": f"Owns the boat {word}"}],
    }


def _mem0(word: str, _place: int) -> Item:
    return {
        "id": f"id-{word[::-1]}",
        "memory": f"The ferry {word} leaves from the west pier",
        "hash": "h",
        "metadata": {"category": "fact"},
        "created_at": _ISO.format(1),
        "updated_at": None,
        "user_id": "anna",
    }


def _lines(folder: Path, name: str, items: Sequence[bytes]) -> Path:
    path = folder / name
    path.write_bytes(b"".join(item + b"\n" for item in items))
    return path


def _list(folder: Path, name: str, items: Sequence[bytes], around: bytes = b"[%s]") -> Path:
    path = folder / name
    path.write_bytes(around % b",\n".join(items))
    return path


def _write_opencode(folder: Path, session: str, items: Sequence[bytes]) -> Path:
    """Write a session's files: of what is no pair of message and part, the message alone."""
    head = {"id": session, "directory": "/nowhere/garden", "time": {"created": DAY * 1000}}
    _file(folder / "session" / "p" / f"{session}.json", dump(head))
    for place, item in enumerate(items):
        try:
            pair = json.loads(item)
            message, part = pair["message"], pair["part"]
        except (ValueError, TypeError, KeyError, RecursionError):
            _file(folder / "message" / session / f"msg_{place}.json", item)
            continue
        fields = message if isinstance(message, dict) else {}
        own = fields.get("id")
        own = own if isinstance(own, str) and own.isalnum() else f"msg_{place}"
        _file(folder / "message" / session / f"msg_{place}.json", dump(message))
        _file(folder / "part" / str(fields.get("id") or own)[:60] / "prt_1.json", dump(part))
    return folder


def _file(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except (ValueError, OSError):  # an id that is no name of a folder: such a file can't be there
        return


SAMPLES = (
    Sample(
        "chatgpt",
        _chatgpt,
        _no_head,
        lambda folder, _s, items: _list(folder, "conversations.json", items),
        is_document=True,
    ),
    Sample(
        "claude-ai",
        _claude_ai,
        _no_head,
        lambda folder, _s, items: _list(folder, "conversations.json", items),
        is_document=True,
    ),
    Sample(
        "claude-code",
        _claude_code,
        _no_head,
        lambda folder, session, items: _lines(folder, f"{session}.jsonl", items),
    ),
    Sample(
        "codex",
        _codex,
        _codex_head,
        lambda folder, session, items: _lines(folder, f"rollout-{session}.jsonl", items),
    ),
    Sample(
        "gemini",
        _gemini,
        _gemini_head,
        lambda folder, session, items: _lines(folder, f"session-{session}.jsonl", items),
    ),
    Sample("opencode", _opencode, _no_head, _write_opencode),
    Sample(
        "server-memory",
        _server_memory,
        _no_head,
        lambda folder, _s, items: _lines(folder, "memory.jsonl", items),
    ),
    Sample(
        "mem0",
        _mem0,
        _no_head,
        lambda folder, _s, items: _list(folder, "mem0.json", items, b'{"results": [%s]}'),
        is_document=True,
    ),
)
