"""Capture: two accounts of a session, places in transcripts, and private times."""

from collections.abc import Sequence
from typing import NamedTuple

from memoria.language.words.document import full_text, turn_tokens
from memoria.model import Account, StoredTurn
from memoria.model.moments import Zone
from memoria.model.privacy import PrivateTime
from memoria.store.connection import Connection
from memoria.store.rows.conversations import Conversations
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.texts import Texts
from memoria.store.rows.tool_calls import ToolCalls
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows
from memoria.store.values import NewTurn


class Accounts:
    """Turns told twice: by the client that held the session, and by an agent."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        conversations: Conversations,
        documents: DocumentIndex,
        zone: Zone,
    ) -> None:
        self._rows = TenantRows(connection, tenant, "accounts")
        self._texts = Texts(connection, tenant)
        self._conversations = conversations
        self._documents = documents
        self._calls = ToolCalls(connection, tenant)
        self._zone = zone

    def list_alike(
        self, session_n: int, likeness: bytes, limit: int, account: Account | None = None
    ) -> list[StoredTurn]:
        """List a session's current turns that begin alike, in order, of all accounts or one."""
        rows = self._rows.all(
            "alike", session_n=session_n, likeness=likeness, account=account, limit=limit
        )
        ns = [row["n"] for row in rows]
        found = self._conversations.turns(ns) if ns else {}
        return [found[n] for n in ns]

    def find_last_index(self, session_n: int) -> int:
        """Return the place of the last turn that a client told; -1 if no client told a turn."""
        return self._rows.number("last_index", session_n=session_n)

    def hand_over(self, turn: StoredTurn, told: NewTurn) -> None:
        """Replace place, message id, time and words of a turn by the client's own.

        Args:
            turn: the turn as an agent has reported it. It keeps its number, id and history.
            told: the turn as the client tells it.
        """
        is_moved = told.turn_index != turn.turn_index
        place = {"session_n": turn.session_n, "turn_index": turn.turn_index}
        followers = self._rows.column("after", **place) if is_moved else []
        (before,) = self._rows.all("hashes", n=turn.n)
        columns = self._texts.put_turn(told)
        self._rows.send("hand_over", **{**columns, "n": turn.n})
        self._rows.send("count", session_n=turn.session_n, turn_index=told.turn_index)
        self._texts.erase_unused({*before} - {None})
        self._calls.renew(turn.n, told)
        self._documents.replace_tokens(turn.n, *turn_tokens(told, self._zone))
        # A turn is embedded together with the one before it.
        if is_moved or full_text(told) != full_text(turn):
            for n in (turn.n, *followers):
                self._documents.embed_again(n)


class TranscriptPlace(NamedTuple):
    """The place up to which a transcript has been taken in."""

    source: str
    path: str
    session_id: str
    offset: int
    """Bytes."""
    place: str
    """State with which a reader of the transcript goes on: JSON, no word of the conversation."""
    touched_at: int
    """UTC epoch ms; as a negative number once the session has ended."""


class TranscriptPlaces:
    """Places up to which a tenant's transcripts have been taken in."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "transcripts")

    def get(self, source: str, path: str) -> TranscriptPlace | None:
        """Return the place in a transcript; None if the transcript is not known."""
        row = self._rows.first("place", source=source, path=path)
        return None if row is None else TranscriptPlace(*row)

    def list_live_sessions(self, source: str, workspace: str | None, since: int) -> list[str]:
        """List ids of a project's open sessions that a client's hooks touched, two at most.

        The hooks touched them at `since`, UTC epoch ms, or later.
        """
        return self._rows.column("live", source=source, project=workspace, since=since)

    def list_held(self, source: str, above: str, below: str, since: int) -> list[TranscriptPlace]:
        """List the places whose path lies between two, touched from `since` on, not ended."""
        rows = self._rows.all("held", source=source, above=above, below=below, since=since)
        return [TranscriptPlace(*row) for row in rows]

    def list_recent(self, since: int, limit: int) -> list[TranscriptPlace]:
        """List the places touched from `since` on, newest first; ended sessions are included."""
        rows = self._rows.all("recent", since=since, limit=limit)
        return [TranscriptPlace(*row) for row in rows]

    def set(self, place: TranscriptPlace) -> None:
        """Write the place of a transcript."""
        self._rows.send("note", **place._asdict())


class PrivateTimes:
    """A tenant's private times."""

    def __init__(
        self, connection: Connection, tenant: int, workspaces: Workspaces, count: int
    ) -> None:
        """Bind to a tenant.

        Args:
            connection: to the file.
            tenant: its number.
            workspaces: the tenant's workspaces.
            count: number of the tenant's private times; at 0 the table is never read.
        """
        self._rows = TenantRows(connection, tenant, "private_times")
        self._workspaces = workspaces
        self._count = count

    def add(self, time: PrivateTime) -> None:
        """Add a private time, over or not."""
        workspace = self._workspaces.enter(time.workspace)
        self._rows.send(
            "begin", workspace=workspace, began_at=time.began_at, ended_at=time.ended_at
        )
        self._rows.send("count")

    def merge(self, times: Sequence[PrivateTime]) -> None:
        """Add private times, in place of those of their workspaces that began when they did."""
        for time in times:
            number = self._workspaces.enter(time.workspace)
            self._rows.send("drop", workspace=number, began_at=time.began_at)
            self.add(time)

    def end(self, workspace: str | None, at: int) -> None:
        """End the private time that is on in a workspace, or outside of all projects (None)."""
        number = self._workspaces.number(workspace)
        if workspace is None or number is not None:
            self._rows.send("end", workspace=number, at=at)

    def all(self) -> tuple[PrivateTime, ...]:
        """List every private time, the first added first."""
        if not self._count:
            return ()
        return tuple(PrivateTime(**row) for row in self._rows.all("list"))

    def applying(
        self, workspace: str | None, source: str, session_id: str
    ) -> tuple[PrivateTime, ...]:
        """List the private times of a workspace, and of the workspace that a session belongs to.

        Args:
            workspace: the workspace in which something is said now; None for no project.
            source: the client or channel that gave the session its id.
            session_id: the session, which need not be on record.
        """
        if not self._count:
            return ()
        rows = self._rows.all("applying", name=workspace, source=source, session_id=session_id)
        return tuple(PrivateTime(**row) for row in rows)
