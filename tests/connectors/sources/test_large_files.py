"""Large files and long pasts: bounded memory and time, and imports that are stopped."""

import json
import os
import re
import threading
import time
import timeit
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import anyio
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.progress import Progress
from tests.admin.exports.rows import read_rows
from tests.admin.test_backup import posix_only
from tests.connectors.sources.samples import SAMPLES
from tests.connectors.sources.samples.base import Sample
from tests.connectors.sources.samples.clients import write_opencode_files
from tests.surface.shell import Shell

import memoria
from memoria import Memoria, Settings
from memoria.admin import importer
from memoria.admin.archive import read_manifest
from memoria.admin.importer import Importer, ImportReport
from memoria.app import project_of
from memoria.connectors.clients.config_file import unified_lines
from memoria.connectors.clients.document import ConfigDocument, EditedText, WantedParts
from memoria.connectors.clients.syntax.json_edit import read_json
from memoria.connectors.sources.detect import SOURCES, detect_files, find_files
from memoria.connectors.transcripts.source import read_text
from memoria.errors import BackupError, InvalidInputError
from memoria.memories.foreign import ForeignReceipt
from memoria.model import Receipt, Turn, Vector
from memoria.model.conclusions import ForeignMemory
from memoria.model.provenance import transcript_channel
from memoria.surface.cli.importing import show_vectors

ENTRY = {"command": "/opt/memoria/bin/memoria", "args": ["serve"]}
PARTS = WantedParts(entry_at=("mcpServers", "memoria"), entry=ENTRY)
_SIZES = (800, 6_400)


def _claude_file(keys: int, indent: int | None = 2) -> str:
    projects = {f"/home/{n}": {"lastCost": 0.5, "tools": ["a"], "n": n % 150} for n in range(keys)}
    held = {"numStartups": 1, "projects": projects, "mcpServers": {"git": {"command": "uvx"}}}
    return json.dumps(held, indent=indent)


def _cpu(*works: Callable[[], object]) -> list[float]:
    """Return the seconds of CPU that each takes, the least of three times, all in turn.

    So what slows the machine slows all of them. This thread's alone count, and `timeit` collects no
    garbage meanwhile: that costs what other tests have left.
    """
    timers = [timeit.Timer(work, timer=time.thread_time) for work in works]
    rounds = [[timer.timeit(1) for timer in timers] for _ in range(3)]
    return [min(taken) for taken in zip(*rounds, strict=True)]


def _connect_and_disconnect(text: str) -> None:
    read_json.cache_clear()  # each is the first of its process
    unified_lines.cache_clear()
    document = ConfigDocument(PARTS)
    connected = document.connect(EditedText(text))
    assert unified_lines("x", text.encode(), connected.text.encode())
    assert document.disconnect(connected).text == text


def test_a_large_file_costs_a_few_readings_of_it_and_eight_times_as_large_a_one_as_many() -> None:
    for indent in (2, None):
        small, large = (_claude_file(keys, indent) for keys in _SIZES)
        edits = [partial(_connect_and_disconnect, text) for text in (small, large)]
        small_cost, large_cost, reading = _cpu(*edits, partial(json.loads, large))
        assert large_cost < 80 * reading
        assert large_cost / small_cost < 3 * _SIZES[1] / _SIZES[0]


def _apply(old: list[str], diff: Iterable[str]) -> list[str]:
    """What a diff makes of the lines that it is of."""
    new, at = list[str](), 0
    for line in [*diff][2:]:
        if found := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            begin = int(found[1]) - (found[2] != "0")
            new, at = new + old[at:begin], begin
        elif line[0] == "+":
            new.append(line[1:])
        else:
            assert old[at] == line[1:]
            new, at = new + ([old[at]] if line[0] == " " else []), at + 1
    return new + old[at:]


_LINES = st.lists(st.sampled_from(["}", "{", "a", "b"]), max_size=30)


@given(_LINES, _LINES)
def test_a_shown_change_makes_of_the_old_lines_the_new_ones(old: list[str], new: list[str]) -> None:
    texts = ["".join(f"{line}\n" for line in lines).encode() for lines in (old, new)]
    shown = unified_lines("x", *texts)
    assert _apply(old, shown) == new
    assert bool(shown) == (old != new)


def test_showing_the_change_of_a_large_file_costs_a_few_readings_of_it() -> None:
    text = _claude_file(_SIZES[1])
    connected = ConfigDocument(PARTS).connect(EditedText(text)).text

    def show() -> None:
        unified_lines.cache_clear()
        assert unified_lines("x", text.encode(), connected.encode())

    showing, reading = _cpu(show, partial(json.loads, text))
    assert showing < 6 * reading


def _pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 3 << 40)


@posix_only
@pytest.mark.parametrize("make", [_pipe, _device, _sparse])
def test_a_file_that_never_ends_is_said_to_be_unreadable(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "config.json")
    with pytest.raises(OSError, match=r"regular file|longer than"):
        read_text(tmp_path / "config.json")


@posix_only
@pytest.mark.parametrize("make", [_pipe, _device, _sparse])
def test_a_part_of_a_session_that_never_ends_is_named_and_the_rest_comes_in(
    shell: Shell, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    root = write_opencode_files(tmp_path)
    part = min(root.rglob("part/**/*.json"))
    make(part)
    report = shell.json("import", root, "--format", "opencode", code=3)
    assert report["recorded"] >= 1
    assert any("not JSON" in one["problem"] for one in report["bad_lines"])


@posix_only
def test_a_backup_whose_table_of_contents_has_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sparse.zip"
    path.touch()
    os.truncate(path, 3 << 30)
    end = b"PK\5\6" + bytes(4) + b"\1\0\1\0" + (3 << 30).to_bytes(4, "little") + bytes(6)
    with path.open("ab") as file:
        file.write(end)
    with pytest.raises(BackupError, match="far too long"):
        read_manifest(path)


TURNS = 450
TIMEOUT_S = 30


class HeldEmbedder:
    """A real embedder of letter counts that makes no document's vector until it is let go."""

    name = "letters/26"

    def __init__(self) -> None:
        self.go = threading.Event()
        self.texts = 0

    def embed_query(self, text: str) -> Vector:
        counts = np.full(26, 0.1, np.float32)
        for char in text.lower():
            counts[ord(char) % 26] += 1
        return counts / np.float32(np.linalg.norm(counts))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        assert self.go.wait(TIMEOUT_S)
        self.texts += len(texts)
        return [self.embed_query(text) for text in texts]


@pytest.fixture
def past(tmp_path: Path) -> Path:
    """A file of that many turns, each with a number of its own."""
    file = tmp_path / "past.jsonl"
    lines = [
        {"role": "user", "content": f"Bed {1000 + n} grows leeks and 韭菜"} for n in range(TURNS)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return file


def terminal() -> Progress:
    console = Console(file=StringIO(), force_terminal=True, width=100)
    return Progress(console=console, auto_refresh=False)


async def bring_in(memory: Memoria, file: Path) -> ImportReport:
    ((group,), _) = detect_files([file])
    by_path = lambda folder: project_of("", folder)  # noqa: E731
    run = Importer(memory, group.source, group.files, lambda _f, _d: None, by_path, "none")
    return await run.run()


async def read_bar(progress: Progress, left: int) -> None:
    """Wait until the bar says how much has no vector yet."""
    said = f"{left} without a vector yet, found by words"
    with anyio.fail_after(TIMEOUT_S):
        while not any(task.description.startswith(said) for task in progress.tasks):
            await anyio.sleep(0.01)


async def test_what_has_come_in_is_found_by_words_while_the_bar_says_that_it_has_no_vector(
    home: Path, past: Path
) -> None:
    embedder = HeldEmbedder()
    settings = Settings.load(home=home)
    async with memoria.open(settings=settings, embedder=embedder) as m:
        with terminal() as progress:
            async with show_vectors(m, progress):
                assert (await bring_in(m, past)).recorded == TURNS
                await read_bar(progress, TURNS)
                for number in (1000, 1000 + TURNS - 1):
                    found = await m.search_conversation_traces(f"What grows in bed {number}?")
                    assert str(number) in found.hits[0].text
                assert (await m.statistics()).vectors == embedder.texts == 0
                embedder.go.set()
                await m.wait_until_idle()
                await read_bar(progress, 0)
        (task,) = progress.tasks
        assert (task.completed, task.total) == (TURNS, TURNS)
        assert (await m.statistics()).vectors == embedder.texts == TURNS


async def test_what_ends_an_import_is_told_as_it_is_though_a_bar_is_shown(home: Path) -> None:
    async with memoria.open(settings=Settings.load(home=home, embedder="off")) as m:
        with terminal() as progress, pytest.raises(InvalidInputError, match="no such file"):
            async with show_vectors(m, progress):
                raise InvalidInputError("no such file")


BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""
_Receipt = TypeVar("_Receipt", Receipt, ForeignReceipt)


class StoppedError(Exception):
    """Somebody has pressed Ctrl-C, or the machine went down."""


class Stopped:
    """A memory that is stopped at one of its writes, just before it or just after."""

    def __init__(self, memory: Memoria, writes: int, *, is_written: bool) -> None:
        self._memory = memory
        self._writes = writes
        self._is_written = is_written

    async def record_conversation(
        self, turns: Sequence[Turn], /, *, workspace: str | None
    ) -> Receipt:
        return await self._write(
            lambda: self._memory.record_conversation(turns, workspace=workspace)
        )

    async def keep_foreign(
        self, memories: Sequence[ForeignMemory], *, workspace: str | None
    ) -> ForeignReceipt:
        return await self._write(lambda: self._memory.keep_foreign(memories, workspace=workspace))

    async def close_past_conversations(self) -> int:
        return await self._memory.close_past_conversations()

    async def _write(self, write: Callable[[], Awaitable[_Receipt]]) -> _Receipt:
        if self._writes == 0 and not self._is_written:
            raise StoppedError
        receipt = await write()
        if self._writes == 0:
            raise StoppedError
        self._writes -= 1
        return receipt


async def import_sample(memory: Any, sample: Sample, path: Path) -> ImportReport:  # noqa: ANN401
    files = find_files(SOURCES[sample.source], [path])
    run = Importer(memory, files.source, files.files, lambda _f, _d: None, BY_PATH, "none")
    return await run.run()


async def list_all(memory: Memoria) -> list[tuple[object, ...]]:
    """All turns in their order, and all memories with their wordings."""
    with memory._store.read(memory.tenant) as tx:  # noqa: SLF001
        turns = tx.conversations.turns(tx.documents.page("turn", 0, 1000)).values()
        found = tx.memories.by_version_numbers(tx.documents.page("memory", 0, 1000))
    said = [
        (one.session_id, one.turn_index, one.message_id, one.version, one.at, one.content)
        for one in turns
    ]
    known = [
        (one.id, one.validity.value, *((v.version, v.content, v.valid_from) for v in one.versions))
        for one in found.values()
    ]
    return sorted([*said, *known], key=repr)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: f"{one.source}-{one.write.__name__}")
async def test_an_import_stopped_at_any_write_and_begun_again_comes_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: Sample
) -> None:
    monkeypatch.setattr(importer, "BATCH_TURNS", 1)  # samples are short: each item is a write
    monkeypatch.setattr(importer, "BATCH_MEMORIES", 1)
    (tmp_path / "sample").mkdir()
    path = sample.write(tmp_path / "sample")
    writes = sample.turns + sample.memories
    outcomes = []
    for name, stops in (("stopped", range(writes)), ("whole", range(0))):
        chosen = Settings.load(home=str(tmp_path / name), tenant="tests", embedder="off")
        async with memoria.open(settings=chosen) as opened:
            memory = opened.with_channel(transcript_channel(SOURCES[sample.source].client))
            for write in stops:
                stopped = Stopped(memory, write, is_written=write % 2 == 0)
                with pytest.raises(StoppedError):
                    await import_sample(stopped, sample, path)
            assert (await import_sample(memory, sample, path)).bad == 0
            outcomes.append(await list_all(memory))
        rows = {table: len(found) for table, found in read_rows(tmp_path / name).items()}
        outcomes.append(sorted(rows.items()))
    assert outcomes[:2] == outcomes[2:]
