"""claude-mem: its database of observations, summaries of sessions, and prompts.

A fact of an observation is a memory. What is told at length, an observation's narrative and a
session's summary, goes into the record as the assistant's words, and a prompt as the user's. Its
projects are names of folders: which folder that is, Claude Code's own transcripts tell.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from memoria.connectors.sources.common import (
    file_time,
    home_folder,
    list_named,
    read_database,
    read_kind,
    read_time,
)
from memoria.connectors.sources.database import ForeignDatabase, ForeignRow, read_value
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.probe import Probe
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition, read_each
from memoria.connectors.transcripts.claude_code import CLAUDE_CODE
from memoria.connectors.transcripts.messages import parse_json, text
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine
from memoria.model import Role
from memoria.model.conclusions import ForeignMemory

_RowReader = Callable[[ForeignRow, TranscriptPosition], Iterator[ImportItem]]
_PARTS = ("request", "investigated", "learned", "completed", "next_steps", "notes")
_LINES_WITH_A_FOLDER = 20
_CLIENTS_IDS = ("content_session_id", "claude_session_id")
_AGENTS_IDS = ("memory_session_id", "sdk_session_id")
"""Columns with a session's id, by version of claude-mem: the client's, and claude-mem's agent's."""


def recognise(probe: Probe) -> bool:
    """Check whether a database has observations of projects."""
    return probe.tables.get("observations", frozenset()) >= {"project", "type", "created_at_epoch"}


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield prompts, observations and summaries."""
    yield from read_database(source, partial(_read_tables, source))


def _read_tables(source: TranscriptSource, database: ForeignDatabase) -> Iterator[ImportItem]:
    tables = database.list_columns()
    places = _Places(source, database if "sdk_sessions" in tables else None)
    for table, read_row in (
        ("user_prompts", _read_prompt),
        ("observations", _read_observation),
        ("session_summaries", _read_summary),
    ):
        if table in tables:
            rows = source.count(database.read_rows("claude_mem", table))
            yield from read_each(source, rows, partial(places.read, table, read_row))


class _Places:
    """Finder of the place and time at which a row was written.

    claude-mem's own agent has ids of its own for the client's sessions; its list of sessions says
    which is whose.
    """

    def __init__(self, source: TranscriptSource, database: ForeignDatabase | None) -> None:
        self._source = source
        self._folders = _ProjectFolders()
        listed = database.read_rows("claude_mem", "sdk_sessions") if database else ()
        pairs = ((_first_text(row, _AGENTS_IDS), _first_text(row, _CLIENTS_IDS)) for row in listed)
        self._sessions = {own: client for own, client in pairs if own and client}

    def read(self, table: str, read_row: _RowReader, row: ForeignRow) -> Iterator[ImportItem]:
        """Read a row by the reader of its table."""
        return read_row(row, self._find(table, row))

    def _find(self, table: str, row: ForeignRow) -> TranscriptPosition:
        named = _first_text(row, (*_CLIENTS_IDS, *_AGENTS_IDS)) or "claude-mem"
        session = self._sessions.get(named, named)
        at = read_time(read_value(row, "created_at_epoch")) or file_time(self._source)
        folder = self._folders.find(session, text(read_value(row, "project")))
        own_id = f"{table} {row['id']}"
        return TranscriptPosition(self._source.lines, 0, session, own_id, at, folder)


def _first_text(row: ForeignRow, columns: Sequence[str]) -> str | None:
    return next(filter(None, (text(read_value(row, one)) for one in columns)), None)


def _read_prompt(row: ForeignRow, place: TranscriptPosition) -> Iterator[ImportItem]:
    words = text(read_value(row, "prompt_text"))
    yield place.turn(Role.USER, content=words) if words else SkippedLine(place.line)


def _read_observation(row: ForeignRow, place: TranscriptPosition) -> Iterator[ImportItem]:
    title = text(read_value(row, "title")) or text(read_value(row, "subtitle"))
    told = text(read_value(row, "narrative")) or text(read_value(row, "text"))
    facts = _read_list(read_value(row, "facts"))
    if facts is None:
        yield UnusableLine(place.line, f"has facts that are no list of texts: {place.message_id}")
        facts = []
    for number, fact in enumerate(facts or filter(None, [title])):
        at = place.at if isinstance(place.at, int) else 0
        memory = ForeignMemory(
            key=f"{place.message_id} {number}",
            content=fact,
            at=at,
            created_at=at,
            kind=read_kind(read_value(row, "type")),
        )
        yield ForeignItem(place.line, memory, folder=place.cwd)
    if told:
        yield place.turn(Role.ASSISTANT, content="\n".join(filter(None, (title, told))))


def _read_summary(row: ForeignRow, place: TranscriptPosition) -> Iterator[ImportItem]:
    parts = {name: text(read_value(row, name)) for name in _PARTS}
    words = "\n".join(
        f"{name.replace('_', ' ').capitalize()}: {told}" for name, told in parts.items() if told
    )
    yield place.turn(Role.ASSISTANT, content=words) if words else SkippedLine(place.line)


def _read_list(value: object) -> list[str] | None:
    """Parse a list of texts that is written as JSON; None for any other value."""
    if not value:
        return []
    listed = parse_json(str(value))
    if not isinstance(listed, list):
        return None
    return [one for one in listed if isinstance(one, str) and one.strip()]


class _ProjectFolders:
    """Finder of a project's folder, by the transcripts that Claude Code keeps of its sessions."""

    def __init__(self) -> None:
        place = CLAUDE_CODE.folder
        found = place.path.glob("*/*.jsonl") if place else ()
        self._transcripts = {path.stem: path for path in found}
        self._folders: dict[str, str | None] = {}
        self._of_sessions: dict[str, str | None] = {}

    def find(self, session: str, project: str | None) -> str | None:
        """Find the folder of a session, or of another session of the same project."""
        if session not in self._of_sessions:
            self._of_sessions[session] = self._read(session)
        own = self._of_sessions[session]
        if project is not None:
            self._folders[project] = own or self._folders.get(project)
        return own if project is None else self._folders[project]

    def _read(self, session: str) -> str | None:
        path = self._transcripts.get(session)
        if path is None:
            return None
        records = TranscriptSource(path, session).records()
        for _, record in zip(range(_LINES_WITH_A_FOLDER), records, strict=False):
            if not isinstance(record, UnusableLine) and text(record.value.get("cwd")):
                return text(record.value.get("cwd"))
        return None


def _places() -> Iterator[Path]:
    for folder in (*list_named("CLAUDE_MEM_DATA_DIR"), home_folder(".claude-mem")):
        yield folder / "claude-mem.db"


CLAUDE_MEM = ImportSource(
    name="claude-mem",
    title="claude-mem",
    client="claude-mem",
    patterns=("claude-mem*.db",),
    recognises=recognise,
    read=read,
    places=_places,
    unit="row",
    note="its database, ~/.claude-mem/claude-mem.db",
)
