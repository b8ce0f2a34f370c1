"""Files for people: lines of core files, events of a day, and records of generated files."""

from collections.abc import Hashable, Sequence
from dataclasses import asdict

from memoria.errors import NotFoundError
from memoria.model import MemoryType, Trust, Validity
from memoria.model.core import (
    USER_EDIT_NAME,
    CoreFile,
    CoreFileState,
    CoreLine,
    CoreMemory,
    EditConflict,
    LineStatus,
)
from memoria.model.moments import LocalDay
from memoria.model.nightly import ClosedSession, DayMemory, DayNotes, DaySession, GeneratedFile
from memoria.store.connection import Connection, Row
from memoria.store.sql.statements import TenantRows, as_json

_NEWEST = 100
"""Number of the newest wordings that are read for a reader between two nights."""


class CoreLines:
    """Lines of core files, each with its memory; the text of a line is not stored."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "core_lines")

    def memories(self, at: int) -> list[CoreMemory]:
        """List the memories active at a moment, without episodes and memories limited to a task."""
        return [_memory(row) for row in self._rows.all("memories", at=at)]

    def present(self, at: int, project: str | None, files: Sequence[CoreFile]) -> list[CoreMemory]:
        """List the memories that may be shown at once, as seen from a project.

        The list has the memories of the files' lines, all rules, and the newest other memories: it
        takes no longer in a large home.

        Args:
            at: UTC epoch milliseconds.
            project: the project asked from, None for no project; memories seen in others alone are
                left out.
            files: the core files whose lines are wanted.
        """
        wanted = {"at": at, "project": project, "files": as_json(files), "most": _NEWEST}
        return [_memory(row) for row in self._rows.all("present", **wanted)]

    def version(self) -> Hashable:
        """Return a value that changes whenever another connection changes the home.

        To be called in a transaction that only reads.
        """
        return self._rows.connection.snapshot_key()

    def next_end(self, at: int) -> int | None:
        """Return the first moment after `at` at which a memory expires; None if no memory does."""
        return self._rows.find_number("next_end", at=at)

    def projects(self) -> list[str]:
        """List the projects with memories of their own, seen in no other project."""
        return self._rows.column("projects")

    def disputes(self) -> list[EditConflict]:
        """List wordings by hand that stand against a memory, oldest first."""
        rows = self._rows.all("disputed", channel=USER_EDIT_NAME)
        pairs = [(row["user_edit"], row["against"]) for row in rows]
        known = self.statuses([one for pair in pairs for one in pair])
        return [
            EditConflict(
                known[user_edit].memory,
                known[against].memory,
                known[against].validity is Validity.ACTIVE,
            )
            for user_edit, against in pairs
        ]

    def statuses(self, memory_ids: Sequence[str]) -> dict[str, LineStatus]:
        """Map memories to their present status; erased memories are left out."""
        rows = self._rows.all("statuses", ids=as_json(memory_ids))
        return {row["id"]: LineStatus(_memory(row), Validity(row["validity"])) for row in rows}

    def lines(self, file: CoreFile) -> list[CoreLine]:
        """List the lines of a file as it was last written."""
        return [CoreLine(**dict(row)) for row in self._rows.all("lines", file=file)]

    def set_line(self, file: CoreFile, line: CoreLine) -> None:
        """Record the line that a file has for a memory, in place of the former line.

        Raises:
            NotFoundError: there is no such memory.
        """
        if not self._rows.change("put", file=file, **asdict(line)):
            raise NotFoundError.for_memory(line.memory_id)

    def drop_line(self, file: CoreFile, memory_id: str) -> None:
        """Record that a file has no line for a memory."""
        self._rows.send("drop", file=file, memory_id=memory_id)

    def file_state(self, file: CoreFile) -> CoreFileState:
        """Return the digests of the content last written to a file, and about to be written."""
        row = self._rows.first("state", file=file)
        return CoreFileState() if row is None else CoreFileState(row["digest"], row["pending"])

    def announce_write(self, file: CoreFile, digest: bytes) -> None:
        """Record the digest of the content about to be written to a file."""
        self._rows.send("expect", file=file, digest=digest)

    def confirm_write(self, file: CoreFile, digest: bytes) -> None:
        """Record the digest of the content written to a file, and that no write is pending."""
        self._rows.send("settle", file=file, digest=digest)


def _memory(row: Row) -> CoreMemory:
    fields = {name: row[name] for name in row.keys() if name != "validity"}  # noqa: SIM118  (no mapping)
    flags = {name: bool(row[name]) for name in ("pinned", "verified")}
    return CoreMemory(
        **{**fields, **flags, "type": MemoryType(row["type"]), "trust": Trust(row["trust"])}
    )


class Days:
    """A tenant's days and closed conversations."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "days")

    def list_closed_sessions(self, since: int, after: int, limit: int) -> list[ClosedSession]:
        """List closed conversations that went on after a time, with numbers beyond `after`."""
        rows = self._rows.all("closed_sessions", since=since, after=after, limit=limit)
        return [ClosedSession(**row) for row in rows]

    def get_closed_session(self, session_n: int) -> ClosedSession | None:
        """Return a conversation if it is closed; None if it is open."""
        found = self.list_closed_sessions(0, session_n - 1, 1)
        return found[0] if found and found[0].n == session_n else None

    def next_activity_at(self, at: int) -> int | None:
        """Return the next time from a moment on at which something was said, learnt or archived."""
        names = ("next_turn", "next_wording", "next_began", "next_put_aside")
        rows = (self._rows.first(name, at=at) for name in names)
        return min((row["at"] for row in rows if row and row["at"] is not None), default=None)

    def list_episode_ends(self, turn_ns: Sequence[int]) -> list[tuple[int, int | None]]:
        """List (time, UTC offset) at which segments ended whose episode covers one of the turns."""
        rows = self._rows.all("summed_up", ns=as_json(turn_ns))
        return [(row["at"], row["utc_offset"]) for row in rows]

    def notes(self, day: LocalDay) -> DayNotes:
        """Collect the events of a day.

        A turn with a UTC offset of its own belongs to the day of that clock; all other events lie
        between the midnights of `day`.
        """
        between = {"begin": day.begin, "end": day.end, "midnight": day.midnight}
        wordings = self._rows.all("wordings", **between)
        sessions = self._rows.all("sessions", **between)
        return DayNotes(
            sessions=tuple(DaySession(**row) for row in sessions),
            episodes=self._list_notes("episodes", **between),
            learnt=tuple(_to_wording(row) for row in wordings if not row["changed"]),
            changed=tuple(_to_wording(row) for row in wordings if row["changed"]),
            archived=self._list_notes("put_aside", begin=day.begin, end=day.end),
        )

    def _list_notes(self, name: str, **between: int) -> tuple[DayMemory, ...]:
        return tuple(map(_to_note, self._rows.all(name, **between)))


class GeneratedFileRecords:
    """Records of a tenant's generated files as nightly maintenance last wrote them."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "days")

    def all(self) -> list[GeneratedFile]:
        """List every file."""
        return [GeneratedFile(**row) for row in self._rows.all("files")]

    def get(self, path: str) -> GeneratedFile | None:
        """Return the record of a file; None if nothing is recorded for the path."""
        row = self._rows.first("file", path=path)
        return None if row is None else GeneratedFile(**row)

    def put(self, file: GeneratedFile) -> None:
        """Record a file as written."""
        self._rows.send("put_file", **file.model_dump())

    def drop(self, path: str) -> None:
        """Drop the record of a file."""
        self._rows.send("drop_file", path=path)

    def forget(self, path: str) -> None:
        """Drop the record of a file and all digests of its contents: no undo restores the file."""
        self.drop(path)
        self._rows.send("forget_images", path=path)


def _to_note(row: Row) -> DayMemory:
    return DayMemory(id=row["id"], content=row["content"])


def _to_wording(row: Row) -> DayMemory:
    return DayMemory(id=row["id"], content=row["content"], held_until=row["held_until"])
