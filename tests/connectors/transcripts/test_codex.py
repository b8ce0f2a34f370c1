"""Codex's rollouts: items are read, events that repeat them are not."""

import sys
from pathlib import Path

import pytest
from tests.connectors.transcripts.desk import (
    FOLDER,
    SESSION,
    Line,
    codex,
    codex_calls,
    codex_message,
    codex_meta,
    codex_result,
    imported,
    items,
    jsonl,
    kept,
    told,
    written,
)

from memoria import Memoria
from memoria.connectors.transcripts import SkippedLine, TranscriptTurn, UnusableLine

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CONTEXT = f"<environment_context>\n  <cwd>{FOLDER}</cwd>\n</environment_context>"
AGENTS = f"# AGENTS.md instructions for {FOLDER}\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>"
ROLLOUT = (
    codex_meta(),
    codex_message("developer", "<permissions instructions>Never ask.</permissions instructions>"),
    codex_message("user", AGENTS, CONTEXT),
    codex("turn_context", {"cwd": FOLDER, "model": "gpt-5.5-codex"}),
    codex_message("user", "第三个测试为什么失败？"),
    codex("event_msg", {"type": "user_message", "message": "第三个测试为什么失败？"}),
    codex("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}),
    codex_calls("call_1", "make test"),
    codex_result("call_1", '{"output":"1 failed","metadata":{"exit_code":1}}'),
    codex("event_msg", {"type": "token_count", "info": None}),
    codex_message("assistant", "It expects UTC.", id="msg_7"),
    codex("event_msg", {"type": "agent_message", "message": "It expects UTC."}),
)


async def test_messages_and_tool_calls_are_turns(quiet: Memoria, tmp_path: Path) -> None:
    report = await imported(quiet, "codex", written(tmp_path / "rollout-1.jsonl", *ROLLOUT))
    turns = await kept(quiet)
    assert told(turns) == [
        ("user", "第三个测试为什么失败？", None),
        (
            "tool",
            {"shell": {"command": ["bash", "-lc", "make test"]}},
            {"output": "1 failed", "metadata": {"exit_code": 1}},
        ),
        ("assistant", "It expects UTC.", None),
    ]
    assert [turn.message_id for turn in turns] == ["line-5", "call_1", "msg_7"]
    assert {turn.source for turn in turns} == {"codex"}
    assert (report.lines, report.recorded, report.skipped, report.bad) == (12, 3, 8, 0)


@pytest.mark.parametrize(
    "line",
    [
        codex_message("developer", "x"),
        codex_message("system", "x"),
        codex_message("user", CONTEXT),
        codex_message("user", "<environment_context>cut off"),
        codex_message("user", AGENTS),
        codex_message("user", "<user_instructions>\nBe kind.\n</user_instructions>"),
        codex_message("user", "<turn_aborted>\n  <reason>interrupted</reason>\n</turn_aborted>"),
        codex_message("user", "<subagent_notification>{}</subagent_notification>"),
        codex_message("user", " "),
        codex_message("user"),
        codex("response_item", {"type": "ghost_snapshot", "ghost_commit": {}}),
        codex("response_item", {}),
        codex("event_msg", {"type": "user_message", "message": "x"}),
        codex("compacted", {"message": "Summary", "replacement_history": []}),
        codex("a kind of next year", {"type": "message", "role": "user", "content": []}),
        {"record_type": "state"},
    ],
    ids=lambda line: str(line.get("payload", line))[:60],
)
def test_what_nobody_said_is_skipped(tmp_path: Path, line: Line) -> None:
    file = written(tmp_path / "x.jsonl", codex_meta(), line)
    assert items("codex", file) == [SkippedLine(1), SkippedLine(2)]


def test_a_prompt_beside_the_clients_notes_is_kept_alone(tmp_path: Path) -> None:
    file = written(tmp_path / "x.jsonl", codex_message("user", CONTEXT, "Rename it", "everywhere"))
    (said,) = items("codex", file)
    assert isinstance(said, TranscriptTurn)
    assert said.turn.content == "Rename it\n\neverywhere"


@pytest.mark.parametrize(
    ("call", "answer", "expected"),
    [
        (
            {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch"},
            codex_result("c", "Done", "custom_tool_call_output"),
            ("apply_patch", "*** Begin Patch", "Done"),
        ),
        (
            {"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"]}},
            codex_result("c", "a.txt"),
            ("local_shell", {"type": "exec", "command": ["ls"]}, "a.txt"),
        ),
        (
            {
                "type": "function_call",
                "name": "search",
                "namespace": "mcp__docs__",
                "arguments": "{",
            },
            codex_result("c", [{"type": "input_text", "text": "a"}, {"type": "input_image"}]),
            ("mcp__docs__search", "{", "a\n[input_image]"),
        ),
        (
            {"type": "function_call", "name": "view", "arguments": "{}"},
            codex_result("c", {"content": "denied", "success": False}),
            ("view", {}, "denied"),
        ),
        (
            {"type": "function_call", "name": "cat", "arguments": "{}"},
            codex_result("c", '{"output": "a file that is JSON"}'),
            ("cat", {}, '{"output": "a file that is JSON"}'),
        ),
    ],
)
def test_every_kind_of_call_has_its_name_arguments_and_result(
    tmp_path: Path, call: Line, answer: Line, expected: tuple[object, ...]
) -> None:
    line = codex("response_item", {**call, "call_id": "c"})
    (said,) = items("codex", written(tmp_path / "x.jsonl", line, answer))
    assert isinstance(said, TranscriptTurn)
    assert (said.turn.tool_name, said.turn.tool_args, said.turn.tool_result) == expected


def test_a_web_search_is_a_call_without_a_result(tmp_path: Path) -> None:
    action = {"type": "search", "query": "sqlite wal"}
    line = codex("response_item", {"type": "web_search_call", "id": "ws_1", "action": action})
    (said,) = items("codex", written(tmp_path / "x.jsonl", line))
    assert isinstance(said, TranscriptTurn)
    assert (said.turn.message_id, said.turn.tool_args) == ("ws_1", action)


def test_call_ids_that_begin_anew_are_told_apart(tmp_path: Path) -> None:
    one = (codex_calls("call_0", "ls"), codex_result("call_0", "a"))
    other = (codex_calls("call_0", "pwd"), codex_result("call_0", "b"))
    said = items("codex", written(tmp_path / "x.jsonl", *one, *other))
    assert [
        (one.turn.message_id, one.turn.tool_result)
        for one in said
        if isinstance(one, TranscriptTurn)
    ] == [("call_0", "a"), ("call_0.3", "b")]


@pytest.mark.parametrize(
    "mark", [{"source": {"subagent": {"thread_spawn": {}}}}, {"thread_source": "subagent"}]
)
def test_what_agents_say_to_each_other_is_skipped(tmp_path: Path, mark: Line) -> None:
    file = written(tmp_path / "x.jsonl", codex_meta(**mark), *ROLLOUT[1:])
    assert items("codex", file) == [SkippedLine(number) for number in range(1, 13)]


def test_a_fork_keeps_its_own_session_and_folder(tmp_path: Path) -> None:
    file = written(
        tmp_path / "x.jsonl",
        codex_meta(id="child", forked_from_id=SESSION),
        codex_meta(cwd="/elsewhere"),
        codex_message("user", "hello"),
    )
    said = items("codex", file)[-1]
    assert isinstance(said, TranscriptTurn)
    assert (said.turn.session_id, said.cwd) == ("child", FOLDER)


def test_a_rollout_of_2025_has_its_items_bare(tmp_path: Path) -> None:
    file = written(
        tmp_path / "x.jsonl",
        {"id": SESSION, "timestamp": "2025-06-01T08:00:00.000Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
    )
    said = items("codex", file)[-1]
    assert isinstance(said, TranscriptTurn)
    assert (said.turn.session_id, said.turn.content) == (SESSION, "hello")
    assert said.turn.at == 1_748_764_800_000


async def test_a_rollout_imported_at_every_line_comes_to_the_same(
    quiet: Memoria, tmp_path: Path
) -> None:
    for end in range(1, len(ROLLOUT) + 1):
        await imported(quiet, "codex", written(tmp_path / "rollout-1.jsonl", *ROLLOUT[:end]))
    assert [(turn.message_id, turn.version) for turn in await kept(quiet)] == [
        ("line-5", 1),
        ("call_1", 2),
        ("msg_7", 1),
    ]


async def test_a_rollout_that_was_compressed_since_adds_nothing(
    quiet: Memoria, tmp_path: Path
) -> None:
    plain = written(tmp_path / "rollout-1.jsonl", *ROLLOUT)
    await imported(quiet, "codex", tmp_path)
    packed = tmp_path / "rollout-1.jsonl.zst"
    packed.write_bytes(zstd.compress(plain.read_bytes()))
    assert (await imported(quiet, "codex", tmp_path)).files == 1
    plain.unlink()
    again = await imported(quiet, "codex", tmp_path)
    assert (again.files, again.lines, again.recorded, again.already_recorded) == (1, 12, 0, 3)


def test_a_compressed_rollout_that_is_damaged_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = jsonl(*(codex_message("user", f"{i} {'x' * 500}") for i in range(2_000)))
    packed = zstd.compress(text)
    file = tmp_path / "rollout-1.jsonl.zst"
    file.write_bytes(packed[: len(packed) // 2])
    assert items("codex", file)[-1] == UnusableLine(None, "can't be decompressed to its end")
    file.write_bytes(b"not zstd at all\n" * 100)
    assert items("codex", file) == [UnusableLine(None, "can't be decompressed to its end")]
