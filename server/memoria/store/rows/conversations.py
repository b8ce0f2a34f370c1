"""Sessions, turns and segments."""

from collections.abc import Iterable, Sequence

from memoria.language.words.document import turn_tokens
from memoria.model import Segment, Session, StoredTurn, UserSpeaker, now_millis
from memoria.model.moments import Zone
from memoria.model.turn import Mark
from memoria.store.connection import Connection, Row
from memoria.store.features import TurnMetadata, TurnPosition
from memoria.store.image.cached_reads import RememberedRows
from memoria.store.rows.attachments import Attachments
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.open_segments import OpenSegments
from memoria.store.rows.texts import Texts, read_turn_row
from memoria.store.rows.tool_calls import ToolCalls
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows, as_json, list_numbers
from memoria.store.values import ClosedSegment, MessageName, NewTurn, SegmentLimits, TurnVersion

_ALL = (1 << 63) - 1
"""The value that means no limit."""
_MOST_SPEAKERS = 1000
_HASHES = ("content_hash", "args_hash", "result_hash", "file_hash")


class Conversations:
    """Sessions, their turns and segments."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        documents: DocumentIndex,
        zone: Zone,
        *,
        private: str = "[]",
        only_reads: bool = False,
    ) -> None:
        self._rows = TenantRows(connection, tenant, "conversations")
        self._private = private
        self._texts = Texts(connection, tenant, only_reads=only_reads)
        self._documents = documents
        self._attachments = Attachments(connection, tenant, documents, zone)
        self._calls = ToolCalls(connection, tenant)
        self._zone = zone
        self._workspaces = Workspaces(connection, tenant)
        self._open = OpenSegments(self._rows)
        self._places: dict[int, int | None] = {}
        self._turns: RememberedRows[StoredTurn] = RememberedRows(is_kept=only_reads)
        self._remarks: RememberedRows[TurnMetadata] = RememberedRows(is_kept=only_reads)

    def upsert_session(
        self,
        source: str,
        session_id: str,
        first_at: int,
        last_at: int,
        now: int,
        workspace: str | None = None,
    ) -> Session:
        """Return a session, made if it is new, with its span widened to two event times.

        A session stays in the workspace in which it began.
        """
        (row,) = self._rows.all(
            "enter_session",
            source=source,
            session_id=session_id,
            first_at=first_at,
            last_at=last_at,
            now=now,
            workspace=self._workspaces.enter(workspace),
        )
        fields = dict(row)
        self._places[row["n"]] = fields.pop("workspace_n")
        return Session(**fields)

    def find_messages(self, session_n: int, message_ids: Sequence[str]) -> dict[str, TurnVersion]:
        """Map messages of a session to their newest versions; unknown messages are missing."""
        if not message_ids:
            return {}
        rows = self._rows.tuples(
            "find_messages", session_n=session_n, message_ids=as_json(message_ids)
        )
        return {message_id: TurnVersion(*version) for message_id, *version in rows}

    def find_fingerprint(self, session_n: int, fingerprint: bytes) -> str | None:
        """Return the id of the newest current turn with this fingerprint."""
        return self._rows.find_text(
            "find_fingerprint", session_n=session_n, fingerprint=fingerprint
        )

    def last_fingerprints(self, session_n: int, count: int) -> list[bytes]:
        """List the fingerprints of the last current turns, oldest first."""
        return self._rows.column("last_fingerprints", session_n=session_n, count=count)[::-1]

    def first_fingerprints(self, session_n: int, count: int) -> list[bytes]:
        """List the fingerprints of the first current turns, oldest first."""
        return self._rows.column("first_fingerprints", session_n=session_n, count=count)

    def add_turn(self, turn: NewTurn) -> int:
        """Write a turn of this home, count it in its session, and return its number."""
        n = self.write_turn(turn)
        place = {"session_n": turn.session_n, "turn_index": turn.turn_index}
        self._rows.send("count_turn", **place, agent=int(turn.account == "agent"))
        return n

    def write_turn(self, turn: NewTurn) -> int:
        """Write a turn with its texts, index row and backlog entry, and return its number."""
        words, context = turn_tokens(turn, self._zone)
        workspace = self._workspace_number(turn.session_n)
        n = self._documents.add("turn", workspace, words, context, suppressed=turn.suppressed)
        self._rows.send("add_turn", n=n, **self._texts.put_turn(turn))
        self._calls.note(n, turn)
        return n

    def retire_turn(self, n: int) -> None:
        """Mark a version as no longer current."""
        self._documents.set_current(n, current=False)

    def suppress_turn(self, turn: StoredTurn) -> None:
        """Mark all versions of a message, so that nothing more is concluded from the message."""
        for version in self._versions(turn):
            self._documents.suppress(version["n"])

    def erase_turn(self, turn: StoredTurn) -> list[MessageName]:
        """Erase a message as `erase_turns` does; return the keys that recognised the message."""
        return self.erase_turns([turn])[turn.n]

    def erase_turns(self, turns: Sequence[StoredTurn]) -> dict[int, list[MessageName]]:
        """Erase messages in all versions, with their files and texts that no other turn shares.

        A turn that follows an erased one is queued for a new vector, as both were embedded
        together. Returns the keys that recognised each message, by the number of its turn.
        """
        names: dict[int, list[MessageName]] = {}
        hashes: set[bytes] = set()
        followers: dict[int, None] = {}
        attached = self.turns([*self._attachments.list_of_messages([turn.n for turn in turns])])
        whole = {turn.n: turn for turn in (*turns, *attached.values())}
        for turn in sorted(whole.values(), key=lambda one: -one.n):  # files before their messages
            place = {"session_n": turn.session_n, "turn_index": turn.turn_index}
            followers |= dict.fromkeys(row["n"] for row in self._rows.all("followers", **place))
            versions = self._versions(turn)
            for row in versions:
                followers.pop(row["n"], None)
                self._cite_elsewhere(row["n"])
                self._documents.drop_turn_names(row["n"])
                self._rows.send("unlink_memories", n=row["n"])
                self._calls.drop(row["n"])
                self._rows.send("erase_turn", n=row["n"])
                self._documents.erase(row["n"])
                hashes |= {row[name] for name in _HASHES} - {None}
            names[turn.n] = [
                MessageName(turn.source, turn.session_id, *tuple(row)[1:4]) for row in versions
            ]
        self._texts.erase_unused(hashes)
        for n in followers:  # embedded together with the turn before, which is gone
            self._documents.queue_embedding(n)
        return names

    def _cite_elsewhere(self, n: int) -> None:
        """Cite conclusions from a turn by other evidence instead, if they have any."""
        memory_ns = self._rows.column("concluded_from", n=n)
        if memory_ns and self._rows.change("cite_evidence", n=n):
            self._rows.send("drop_cited_evidence", memory_ns=as_json(memory_ns))

    def expect_turns(self, session_n: int) -> None:
        """Prepare for turns to be added to a session."""
        self._open.expect(session_n)

    def extend_segment(self, turn: NewTurn, limits: SegmentLimits) -> list[ClosedSegment]:
        """Add a turn to the session's open segment, or to a new one if the open one is full.

        An edited message stays in its segment; if its segment is closed, the message becomes a
        closed segment by itself. Returns the segments that this has closed, one at most.
        """
        if turn.version == 1:
            return self._open.extend(turn, limits)
        place = {"session_n": turn.session_n, "turn_index": turn.turn_index}
        if self._rows.change("touch_segment", **place, now=now_millis()):
            return []
        return [ClosedSegment(turn.session_n, turn.turn_index, turn.turn_index, "edited")]

    def close_segment(self, session_id: str, source: str, reason: str) -> list[ClosedSegment]:
        """Close the session's open segment, and return the closed segments, one at most."""
        return self._close_segments(
            "close_segment", session_id=session_id, source=source, reason=reason, now=now_millis()
        )

    def ask_for_idle_segments(self, touched_before: int) -> None:
        """Prepare for `close_idle_segments`."""
        self._rows.ask_ahead("any_idle", touched_before=touched_before)

    def close_idle_segments(
        self, touched_before: int, most: int | None = None
    ) -> list[ClosedSegment]:
        """Close and return segments without a new turn since a time, at most `most` of them."""
        if not self._rows.number("any_idle", touched_before=touched_before):
            return []
        return self._close_segments(
            "close_idle",
            touched_before=touched_before,
            most=_ALL if most is None else most,
            now=now_millis(),
        )

    def close_past_segments(self, said_before: int) -> list[ClosedSegment]:
        """Close and return segments in which nothing was said since a time."""
        return self._close_segments("close_past", said_before=said_before, now=now_millis())

    def list_unqueued_segments(self, limit: int) -> list[ClosedSegment]:
        """List closed segments that were never put into the extraction queue, oldest first.

        Segments of private workspaces are left out.
        """
        return self._close_segments("unqueued_segments", limit=limit, private=self._private)

    def _close_segments(self, name: str, **parameters: str | int) -> list[ClosedSegment]:
        self._open.forget()
        return [ClosedSegment(*row) for row in self._rows.all(name, **parameters)]

    def turns(self, ns: Sequence[int]) -> dict[int, StoredTurn]:
        """Map numbers to turns; numbers of no turn are left out."""
        return self._turns.look_up(ns, self._read_turns)

    def _read_turns(self, ns: Sequence[int]) -> dict[int, StoredTurn]:
        heard = self._remarks.list_kept(ns)  # texts that were read already
        rows = self._rows.tuples("turns", ns=list_numbers(ns), heard=list_numbers(heard))
        return {row[0]: read_turn_row(row, heard.get(row[0]), self._texts) for row in rows}

    def turn(self, turn_id: str) -> StoredTurn | None:
        """Return the turn with an id; None if no turn has it."""
        row = self._rows.first("turn_number", id=turn_id)
        return None if row is None else self.turns([row["n"]])[row["n"]]

    def list_turns_by_id(self, turn_ids: Sequence[str]) -> list[StoredTurn]:
        """List the turns with these ids; ids of no turn are left out."""
        ns = self._rows.column("turn_numbers", ids=as_json(turn_ids)) if turn_ids else []
        return list(self.turns(ns).values())

    def find_words_before(self, session_id: str, since: int, until: int) -> StoredTurn | None:
        """Find the user's last current turn in a session in this time; None if there is none."""
        row = self._rows.first("words_before", session_id=session_id, since=since, until=until)
        return None if row is None else self.turns([row["n"]])[row["n"]]

    def find_turn(self, source: str, session_id: str, message_id: str) -> StoredTurn | None:
        """Return the newest version of a message, by its ids at the source; None if unknown."""
        names = {"source": source, "session_id": session_id, "message_id": message_id}
        row = self._rows.first("find_turn", **names)
        return None if row is None else self.turns([row["n"]])[row["n"]]

    def turn_versions(self, turn: StoredTurn) -> list[StoredTurn]:
        """List all versions at the turn's place, newest first."""
        return self._list_in_order(
            "turn_versions", session_n=turn.session_n, turn_index=turn.turn_index
        )

    def list_positions(self, ns: Sequence[int], reach: int) -> list[TurnPosition]:
        """List the positions of turns, and of those up to `reach` places around them."""
        rows = self._rows.all("places", ns=list_numbers(ns), reach=reach)
        return list(map(TurnPosition._make, rows))

    def speaker_at(self, session_n: int, turn_index: int) -> str | None:
        """Return the speaker of the turn at a place; None if no turn or no name is known."""
        return self._rows.find_text("speaker_at", session_n=session_n, turn_index=turn_index)

    def list_user_speakers(self) -> list[UserSpeaker]:
        """List the names of speakers with the role `user`, in the order of their first turns."""
        asked = "user speakers", self._rows.tenant
        rows = self._rows.connection.read_settled(
            asked, lambda: self._rows.tuples("user_speakers", limit=_MOST_SPEAKERS)
        )
        return [UserSpeaker(*row) for row in rows]

    def remarks(self, ns: Sequence[int]) -> dict[int, TurnMetadata]:
        """Map turns to their speakers, times and texts; tool calls are left out."""
        return self._remarks.look_up(ns, self._read_remarks)

    def _read_remarks(self, ns: Sequence[int]) -> dict[int, TurnMetadata]:
        return {
            n: TurnMetadata(speaker, role, at, self._texts.defer(key, codec, data), bool(is_whole))
            for n, speaker, role, at, is_whole, key, codec, data in self._rows.tuples(
                "remarks", ns=list_numbers(ns)
            )
        }

    def neighbours(self, session_n: int, turn_index: int, reach: int) -> list[StoredTurn]:
        """List the current turns up to `reach` places on either side of a place, in order."""
        return self._list_in_order(
            "around", session_n=session_n, turn_index=turn_index, reach=reach
        )

    def user_turns_beside(
        self, ns: Sequence[int]
    ) -> dict[int, tuple[StoredTurn | None, StoredTurn | None]]:
        """Map each turn to the user's nearest turns before and after, in the same session."""
        rows = self._rows.tuples("user_turns_beside", ns=list_numbers(ns))
        found = self.turns(sorted({n for row in rows for n in row[1:] if n is not None}))
        return {n: (found.get(before), found.get(after)) for n, before, after in rows}

    def list_span(self, session_n: int, first_index: int, last_index: int) -> list[StoredTurn]:
        """List a session's current turns from one place to another, in order."""
        return self._list_in_order(
            "span", session_n=session_n, first_index=first_index, last_index=last_index
        )

    def list_unread(self, workspace: str | None, limit: int) -> list[StoredTurn]:
        """List the newest unread current turns of a workspace and of no workspace."""
        place = self._workspaces.number(workspace)
        return self._list_in_order("unread", workspace=place, limit=limit)

    def list_calls_and_words(self, workspace: str, limit: int) -> list[int]:
        """List the numbers of a workspace's newest calls and words of the user, newest first."""
        place = self._workspaces.number(workspace)
        return self._rows.column("calls_and_words", workspace=place, limit=limit)

    def list_unread_of(self, session_n: int, first_index: int, limit: int) -> list[StoredTurn]:
        """List a session's unread current turns from a place on, in order."""
        place = {"session_n": session_n, "first_index": first_index}
        return self._list_in_order("unread_of_session", **place, limit=limit)

    def mark_processed(self, turns: Iterable[StoredTurn]) -> None:
        """Mark turns as processed: the first level shows the memories from them instead."""
        for turn in turns:
            self._documents.mark_processed(turn.n)

    def pass_over(self, ns: Iterable[int]) -> None:
        """Mark turns as passed over: read, with nothing concluded from them.

        A passed-over turn is not read again, and the first level shows it as before.
        """
        for n in ns:
            self._rows.send("pass_over", n=n)

    def list_passed_over(self, ns: Sequence[int]) -> set[int]:
        """Select the turns that were read with nothing concluded."""
        return set(self._rows.column("passed_over", ns=list_numbers(ns)))

    def mark(self, n: int, mark: Mark | None) -> None:
        """Set the mark for the kind of statement in a turn; None has the turn looked at again.

        Nothing is concluded from a turn by its mark.
        """
        self._rows.send("mark", n=n, mark=mark)

    def list_wishes(self, limit: int) -> list[StoredTurn]:
        """List the newest current turns that are marked as wishes, the newest first."""
        return self._list_in_order("wishes", limit=limit)

    def list_unmarked(self, limit: int) -> list[StoredTurn]:
        """List turns without a mark, the oldest first."""
        return self._list_in_order("unmarked", limit=limit)

    def count_unmarked(self) -> int:
        """Count the turns without a mark."""
        return self._rows.number("count_unmarked")

    def session_turns(self, session_id: str, offset: int, limit: int) -> list[StoredTurn]:
        """List a session's current turns in order."""
        return self._list_in_order(
            "session_turns", session_id=session_id, offset=offset, limit=limit
        )

    def session_size(self, session_id: str) -> int:
        """Count the current turns of a session."""
        return self._rows.number("session_size", session_id=session_id)

    def list_segments(self, session_id: str) -> list[Segment]:
        """List a session's segments in order."""
        return [Segment(**row) for row in self._rows.all("segments", session_id=session_id)]

    def _workspace_number(self, session_n: int) -> int | None:
        """Return the number of a session's workspace; None if the session has no workspace."""
        if session_n not in self._places:
            workspace = self._rows.find_number("session_workspace", session_n=session_n)
            self._places[session_n] = workspace
        return self._places[session_n]

    def _versions(self, turn: StoredTurn) -> list[Row]:
        place = {"session_n": turn.session_n, "turn_index": turn.turn_index}
        return self._rows.all("stored_versions", **place)

    def _list_in_order(self, name: str, **parameters: str | int | None) -> list[StoredTurn]:
        ns = self._rows.column(name, **parameters)
        found = self.turns(ns)
        return [found[n] for n in ns]
