"""Tables that another home's records are written into."""

from dataclasses import dataclass

from memoria.store.rows.conversations import SqliteConversations
from memoria.store.rows.documents import SqliteDocuments
from memoria.store.rows.memories import SqliteMemories
from memoria.store.rows.wordings import SqliteWordings
from memoria.store.rows.workspaces import SqliteWorkspaces
from memoria.store.sql.tenant_rows import TenantRows
from memoria.store.sqlite.driver import Connection


@dataclass(frozen=True, slots=True)
class PortableTables:
    """A tenant's tables in one transaction."""

    connection: Connection
    tenant: int
    documents: SqliteDocuments
    conversations: SqliteConversations
    memories: SqliteMemories
    wordings: SqliteWordings
    workspaces: SqliteWorkspaces

    def open_rows(self) -> TenantRows:
        """Return the statements that only a merge needs."""
        return TenantRows(self.connection, self.tenant, "portable_put")
