"""Claude Code's transcripts: what was said and done goes in once, under the client's own ids."""

from pathlib import Path

import pytest
from tests.connectors.transcripts.desk import (
    FOLDER,
    SESSION,
    Line,
    block,
    claude,
    claude_calls,
    claude_result,
    claude_says,
    imported,
    items,
    kept,
    told,
    written,
)
from tests.ingest.files import part, picture

from memoria import Memoria
from memoria.connectors.transcripts import SkippedLine, TranscriptTurn, UnusableLine

THINKING = {"type": "thinking", "thinking": "The user wants tests.", "signature": "x"}
CONVERSATION = (
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
    claude("user", "为什么 E1437 会失败？", "u1"),
    claude_says("msg_1", THINKING, "a1"),
    claude_says("msg_1", block("Two things to look at."), "a2"),
    claude_calls("msg_1", "toolu_1", "make test", "a3"),
    claude_calls("msg_1", "toolu_2", "git log", "a4"),
    {"type": "progress", "data": {"elapsed": 2}, "sessionId": SESSION, "uuid": "p1"},
    claude_result("toolu_2", [block("a1b2c3 Rename"), {"type": "image", "source": {}}], "r2"),
    claude_result("toolu_1", "make: *** [test] Error 2", "r1", is_error=True),
    claude_says("msg_2", block("The rename broke it."), "a5", timestamp="2026-10-05T08:00:30Z"),
    claude("user", [block("Then undo it"), {"type": "image", "source": {}}], "u2"),
)

COMPACT = (
    "<command-name>/compact</command-name>\n            <command-message>compact</command-message>"
    "\n            <command-args>{}</command-args>"
)
"""What Claude Code writes down in the user's name where they give a command."""


async def test_prompts_answers_and_tool_calls_are_turns(quiet: Memoria, tmp_path: Path) -> None:
    report = await imported(quiet, "claude-code", written(tmp_path / "x.jsonl", *CONVERSATION))
    turns = await kept(quiet)
    assert told(turns) == [
        ("user", "为什么 E1437 会失败？", None),
        ("assistant", "Two things to look at.", None),
        ("tool", {"Bash": {"command": "git log"}}, "a1b2c3 Rename\n[image]"),
        (
            "tool",
            {"Bash": {"command": "make test"}},
            {"is_error": True, "content": "make: *** [test] Error 2"},
        ),
        ("assistant", "The rename broke it.", None),
        ("user", "Then undo it\n\n[image]", None),
    ]
    assert [turn.message_id for turn in turns] == ["u1", "a2", "toolu_2", "toolu_1", "a5", "u2"]
    assert {turn.source for turn in turns} == {"claude-code"}
    assert turns[4].at - turns[0].at == 30_000
    assert (report.lines, report.recorded, report.skipped, report.bad) == (11, 6, 3, 0)


@pytest.mark.parametrize(
    "line",
    [
        claude("user", "x", "u", isSidechain=True),
        claude("user", "x", "u", isMeta=True),
        claude("user", "x", "u", isCompactSummary=True),
        claude("user", "x", "u", isVisibleInTranscriptOnly=True),
        claude_says("m", block("x"), "u", isSidechain=True),
        claude_says("m", THINKING, "u"),
        claude(
            "assistant", [block("API Error: overloaded")], "u", message={"model": "<synthetic>"}
        ),
        claude("system", "x", "u"),
        claude("teleport", "a type of next year", "u"),
        {"type": "summary", "summary": "Fixing a test", "leafUuid": "a5"},
        {"type": "attachment", "attachment": {"type": "system_prompt", "prompt": "You are"}},
        {"message": {"role": "user", "content": "no type"}},
        claude("user", "<local-command-stdout>Set model</local-command-stdout>", "u"),
        claude("user", COMPACT.format(""), "u"),
        claude("user", "<command-message>init is running</command-message>", "u"),
        claude("user", "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", "u"),
        claude("user", [block("<system-reminder>Be brief.</system-reminder>\n")], "u"),
        claude("user", [block("[Request interrupted by user for tool use]")], "u"),
        claude("user", "<task-notification>\ndone\n</task-notification>", "u"),
        claude("user", "  \n", "u"),
        claude("user", [], "u"),
    ],
    ids=lambda line: str(line.get("message", line))[:60],
)
def test_what_nobody_said_is_skipped(tmp_path: Path, line: Line) -> None:
    assert items("claude-code", written(tmp_path / "x.jsonl", line)) == [SkippedLine(1)]


def test_what_is_typed_behind_a_command_is_the_users(tmp_path: Path) -> None:
    line = claude("user", COMPACT.format("keep the port, 6543"), "u")
    (said,) = items("claude-code", written(tmp_path / "x.jsonl", line))
    assert isinstance(said, TranscriptTurn)
    assert said.turn.content == "keep the port, 6543"


@pytest.mark.parametrize(
    "words",
    [
        "<system-reminder> is a tag I saw. What is it?",
        "/review the parser",
        "<b>",
        "<command-name>/x</command-name> is what?",
    ],
)
def test_a_prompt_that_begins_with_a_tag_is_a_prompt(tmp_path: Path, words: str) -> None:
    (said,) = items("claude-code", written(tmp_path / "x.jsonl", claude("user", words, "u")))
    assert isinstance(said, TranscriptTurn)
    assert said.turn.content == words


def test_what_stands_beside_a_tool_result_is_not_user_speech(tmp_path: Path) -> None:
    line = claude_result("toolu_1", "ok", "r1")
    line["message"]["content"].append(block("Remember to be brief."))
    file = written(tmp_path / "x.jsonl", claude_calls("m", "toolu_1", "ls", "a"), line)
    (said,) = items("claude-code", file)
    assert isinstance(said, TranscriptTurn)
    assert (said.turn.role, said.turn.tool_result) == ("tool", "ok")


def test_the_words_of_one_message_are_one_turn_until_a_result_comes(tmp_path: Path) -> None:
    file = written(
        tmp_path / "x.jsonl",
        claude_says("msg_1", block("First,"), "a1"),
        claude_says("msg_1", THINKING, "a2"),
        claude_says("msg_1", block("second."), "a3"),
        claude_calls("msg_1", "toolu_1", "ls", "a4"),
        claude_result("toolu_1", "a.txt", "r1"),
        claude_says("msg_1", block("Third."), "a5"),
        claude_says("msg_2", block("Another message."), "a6"),
    )
    said = [item for item in items("claude-code", file) if isinstance(item, TranscriptTurn)]
    assert [(one.turn.message_id, one.turn.content) for one in said] == [
        ("a1", "First,\n\nsecond."),
        ("toolu_1", ""),
        ("a5", "Third."),
        ("a6", "Another message."),
    ]


async def test_a_call_that_is_never_answered_is_kept_without_a_result(
    quiet: Memoria, tmp_path: Path
) -> None:
    file = written(tmp_path / "x.jsonl", claude_calls("m", "toolu_1", "sleep 9", "a1"))
    await imported(quiet, "claude-code", file)
    assert told(await kept(quiet)) == [("tool", {"Bash": {"command": "sleep 9"}}, None)]


async def test_a_result_whose_call_is_not_in_the_file_is_a_turn_of_its_own(
    quiet: Memoria, tmp_path: Path
) -> None:
    file = written(tmp_path / "x.jsonl", claude_result("toolu_1", "ok", "r1"))
    for _ in range(2):
        await imported(quiet, "claude-code", file)
    (turn,) = await kept(quiet)
    assert (turn.message_id, turn.tool_result) == ("toolu_1.result", "ok")


async def test_a_transcript_imported_at_every_line_comes_to_the_same(
    quiet: Memoria, tmp_path: Path
) -> None:
    whole = written(tmp_path / "x.jsonl", *CONVERSATION)
    for end in range(1, len(CONVERSATION) + 1):
        growing = written(tmp_path / "x.jsonl", *CONVERSATION[:end])
        report = await imported(quiet, "claude-code", growing)
        assert report.bad == 0
    turns = await kept(quiet)
    # Both calls were in already when their results came: each has a second version.
    assert [(turn.message_id, turn.version) for turn in turns] == [
        ("u1", 1),
        ("a2", 1),
        ("toolu_1", 2),
        ("toolu_2", 2),
        ("a5", 1),
        ("u2", 1),
    ]
    again = await imported(quiet, "claude-code", whole)
    assert (again.recorded, again.new_versions, again.already_recorded) == (0, 0, 6)


async def test_an_older_copy_of_a_transcript_takes_no_result_away(
    quiet: Memoria, tmp_path: Path
) -> None:
    written(tmp_path / "a" / "x.jsonl", *CONVERSATION)
    written(tmp_path / "b" / "x.jsonl", *CONVERSATION[:5])
    await imported(quiet, "claude-code", tmp_path)
    before = told(await kept(quiet))
    again = await imported(quiet, "claude-code", tmp_path)
    assert (again.recorded, again.new_versions) == (0, 0)
    assert told(await kept(quiet)) == before


async def test_the_lines_a_fork_copied_meet_their_originals(quiet: Memoria, tmp_path: Path) -> None:
    original = claude("user", "Which port?", "u1")
    marks = {"sessionId": "fork", "forkedFrom": {"sessionId": SESSION, "messageUuid": "u1"}}
    written(tmp_path / "a.jsonl", original)
    written(
        tmp_path / "b.jsonl", {**original, **marks}, claude("user", "9090", "u2", sessionId="fork")
    )
    report = await imported(quiet, "claude-code", tmp_path)
    assert (report.recorded, report.already_recorded) == (2, 1)
    assert [turn.content for turn in await kept(quiet, "fork")] == ["9090"]


def test_a_session_belongs_to_the_folder_it_began_in(tmp_path: Path) -> None:
    file = written(
        tmp_path / "x.jsonl",
        claude("user", "one", "u1"),
        claude("user", "two", "u2", cwd=f"{FOLDER}/src"),
        claude("user", "three", "u3", sessionId="other", cwd="/elsewhere"),
    )
    said = [item for item in items("claude-code", file) if isinstance(item, TranscriptTurn)]
    assert [one.cwd for one in said] == [FOLDER, FOLDER, "/elsewhere"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({"type": "user", "uuid": "u"}, "message.content"),
        (claude("user", 3, "u"), "message.content"),
        (claude("user", "x", "u", timestamp="yesterday"), "ISO 8601"),
    ],
)
def test_a_line_that_is_not_as_expected_is_named(
    tmp_path: Path, line: Line, complaint: str
) -> None:
    (bad,) = items("claude-code", written(tmp_path / "x.jsonl", line))
    assert isinstance(bad, UnusableLine)
    assert complaint in bad.problem


def test_a_call_of_an_unnamed_tool_is_a_call(tmp_path: Path) -> None:
    called = {"type": "tool_use", "name": 7, "input": {"a": 1}}
    (said,) = items("claude-code", written(tmp_path / "x.jsonl", claude_says("m", called, "u")))
    assert isinstance(said, TranscriptTurn)
    assert (said.turn.message_id, said.turn.tool_args) == ("u.call", {"a": 1})


def test_lines_without_ids_are_known_by_their_number(tmp_path: Path) -> None:
    bare: Line = {"type": "user", "message": {"content": "hello"}}
    file = written(tmp_path / "x.jsonl", bare, bare)
    said = [item for item in items("claude-code", file) if isinstance(item, TranscriptTurn)]
    assert [(one.turn.session_id, one.turn.message_id) for one in said] == [
        ("unnamed", "line-1"),
        ("unnamed", "line-2"),
    ]


def test_a_thousand_calls_may_wait_and_the_oldest_goes_in_when_more_do(tmp_path: Path) -> None:
    calls = [claude_calls("m", f"t{i}", "ls", f"a{i}") for i in range(1_002)]
    late = claude_result("t0", "too late", "r0")
    soon = claude_result("t1001", "in time", "r1")
    said = [
        item.turn
        for item in items("claude-code", written(tmp_path / "x.jsonl", *calls, late, soon))
        if isinstance(item, TranscriptTurn)
    ]
    assert [(turn.message_id, turn.tool_result) for turn in said[:4]] == [
        ("t0", None),
        ("t1", None),
        ("t0.result", "too late"),
        ("t1001", "in time"),
    ]
    assert len({turn.message_id for turn in said}) == len(said) == 1_003


async def test_a_session_belongs_to_the_project_it_was_held_in(
    quiet: Memoria, tmp_path: Path
) -> None:
    (tmp_path / "here" / ".git").mkdir(parents=True)
    (tmp_path / "here" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "loose").mkdir()
    for name, folder in (("here", "here/src"), ("gone", "gone"), ("loose", "loose")):
        said = claude("user", f"hello from {name}", name, cwd=str(tmp_path / folder))
        await imported(
            quiet, "claude-code", written(tmp_path / f"{name}.jsonl", {**said, "sessionId": name})
        )
    workspaces = {}
    for name in ("here", "gone", "loose"):
        (turn,) = (await quiet.get_session(name)).turns
        workspaces[name] = turn.workspace
    assert workspaces == {
        "here": str(tmp_path / "here"),
        "gone": str(tmp_path / "gone"),
        "loose": None,
    }


async def test_a_forgotten_turn_is_not_imported_again(quiet: Memoria, tmp_path: Path) -> None:
    file = written(tmp_path / "x.jsonl", *CONVERSATION)
    await imported(quiet, "claude-code", file)
    said = (await kept(quiet))[0]
    await quiet.forget_memory([said.id], include_source=True)
    report = await imported(quiet, "claude-code", file)
    assert (report.recorded, report.already_recorded, report.forgotten) == (0, 5, 1)


async def test_a_picture_in_a_prompt_is_kept_once_however_far_the_transcript_is_written(
    quiet: Memoria, tmp_path: Path
) -> None:
    prompt = claude("user", [part(picture()), block("What is wrong here?")], "u1")
    tool = claude_result("toolu_1", [part(picture(9))], "r1")
    lines = (prompt, claude_says("msg_1", block("The mast is bent."), "a1"), tool)
    for count in range(1, len(lines) + 1):
        await imported(quiet, "claude-code", written(tmp_path / "x.jsonl", *lines[:count]))
    turns = await kept(quiet)
    assert turns[0].content == "[image]\n\nWhat is wrong here?"
    assert [turn.tool_name for turn in turns].count("attachment") == 1
    assert (await quiet.get_attachment(turns[0].id)).content == picture()
