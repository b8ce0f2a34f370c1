"""Import: conversations, and memories of other programs, into the store.

Files are read one item at a time and written in batches, so neither a file's size nor a folder's
matters. Importing is repeatable and may be stopped at any point: every turn and every memory has an
id that comes from the file alone, and writing the same again changes nothing.
"""

import hashlib
from bisect import insort
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from anyio import CancelScope, create_task_group
from anyio.lowlevel import checkpoint

from memoria.config import NO_WORKSPACE
from memoria.connectors.sources.interface import ForeignItem, ImportItem, as_note, read_file
from memoria.connectors.transcripts import (
    SkippedLine,
    Transcript,
    TranscriptSource,
    TranscriptTurn,
    UnusableLine,
)
from memoria.connectors.transcripts.base import BadLine, FoldersLeftOut, name_fault
from memoria.errors import InvalidInputError, InvalidTurnError
from memoria.language.budget import estimate_tokens
from memoria.memories.wordings import MAX_CHARS
from memoria.model import Receipt, Role, Turn

if TYPE_CHECKING:
    from memoria.memories.foreign import ForeignReceipt
    from memoria.model.conclusions import ForeignMemory

BATCH_TURNS = 200
BATCH_MEMORIES = 25
_BATCH_BYTES = 8 * 1024 * 1024
_PROGRESS_BYTES = 1024 * 1024
_MAX_NAMED_LINES = 20
_MARK_CHARS = 8

Progress = Callable[[Path, int], None]
WorkspaceOf = Callable[[str], str]
_ODD_ITEM = (
    InvalidInputError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
)
"""Errors that one bad item may cause; any other error ends the import."""
_WrittenT = TypeVar("_WrittenT", TranscriptTurn, ForeignItem)


class Recorder(Protocol):
    """Part of Memoria that an import needs."""

    async def record_conversation(  # noqa: D102
        self, turns: Sequence[Turn], /, *, workspace: str | None
    ) -> Receipt: ...

    async def keep_foreign(  # noqa: D102
        self, memories: "Sequence[ForeignMemory]", *, workspace: str | None
    ) -> "ForeignReceipt": ...

    async def close_past_conversations(self) -> int: ...  # noqa: D102


class ItemFormat(Protocol):
    """Reader of the items of one kind of file."""

    @property
    def client(self) -> str: ...  # noqa: D102

    @property
    def documents(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def is_of_project(self) -> bool: ...  # noqa: D102

    @property
    def read(self) -> Callable[[TranscriptSource], Iterator[ImportItem]]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class FileEncoding:
    """Encoding of a file that is not UTF-8."""

    file: str
    encoding: str


@dataclass(slots=True)
class ImportReport:
    """Outcome of an import, summed over all files."""

    files: int = 0
    lines: int = 0
    recorded: int = 0
    already_recorded: int = 0
    new_versions: int = 0
    forgotten: int = 0
    """Number of turns left out because they were forgotten before."""
    private: int = 0
    """Number of turns left out because they were said in a private time."""
    nothing_left: int = 0
    """Number of turns of which nothing remained without private and injected blocks."""
    skipped: int = 0
    """Number of lines left out by rule: the client's own notes, thinking, other agents' talk."""
    stripped: int = 0
    """Number of private or injected blocks taken out."""
    redactions: Counter[str] = field(default_factory=Counter)
    memories: Counter[str] = field(default_factory=Counter)
    """Numbers of memories of other programs by `ForeignStatus`: what became of them."""
    projects: Counter[str] = field(default_factory=Counter)
    """Numbers of new turns by the only project that sees them; `none`: every project does."""
    made: int = 0
    """Number of memories that rules made of plain statements in new turns."""
    conversations: dict[str, str] = field(default_factory=dict)
    """Id of a new turn by session, for each conversation with new turns."""
    unread_tokens: int = 0
    """Estimated tokens of new turns of users and assistants, which no model has read."""
    recoded: int = 0
    """Number of files that were not in UTF-8."""
    encodings: list[FileEncoding] = field(default_factory=list)
    """Encodings of the first files that were not in UTF-8."""
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
        self.made += receipt.made
        self.nothing_left += sum(turn.status == "nothing_left" for turn in receipt.turns)
        self.stripped += receipt.stripped
        self.redactions.update(receipt.redactions)

    def add_foreign(self, receipt: "ForeignReceipt") -> None:
        """Add the receipt of a batch of memories."""
        self.memories.update(receipt.statuses)
        self.stripped += receipt.stripped
        self.redactions.update(receipt.redactions)

    def add(self, other: "ImportReport") -> None:
        """Add the outcome of other files."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.redactions.update(other.redactions)
        self.memories.update(other.memories)
        self.projects.update(other.projects)
        self.conversations.update(other.conversations)
        self.encodings = [*self.encodings, *other.encodings][:_MAX_NAMED_LINES]
        self.bad_lines = [*self.bad_lines, *other.bad_lines][:_MAX_NAMED_LINES]


_COUNTS = tuple(one.name for one in fields(ImportReport) if one.type is int)


class Importer:
    """Writes the turns and the memories of some files."""

    def __init__(
        self,
        recorder: Recorder,
        form: ItemFormat,
        files: Sequence[Transcript],
        progress: Progress,
        workspace_of: WorkspaceOf,
        workspace: str | None = None,
        ignored_folders: Sequence[str] = (),
    ) -> None:
        """Prepare an import.

        Args:
            recorder: where the turns go.
            form: what the files are.
            files: which they are.
            progress: told the file, and the bytes read so far of all files together.
            workspace_of: gives the workspace of the folder a session was held in.
            workspace: that of items that name no folder; the configured one by default.
            ignored_folders: those of which nothing is kept.
        """
        self._recorder = recorder
        self._format = form
        self._files = files
        self._progress = progress
        self._workspace_of = workspace_of
        self._workspace = workspace
        self._folders = FoldersLeftOut(ignored_folders)
        self.report = ImportReport()
        """Outcome for the files so far."""
        self._batch: list[TranscriptTurn] = []
        self._batch_bytes = 0
        self._foreign: list[ForeignItem] = []
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
        return self.report

    async def _import_file(self, file: Transcript, before: int) -> None:
        is_document = file.path.suffix in self._format.documents
        source = TranscriptSource(file.path, self._name_session(file), is_document=is_document)
        told = 0
        for item in read_file(source, self._format.read, self._folders):
            full = self._is_full_for(item)
            if full:
                await self._write_batches()
            if full or source.position - told >= _PROGRESS_BYTES:
                told = source.position
                self._progress(file.path, before + min(told, file.size))
                await checkpoint()  # so that Ctrl-C is heard where nothing is to be recorded
            self._take_item(item)
        await self._write_batches()
        self._progress(file.path, before + file.size)
        self._finish_file(file, source)

    def _name_session(self, file: Transcript) -> str:
        """Return the session of lines that name none: of a project the same after it has moved."""
        if not self._format.is_of_project:
            return file.session
        project = self._workspace_of(str(file.path))
        mark = hashlib.sha256(project.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{Path(project).name}~{mark[:_MARK_CHARS]}"

    def _take_item(self, item: ImportItem) -> None:
        match item:
            case ForeignItem() if len(item.memory.content) > MAX_CHARS:
                self._take_item(as_note(item, self._format.client))
            case ForeignItem():
                self._foreign.append(item)
            case TranscriptTurn():
                self._batch.append(item)
                self._batch_bytes += item.size
            case SkippedLine():
                self.report.skipped += 1
            case UnusableLine():
                self._note_bad_line(item)

    def _is_full_for(self, item: ImportItem) -> bool:
        """Check whether the batches must be written before an item: each is of one folder."""
        match item:
            case TranscriptTurn():
                return bool(self._batch) and (
                    len(self._batch) >= BATCH_TURNS
                    or self._batch_bytes >= _BATCH_BYTES
                    or self._batch[0].cwd != item.cwd
                )
            case ForeignItem():
                return bool(self._foreign) and (
                    len(self._foreign) >= BATCH_MEMORIES or self._foreign[0].folder != item.folder
                )
            case _:
                return False

    async def _write_batches(self) -> None:
        """Write the batches. A cancelled import waits for them, so that the report counts them.

        Writing is a task of its own, as a cancelled task goes no further, shielded or not.
        """
        failed = list[Exception]()

        async def write() -> None:
            with CancelScope(shield=True):
                try:
                    await self._record_batch()
                    await self._keep_foreign()
                except Exception as error:  # noqa: BLE001  (raised below, without a group around it)
                    failed.append(error)

        async with create_task_group() as tasks:
            tasks.start_soon(write)
        for error in failed:
            raise error

    async def _keep_foreign(self) -> None:
        batch, self._foreign = self._foreign, []
        await self._one_by_one_if_odd(batch, self._keep_all)

    async def _keep_all(self, batch: Sequence[ForeignItem]) -> None:
        receipt = await self._recorder.keep_foreign(
            [item.memory for item in batch], workspace=self._place(batch[0].folder)
        )
        self.report.add_foreign(receipt)
        for item, problem in zip(batch, receipt.problems, strict=True):
            if problem is not None:
                self._note_bad_line(UnusableLine(item.line, problem))

    async def _record_batch(self) -> None:
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        await self._one_by_one_if_odd(batch, self._record_all)

    async def _record_all(self, batch: Sequence[TranscriptTurn]) -> None:
        """Record a batch of turns of one working folder, `batch[0].cwd`."""
        receipt = await self._recorder.record_conversation(
            [said.turn for said in batch], workspace=self._place(batch[0].cwd)
        )
        self._add_receipt(batch, receipt)

    async def _one_by_one_if_odd(
        self, batch: Sequence[_WrittenT], write: Callable[[Sequence[_WrittenT]], Awaitable[None]]
    ) -> None:
        """Write a batch; if one item spoils it, write each item alone, and note the bad one."""
        if not batch:
            return
        try:
            await write(batch)
        except _ODD_ITEM as error:
            if len(batch) == 1:
                self._note_bad_line(_describe(batch[0].line, error))
                return
            for item in batch:
                await self._one_by_one_if_odd([item], write)

    def _place(self, folder: str | None) -> str | None:
        return self._workspace if folder is None else self._workspace_of(folder)

    def _add_receipt(self, batch: Sequence[TranscriptTurn], receipt: Receipt) -> None:
        self.report.add_receipt(receipt)
        self.report.projects[self._place(batch[0].cwd) or NO_WORKSPACE] += receipt.recorded
        for said, recorded in zip(batch, receipt.turns, strict=False):
            is_speech = said.turn.role in (Role.USER, Role.ASSISTANT)
            if recorded.status == "recorded" and recorded.id:
                self.report.conversations.setdefault(said.turn.session_id or "", recorded.id)
            if is_speech and recorded.status in ("recorded", "new_version"):
                self.report.unread_tokens += estimate_tokens(said.turn.content)

    def _note_bad_line(self, bad: UnusableLine) -> None:
        """Note a bad line: every one is counted, only the first few of each file are kept."""
        self.report.bad += 1
        insort(self._first_bad, bad, key=lambda one: one.line or 0)
        del self._first_bad[_MAX_NAMED_LINES:]

    def _finish_file(self, file: Transcript, source: TranscriptSource) -> None:
        report, path = self.report, str(file.path)
        report.files += 1
        report.lines += source.lines
        named = [BadLine(path, bad.line, bad.problem) for bad in self._first_bad]
        report.bad_lines = [*report.bad_lines, *named][:_MAX_NAMED_LINES]
        self._first_bad = []
        told = [FileEncoding(path, encoding) for encoding in sorted(source.encodings)]
        report.recoded += bool(told)
        report.encodings = [*report.encodings, *told][:_MAX_NAMED_LINES]


def _describe(line: int, error: Exception) -> UnusableLine:
    """Return what is wrong with an item that can't be written."""
    if isinstance(error, InvalidTurnError):
        return UnusableLine(line, error.problem)
    return name_fault(line, error)
