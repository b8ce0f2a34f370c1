"""Erasures: selecting what to forget, counting its rows, and keeping the proofs."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from memoria.model.forgetting import ForgetReport
from memoria.store.values import ErasureFilter, ErasureScope, MessageName


class Holdings(NamedTuple):
    """Totals of a tenant."""

    memories: int
    turns: int
    newest: int
    """Number of its newest document; with the two counts it changes with any document."""


class Erasures(Protocol):
    """A tenant's rows to be erased, and the reports on those that were."""

    def list_memories(self, wanted: ErasureFilter) -> list[str]:
        """List ids of the memories that pass a filter, oldest first."""
        ...

    def list_turns(self, wanted: ErasureFilter) -> list[int]:
        """List numbers of the turns that pass a filter, in all their versions, oldest first."""
        ...

    def list_about(self, topic: str, key: str) -> list[str]:
        """List ids of the memories that name an entity or have it for their subject.

        Args:
            topic: the entity's id or name, as given.
            key: the name folded for comparison.
        """
        ...

    def list_core_marks(self, memory_ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """Map each core file's place to the marks of its lines for these memories."""
        ...

    def find_scope(
        self, memory_ids: Sequence[str], wording_ns: Sequence[int], turn_ns: Sequence[int]
    ) -> ErasureScope:
        """Find under which numbers and hashes the indexes have these memories and turns."""
        ...

    def count_rows(self, scope: ErasureScope) -> dict[str, int]:
        """Count the rows of a scope in each index."""
        ...

    def get_holdings(self) -> Holdings:
        """Count what the tenant holds altogether."""
        ...

    def count_all_rows(self) -> dict[str, int]:
        """Count the rows in each of the tenant's tables."""
        ...

    def iterate_messages(self) -> Iterator[tuple[int, str, MessageName]]:
        """Yield every version of every turn: number, id, and keys it is recognised by."""
        ...

    def iterate_wordings(self) -> Iterator[tuple[str, str, str | None]]:
        """Yield all wordings of all memories: memory id, wording, words it was concluded from."""
        ...

    def erase_all(self, *, keeps_places: bool = False) -> None:
        """Erase all that the tenant holds but tombstones, proofs and logs: a statement a table.

        Args:
            keeps_places: True if the names of sessions and projects stay, so that what is put back
                later has its place among what was said since.
        """
        ...

    def add_report(self, report: ForgetReport) -> None:
        """Keep the proof of a forget. One that is known stays as it is."""
        ...

    def list_reports(self, limit: int) -> list[ForgetReport]:
        """List the newest proofs, without their digests."""
        ...

    def list_all_reports(self) -> list[ForgetReport]:
        """List every proof with its digests, oldest first."""
        ...

    def get_report(self, report_id: str) -> ForgetReport | None:
        """Return a proof with its digests; None if there is none."""
        ...
