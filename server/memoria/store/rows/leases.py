"""Leases."""

from memoria.config import LONGEST_LEASE_MS
from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows


class Leases:
    """A tenant's leases. One expires by itself, so a dead process blocks nobody for long.

    Moments are the machine's own, UTC epoch ms.
    """

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "leases")

    def take(self, name: str, owner: str, now: int, lease_ms: int) -> bool:
        """Take or renew a lease; return False while another owner has it."""
        changed = self._rows.change(
            "take",
            name=name,
            owner=owner,
            now=now,
            expires_at=now + lease_ms,
            longest=LONGEST_LEASE_MS,
        )
        return changed > 0

    def owner(self, name: str, now: int) -> str | None:
        """Return the owner of the lease; None if it is free or has run out."""
        row = self._rows.first("owner", name=name, now=now, longest=LONGEST_LEASE_MS)
        return None if row is None else str(row["owner"])

    def release(self, name: str, owner: str) -> None:
        """Give a lease back, if the owner still has it."""
        self._rows.change("release", name=name, owner=owner)
