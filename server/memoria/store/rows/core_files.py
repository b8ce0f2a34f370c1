"""Files for people: lines of core files, events of a day, and records of generated files."""

from collections.abc import Sequence

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

_CONTRADICTS = 7
_NEWEST = 100
"""Number of the newest wordings that are read for a reader between two nights."""


class CoreLines:
    """The lines of core files, each with its memory. Their text is not stored here."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "core_lines")

    def memories(self, at: int) -> list[CoreMemory]:
        """List the memories active at a moment, without episodes and those limited to a task."""
        return [_memory(row) for row in self._rows.all("memories", at=at)]

    def present(self, at: int, project: str | None, files: Sequence[CoreFile]) -> list[CoreMemory]:
        """List the memories that a reader may be shown at once, as seen from a project.

        These are the lines of the files, all rules, and the newest of everything else, so that the
        number of memories makes no difference to the time.

        Args:
            at: UTC epoch milliseconds.
            project: memories seen in other projects alone are left out; None stands for no project.
            files: the core files whose lines are wanted.
        """
        wanted = {"at": at, "project": project, "files": as_json(files), "most": _NEWEST}
        return [_memory(row) for row in self._rows.all("present", **wanted)]

    def version(self) -> tuple[int, int]:
        """Return a value that changes with every change to the home, while it is open.

        It tells changes of others: ask for it where nothing is written.
        """
        row = self._rows.first("version")
        return id(self._rows.connection), 0 if row is None else int(row[0])

    def next_end(self, at: int) -> int | None:
        """Return the first moment after this one at which a memory expires; None if none does."""
        row = self._rows.first("next_end", at=at)
        return None if row is None else row[0]

    def projects(self) -> list[str]:
        """List the projects in which something is seen that is seen nowhere else."""
        return [row["name"] for row in self._rows.all("projects")]

    def disputes(self) -> list[EditConflict]:
        """List wordings by hand that stand against a memory, oldest first."""
        rows = self._rows.all("disputed", contradicts=_CONTRADICTS, channel=USER_EDIT_NAME)
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
        """Map memories to their present status; those that were erased are missing."""
        rows = self._rows.all("statuses", ids=as_json(memory_ids))
        return {row["id"]: LineStatus(_memory(row), Validity(row["validity"])) for row in rows}

    def lines(self, file: CoreFile) -> list[CoreLine]:
        """List the lines of a file as it was last written."""
        return [CoreLine(**dict(row)) for row in self._rows.all("lines", file=file)]

    def set_line(self, file: CoreFile, line: CoreLine) -> None:
        """Note the line that a file has for a memory, in place of the one before.

        Raises:
            NotFoundError: there is no such memory.
        """
        if not self._rows.change(
            "put",
            file=file,
            memory_id=line.memory_id,
            mark=line.mark,
            digest=line.digest,
            version_n=line.version_n,
        ):
            raise NotFoundError.for_memory(line.memory_id)

    def drop_line(self, file: CoreFile, memory_id: str) -> None:
        """Note that a file has no line for a memory."""
        self._rows.change("drop", file=file, memory_id=memory_id)

    def file_state(self, file: CoreFile) -> CoreFileState:
        """Return the digests of what was last written to a file and of what is about to be."""
        row = self._rows.first("state", file=file)
        return CoreFileState() if row is None else CoreFileState(row["digest"], row["pending"])

    def announce_write(self, file: CoreFile, digest: bytes) -> None:
        """Note the digest of what is about to be written to a file."""
        self._rows.change("expect", file=file, digest=digest)

    def confirm_write(self, file: CoreFile, digest: bytes) -> None:
        """Note the digest of what has been written to a file, and that no write is pending."""
        self._rows.change("settle", file=file, digest=digest)


def _memory(row: Row) -> CoreMemory:
    return CoreMemory(
        id=row["id"],
        type=MemoryType(row["type"]),
        content=row["content"],
        version_n=row["version_n"],
        valid_from=row["valid_from"],
        importance=row["importance"],
        pinned=bool(row["pinned"]),
        verified=bool(row["verified"]),
        subject=row["subject"],
        predicate=row["predicate"],
        trust=Trust(row["trust"]),
        channel=row["channel"],
        project=row["project"],
        utc_offset=row["utc_offset"],
    )


class Days:
    """A tenant's days and closed conversations."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "days")

    def list_closed_sessions(self, since: int, after: int, limit: int) -> list[ClosedSession]:
        """List closed conversations taken up since a time, with numbers beyond `after`."""
        rows = self._rows.all("closed_sessions", since=since, after=after, limit=limit)
        return [ClosedSession(**row) for row in rows]

    def get_closed_session(self, session_n: int) -> ClosedSession | None:
        """Return a closed conversation; None if it goes on."""
        found = self.list_closed_sessions(0, session_n - 1, 1)
        return found[0] if found and found[0].n == session_n else None

    def next_activity_at(self, at: int) -> int | None:
        """Return when next, from a moment on, something was said, learnt or put aside."""
        names = ("next_turn", "next_wording", "next_began", "next_put_aside")
        rows = (self._rows.first(name, at=at) for name in names)
        return min((row["at"] for row in rows if row and row["at"] is not None), default=None)

    def list_episode_ends(self, turn_ns: Sequence[int]) -> list[tuple[int, int | None]]:
        """List (time, UTC offset) of the ends of segments whose episode covers one of the turns."""
        rows = self._rows.all("summed_up", ns=as_json(turn_ns))
        return [(row["at"], row["utc_offset"]) for row in rows]

    def notes(self, day: LocalDay) -> DayNotes:
        """Collect the events of a day.

        What was said by a clock of its own is of that clock's day; the rest lies between the
        midnights of `day`.
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
    """Records of what nightly maintenance last wrote into a tenant's files."""

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
        self._rows.change("put_file", **file.model_dump())

    def drop(self, path: str) -> None:
        """Drop the record of a file."""
        self._rows.change("drop_file", path=path)

    def forget(self, path: str) -> None:
        """Drop the record of a file and all digests of its contents: no undo restores it."""
        self.drop(path)
        self._rows.change("forget_images", path=path)


def _to_note(row: Row) -> DayMemory:
    return DayMemory(id=row["id"], content=row["content"])


def _to_wording(row: Row) -> DayMemory:
    return DayMemory(id=row["id"], content=row["content"], held_until=row["held_until"])
