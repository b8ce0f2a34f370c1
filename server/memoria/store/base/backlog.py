"""The embedding backlog: the embedding worker's view of the store."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from memoria.model import (
    BacklogStatus,
    Vector,
)
from memoria.store.values import (
    PendingDocument,
)


class Backlog(Protocol):
    """Vectors still to be made, for all tenants: the embedding worker's view of the store."""

    def choose_model(self, name: str) -> int:
        """Make `name` the home's model; whatever lacks its vector joins the backlog.

        Gives how many documents joined.
        """
        ...

    def index_is_behind(self, model: str) -> bool:
        """Whether the vector index lacks vectors that are stored, or holds some too many.

        Happens where processes with and without a vector extension share a home.
        """
        ...

    def catch_up(self, model: str) -> None:
        """Bring the model's vector index in step with the stored vectors."""
        ...

    def current_model(self) -> str | None:
        """The home's model."""
        ...

    def count_erasures(self) -> int:
        """A number that grows with every erasure."""
        ...

    def take_lease(self, name: str, owner: str, now: int, lease_ms: int) -> bool:
        """Whether `owner` now holds the lease: it was free, run out, or already theirs."""
        ...

    def lease_owner(self, name: str, now: int) -> str | None:
        """Who holds the lease; None if it is free or has run out."""
        ...

    def release_lease(self, name: str, owner: str) -> None:
        """Give the lease back."""
        ...

    def list_due(self, now: int, limit: int, attempts: int) -> list[PendingDocument]:
        """Documents to embed next."""
        ...

    def add_vectors(self, model: str, vectors: Mapping[int, Vector]) -> None:
        """Write vectors, index them and take their documents off the backlog.

        Raises:
            EmbedderError: they are not as long as the model's vectors were before.
        """
        ...

    def postpone(self, ns: Sequence[int], until: int, error: str) -> None:
        """Count a failure and wait before the next attempt."""
        ...

    def status(self, attempts: int) -> BacklogStatus:
        """How much waits."""
        ...

    def next_due_at(self, now: int, attempts: int) -> int | None:
        """When the earliest waiting document may be tried; None if none waits."""
        ...
