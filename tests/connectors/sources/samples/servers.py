"""What other memory servers keep."""

from pathlib import Path

from tests.connectors.sources.samples.base import (
    ANNA,
    DAY,
    LIN,
    dump,
    write_database,
    write_lines,
    write_zip,
)

# Other memory servers


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
