"""Capture: two accounts of a session, places in transcripts, and private times."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from memoria.language.words.document import full_text, turn_tokens
from memoria.model import Account, StoredTurn
from memoria.model.moments import Zone
from memoria.model.privacy import PrivateTime
from memoria.store.connection import Connection
from memoria.store.rows.conversations import Conversations
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.texts import Texts
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows
from memoria.store.values import NewTurn


class Accounts:
    """A tenant's turns of which there may be two accounts."""

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
        self._zone = zone

    def list_alike(
        self, session_n: int, likeness: bytes, limit: int, account: Account | None = None
    ) -> list[StoredTurn]:
        """List a session's current turns that begin alike, of all accounts or one, in order."""
        rows = self._rows.all(
            "alike", session_n=session_n, likeness=likeness, account=account, limit=limit
        )
        ns = [row["n"] for row in rows]
        found = self._conversations.turns(ns) if ns else {}
        return [found[n] for n in ns]

    def find_last_index(self, session_n: int) -> int:
        """Return the place of the last turn not told by an agent alone; -1 if there is none."""
        return self._rows.number("last_index", session_n=session_n)

    def hand_over(self, turn: StoredTurn, told: NewTurn) -> None:
        """Turn an agent's report of a turn into the client's own: its place, id, time and words.

        Args:
            turn: as the agent has reported it.
            told: as the client has it. Its number, id and history stay those of the other.
        """
        is_moved = told.turn_index != turn.turn_index
        place = {"session_n": turn.session_n, "turn_index": turn.turn_index}
        followers = [row["n"] for row in self._rows.all("after", **place)] if is_moved else []
        (before,) = self._rows.all("hashes", n=turn.n)
        self._rows.change(
            "hand_over",
            n=turn.n,
            message_id=told.message_id,
            turn_index=told.turn_index,
            speaker=told.speaker,
            at=told.at,
            utc_offset=told.utc_offset,
            at_given=told.at_given,
            trust=told.trust.value,
            fingerprint=told.fingerprint,
            likeness=told.likeness,
            content_hash=self._texts.put(told.content),
            tool_name=told.tool_name,
            args_hash=self._put_json(told.tool_args),
            result_hash=self._put_json(told.tool_result),
        )
        self._rows.change("count", session_n=turn.session_n, turn_index=told.turn_index)
        self._texts.erase_unused({*before} - {None})
        self._documents.replace_tokens(turn.n, *turn_tokens(told, self._zone))
        # A turn is embedded together with the one before it.
        if is_moved or full_text(told) != full_text(turn):
            for n in (turn.n, *followers):
                self._documents.embed_again(n)

    def _put_json(self, value: JsonValue) -> bytes | None:
        return None if value is None else self._texts.put(json.dumps(value, ensure_ascii=False))


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


class PrivateTimes:
    """A tenant's private times."""

    def __init__(
        self, connection: Connection, tenant: int, workspaces: Workspaces, count: int
    ) -> None:
        """Bind to a tenant.

        Args:
            connection: to the file.
            tenant: its number.
            workspaces: the tenant's.
            count: number of its private times; without any, none is ever looked for.
        """
        self._rows = TenantRows(connection, tenant, "private_times")
        self._workspaces = workspaces
        self._count = count

    def add(self, time: PrivateTime) -> None:
        """Add a private time, over or not."""
        workspace = self._workspaces.enter(time.workspace)
        self._rows.insert(
            "begin", workspace=workspace, began_at=time.began_at, ended_at=time.ended_at
        )
        self._rows.change("count")

    def merge(self, times: Sequence[PrivateTime]) -> None:
        """Add private times; each replaces one that began at the same moment in its workspace."""
        for time in times:
            number = self._workspaces.enter(time.workspace)
            self._rows.change("drop", workspace=number, began_at=time.began_at)
            self.add(time)

    def end(self, workspace: str | None, at: int) -> None:
        """End the private time that is on in a workspace; None for no project."""
        number = self._workspaces.number(workspace)
        if workspace is None or number is not None:
            self._rows.change("end", workspace=number, at=at)

    def all(self) -> tuple[PrivateTime, ...]:
        """List every private time, in the order in which they began."""
        if not self._count:
            return ()
        return tuple(PrivateTime(**row) for row in self._rows.all("list"))

    def applying(
        self, workspace: str | None, source: str, session_id: str
    ) -> tuple[PrivateTime, ...]:
        """List the private times of a workspace, and of the one that a session belongs to.

        Args:
            workspace: in which something is said now; None for no project.
            source: whose numbering of sessions is meant.
            session_id: the session, whether or not anything is kept of it.
        """
        if not self._count:
            return ()
        rows = self._rows.all("applying", name=workspace, source=source, session_id=session_id)
        return tuple(PrivateTime(**row) for row in rows)
