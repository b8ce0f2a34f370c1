"""Attachments: turns that are files of other turns, and their bytes."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from memoria.language.words.document import turn_tokens
from memoria.model import StoredTurn
from memoria.model.attachment import ATTACHMENT
from memoria.model.moments import Zone
from memoria.store.connection import Connection
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.texts import Texts
from memoria.store.rows.tool_calls import ToolCalls
from memoria.store.sql.statements import TenantRows, list_numbers


class Attachments:
    """A tenant's attachments."""

    def __init__(
        self, connection: Connection, tenant: int, documents: DocumentIndex, zone: Zone
    ) -> None:
        self._rows = TenantRows(connection, tenant, "attachments")
        self._texts = Texts(connection, tenant)
        self._calls = ToolCalls(connection, tenant)
        self._documents = documents
        self._zone = zone

    def list_of_messages(self, ns: Sequence[int]) -> Mapping[int, bytes]:
        """Map the numbers of the attachments of messages to their fingerprints, in order."""
        return dict(self._rows.tuples("of_messages", ns=list_numbers(ns))) if ns else {}

    def find_message(self, turn: StoredTurn) -> str | None:
        """Return the id of the turn that a turn is an attachment of; None if it is none."""
        return self._rows.find_text("message", n=turn.n) if turn.tool_name == ATTACHMENT else None

    def read_bytes(self, turn: StoredTurn) -> bytes | None:
        """Return the bytes of an attachment; None if they are not kept, or are its text.

        Raises:
            StoreDamagedError: they are gone, or are not what was stored.
        """
        (row,) = self._rows.all("hashes", n=turn.n)
        key = row["file_hash"]
        return None if key is None else self._texts.get_bytes(key)

    def list_old(self, before: int, limit: int) -> list[int]:
        """List attachments that are kept since before a time (UTC epoch ms), oldest first."""
        return self._rows.column("old", before=before, limit=limit)

    def clear(self, turn: StoredTurn, told: JsonValue) -> None:
        """Erase the bytes of an attachment and the text that was read of it.

        Args:
            turn: the attachment, which stays on record.
            told: what is told of it from now on.
        """
        left = turn.model_copy(update={"tool_args": told, "tool_result": None})
        (before,) = self._rows.all("hashes", n=turn.n)
        self._rows.send("clear", n=turn.n, args_hash=self._texts.put_json(told))
        self._texts.erase_unused({*before} - {None})
        self._calls.renew(turn.n, left)
        self._documents.drop_turn_names(turn.n)
        self._documents.replace_tokens(turn.n, *turn_tokens(left, self._zone))
        self._documents.queue_embedding(turn.n)
