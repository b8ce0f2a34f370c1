"""Two accounts of one session."""

import json

from pydantic import JsonValue

from memoria.language.words.document import full_text, turn_tokens
from memoria.model import Account, StoredTurn
from memoria.model.zone import Zone
from memoria.store.connection import Connection
from memoria.store.rows.conversations import Conversations
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.texts import Texts
from memoria.store.sql.tenant_rows import TenantRows
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
