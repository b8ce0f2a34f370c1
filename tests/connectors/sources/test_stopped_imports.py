"""Every source: an import that was stopped anywhere and is run again comes to the same."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.admin.exports.rows import read_rows
from tests.connectors.sources.samples import SAMPLES
from tests.connectors.sources.samples.base import Sample

import memoria
from memoria import Memoria, Settings
from memoria.admin import importer
from memoria.admin.importer import Importer, ImportReport
from memoria.app import project_of
from memoria.connectors.sources.detect import find_files
from memoria.connectors.sources.table import SOURCES
from memoria.memories.foreign import ForeignReceipt
from memoria.model import Receipt, Turn
from memoria.model.channel import transcript_channel
from memoria.model.foreign import ForeignMemory

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


async def bring_in(memory: Any, sample: Sample, path: Path) -> ImportReport:  # noqa: ANN401
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
                    await bring_in(stopped, sample, path)
            assert (await bring_in(memory, sample, path)).bad == 0
            outcomes.append(await list_all(memory))
        rows = {table: len(found) for table, found in read_rows(tmp_path / name).items()}
        outcomes.append(sorted(rows.items()))
    assert outcomes[:2] == outcomes[2:]
