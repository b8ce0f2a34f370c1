"""Leases: work that one process at a time may do for a tenant."""

from typing import Protocol


class Leases(Protocol):
    """A tenant's leases. One expires by itself, so a dead process blocks nobody for long.

    Moments are the machine's own, UTC epoch ms.
    """

    def take(self, name: str, owner: str, now: int, lease_ms: int) -> bool:
        """Take or renew a lease; return False while another owner has it."""
        ...

    def owner(self, name: str, now: int) -> str | None:
        """Return the owner of the lease; None if it is free or has run out."""
        ...

    def release(self, name: str, owner: str) -> None:
        """Give a lease back, if the owner still has it."""
        ...
