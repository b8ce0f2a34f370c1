"""Wordings of memories, with their places in the index."""

from memoria.language.words.document import memory_tokens
from memoria.model.zone import Zone
from memoria.store.connection import Connection
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.sql.tenant_rows import TenantRows
from memoria.store.values import NewVersion


class Wordings:
    """Writes the wordings of a tenant's memories."""

    def __init__(
        self, connection: Connection, tenant: int, documents: DocumentIndex, zone: Zone
    ) -> None:
        self._rows = TenantRows(connection, tenant, "memories")
        self._documents = documents
        self._zone = zone

    def write(
        self,
        memory_n: int,
        number: int,
        version: NewVersion,
        valid_to: int | None = None,
        *,
        suppressed: bool = False,
    ) -> int:
        """Write a wording with its index row and backlog entry, of this home or another."""
        place = self._rows.first("place", memory_n=memory_n, turn_n=version.turn_n)
        seen_from = None if place is None else place["workspace_n"]
        offset = None if place is None else place["utc_offset"]
        said_in = self._zone.at_offset(version.valid_from, offset)
        told = version.predicate or (None if place is None else place["predicate"])
        words, context = memory_tokens(version.content, told, version.valid_from, said_in)
        n = self._documents.add("memory", seen_from, words, context, suppressed=suppressed)
        self._rows.insert(
            "add_version",
            n=n,
            memory_n=memory_n,
            version=number,
            content=version.content,
            fingerprint=version.fingerprint,
            valid_from=version.valid_from,
            ingested_at=version.ingested_at,
            source_kind=version.provenance.source_kind.value,
            trust=version.provenance.trust.value,
            channel=version.provenance.channel,
            client=version.provenance.client,
            turn_n=version.turn_n,
            quote=version.provenance.quote,
            inferred_by=version.inferred_by.value,
            event_at=version.event_at,
            event_expression=version.event_expression,
            valid_to=valid_to,
        )
        return n

    def index_again(self, memory_n: int) -> None:
        """Index the present wording by its memory's present property."""
        row = self._rows.first("present_wording", memory_n=memory_n)
        if row is not None:
            since = row["valid_from"]
            said_in = self._zone.at_offset(since, row["utc_offset"])
            tokens = memory_tokens(row["content"], row["predicate"], since, said_in)
            self._documents.replace_tokens(row["n"], *tokens)
