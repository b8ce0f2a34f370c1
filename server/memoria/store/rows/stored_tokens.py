"""Tokens of a document, from the stored text that it stands for."""

from memoria.language.words.document import memory_tokens, turn_tokens
from memoria.model.zone import Zone
from memoria.store.connection import Connection, Row
from memoria.store.rows.conversations import Conversations
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.sql.tenant_rows import TenantRows
from memoria.store.vectors import VectorIndex


def read_tokens(
    connection: Connection, vectors: VectorIndex, zone: Zone, row: Row
) -> tuple[str, str]:
    """Build the words and the context by which a document is indexed, from the stored text."""
    n, tenant = row["n"], row["tenant_id"]
    if row["kind"] == "memory":
        memory = TenantRows(connection, tenant, "word_renewal").first("wording", n=n)
        if memory is None:
            return "", ""
        since = memory["valid_from"]
        said_in = zone.at_offset(since, memory["utc_offset"])
        return memory_tokens(memory["content"], memory["predicate"], since, said_in)
    documents = DocumentIndex(connection, tenant, vectors)
    turn = Conversations(connection, tenant, documents, zone).turns([n]).get(n)
    return turn_tokens(turn, zone) if turn else ("", "")
