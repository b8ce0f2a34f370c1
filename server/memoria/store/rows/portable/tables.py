"""Tables that another home's records are written into."""

from dataclasses import dataclass

from memoria.store.connection import Connection
from memoria.store.rows.conversations import Conversations
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.memories import Memories
from memoria.store.rows.wordings import Wordings
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.tenant_rows import TenantRows


@dataclass(frozen=True, slots=True)
class PortableTables:
    """A tenant's tables in one transaction."""

    connection: Connection
    tenant: int
    documents: DocumentIndex
    conversations: Conversations
    memories: Memories
    wordings: Wordings
    workspaces: Workspaces

    def open_rows(self) -> TenantRows:
        """Return the statements that only a merge needs."""
        return TenantRows(self.connection, self.tenant, "portable_put")
