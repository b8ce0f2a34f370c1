"""A sample of what each program leaves, as faithful as its format is known: one generator each.

All people and words are made up for these tests.
"""

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANNA = "Anna's allotment has eleven raspberry canes"
LIN = "林岚把羽毛球拍借给了老周"
DAY = 1_767_225_600  # 2026-01-01T00:00:00Z


@dataclass(frozen=True)
class Sample:
    """What a program leaves, and what an import makes of it."""

    source: str
    write: Callable[[Path], Path]
    """Writes it into a folder; gives the path that is imported."""
    turns: int
    memories: int = 0
    sayings: tuple[str, ...] = (ANNA, LIN)
    """What must be found afterwards."""
    damage: Callable[[Path], None] | None = None
    """Spoils one item of it."""
    lost: int = 1
    """How many turns and memories are missing then."""


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def replace_text(before: str, after: str) -> Callable[[Path], None]:
    """Spoils a file by putting one text in the place of another."""

    def damage(path: Path) -> None:
        content = path.read_text("utf-8")
        assert before in content
        path.write_text(content.replace(before, after, 1), "utf-8")

    return damage


def write_zip(path: Path, **files: str) -> Path:
    """A zip of files by name; `__` stands for a slash, `_DOT_` for a dot."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), content)
    return path


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


# Other memory servers


def write_lines(path: Path, *values: object) -> Path:
    path.write_text("".join(dump(value) + "\n" for value in values), "utf-8")
    return path


def write_server_memory(folder: Path) -> Path:
    return write_lines(
        folder / "memory.json",
        {
            "type": "entity",
            "name": "default_user",
            "entityType": "person",
            "observations": ["Prefers tea to coffee"],
        },
        {
            "type": "entity",
            "name": "Anna_Berg",
            "entityType": "person",
            "observations": ["Has eleven raspberry canes on the allotment", "Sings alto"],
        },
        {"type": "entity", "name": "老周", "entityType": "person", "observations": []},
        {
            "type": "entity",
            "name": "林岚",
            "entityType": "person",
            "observations": ["把羽毛球拍借给了老周"],
        },
        {"type": "relation", "from": "林岚", "to": "老周", "relationType": "is_a_friend_of"},
        {
            "type": "relation",
            "from": "Anna_Berg",
            "to": "Allotment_Club",
            "relationType": "keeps_the_books_of",
        },
    )


def mem0_memory(own: str, words: str, **more: object) -> dict[str, object]:
    return {
        "id": own,
        "memory": words,
        "hash": "5f1b",
        "metadata": {"category": "personal"},
        "created_at": "2026-03-01T10:00:00.000000-08:00",
        "updated_at": None,
        "user_id": "anna",
        **more,
    }


def write_mem0(folder: Path) -> Path:
    path = folder / "mem0.json"
    memories = [
        mem0_memory("m-1", ANNA),
        mem0_memory("m-2", LIN, agent_id="cursor"),
        mem0_memory("m-3", "Likes rye bread", categories=["preference"]),
    ]
    path.write_text(dump({"results": memories}), "utf-8")
    return path


def write_openmemory_export(folder: Path) -> Path:
    def one(own: str, words: str, state: str = "active") -> dict[str, object]:
        return {
            "id": own,
            "user_id": "u",
            "app_id": "a",
            "content": words,
            "metadata": {},
            "state": state,
            "created_at": "2026-03-01T10:00:00+00:00",
            "updated_at": "2026-03-02T10:00:00+00:00",
            "category_ids": [],
        }

    payload = {
        "user": {"id": "u", "user_id": "anna"},
        "apps": [{"id": "a", "name": "cursor"}],
        "categories": [],
        "memories": [one("1", ANNA), one("2", LIN), one("3", "It rains in Leeds", "deleted")],
        "export_meta": {"version": "1"},
    }
    return write_zip(folder / "memories_export_anna.zip", memories_DOT_json=dump(payload))


def write_database(path: Path, script: str, **rows: list[tuple[object, ...]]) -> Path:
    """A database as its program leaves it while it runs: the last rows are in the log."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        for table, values in rows.items():
            marks = ", ".join("?" * len(values[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608
        connection.commit()
    return path


def write_openmemory_database(folder: Path) -> Path:
    day = "2026-03-01 10:00:00.000000"
    return write_database(
        folder / "openmemory.db",
        """CREATE TABLE apps (id CHAR(32) PRIMARY KEY, owner_id CHAR(32), name VARCHAR);
        CREATE TABLE memories (id CHAR(32) PRIMARY KEY, user_id CHAR(32), app_id CHAR(32),
            content VARCHAR, vector VARCHAR, metadata JSON, state VARCHAR(8), created_at DATETIME,
            updated_at DATETIME, archived_at DATETIME, deleted_at DATETIME);""",
        apps=[("a", "u", "cursor")],
        memories=[
            (own, "u", "a", words, None, "{}", state, day, day, None, None)
            for own, words, state in (
                ("1", ANNA, "active"),
                ("2", LIN, "active"),
                ("3", "It rained", "archived"),
            )
        ],
    )


def write_mem0_history(folder: Path) -> Path:
    def event(
        own: str, memory: str, old: str | None, new: str | None, kind: str
    ) -> tuple[object, ...]:
        return (
            own,
            memory,
            old,
            new,
            kind,
            "2026-03-01T10:00:00+00:00",
            None,
            int(kind == "DELETE"),
        )

    return write_database(
        folder / "history.db",
        """CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT,
            new_memory TEXT, event TEXT, created_at DATETIME, updated_at DATETIME,
            is_deleted INTEGER);""",
        history=[
            event("e1", "m1", None, "Anna has nine canes", "ADD"),
            event("e2", "m1", "Anna has nine canes", ANNA, "UPDATE"),
            event("e3", "m2", None, LIN, "ADD"),
            event("e4", "m3", None, "It snows in Oslo", "ADD"),
            event("e5", "m3", "It snows in Oslo", None, "DELETE"),
        ],
    )


def write_memory_service(folder: Path) -> Path:
    path = folder / "export.json"
    memories = [
        {
            "content": words,
            "content_hash": f"hash{n}",
            "tags": ["garden"],
            "memory_type": kind,
            "created_at": DAY + n,
            "updated_at": DAY + n,
            "metadata": {"hostname": "kestrel"},
        }
        for n, (words, kind) in enumerate(
            ((ANNA, "note"), (LIN, "observation"), ("Use rg", "standard"))
        )
    ]
    path.write_text(dump({"export_metadata": {"total_memories": 3}, "memories": memories}), "utf-8")
    return path


def write_memory_service_database(folder: Path) -> Path:
    return write_database(
        folder / "sqlite_vec.db",
        """CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE,
            content TEXT NOT NULL, tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL,
            updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL);""",
        memories=[
            (
                n,
                f"h{n}",
                words,
                "garden",
                "note",
                '{"hostname": "kestrel"}',
                DAY + n,
                DAY + n,
                None,
                None,
                deleted,
            )
            for n, words, deleted in ((1, ANNA, None), (2, LIN, None), (3, "Gone", DAY + 9.5))
        ],
    )


CLAUDE_MEM = """
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT,
    memory_session_id TEXT, project TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT,
    type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, created_at TEXT,
    created_at_epoch INTEGER);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT,
    request TEXT, learned TEXT, completed TEXT, next_steps TEXT, created_at TEXT,
    created_at_epoch INTEGER);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, content_session_id TEXT, prompt_number INTEGER,
    prompt_text TEXT, created_at TEXT, created_at_epoch INTEGER);
"""


def write_claude_mem(folder: Path, facts: str | None = None) -> Path:
    at = DAY * 1000
    return write_database(
        folder / "claude-mem.db",
        CLAUDE_MEM,
        observations=[
            (
                1,
                "s1",
                "garden",
                None,
                "discovery",
                "Canes counted",
                None,
                facts or dump([ANNA, "The canes stand in bed 4"]),
                "Counted twice.",
                "",
                at,
            ),
            (2, "s1", "garden", None, "bugfix", "林岚", None, dump([LIN]), None, "", at + 1000),
        ],
        session_summaries=[
            (1, "s1", "garden", "Count", "Eleven", None, "Water them", "", at + 2000)
        ],
        user_prompts=[(1, "s1", 1, "How many canes are there?", "", at - 1000)],
    )


def write_memories_json(folder: Path) -> Path:
    def one(own: str, words: str, **more: object) -> dict[str, object]:
        return {
            "id": own,
            "type": "FACT",
            "priority": "permanent",
            "content": words,
            "importance_score": 0.8,
            "created_at": "2026-02-01T09:00:00",
            "tags": [],
            **more,
        }

    path = folder / "memories.json"
    memories = [
        one("1", ANNA, subject="Anna"),
        one("2", LIN),
        one("3", "Always answer in French", type="RULE"),
        one("4", "Parked on level 3", priority="transient"),
    ]
    path.write_text(dump(memories), "utf-8")
    return path


def damage_facts(path: Path) -> None:
    path.unlink()
    write_claude_mem(path.parent, facts="[oops")


def cut_database(path: Path) -> None:
    """The file lost its second half."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


SAMPLES = (
    Sample("chatgpt", write_chatgpt, turns=5, memories=1),
    Sample(
        "chatgpt",
        write_chatgpt_json,
        turns=5,
        memories=1,
        damage=replace_text('"title": "A chat", "create_time"', '"title": "A chat" "create_time"'),
        lost=4,
    ),
    Sample("claude-ai", write_claude_ai, turns=6, memories=2),
    Sample(
        "claude-ai",
        write_claude_json,
        turns=6,
        damage=replace_text('"name": ""', '"name": "" oops'),
    ),
    Sample(
        "server-memory",
        write_server_memory,
        turns=0,
        memories=6,
        sayings=(
            "raspberry canes on the allotment",
            "把羽毛球拍借给了老周",
            "林岚 is a friend of 老周",
        ),
        damage=replace_text('"observations": ["把', '"observations": "把'),
    ),
    Sample("mem0", write_mem0, 0, 3, damage=replace_text('"memory": "Likes', '"memoir": "Likes')),
    Sample("mem0", write_openmemory_export, 0, 2),
    Sample("mem0", write_openmemory_database, 0, 2),
    Sample("mem0", write_mem0_history, 0, 2),
    Sample(
        "mcp-memory-service",
        write_memory_service,
        turns=0,
        memories=3,
        damage=replace_text('{"content": "Use rg"', '{"contents": "Use rg"'),
    ),
    Sample("mcp-memory-service", write_memory_service_database, 0, 2),
    Sample("claude-mem", write_claude_mem, turns=3, memories=3, damage=damage_facts),
    Sample(
        "memories-json",
        write_memories_json,
        turns=0,
        memories=3,
        damage=replace_text('"content": "Always', '"contend": "Always'),
    ),
)
