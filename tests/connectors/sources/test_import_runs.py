"""Imports that are big, stopped half way, or made of anything at all."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.connectors.transcripts.desk import (
    FOLDER,
    SESSION,
    Ledger,
    Line,
    claude,
    claude_calls,
    claude_result,
    codex_calls,
    codex_message,
    codex_meta,
    codex_result,
    gemini,
    gemini_call,
    gemini_header,
    imported,
    items,
    jsonl,
    kept,
    nothing,
    through,
    told,
    written,
)

import memoria
from memoria import Memoria, Settings
from memoria.admin.importer import BATCH_TURNS, Importer
from memoria.app import project_of
from memoria.connectors.transcripts import (
    FORMATS,
    TranscriptItem,
    TranscriptSource,
    TranscriptTurn,
    UnusableLine,
    find_transcripts,
)
from memoria.connectors.transcripts.source import MAX_LINE_BYTES

BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""

MEGABYTE = 1024 * 1024


def jsonl_talk(i: int) -> Iterator[Line]:
    yield {"role": "user", "content": f"question {i % 7}", "session_id": SESSION}
    yield {"role": "tool", "tool_name": "Bash", "tool_result": f"{i}", "session_id": SESSION}


def claude_talk(i: int) -> Iterator[Line]:
    yield claude("user", f"question {i}", f"u{i}")
    yield claude_calls(f"m{i}", f"t{i}", f"run {i}", f"a{i}")
    yield claude_result(f"t{i}", f"result {i}", f"r{i}")


def codex_talk(i: int) -> Iterator[Line]:
    if i == 0:
        yield codex_meta()
    yield codex_message("user", f"question {i}")
    yield codex_calls(f"c{i}", f"run {i}")
    yield codex_result(f"c{i}", f"result {i}")


def gemini_talk(i: int) -> Iterator[Line]:
    if i == 0:
        yield gemini_header()
    yield gemini("user", f"question {i}", f"u{i}")
    yield gemini("gemini", "", f"g{i}", toolCalls=[gemini_call(f"c{i}", f"run {i}")])
    yield gemini("gemini", "", f"g{i}", toolCalls=[gemini_call(f"c{i}", f"run {i}", "done")])


def copilot_talk(i: int) -> Iterator[Line]:
    call = {"toolCallId": f"c{i}", "toolName": "bash", "arguments": {"command": f"run {i}"}}
    told = (
        ("session.start", {"sessionId": SESSION, "context": {"cwd": FOLDER}}),
        ("user.message", {"content": f"question {i}", "messageId": f"u{i}"}),
        ("tool.execution_start", call),
        ("tool.execution_complete", {"toolCallId": f"c{i}", "result": {"content": f"out {i}"}}),
    )
    for kind, data in told:
        at = "2026-10-05T08:00:00.000Z"
        yield {"type": kind, "data": data, "id": f"{kind}-{i}", "timestamp": at}


TALKS: dict[str, Callable[[int], Iterator[Line]]] = {
    "jsonl": jsonl_talk,
    "claude-code": claude_talk,
    "codex": codex_talk,
    "gemini": gemini_talk,
    "copilot": copilot_talk,
}
"""Of each format whose files have lines; Cline's are one document each."""


def talk(folder: Path, form: str, rounds: int) -> Path:
    lines = (line for i in range(rounds) for line in TALKS[form](i))
    return written(folder / f"{form}.jsonl", *lines)


async def whole(home: Path, form: str, file: Path) -> list[tuple[str, object, object]]:
    """What an import that nobody stops leaves behind."""
    chosen = Settings.load(home=str(home), embedder="off")
    async with memoria.open(settings=chosen) as other:
        await imported(other, form, file)
        return told(await kept(other))


@pytest.mark.parametrize("form", TALKS)
async def test_an_import_stopped_half_way_and_begun_again_comes_to_the_same(
    quiet: Memoria, tmp_path: Path, form: str
) -> None:
    file = talk(tmp_path, form, 120)

    def stop(_file: Path, done: int) -> None:
        if 0 < done < file.stat().st_size:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await imported(quiet, form, file, progress=stop)
    half = told(await kept(quiet))
    report = await imported(quiet, form, file)
    expected = await whole(tmp_path / "other", form, file)
    assert 0 < len(half) < len(expected) == 240
    assert told(await kept(quiet)) == expected
    assert (report.recorded, report.already_recorded) == (240 - len(half), len(half))
    assert report.new_versions == 0


async def test_an_import_that_is_cancelled_keeps_what_it_had(
    quiet: Memoria, tmp_path: Path
) -> None:
    file = talk(tmp_path, "claude-code", 120)
    with anyio.CancelScope() as scope:
        await imported(quiet, "claude-code", file, progress=lambda _file, _done: scope.cancel())
    assert scope.cancelled_caught
    half = len(await kept(quiet))
    assert 0 < half < 240
    assert (await imported(quiet, "claude-code", file)).recorded == 240 - half


async def test_the_batch_that_is_being_written_when_somebody_stops_is_counted(
    quiet: Memoria, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, record = anyio.Event(), Memoria.record_conversation

    async def take_long(memory: Memoria, *turns: Any, **given: Any) -> Any:  # noqa: ANN401
        begun.set()
        await anyio.sleep(0.05)
        return await record(memory, *turns, **given)

    monkeypatch.setattr(Memoria, "record_conversation", take_long)
    form = FORMATS["claude-code"]
    found = find_transcripts([talk(tmp_path, "claude-code", 120)], form)
    importer = Importer(through(quiet, "claude-code"), form, found, nothing, BY_PATH)
    running = asyncio.create_task(importer.run())
    await begun.wait()
    running.cancel()  # as Ctrl-C does
    with pytest.raises(asyncio.CancelledError):
        await running
    assert importer.report.recorded == len(await kept(quiet)) == BATCH_TURNS


@pytest.mark.parametrize("form", TALKS)
async def test_of_twenty_megabytes_never_more_than_a_batch_is_held(
    tmp_path: Path, form: str
) -> None:
    pad = "x" * 10_000
    lines = ({**line, "pad": pad} for i in range(700) for line in TALKS[form](i))
    if form == "jsonl":  # which knows no other fields
        lines = ({"role": "user", "content": f"{i} {pad}"} for i in range(2_100))
    file = written(tmp_path / "big.jsonl", *lines)
    assert file.stat().st_size > 20 * MEGABYTE
    ledger, reads, said = Ledger(), FORMATS[form], 0
    held: list[int] = []

    def read(source: TranscriptSource) -> Iterator[TranscriptItem]:
        nonlocal said
        for item in reads.read(source):
            said += isinstance(item, TranscriptTurn)
            held.append(said - len(ledger.ids))
            yield item

    files = find_transcripts([file], reads)
    await Importer(ledger, replace(reads, read=read), files, nothing, BY_PATH).run()
    assert len(set(ledger.ids)) == len(ledger.ids) == said > 1_000
    assert max(ledger.sizes) <= BATCH_TURNS
    assert max(held) <= BATCH_TURNS + 1  # and the one that has just been read


async def test_big_turns_come_in_small_batches(tmp_path: Path) -> None:
    turns = ({"role": "user", "content": f"{i} " + "x" * MEGABYTE} for i in range(20))
    files = find_transcripts([written(tmp_path / "big.jsonl", *turns)], FORMATS["jsonl"])
    ledger = Ledger()
    await Importer(ledger, FORMATS["jsonl"], files, nothing, BY_PATH).run()
    assert (sum(ledger.sizes), max(ledger.sizes)) == (20, 8)


@pytest.mark.parametrize("form", TALKS)
def test_a_line_above_the_limit_is_named_and_passed_over(tmp_path: Path, form: str) -> None:
    before, after = list(TALKS[form](0)), list(TALKS[form](1))
    huge = b'{"x":"' + b"x" * (MAX_LINE_BYTES + MEGABYTE) + b'"}\n'
    found = items(form, written(tmp_path / "x.jsonl", *before, huge, *after))
    assert [item for item in found if isinstance(item, UnusableLine)] == [
        UnusableLine(len(before) + 1, f"is longer than {MAX_LINE_BYTES:,} bytes")
    ]
    assert sum(isinstance(item, TranscriptTurn) for item in found) == 4


def test_a_line_just_above_the_limit_takes_no_other_line_with_it(tmp_path: Path) -> None:
    huge = b'{"x":"' + b"x" * (MAX_LINE_BYTES - 8) + b'"}'
    assert len(huge) == MAX_LINE_BYTES
    hello = {"role": "user", "content": "hello"}
    file = written(tmp_path / "x.jsonl", huge + b"\n", hello)
    assert [item.line for item in items("jsonl", file)] == [1, 2]
    assert isinstance(items("jsonl", file)[1], TranscriptTurn)


def test_a_document_above_the_limit_is_named(tmp_path: Path) -> None:
    file = tmp_path / "session-1.json"
    file.write_bytes(b" " * (MAX_LINE_BYTES + 1) + jsonl(gemini_header()))
    assert items("gemini", file) == [UnusableLine(1, f"is longer than {MAX_LINE_BYTES:,} bytes")]


CLIENTS = ["claude-code", "codex", "gemini", "copilot"]
ODD: dict[str, tuple[bytes, str]] = {
    "invalid UTF-8": (b'{"type":"user","id":"\xff\xfe"}\n', "is not UTF-8"),
    "a raw NUL": (b'{"type":"user\x00"}\n', "is not JSON"),
    "NUL bytes of a crash": (b"\x00" * 4096 + b"\n", "is not JSON"),
    "no JSON": (b"{oops\n", "is not JSON"),
    "a list": (b"[1, 2]\n", "is not a JSON object"),
    "a word": (b'"user"\n', "is not a JSON object"),
    "nothing": (b"null\n", "is not a JSON object"),
    "too deep": (b'{"a":' + b"[" * 99_999 + b"]" * 99_999 + b"}\n", "is nested too deeply"),
    "a number of 5,000 digits": (b'{"a":' + b"9" * 5_000 + b"}\n", "can't be read"),
    "half a line at the end": (b'{"type":"user","mess', "still being written"),
    "half a character at the end": ('{"type":"你'.encode()[:-1], "still being written"),
}


@pytest.mark.parametrize("form", CLIENTS)
@pytest.mark.parametrize(("odd", "complaint"), ODD.values(), ids=ODD)
def test_a_bad_line_is_named_and_the_rest_is_read(
    tmp_path: Path, form: str, odd: bytes, complaint: str
) -> None:
    lines = [*TALKS[form](0), *TALKS[form](1)]
    found = items(form, written(tmp_path / "x.jsonl", *lines, b"\n \n", odd))
    (bad,) = [item for item in found if isinstance(item, UnusableLine)]
    assert bad.line == len(lines) + 3
    assert complaint in bad.problem
    assert sum(isinstance(item, TranscriptTurn) for item in found) == 4


@pytest.mark.parametrize("form", CLIENTS)
@pytest.mark.parametrize(
    "change",
    [
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: raw.rstrip(b"\n"),
        lambda raw: b"\n\n" + raw.replace(b"\n", b"\n \t\n"),
    ],
    ids=["a byte order mark", "CRLF", "no newline at the end", "blank lines"],
)
def test_a_transcript_that_went_through_an_editor_says_the_same(
    tmp_path: Path, form: str, change: Callable[[bytes], bytes]
) -> None:
    file = talk(tmp_path, form, 2)
    plain = [item.turn.content for item in items(form, file) if isinstance(item, TranscriptTurn)]
    file.write_bytes(change(file.read_bytes()))
    found = items(form, file)
    assert [item.turn.content for item in found if isinstance(item, TranscriptTurn)] == plain
    assert not any(isinstance(item, UnusableLine) for item in found)


@pytest.mark.parametrize("form", CLIENTS)
async def test_an_empty_file_is_an_import_of_nothing(
    quiet: Memoria, tmp_path: Path, form: str
) -> None:
    report = await imported(quiet, form, written(tmp_path / "x.jsonl"))
    assert (report.files, report.lines, report.recorded, report.bad) == (1, 0, 0, 0)


@pytest.mark.parametrize("form", CLIENTS)
async def test_arguments_nested_too_deeply_are_named(
    quiet: Memoria, tmp_path: Path, form: str
) -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    lines = json.dumps(list(TALKS[form](0))).replace('"run 0"', json.dumps(deep))
    arguments = json.dumps(deep)
    file = written(tmp_path / "x.jsonl", *json.loads(lines), *TALKS[form](1))
    if form == "codex":  # where arguments are JSON in a text
        call = codex_calls("c9", "x")
        call["payload"]["arguments"] = arguments
        file = written(file, codex_meta(), call, *TALKS[form](1))
    report = await imported(quiet, form, file)
    assert report.bad >= 1
    assert {bad.problem for bad in report.bad_lines} == {"is nested too deeply"}
    assert "question 1" in [turn.content for turn in await kept(quiet)]


async def test_numbers_and_halves_of_characters_that_json_can_write_are_no_crash(
    quiet: Memoria, tmp_path: Path
) -> None:
    nan = claude_calls("m", "t1", "x", "a1")
    nan["message"]["content"][0]["input"] = {"a": float("nan")}
    half = claude("user", "half \ud83d", "u\ud83d")
    file = tmp_path / "x.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in (nan, half)))
    report = await imported(quiet, "claude-code", file)
    (bad,) = report.bad_lines
    assert (bad.line, "NaN" in bad.problem, report.recorded) == (1, True, 1)


async def test_a_secret_and_a_private_span_are_taken_out_and_counted(
    quiet: Memoria, tmp_path: Path
) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    file = written(
        tmp_path / "x.jsonl",
        claude("user", f"my key is {key} <private>and this</private>", "u1"),
        claude_calls("m", "t1", f"aws configure set key {key}", "a1"),
        claude_result("t1", f"set {key}", "r1"),
    )
    report = await imported(quiet, "claude-code", file)
    assert (sum(report.redactions.values()), report.stripped) == (3, 1)
    assert key not in str(told(await kept(quiet)))


# --- Anything at all --------------------------------------------------------------------------

WORDS = st.sampled_from(
    """user assistant gemini developer message text tool_use tool_result input_text response_item
    session_meta function_call function_call_output custom_tool_call local_shell_call
    web_search_call exec $set subagent <environment_context> <hook_context> 2026-10-05T08:00:00Z
    u1 t1 {} { <synthetic>""".split()
)
KEYS = st.sampled_from(
    """type message content text id uuid sessionId timestamp payload role name input arguments
    call_id tool_use_id output is_error forkedFrom messageUuid cwd source action namespace model
    toolCalls args result functionResponse response displayContent resultDisplay inlineData
    mimeType $set $rewindTo messages directories kind isMeta thought""".split()
)
LEAVES = st.none() | st.booleans() | st.integers() | WORDS | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=25,
)
LINES = st.dictionaries(KEYS, VALUES, max_size=8).map(jsonl)


@pytest.mark.parametrize("form", FORMATS)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(LINES | st.binary(max_size=40), max_size=6))
def test_no_bytes_and_no_objects_are_a_crash(tmp_path: Path, form: str, raw: list[bytes]) -> None:
    file = written(tmp_path / "x.jsonl", *raw)
    found = items(form, file)
    said = [item for item in found if isinstance(item, TranscriptTurn)]
    assert all(one.turn.session_id and one.turn.message_id for one in said)
    assert items(form, file) == found


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(form=st.sampled_from(sorted(FORMATS)), raw=st.lists(LINES, max_size=6))
async def test_whatever_goes_in_goes_in_once(
    quiet: Memoria, tmp_path: Path, form: str, raw: list[bytes]
) -> None:
    file = written(tmp_path / "x.jsonl", *raw)
    first = await imported(quiet, form, file)
    again = await imported(quiet, form, file)
    assert again.recorded == 0
    assert again.bad == first.bad
