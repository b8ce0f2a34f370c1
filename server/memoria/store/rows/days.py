"""Matter of the files for people."""

from collections.abc import Sequence

from memoria.model.day import ClosedSession, DayMemory, DayNotes, DaySession, GeneratedFile
from memoria.model.zone import LocalDay
from memoria.store.connection import Connection, Row
from memoria.store.sql.tenant_rows import TenantRows, as_json


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
