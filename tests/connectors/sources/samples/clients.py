"""What other clients keep of their sessions."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.connectors.sources.samples.base import ANNA, DAY, LIN, dump, write_database, write_lines

# Other clients


def write_goose(folder: Path) -> Path:
    call = {
        "type": "toolRequest",
        "id": "t1",
        "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"cmd": "ls"}}},
    }
    answer = {
        "type": "toolResponse",
        "id": "t1",
        "toolResult": {"status": "success", "value": [{"type": "text", "text": "beds.txt"}]},
    }
    rows: list[tuple[object, ...]] = [
        (n, f"msg_{n}", session, role, content, DAY + n, None, None, meta)
        for n, (session, role, content, meta) in enumerate(
            (
                ("20260101_1", "user", dump([{"type": "text", "text": ANNA}]), "{}"),
                (
                    "20260101_1",
                    "assistant",
                    dump([{"type": "text", "text": "Looking."}, call]),
                    "{}",
                ),
                ("20260101_1", "user", dump([answer]), "{}"),
                ("20260101_1", "assistant", dump([{"type": "thinking", "thinking": "hm"}]), "{}"),
                (
                    "20260101_1",
                    "user",
                    dump([{"type": "text", "text": "So far: canes"}]),
                    dump({"userVisible": False, "agentVisible": True}),
                ),
                ("20260101_2", "user", dump([{"type": "text", "text": LIN}]), "{}"),
                ("20260101_3", "user", dump([{"type": "text", "text": "Count, agent"}]), "{}"),
            )
        )
    ]
    return write_database(
        folder / "sessions.db",
        """CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, session_type TEXT,
            working_dir TEXT, created_at TIMESTAMP);
        CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT,
            content_json TEXT, created_timestamp INTEGER, timestamp TIMESTAMP, tokens INTEGER,
            metadata_json TEXT);""",
        sessions=[
            ("20260101_1", "canes", "user", "/nowhere/garden", None),
            ("20260101_2", "racket", "user", "/nowhere/garden", None),
            ("20260101_3", "", "sub_agent", "/nowhere/garden", None),
        ],
        messages=rows,
    )


def write_goose_lines(folder: Path) -> Path:
    def message(role: str, words: str) -> dict[str, object]:
        return {"role": role, "created": DAY, "content": [{"type": "text", "text": words}]}

    return write_lines(
        folder / "20250401_0900.jsonl",
        {"working_dir": "/nowhere/garden", "description": "canes", "message_count": 3},
        message("user", ANNA),
        message("assistant", "Noted."),
        message("user", LIN),
    )


def opencode_session() -> list[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """Messages by id with their parts."""
    return [
        (
            "msg_1",
            {"role": "user"},
            [
                {"type": "text", "text": ANNA},
                {"type": "text", "text": "Called the Read tool", "synthetic": True},
            ],
        ),
        (
            "msg_2",
            {"role": "assistant", "path": {"cwd": "/nowhere/garden"}},
            [
                {"type": "step-start"},
                {"type": "reasoning", "text": "hm"},
                {"type": "text", "text": "Looking."},
                {
                    "type": "tool",
                    "callID": "call_1",
                    "tool": "read",
                    "state": {
                        "status": "completed",
                        "input": {"filePath": "beds.txt"},
                        "output": "bed 4",
                        "title": "beds.txt",
                        "metadata": {},
                        "time": {"start": 1_000 * DAY, "end": 1_000 * DAY},
                    },
                },
                {"type": "text", "text": "They are in bed 4."},
            ],
        ),
        ("msg_3", {"role": "user"}, [{"type": "text", "text": LIN}]),
    ]


def write_opencode(folder: Path) -> Path:
    messages, parts = [], []
    for n, (own, data, own_parts) in enumerate(opencode_session()):
        at = (DAY + n) * 1000
        messages.append((own, "ses_1", at, at, dump({**data, "time": {"created": at}})))
        parts += [(f"prt_{n}{k}", own, "ses_1", at, at, dump(p)) for k, p in enumerate(own_parts)]
    return write_database(
        folder / "opencode.db",
        """CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT,
            directory TEXT, title TEXT, time_created INTEGER);
        CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
            time_updated INTEGER, data TEXT);
        CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT,
            time_created INTEGER, time_updated INTEGER, data TEXT);""",
        session=[("ses_1", "p", None, "/nowhere/garden", "canes", DAY)],
        message=list(messages),
        part=list(parts),
    )


_SESSION_MESSAGE = """CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT,
    seq INTEGER, time_created INTEGER, time_updated INTEGER, data TEXT);"""


def opencode_two_rows(session: str = "ses_2") -> list[tuple[object, ...]]:
    """A session as OpenCode 2 has it: a row a message, words and calls in it."""
    done = {"status": "completed", "input": {"filePath": "beds.txt"}}
    content = [
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": "Looking."},
        {
            "type": "tool",
            "id": "call_1",
            "name": "read",
            "state": {**done, "content": [{"type": "text", "text": "bed 4"}]},
        },
        {"type": "text", "text": "They are in bed 4."},
    ]
    rows: tuple[tuple[str, dict[str, Any]], ...] = (
        ("agent-switched", {"agent": "build"}),
        ("user", {"text": ANNA}),
        ("synthetic", {"text": "Called the Read tool"}),
        ("assistant", {"agent": "build", "content": content}),
        ("compaction", {"summary": "So far: canes"}),
        ("user", {"text": LIN, "files": []}),
    )
    at = DAY * 1000
    return [
        (f"msg_{session}_{n}", session, kind, n, at + n, at + n, dump({"time": {}, **data}))
        for n, (kind, data) in enumerate(rows)
    ]


def write_opencode_two(folder: Path) -> Path:
    return write_database(
        folder / "opencode.db",
        f"""CREATE TABLE session_v2 (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT,
            directory TEXT, title TEXT, time_created INTEGER);
        {_SESSION_MESSAGE}""",
        session_v2=[
            ("ses_2", "p", None, "/nowhere/garden", "canes", DAY),
            ("ses_3", "p", "ses_2", "/nowhere/garden", "of a subagent", DAY),
        ],
        session_message=[*opencode_two_rows(), *opencode_two_rows("ses_3")],
    )


def write_opencode_both(folder: Path) -> Path:
    """A session that both generations have, as after an update, and one of the former alone."""
    path = write_opencode(folder)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(_SESSION_MESSAGE)
        marks = ", ".join("?" * 7)
        connection.executemany(
            f"INSERT INTO session_message VALUES ({marks})",  # noqa: S608
            opencode_two_rows(),
        )
        connection.execute(
            "INSERT INTO session VALUES ('ses_2', 'p', NULL, '/nowhere/garden', 'canes', 1)"
        )
        connection.execute(
            "INSERT INTO message VALUES ('msg_ses_2_1', 'ses_2', 1, 1, ?)",
            (dump({"role": "user"}),),
        )
        connection.execute(
            "INSERT INTO part VALUES ('prt_9', 'msg_ses_2_1', 'ses_2', 1, 1, ?)",
            (dump({"type": "text", "text": ANNA}),),
        )
    return path


def write_opencode_files(folder: Path) -> Path:
    def put(*place: str, **value: object) -> None:
        path = folder.joinpath("storage", *place).with_suffix(".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump(value), "utf-8")

    put("session", "p", "ses_1", id="ses_1", directory="/nowhere/garden", time={"created": 1})
    for n, (own, data, parts) in enumerate(opencode_session()):
        put("message", "ses_1", own, id=own, **data, time={"created": (DAY + n) * 1000})
        for k, part in enumerate(parts):
            put("part", own, f"prt_{k}", **part)
    return folder / "storage"


def write_cursor(folder: Path) -> Path:
    def bubble(own: str, kind: int, words: str, **more: object) -> tuple[object, ...]:
        value = {
            "_v": 3,
            "bubbleId": own,
            "type": kind,
            "text": words,
            "createdAt": "2026-01-01T00:00:00.000Z",
            **more,
        }
        return (f"bubbleId:c1:{own}", dump(value).encode())

    composer = {
        "_v": 10,
        "composerId": "c1",
        "name": "Canes",
        "createdAt": DAY * 1000,
        "fullConversationHeadersOnly": [
            {"bubbleId": one, "type": 1} for one in ("b1", "b2", "b3", "b4")
        ],
    }
    older = {
        "composerId": "c0",
        "createdAt": DAY * 1000,
        "conversation": [{"bubbleId": "a1", "type": 1, "text": LIN}],
    }
    tool = {
        "tool": 5,
        "name": "read_file",
        "toolCallId": "call-1",
        "rawArgs": '{"path": "beds"}',
        "result": '{"contents": "bed 4"}',
        "status": "completed",
    }
    return write_database(
        folder / "state.vscdb",
        """CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
        CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);""",
        cursorDiskKV=[
            ("composerData:c0", dump(older)),
            ("composerData:c1", dump(composer)),
            ("checkpointId:c1:x", "{}"),
            bubble("b1", 1, ANNA),
            bubble("b2", 2, "", thinking={"text": "hm"}),
            bubble("b3", 2, "", toolFormerData=tool),
            bubble("b4", 2, "In bed 4."),
        ],
    )


def write_cursor_transcript(folder: Path) -> Path:
    def one(role: str, *blocks: dict[str, object]) -> dict[str, object]:
        return {"role": role, "message": {"content": list(blocks)}}

    return write_lines(
        folder / "3f2a.jsonl",
        one("user", {"type": "text", "text": f"<user_query>\n{ANNA}\n</user_query>"}),
        one(
            "assistant",
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "name": "Read", "input": {"path": "beds"}},
        ),
        one("user", {"type": "text", "text": LIN}),
    )


def damage_part(path: Path) -> None:
    (path / "part" / "msg_3" / "prt_0.json").write_text("{oops")
