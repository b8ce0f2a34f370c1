"""Import: conversations from transcripts into the store.

Files are read one line at a time and recorded in batches, so neither a file's size nor a folder's
matters. Importing is repeatable and may be stopped at any point: every turn has an id that comes
from the transcript alone, and recording the same message again changes nothing.
"""

from bisect import insort
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from anyio.lowlevel import checkpoint

from memoria.admin.transcripts import (
    SkippedLine,
    Transcript,
    TranscriptFormat,
    TranscriptItem,
    TranscriptSource,
    TranscriptTurn,
    UnusableLine,
)
from memoria.admin.transcripts.omission import leave_out
from memoria.errors import InvalidTurnError
from memoria.model import Receipt, Turn

BATCH_TURNS = 200
_BATCH_BYTES = 8 * 1024 * 1024
_PROGRESS_BYTES = 1024 * 1024
_MAX_NAMED_LINES = 20

Progress = Callable[[Path, int], None]
WorkspaceOf = Callable[[str], str]


class Recorder(Protocol):
    """What import needs of Memoria."""

    async def record_conversation(  # noqa: D102
        self, turns: Sequence[Turn], /, *, workspace: str | None
    ) -> Receipt: ...

    async def close_past_conversations(self) -> int: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was left out."""

    file: str
    line: int | None
    """Counted from 1; nothing where the trouble is with the whole file."""
    problem: str


@dataclass(slots=True)
class ImportReport:
    """What became of the lines of all files."""

    files: int = 0
    lines: int = 0
    recorded: int = 0
    already_recorded: int = 0
    new_versions: int = 0
    forgotten: int = 0
    """Turns left out because they were forgotten before."""
    private: int = 0
    """Turns left out because they were said in a private time."""
    nothing_left: int = 0
    """Turns of which nothing remained after private and injected blocks were taken out."""
    skipped: int = 0
    """Lines left out by rule: the client's own notes, thinking, other agents' talk."""
    stripped: int = 0
    """Private or injected blocks taken out."""
    redactions: Counter[str] = field(default_factory=Counter)
    bad: int = 0
    bad_lines: list[BadLine] = field(default_factory=list)
    """The first bad lines, in the order of the files."""

    def add_receipt(self, receipt: Receipt) -> None:
        """Add the receipt of a batch."""
        self.recorded += receipt.recorded
        self.already_recorded += receipt.already_recorded
        self.new_versions += receipt.new_versions
        self.forgotten += receipt.forgotten
        self.private += receipt.private
        self.nothing_left += sum(turn.status == "nothing_left" for turn in receipt.turns)
        self.stripped += receipt.stripped
        self.redactions.update(receipt.redactions)


class Importer:
    """Records the turns of transcripts."""

    def __init__(
        self,
        recorder: Recorder,
        form: TranscriptFormat,
        files: Sequence[Transcript],
        progress: Progress,
        workspace_of: WorkspaceOf,
    ) -> None:
        """Nothing is read yet.

        Args:
            recorder: where the turns go.
            form: what the files are.
            files: which they are.
            progress: told the file, and the bytes read so far of all files together.
            workspace_of: gives the workspace of the folder a session was held in.
        """
        self._recorder = recorder
        self._format = form
        self._files = files
        self._progress = progress
        self._workspace_of = workspace_of
        self._report = ImportReport()
        self._batch: list[TranscriptTurn] = []
        self._batch_bytes = 0
        self._first_bad: list[UnusableLine] = []

    async def run(self) -> ImportReport:
        """Import the files. A bad line is named and left out; the rest goes in.

        Raises:
            StoreError: the store can't be written; what was recorded before stays.
        """
        before = 0
        for file in self._files:
            await self._import_file(file, before)
            before += file.size
        await self._recorder.close_past_conversations()
        return self._report

    async def _import_file(self, file: Transcript, before: int) -> None:
        is_document = file.path.suffix in self._format.documents
        source = TranscriptSource(file.path, file.session, is_document=is_document)
        told = 0
        for item in leave_out(self._format.read(source)):
            full = isinstance(item, TranscriptTurn) and self._is_full_for(item)
            if full:
                await self._record_batch()
            if full or source.position - told >= _PROGRESS_BYTES:
                told = source.position
                self._progress(file.path, before + min(told, file.size))
                await checkpoint()  # so that Ctrl-C is heard where nothing is to be recorded
            self._take_item(item)
        await self._record_batch()
        self._progress(file.path, before + file.size)
        self._finish_file(file, source)

    def _take_item(self, item: TranscriptItem) -> None:
        match item:
            case TranscriptTurn():
                self._batch.append(item)
                self._batch_bytes += item.size
            case SkippedLine():
                self._report.skipped += 1
            case UnusableLine():
                self._note_bad_line(item)

    def _is_full_for(self, said: TranscriptTurn) -> bool:
        """Whether the batch has to go in before this turn. A batch is of one working folder."""
        return bool(self._batch) and (
            len(self._batch) >= BATCH_TURNS
            or self._batch_bytes >= _BATCH_BYTES
            or self._batch[0].cwd != said.cwd
        )

    async def _record_batch(self) -> None:
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        if not batch:
            return
        try:
            self._report.add_receipt(await self._record(batch))
        except InvalidTurnError:
            # One turn spoils its batch; find it by recording them one at a time.
            for said in batch:
                await self._record_one(said)

    async def _record_one(self, said: TranscriptTurn) -> None:
        try:
            self._report.add_receipt(await self._record([said]))
        except InvalidTurnError as error:
            self._note_bad_line(UnusableLine(said.line, error.problem))

    async def _record(self, batch: Sequence[TranscriptTurn]) -> Receipt:
        """The one way to the recorder. `batch[0].cwd` is the folder the whole batch belongs to."""
        folder = batch[0].cwd
        return await self._recorder.record_conversation(
            [said.turn for said in batch],
            workspace=None if folder is None else self._workspace_of(folder),
        )

    def _note_bad_line(self, bad: UnusableLine) -> None:
        """Note a bad line: all are counted, and the first of the file are kept."""
        self._report.bad += 1
        insort(self._first_bad, bad, key=lambda one: one.line or 0)
        del self._first_bad[_MAX_NAMED_LINES:]

    def _finish_file(self, file: Transcript, source: TranscriptSource) -> None:
        report, path = self._report, str(file.path)
        report.files += 1
        report.lines += source.lines
        named = [BadLine(path, bad.line, bad.problem) for bad in self._first_bad]
        report.bad_lines = [*report.bad_lines, *named][:_MAX_NAMED_LINES]
        self._first_bad = []
