"""Places up to which the transcripts of clients have been taken in."""

from typing import NamedTuple

from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows


class TranscriptPlace(NamedTuple):
    """The place up to which a transcript has been taken in."""

    source: str
    path: str
    session_id: str
    offset: int
    """Bytes."""
    place: str
    """State with which its reader goes on from there: JSON, without a word of the conversation."""
    touched_at: int
    """UTC epoch ms; as a negative number once the session has ended."""


class TranscriptPlaces:
    """The place in each of a tenant's transcripts up to which it has been taken in."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "transcripts")

    def get(self, source: str, path: str) -> TranscriptPlace | None:
        """Return the place in one file; None if the file is not known."""
        row = self._rows.first("place", source=source, path=path)
        return None if row is None else TranscriptPlace(*row)

    def list_live_sessions(self, source: str, workspace: str | None, since: int) -> list[str]:
        """List the sessions of a project that a client's hooks have told of since; two at most.

        Those that have ended are left out.
        """
        rows = self._rows.all("live", source=source, project=workspace, since=since)
        return [row["session_id"] for row in rows]

    def list_recent(self, since: int, limit: int) -> list[TranscriptPlace]:
        """List the places touched since then, ended or not, newest first."""
        rows = self._rows.all("recent", since=since, limit=limit)
        return [TranscriptPlace(*row) for row in rows]

    def set(self, place: TranscriptPlace) -> None:
        """Write the place of a transcript."""
        self._rows.change("note", **place._asdict())
