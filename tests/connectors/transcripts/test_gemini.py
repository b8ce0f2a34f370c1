"""Gemini's sessions: the last line of a message counts, and patches are not speech."""

import json
import os
import sys
from pathlib import Path

import pytest
from tests.connectors.transcripts.desk import (
    FOLDER,
    SESSION,
    Line,
    gemini,
    gemini_call,
    gemini_header,
    imported,
    items,
    kept,
    told,
    written,
)

from memoria import Memoria
from memoria.connectors.transcripts import SkippedLine, TranscriptTurn, UnusableLine

PATCH: Line = {"$set": {"lastUpdated": "2026-10-05T08:00:09.000Z"}}
CHAT = (
    gemini_header(),
    {"$set": {"messages": [gemini("user", [{"text": "<session_context>\nToday is"}], "s0")]}},
    gemini("user", [{"text": "列出文件"}], "u1"),
    PATCH,
    gemini("info", "Update available.", "i1"),
    gemini("gemini", "", "g1", toolCalls=[gemini_call("c1", "ls")]),
    gemini("gemini", "Here.", "g1", toolCalls=[gemini_call("c1", "ls")]),
    gemini("gemini", "Here.", "g1", toolCalls=[gemini_call("c1", "ls", "a.txt")]),
    gemini("user", "谢谢", "u2"),
)


async def test_messages_and_tool_calls_are_turns(quiet: Memoria, tmp_path: Path) -> None:
    report = await imported(quiet, "gemini", written(tmp_path / "session-1.jsonl", *CHAT))
    turns = await kept(quiet)
    assert told(turns) == [
        ("user", "列出文件", None),
        ("assistant", "Here.", None),
        ("tool", {"run_shell_command": {"command": "ls"}}, "a.txt"),
        ("user", "谢谢", None),
    ]
    assert [(turn.message_id, turn.version) for turn in turns] == [
        ("u1", 1),
        ("g1", 1),
        ("c1", 1),
        ("u2", 1),
    ]
    assert {turn.source for turn in turns} == {"gemini"}
    assert turns[2].at - turns[0].at == 1_000
    # The header, two patches, two earlier lines of g1 and the note.
    assert (report.lines, report.recorded, report.skipped, report.bad) == (9, 4, 6, 0)


@pytest.mark.parametrize(
    "message",
    [
        gemini("info", "x", "m"),
        gemini("warning", "x", "m"),
        gemini("error", [{"text": "x"}], "m"),
        gemini("a type of next year", "x", "m"),
        gemini("gemini", [{"text": "Let me think", "thought": True}], "m"),
        gemini("gemini", "", "m", thoughts=[{"subject": "x"}]),
        gemini("user", [{"text": "<session_context>\nThis is the Gemini CLI."}], "m"),
        gemini("user", "<hook_context>recalled</hook_context>", "m"),
        gemini("user", [{"functionResponse": {"id": "c", "response": {"output": "x"}}}], "m"),
        gemini("user", [], "m"),
        {"$rewindTo": "u1"},
        PATCH,
        {"something": "else"},
        {"id": 7, "type": "user", "content": "no id of a message"},
    ],
    ids=str,
)
def test_what_nobody_said_is_skipped(tmp_path: Path, message: Line) -> None:
    file = written(tmp_path / "session-1.jsonl", gemini_header(), message)
    assert items("gemini", file) == [SkippedLine(1), SkippedLine(2)]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            gemini(
                "user", [{"text": "my prompt"}, {"text": "<hook_context>x</hook_context>"}], "m"
            ),
            "my prompt",
        ),
        (
            gemini("user", "a<hook_context>x</hook_context>b<hook_context>c", "m"),
            "ab<hook_context>c",
        ),
        (
            gemini("user", [{"text": "long"}], "m", displayContent=[{"text": "as typed"}]),
            "as typed",
        ),
        (
            gemini(
                "user",
                ["@a.ts ?", {"text": "\n--- Content from referenced files ---"}, {"text": "body"}],
                "m",
            ),
            "@a.ts ?",
        ),
        (gemini("gemini", [{"text": "x", "thought": True}, {"text": "visible"}], "m"), "visible"),
        (
            gemini(
                "user",
                [{"inlineData": {"mimeType": "image/png", "data": "AA"}}, {"text": "?"}],
                "m",
            ),
            "[image/png]\n\n?",
        ),
        (gemini("user", {"text": "one part"}, "m"), "one part"),
    ],
)
def test_only_the_words_of_a_message_are_kept(tmp_path: Path, message: Line, words: str) -> None:
    (said,) = items("gemini", written(tmp_path / "session-1.jsonl", message))
    assert isinstance(said, TranscriptTurn)
    assert said.turn.content == words


SAID_BY_HOOKS = "<hook_context>&lt;memoria&gt;\nIt failed.\n&lt;/memoria&gt;</hook_context>"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"result": [{"functionResponse": {"response": {"output": "a"}}}]}, "a"),
        (
            {"result": [{"functionResponse": {"response": {"error": "ENOENT"}}}]},
            {"error": "ENOENT"},
        ),
        ({"result": [{"functionResponse": {"response": {"output": "a"}}}] * 2, "x": 1}, "a\na"),
        (
            {"result": [{"functionResponse": {"response": {"output": "a", "code": 1}}}] * 2},
            [{"output": "a", "code": 1}] * 2,
        ),
        (
            {"result": [{"functionResponse": {"response": {"output": f"a\n\n{SAID_BY_HOOKS}"}}}]},
            "a",
        ),
        ({"result": "plain"}, "plain"),
        ({"resultDisplay": "Found 3 matches"}, "Found 3 matches"),
        ({"resultDisplay": {"fileDiff": "--- a"}}, None),
        ({"result": None}, None),
        ({}, None),
    ],
)
def test_a_call_has_what_the_model_was_told(tmp_path: Path, result: Line, expected: object) -> None:
    call = {"id": "c1", "name": "glob", "args": {"pattern": "*"}, **result}
    file = written(tmp_path / "session-1.jsonl", gemini("gemini", "", "g1", toolCalls=[call]))
    (said,) = items("gemini", file)
    assert isinstance(said, TranscriptTurn)
    assert (said.turn.tool_name, said.turn.tool_result) == ("glob", expected)


def test_compressing_the_models_context_takes_nothing_back(tmp_path: Path) -> None:
    summary = gemini("user", "<state_snapshot>SUMMARY</state_snapshot>", "x1")
    copy = gemini("gemini", "an answer, copied under a new id", "x2")
    file = written(
        tmp_path / "session-1.jsonl",
        gemini_header(),
        gemini("user", "a question", "u1"),
        gemini("gemini", "an answer", "g1"),
        {"$set": {"messages": [summary, copy]}},
        {"$rewindTo": "u1"},
        gemini("user", "another", "u2"),
    )
    said = [item.turn.content for item in items("gemini", file) if isinstance(item, TranscriptTurn)]
    assert said == ["a question", "an answer", "another"]


def test_a_session_that_has_its_messages_only_in_patches_is_read_from_them(tmp_path: Path) -> None:
    one, two = gemini("user", "a question", "u1"), gemini("gemini", "an answer", "g1")
    file = written(
        tmp_path / "session-1.jsonl",
        gemini_header(),
        {"$set": {"messages": [one]}},
        {"$set": {"messages": [one, {**two, "content": "half an ans"}]}},
        {"$set": {"messages": [one, two]}},
    )
    said = [item.turn.content for item in items("gemini", file) if isinstance(item, TranscriptTurn)]
    assert said == ["a question", "an answer"]


@pytest.mark.parametrize("indent", [None, 2])
async def test_an_older_session_is_one_json_document(
    quiet: Memoria, tmp_path: Path, indent: int | None
) -> None:
    document = gemini_header(messages=[CHAT[2], CHAT[7]])
    file = tmp_path / "session-1.json"
    file.write_text(json.dumps(document, indent=indent), "utf-8")
    report = await imported(quiet, "gemini", file)
    assert (report.lines, report.recorded, report.bad) == (1, 3, 0)
    assert [turn.content for turn in await kept(quiet)] == ["列出文件", "Here.", ""]


async def test_a_session_that_was_rewritten_line_by_line_is_imported_once(
    quiet: Memoria, tmp_path: Path
) -> None:
    chats = tmp_path / "project" / "chats"
    written(chats / "session-1.jsonl", *CHAT)
    (chats / "session-1.json").write_text(json.dumps(gemini_header(messages=[CHAT[5]])), "utf-8")
    (chats / "notes.json").write_text("{}")
    report = await imported(quiet, "gemini", tmp_path)
    assert (report.files, report.recorded) == (1, 4)
    again = await imported(quiet, "gemini", tmp_path)
    assert (again.recorded, again.new_versions) == (0, 0)


async def test_a_session_imported_at_every_line_comes_to_the_same(
    quiet: Memoria, tmp_path: Path
) -> None:
    for end in range(1, len(CHAT) + 1):
        await imported(quiet, "gemini", written(tmp_path / "session-1.jsonl", *CHAT[:end]))
    turns = await kept(quiet)
    assert sorted(turn.message_id or "" for turn in turns) == ["c1", "g1", "u1", "u2"]
    (call,) = [turn for turn in turns if turn.message_id == "c1"]
    assert (call.version, call.tool_result) == (2, "a.txt")


def test_what_agents_say_to_each_other_is_skipped(tmp_path: Path) -> None:
    file = written(tmp_path / "session-1.jsonl", gemini_header(kind="subagent"), CHAT[2])
    assert not any(isinstance(item, TranscriptTurn) for item in items("gemini", file))


@pytest.mark.parametrize(
    ("root", "directories", "expected"),
    [
        (FOLDER, None, FOLDER),
        (FOLDER, ["/elsewhere"], FOLDER),
        (None, ["/elsewhere", "/b"], "/elsewhere"),
        (None, [], None),
        (None, [3], None),
    ],
)
def test_the_folder_is_the_projects(
    tmp_path: Path, root: str | None, directories: object, expected: str | None
) -> None:
    file = written(
        tmp_path / "gateway" / "chats" / "session-1.jsonl",
        gemini_header(directories=directories),
        gemini("user", "hello", "u1"),
    )
    if root is not None:
        (tmp_path / "gateway" / ".project_root").write_text(f"{root}\n", "utf-8")
    said = items("gemini", file)[-1]
    assert isinstance(said, TranscriptTurn)
    assert (said.cwd, said.turn.session_id) == (expected, SESSION)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
def test_a_pipe_where_the_projects_folder_is_named_is_not_waited_for(tmp_path: Path) -> None:
    file = written(
        tmp_path / "gateway" / "chats" / "session-1.jsonl",
        gemini_header(),
        gemini("user", "hello", "u1"),
    )
    os.mkfifo(tmp_path / "gateway" / ".project_root")
    said = items("gemini", file)[-1]
    assert isinstance(said, TranscriptTurn)


def test_a_bad_line_is_named_and_an_earlier_version_of_its_message_stands(tmp_path: Path) -> None:
    file = written(
        tmp_path / "session-1.jsonl",
        gemini_header(),
        gemini("user", "hello", "u1"),
        b'{"id":"u1","type":"user","content":"hel\n',
        gemini("user", "x", "u2", timestamp="yesterday"),
    )
    found = items("gemini", file)
    assert [item.line for item in found if isinstance(item, UnusableLine)] == [3, 4]
    assert [item.turn.content for item in found if isinstance(item, TranscriptTurn)] == ["hello"]
