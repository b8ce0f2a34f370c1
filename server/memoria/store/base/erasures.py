"""Erasures: what is to be forgotten, how much of it is where, and the proofs that are left."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from memoria.model.forgetting import ForgetReport
from memoria.store.values import ErasureFilter, ErasureScope, MessageName


class Holdings(NamedTuple):
    """What a tenant holds altogether."""

    memories: int
    turns: int
    newest: int
    """The number of its newest document; together with their number it changes with any of them."""


class Erasures(Protocol):
    """What a tenant is about to forget, or has forgotten."""

    def list_memories(self, wanted: ErasureFilter) -> list[str]:
        """Ids of the memories that pass a filter, oldest first."""
        ...

    def list_turns(self, wanted: ErasureFilter) -> list[int]:
        """Numbers of the turns that pass a filter, in all their versions, oldest first."""
        ...

    def list_about(self, topic: str, key: str) -> list[str]:
        """Ids of the memories that name an entity or have it for their subject.

        Args:
            topic: the entity's id, or whatever was given for one.
            key: the same as names are compared.
        """
        ...

    def list_core_marks(self, memory_ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """The marks of the lines that core files have for these memories, by the file's place."""
        ...

    def find_scope(
        self, memory_ids: Sequence[str], wording_ns: Sequence[int], turn_ns: Sequence[int]
    ) -> ErasureScope:
        """What has rows of its own for these memories, former wordings and turns."""
        ...

    def count_rows(self, scope: ErasureScope) -> dict[str, int]:
        """How many rows of it each index has."""
        ...

    def get_holdings(self) -> Holdings:
        """What the tenant holds altogether."""
        ...

    def count_all_rows(self) -> dict[str, int]:
        """How many rows each of the tenant's tables has."""
        ...

    def iterate_messages(self) -> Iterator[tuple[int, str, MessageName]]:
        """Every turn in every version: its number, its id, and what it is known by."""
        ...

    def iterate_wordings(self) -> Iterator[tuple[str, str, str | None]]:
        """Every wording of every memory after its id, with the words it was concluded from."""
        ...

    def erase_all(self, *, keeps_places: bool = False) -> None:
        """Erase all that the tenant holds but tombstones, proofs and logs: a statement a table.

        Args:
            keeps_places: whether the names of sessions and projects stay, so that what is put back
                later has its place among what was said since.
        """
        ...

    def add_report(self, report: ForgetReport) -> None:
        """Keep the proof of a forget. One that is known stays as it is."""
        ...

    def list_reports(self, limit: int) -> list[ForgetReport]:
        """The newest proofs, without their digests."""
        ...

    def list_all_reports(self) -> list[ForgetReport]:
        """Every proof with its digests, oldest first."""
        ...

    def get_report(self, report_id: str) -> ForgetReport | None:
        """A proof with its digests."""
        ...
