"""Import: every good line goes in once, every bad line is named."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.surface.shell import Shell

from memoria import Memoria
from memoria.admin.importer import Importer, ImportReport
from memoria.app import project_of
from memoria.connectors.transcripts import FORMATS, find_transcripts
from memoria.model import StoredTurn, parse_instant

BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""

BIG = 6 * 1024 * 1024


def line(content: str = "hello", **fields: object) -> bytes:
    turn = {"role": "user", "content": content, **fields}
    return json.dumps(turn, ensure_ascii=False).encode() + b"\n"


def written(folder: Path, *lines: bytes, name: str = "chat.jsonl") -> Path:
    file = folder / name
    file.write_bytes(b"".join(lines))
    return file


async def imported(memory: Memoria, file: Path) -> ImportReport:
    files = find_transcripts([file], FORMATS["jsonl"])
    return await Importer(memory, FORMATS["jsonl"], files, lambda _file, _done: None, BY_PATH).run()


async def kept(memory: Memoria, session_id: str = "chat") -> list[StoredTurn]:
    return list((await memory.get_session(session_id, limit=10_000)).turns)


async def contents(memory: Memoria, session_id: str = "chat") -> list[str]:
    return [turn.content for turn in await kept(memory, session_id)]


async def test_every_field_of_a_line_is_kept(memory: Memoria, tmp_path: Path) -> None:
    fields: dict[str, Any] = {
        "session_id": "monday",
        "message_id": "m1",
        "role": "tool",
        "speaker": "林岚",
        "at": "2026-03-02T09:14:05+08:00",
        "tool_name": "bash",
        "tool_args": {"command": "ls", "n": None},
        "tool_result": ["a", {"b": 1}],
    }
    report = await imported(memory, written(tmp_path, line("你好，世界", **fields)))
    assert (report.lines, report.recorded, report.bad) == (1, 1, 0)
    (turn,) = await kept(memory, "monday")
    assert turn.content == "你好，世界"
    assert (turn.message_id, turn.role, turn.speaker) == ("m1", "tool", "林岚")
    assert turn.at == 1_772_414_045_000
    assert (turn.tool_name, turn.tool_args, turn.tool_result) == (
        "bash",
        {"command": "ls", "n": None},
        ["a", {"b": 1}],
    )


async def test_lines_without_a_session_belong_to_one_named_after_the_file(
    memory: Memoria, tmp_path: Path
) -> None:
    await imported(memory, written(tmp_path, line("one"), line("two"), name="会话一.jsonl"))
    assert await contents(memory, "会话一") == ["one", "two"]


@pytest.mark.parametrize("numbered", [True, False], ids=["message ids", "no message ids"])
async def test_the_same_file_again_adds_nothing(
    memory: Memoria, tmp_path: Path, numbered: bool
) -> None:
    words = ["yes", "no", "yes", "yes", "中文", "no"]
    ids = [{"message_id": f"m{i}"} if numbered else {} for i in range(len(words))]
    file = written(tmp_path, *(line(w, **i) for w, i in zip(words, ids, strict=True)))
    assert (await imported(memory, file)).recorded == 6
    again = await imported(memory, file)
    assert (again.recorded, again.already_recorded, again.new_versions) == (0, 6, 0)
    assert await contents(memory) == words


async def test_a_file_that_grew_adds_what_is_new(memory: Memoria, tmp_path: Path) -> None:
    await imported(memory, written(tmp_path, line("one"), line("one")))
    report = await imported(memory, written(tmp_path, line("one"), line("one"), line("one")))
    assert (report.recorded, report.already_recorded) == (1, 2)


async def test_an_edited_line_with_the_same_message_id_is_a_new_version(
    memory: Memoria, tmp_path: Path
) -> None:
    await imported(memory, written(tmp_path, line("gate A", message_id="m1")))
    report = await imported(memory, written(tmp_path, line("gate B", message_id="m1")))
    assert (report.recorded, report.new_versions) == (0, 1)
    assert await contents(memory) == ["gate B"]


BAD: Mapping[str, tuple[bytes, str]] = {
    "not JSON": (b"{oops\n", "not JSON"),
    "half a line": (b'{"role": "user", "content": "x', "not JSON"),
    "an array": (b"[]\n", ""),
    "a number": (b"3\n", ""),
    "no role": (b'{"content": "x"}\n', "role"),
    "an unknown role": (line("x", role="wizard"), "role"),
    "an unknown field": (line("x", colour="red"), "colour"),
    "content that is no text": (b'{"role": "user", "content": 3}\n', "content"),
    "a bad date": (line("x", at="yesterday"), "ISO 8601"),
    "invalid UTF-8": (b'{"role": "user", "content": "\xff\xfe"}\n', "UTF-8"),
    "a raw NUL": (b'{"role": "user", "content": "a\x00b"}\n', "not JSON"),
    "an empty turn": (line(""), "empty"),
    "six megabytes": (line("x" * BIG), "5,242,880"),
    "nested too deeply for us": (
        b'{"role": "tool", "tool_args": ' + b"[" * 150 + b"]" * 150 + b"}\n",
        "deeply",
    ),
    "nested too deeply for JSON": (
        b'{"role": "tool", "tool_args": ' + b"[" * 99_999 + b"]" * 99_999 + b"}\n",
        "deep",
    ),
    "a number of 5,000 digits": (b'{"role": "tool", "tool_args": ' + b"9" * 5_000 + b"}\n", ""),
    "a time beyond any calendar": (line("x", at=10**17), "at"),
    "a time beyond any integer": (line("x", at=10**30), "at"),
}


@pytest.mark.parametrize(("bad", "complaint"), BAD.values(), ids=BAD)
async def test_a_bad_line_is_named_and_the_rest_goes_in(
    memory: Memoria, tmp_path: Path, bad: bytes, complaint: str
) -> None:
    report = await imported(memory, written(tmp_path, line("one"), bad, b"\n" + line("two")))
    (found,) = report.bad_lines
    assert (found.file, found.line) == (str(tmp_path / "chat.jsonl"), 2)
    assert (report.bad, report.recorded) == (1, 2)
    assert found.problem
    assert complaint in found.problem
    assert "pydantic" not in found.problem
    assert await contents(memory) == ["one", "two"]


@pytest.mark.parametrize("bad", [BAD["an empty turn"][0], BAD["six megabytes"][0]])
async def test_the_complaint_about_a_line_is_true_of_the_file(
    memory: Memoria, tmp_path: Path, bad: bytes
) -> None:
    report = await imported(memory, written(tmp_path, line("one"), bad))
    (found,) = report.bad_lines
    assert "Turn 0" not in found.problem
    assert "Nothing of this call was recorded" not in found.problem


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", []),
        (b"\n\n  \n\t\n", []),
        (line("one").rstrip(b"\n"), ["one"]),
        (b"\xef\xbb\xbf" + line("one"), ["one"]),
        (line("one").replace(b"\n", b"\r\n") + line("two").replace(b"\n", b"\r\n"), ["one", "two"]),
        (b'{"role":"user","content":"a\\u0000b"}\n', ["a\x00b"]),
        (b'{"role":"user","content":"a\\u2028b\\r\\nc"}\n', ["a\u2028b\r\nc"]),
        (line("a\u2028b\x85c"), ["a\u2028b\x85c"]),
        (b'{"role":"user","content":"\\ud83d\\ude00"}\n', ["😀"]),
    ],
    ids=[
        "an empty file",
        "blank lines",
        "no newline at the end",
        "a byte order mark",
        "CRLF",
        "an escaped NUL",
        "escaped line separators",
        "raw line separators",
        "an escaped emoji",
    ],
)
async def test_files_as_they_come(
    memory: Memoria, tmp_path: Path, raw: bytes, expected: list[str]
) -> None:
    report = await imported(memory, written(tmp_path, raw))
    assert (report.recorded, report.bad) == (len(expected), 0)
    if expected:
        assert await contents(memory) == expected


@pytest.mark.parametrize(
    "field", ["content", "session_id", "message_id", "speaker", "tool_name", "tool_args"]
)
async def test_half_a_character_which_json_can_write_is_no_crash(
    memory: Memoria, tmp_path: Path, field: str
) -> None:
    half = json.dumps({"role": "user", "content": "x", field: "half \ud83d"}).encode() + b"\n"
    report = await imported(memory, written(tmp_path, line("one"), half, line("two")))
    assert report.recorded + report.bad == 3
    assert {"one", "two"} <= set(await contents(memory))


async def test_numbers_json_does_not_know_come_back_as_json(
    memory: Memoria, tmp_path: Path
) -> None:
    raw = b'{"role": "tool", "tool_args": {"a": NaN, "b": -Infinity}}\n'
    report = await imported(memory, written(tmp_path, raw))
    if report.bad:  # naming the line is as good as keeping it
        return
    (turn,) = await kept(memory)
    json.dumps(turn.tool_args, allow_nan=False)


async def test_a_bad_line_keeps_the_rest_of_its_batch_and_each_has_its_number(
    memory: Memoria, tmp_path: Path
) -> None:
    lines = [line(f"turn {i}") for i in range(1, 451)]
    lines[249] = line("x" * BIG)
    lines[299] = b"oops\n"
    lines[300] = line("")
    report = await imported(memory, written(tmp_path, *lines))
    assert (report.lines, report.recorded, report.bad) == (450, 447, 3)
    assert sorted(bad.line or 0 for bad in report.bad_lines) == [250, 300, 301]


async def test_bad_lines_are_named_in_the_order_of_the_file(
    memory: Memoria, tmp_path: Path
) -> None:
    file = written(tmp_path, line(""), b"oops\n", line("good"), line(""), b"oops\n")
    report = await imported(memory, file)
    assert [bad.line for bad in report.bad_lines] == [1, 2, 4, 5]


async def test_many_bad_lines_are_counted_and_the_first_are_named(
    memory: Memoria, tmp_path: Path
) -> None:
    report = await imported(memory, written(tmp_path, *[b"oops\n"] * 50))
    assert (report.bad, len(report.bad_lines)) == (50, 20)


async def test_two_thousand_lines_go_in_and_progress_is_told(
    memory: Memoria, tmp_path: Path
) -> None:
    file = written(tmp_path, *(line(f"turn {i} 第{i}行") for i in range(2_000)))
    told: list[int] = []
    files = find_transcripts([file], FORMATS["jsonl"])

    def tell(_file: Path, done: int) -> None:
        told.append(done)

    report = await Importer(memory, FORMATS["jsonl"], files, tell, BY_PATH).run()
    assert (report.lines, report.recorded) == (2_000, 2_000)
    assert told == sorted(told)
    assert told[0] > 0
    assert told[-1] == file.stat().st_size
    assert (await contents(memory))[::999] == [
        "turn 0 第0行",
        "turn 999 第999行",
        "turn 1998 第1998行",
    ]


async def test_a_secret_in_a_line_is_redacted_and_counted(memory: Memoria, tmp_path: Path) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    report = await imported(memory, written(tmp_path, line(f"my key is {key}")))
    assert sum(report.redactions.values()) == 1
    assert key not in (await contents(memory))[0]


async def test_a_line_of_which_nothing_is_left_is_counted(memory: Memoria, tmp_path: Path) -> None:
    report = await imported(memory, written(tmp_path, line("<private>all of it</private>")))
    assert (report.recorded, report.nothing_left, report.bad) == (0, 1, 0)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=60) | st.text(max_size=40).map(line))
async def test_no_bytes_are_a_crash(memory: Memoria, tmp_path: Path, raw: bytes) -> None:
    report = await imported(memory, written(tmp_path, raw))
    # A line may hold several items, and each that is none is counted.
    assert len({one.line for one in report.bad_lines}) <= report.lines


def test_bad_lines_give_exit_code_3_and_the_rest_goes_in(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, line("bluebird"), b"oops\n", line("magpie"))
    output = shell("import", file)
    assert (output.code, output.err) == (3, "")
    assert "turns       2 new\n" in output.out
    assert "line 2: is not JSON" in output.out
    again = shell.json("import", file, code=3)
    assert (again["already_recorded"], again["bad"]) == (2, 1)
    assert again["bad_lines"][0]["line"] == 2
    assert len(shell.json("traces", "bluebird")["hits"]) >= 1


@pytest.mark.sqlite("looks into the file")
def test_a_time_without_an_offset_is_of_the_set_zone_and_one_with_keeps_it(
    shell: Shell, tmp_path: Path
) -> None:
    times = ("2026-11-05T07:30:00", "2026-11-05T07:30:00-05:00", "2026-11-05T07:30:00Z")
    lines = [line(f"said {i}", at=at, session_id="s") for i, at in enumerate(times)]
    shell("import", written(tmp_path, *lines), MEMORIA_TIME_ZONE="Asia/Shanghai")
    with closing(sqlite3.connect(shell.home / "memoria.db")) as connection:
        rows = connection.execute("SELECT at, utc_offset FROM turns ORDER BY n").fetchall()
    early, late = parse_instant("2026-11-04T23:30:00Z"), parse_instant("2026-11-05T12:30:00Z")
    assert rows == [(early, None), (late, -300), (parse_instant(times[2]), None)]


def test_a_zone_that_does_not_exist_is_refused_at_the_start(shell: Shell) -> None:
    output = shell("stats", MEMORIA_TIME_ZONE="Mars/Olympus")
    assert output.code != 0
    assert "MEMORIA_TIME_ZONE: there is no such time zone" in " ".join(output.err.split())


def test_a_good_file_gives_exit_code_0(shell: Shell, tmp_path: Path) -> None:
    output = shell("import", written(tmp_path, line("你好")))
    assert (output.code, output.err) == (0, "")
    assert "turns       1 new\n" in output.out


@pytest.mark.parametrize("name", ["nowhere.jsonl", "."])
def test_a_file_that_is_not_there_is_named(shell: Shell, tmp_path: Path, name: str) -> None:
    output = shell("import", tmp_path / name)
    assert output.code in (1, 2)
    assert output.out == ""
    assert "Traceback" not in output.err


async def test_a_key_for_the_name_of_a_field_is_not_in_the_complaint(
    memory: Memoria, tmp_path: Path
) -> None:
    key = "ghp_" + "a7Kq9Zx2Wm4Rt6Yp8Bn1Vc3Ls5Dh0Jf7Gk2Q"
    bad = json.dumps({"role": "user", "content": "hi", key: 1}).encode() + b"\n"
    (found,) = (await imported(memory, written(tmp_path, bad))).bad_lines
    assert key not in found.problem
    assert "Extra inputs are not permitted" in found.problem


def test_a_link_in_a_folder_of_transcripts_is_not_followed(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "chats", tmp_path / "diary.jsonl"
    folder.mkdir()
    elsewhere.write_bytes(line("not for you"))
    (folder / "own.jsonl").write_bytes(line("hello"))
    (folder / "link.jsonl").symlink_to(elsewhere)
    found = find_transcripts([folder], FORMATS["jsonl"])
    assert [one.path.name for one in found] == ["own.jsonl"]
