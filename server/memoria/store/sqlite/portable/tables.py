"""Tables that another home's records are written into."""

from dataclasses import dataclass

from memoria.store.sqlite.conversations import SqliteConversations
from memoria.store.sqlite.documents import SqliteDocuments
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.memories import SqliteMemories
from memoria.store.sqlite.rows import TenantRows
from memoria.store.sqlite.wordings import SqliteWordings
from memoria.store.sqlite.workspaces import SqliteWorkspaces


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
