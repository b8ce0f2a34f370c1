"""What no program should have written ends no import, and takes nothing else with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.oddities.campaign import try_oddities
from bench.oddities.samples import SAMPLES, Sample
from tests.surface.shell import Shell

from memoria.connectors.sources.detect import SOURCES
from memoria.connectors.sources.interface import read_file
from memoria.connectors.transcripts import (
    SkippedLine,
    TranscriptSource,
    TranscriptTurn,
    UnusableLine,
)
from memoria.connectors.transcripts.base import FoldersLeftOut, read_each
from memoria.connectors.transcripts.source import Record

MANY = 22


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.name)
async def test_an_odd_item_is_read_or_named_and_the_items_beside_it_are_imported(
    sample: Sample, tmp_path: Path
) -> None:
    for oddity in await try_oddities(sample, MANY, 1, tmp_path):
        assert oddity.fate in ("read", "named", "left out"), (oddity.way, oddity.error)
        assert oddity.keeps_neighbours, oddity.way


def test_whatever_an_item_makes_a_reader_raise_is_named_with_its_line_and_the_rest_is_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"n": 1}\n\n{"n": 0}\n{"n": 2}\n')

    def read_line(record: Record) -> Iterator[SkippedLine]:
        n = record.value["n"]
        assert isinstance(n, int)
        yield SkippedLine(6 // n)

    def read(source: TranscriptSource) -> Iterator[SkippedLine | UnusableLine]:
        yield from read_each(source, source.records(), read_line)
        raise KeyError("sk-proj-Zr8Q2vT4kLm9XwB3nD7pHs1YcJ5gRfAe")

    items = list(read_file(TranscriptSource(path, "s"), read, FoldersLeftOut()))
    assert [item.line for item in items] == [6, 3, 3, None]
    faults = [item.problem for item in items if isinstance(item, UnusableLine)]
    assert "ZeroDivisionError" in faults[0]
    assert "KeyError" in faults[1]
    assert "Zr8Q2vT4kLm9XwB3nD7pHs1YcJ5gRfAe" not in faults[1]


def test_a_folder_that_can_be_none_leaves_out_its_own_items_alone(
    shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "rollout-a.jsonl"
    path.write_text(
        '{"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta",'
        ' "payload": {"id": "a", "cwd": "/no\\u0000where"}}\n'
        '{"timestamp": "2026-01-01T00:00:01Z", "type": "response_item", "payload": {"type":'
        ' "message", "role": "user", "content": [{"type": "input_text", "text": "Oil it"}]}}\n'
    )
    other = tmp_path / "rollout-b.jsonl"
    other.write_text(path.read_text().replace('"a"', '"b"').replace("\\u0000", ""))
    report = shell.json("import", tmp_path)
    assert (report["recorded"], report["bad_lines"]) == (1, [])


def test_where_in_the_program_an_item_failed_is_said_to_who_asks(
    shell: Shell, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (path := tmp_path / "lines.jsonl").write_text('{"n": 0}\n')

    def read_it() -> None:
        source = TranscriptSource(path, "s")
        list(read_each(source, source.records(), lambda record: [1 // int(str(record.value["n"]))]))

    read_it()
    assert not caplog.records
    shell("import", tmp_path, "--verbose")
    read_it()
    assert any(record.exc_info for record in caplog.records)


def test_several_objects_of_a_line_are_items_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "rollout-a.jsonl"
    said = (
        '{"type": "response_item", "payload": {"type": "message", "role": "user",'
        ' "content": [{"type": "input_text", "text": "%s"}]}}'
    )
    path.write_text(f"{said % 'one'}{said % 'two'} , {said % 'three'} half\n{said % 'four'}\n")
    items = list(read_file(TranscriptSource(path, "s"), SOURCES["codex"].read, FoldersLeftOut()))
    turns = [item.turn for item in items if isinstance(item, TranscriptTurn)]
    assert [turn.content for turn in turns] == ["one", "two", "three", "four"]
    assert len({turn.message_id for turn in turns}) == 4
    assert [item.line for item in items if isinstance(item, UnusableLine)] == [1]
