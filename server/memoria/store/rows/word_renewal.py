"""Word renewal: documents of an older version get the words that this version reads in them.

All documents are gone through once, in the order of their numbers, a page at a time. A page is read
beside all other work, and only documents with other words by now are written. A mark in the file
says how far the renewal has come; any process may stop and any other go on from the mark. A
document that an older version adds meanwhile has a higher number, so it is reached as well. In
PostgreSQL each document has its version, and the mark follows from these.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memoria.language.words.analyser import FORM, index_text
from memoria.language.words.document import (
    full_text,
    memory_tokens,
    property_words,
    renew_context,
    turn_tokens,
)
from memoria.model.moments import Zone
from memoria.store.connection import Connection, Row
from memoria.store.rows.conversations import Conversations
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.sql.statements import TenantRows, list_numbers
from memoria.store.vectors import VectorIndex


def read_mark(connection: Connection) -> tuple[int, int]:
    """Return the number of the analyser and that of the document; 0 and 0 if nothing is marked."""
    mark = connection.statements("word_renewal")["mark"]
    row = connection.execute(mark, {"form": FORM}).fetchone()
    form, last = ("0", "0") if row is None else row["value"].split(":")
    return int(form), int(last)


def set_mark(connection: Connection, last: int, after: int = 0) -> None:
    """Record that the documents beyond `after`, up to `last`, have the words of this version."""
    marked = {"value": f"{FORM}:{last}", "form": FORM, "after": after, "last": last}
    connection.execute(connection.statements("word_renewal")["set_mark"], marked)


class _Stale(NamedTuple):
    """A document with words of an older version."""

    n: int
    tenant: int
    stored: "_Words"
    present: "_Words"


_Words = tuple[str, str]
"""Words of a document's text, and of its context: speaker or predicate, and time."""


class DocumentPage(NamedTuple):
    """A page of documents in the order of their numbers."""

    after: int
    """Number of the document before the first."""
    last: int
    stale: Sequence[_Stale]


class WordRenewal:
    """Finds and renews words of older versions, through one connection."""

    def __init__(self, connection: Connection, vectors: VectorIndex, zone: Zone) -> None:
        self._connection = connection
        self._vectors = vectors
        self._zone = zone

    def read_page(self, most: int) -> DocumentPage | None:
        """Read the next documents to look at; None if all have the words of this version."""
        form, after = read_mark(self._connection)
        if form > FORM:
            return None  # a newer version renews words
        after = after if form == FORM else 0
        asked = {"after": after, "most": most, "form": FORM}
        (last,) = self._connection.execute(
            self._connection.statements("word_renewal")["last_of_page"], asked
        ).fetchone()
        return None if last is None else DocumentPage(after, last, [*self._list_stale(after, last)])

    def write(self, page: DocumentPage) -> None:
        """Index the documents of a page by the words of this version, and move the mark.

        A document whose words have changed after the page was read is left alone.
        """
        if page.stale:
            stored = self._read_stored(page.after, page.last)
            for n, tenant, before, present in page.stale:
                if n in stored and (stored[n]["words"], stored[n]["context"]) == before:
                    documents = DocumentIndex(self._connection, tenant, self._vectors)
                    documents.replace_tokens(n, *present)
        form, after = read_mark(self._connection)
        if form < FORM or (form == FORM and after <= page.last):  # another process may be further
            set_mark(self._connection, page.last, page.after)

    def _read_stored(self, after: int, last: int) -> dict[int, Row]:
        asked = {"after": after, "last": last, "form": FORM}
        return {
            row["n"]: row
            for row in self._connection.execute(
                self._connection.statements("word_renewal")["page"], asked
            )
        }

    def _list_stale(self, after: int, last: int) -> Iterator[_Stale]:
        stored = self._read_stored(after, last)
        for tenant in dict.fromkeys(row["tenant_id"] for row in stored.values()):
            own = {n: row for n, row in stored.items() if row["tenant_id"] == tenant}
            for n, present in self._read_present(tenant, own).items():
                before = own[n]["words"], own[n]["context"]
                if present != before:
                    yield _Stale(n, tenant, before, present)

    def _read_present(self, tenant: int, stored: Mapping[int, Row]) -> dict[int, _Words]:
        """Map documents to the words that this version reads in their texts."""
        ns = list_numbers(stored)
        wordings = TenantRows(self._connection, tenant, "word_renewal").all("wordings", ns=ns)
        found: dict[int, _Words] = {}
        for row in wordings:
            context = renew_context(stored[row["n"]]["context"], property_words(row["predicate"]))
            found[row["n"]] = index_text(row["content"]), context
        documents = DocumentIndex(self._connection, tenant, self._vectors)
        conversations = Conversations(self._connection, tenant, documents, self._zone)
        spoken = [n for n, row in stored.items() if row["kind"] == "turn"]
        for n, turn in conversations.turns(spoken).items():
            context = renew_context(stored[n]["context"], turn.speaker)
            found[n] = index_text(full_text(turn)), context
        return found


def read_tokens(
    connection: Connection, vectors: VectorIndex, zone: Zone, tenant: int, rows: Sequence[Row]
) -> dict[int, _Words]:
    """Build the words and the contexts by which documents are indexed, from the stored texts.

    Args:
        connection: in a transaction.
        vectors: the vector index on the connection.
        zone: where days begin of which nothing better is known.
        tenant: whose documents they are.
        rows: the documents, each with its number and kind.
    """
    found = {row["n"]: ("", "") for row in rows}
    ns = list_numbers(found)
    for memory in TenantRows(connection, tenant, "word_renewal").all("wordings", ns=ns):
        since = memory["valid_from"]
        said_in = zone.at_offset(since, memory["utc_offset"])
        found[memory["n"]] = memory_tokens(memory["content"], memory["predicate"], since, said_in)
    documents = DocumentIndex(connection, tenant, vectors)
    spoken = [row["n"] for row in rows if row["kind"] == "turn"]
    turns = Conversations(connection, tenant, documents, zone).turns(spoken)
    return found | {n: turn_tokens(turn, zone) for n, turn in turns.items()}
