"""The embedding backlog: documents that still want a vector of the home's model."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from memoria.model import NO_PASSAGES, BacklogStatus, PassageVector, Vector
from memoria.store.values import PendingDocument


class Backlog(Protocol):
    """The backlog of all tenants: the model that embeds it, and its size."""

    def choose_model(self, name: str) -> int:
        """Make `name` the home's model; documents without a vector of it join the backlog.

        Returns how many joined.
        """
        ...

    def current_model(self) -> str | None:
        """Return the home's model; None if there is none yet."""
        ...

    def index_is_behind(self, model: str) -> bool:
        """Check whether the vector index lacks vectors that are stored, or holds some too many.

        Happens where processes with and without a vector extension share a home.
        """
        ...

    def catch_up(self, model: str) -> None:
        """Bring the model's vector index in step with the stored vectors."""
        ...

    def list_due_tenants(self, now: int, attempts: int) -> list[str]:
        """List the tenants that have documents to embed now, those that wait longest first."""
        ...

    def next_due_at(self, now: int, attempts: int) -> int | None:
        """Return when the earliest waiting document may be tried; None if none waits."""
        ...

    def status(self, attempts: int) -> BacklogStatus:
        """Count the documents that wait and those given up, with the last error."""
        ...


class TenantBacklog(Protocol):
    """One tenant's part of the backlog: what the embedding worker reads and writes."""

    def list_due(self, now: int, limit: int, attempts: int) -> list[PendingDocument]:
        """List the documents to embed next, oldest first."""
        ...

    def current_model(self) -> str | None:
        """Return the home's model; None if there is none yet."""
        ...

    def awaits_vector(self) -> bool:
        """Check whether any document has no vector yet."""
        ...

    def last_erasure(self) -> int:
        """Return a number that grows with every erasure of the tenant."""
        ...

    def add_vectors(
        self,
        model: str,
        vectors: Mapping[int, Vector],
        passages: Mapping[int, Sequence[PassageVector]] = NO_PASSAGES,
    ) -> None:
        """Write vectors, index them and take their documents off the backlog.

        Args:
            model: whose vectors they are.
            vectors: by document.
            passages: of those documents that are long.

        Raises:
            EmbedderError: they are not as long as the model's vectors were before.
        """
        ...

    def postpone(self, ns: Sequence[int], until: int, error: str) -> None:
        """Count a failed attempt and wait until a moment before the next one."""
        ...
