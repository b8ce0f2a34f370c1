"""Memories and their versions."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model import (
    Evidence,
    InferredBy,
    Memory,
    Scope,
    Validity,
)
from memoria.store.values import (
    Filters,
    MemoryDetails,
    NewEvidence,
    NewMemory,
    NewVersion,
    Successor,
)


class Memories(Protocol):
    """Memories and their versions."""

    def add(self, memory: NewMemory, version: NewVersion) -> None:
        """Write a new memory with its first version."""
        ...

    def add_evidence(self, evidence: NewEvidence) -> bool:
        """Record another turn that a memory rests on; return False if it was recorded already."""
        ...

    def add_use(self, memory_id: str, gain: float, now: int) -> None:
        """Record that a memory shaped a reply; its importance grows by `gain`, up to 1."""
        ...

    def list_about(
        self, subject: str, workspace: str | None = None, *, limit: int = 50
    ) -> list[Memory]:
        """List active memories seen from the workspace that speak of a subject, newest first.

        Memories without a predicate come before all others.
        """
        ...

    def list_of_property(
        self, subject: str, predicate: str | None, workspace: str | None = None, *, limit: int = 50
    ) -> list[Memory]:
        """List the active memories of a subject that may tell the same property of it.

        First those with the predicate, newest first; the room that the limit leaves goes to the
        newest of the subject's other memories, of which those without a predicate are listed.
        """
        ...

    def list_concluded_from(self, turn_ns: Sequence[int], by: InferredBy) -> list[str]:
        """List active memories, by id, whose present wording was so concluded from a turn."""
        ...

    def list_awaiting_turns(self, turn_ns: Sequence[int]) -> set[int]:
        """Select the turns from which a model concluded what waits for the user's word.

        They have been read, but the first level shows them until the last of these memories has
        been confirmed, corrected, archived or forgotten; then they are processed like others.
        """
        ...

    def list_spoken_for(self, turn_ns: Sequence[int]) -> set[int]:
        """Select the turns that a memory rests on, episodes and archived memories apart."""
        ...

    def add_version(self, memory_id: str, version: NewVersion) -> int:
        """Write a wording that replaces the present one, and return its version number."""
        ...

    def add_past_version(self, memory_id: str, version: NewVersion) -> bool:
        """Write a wording that held before the present one, up to the next that is known.

        The wording before it ends where it begins. Returns False if the memory has said it before.
        """
        ...

    def set_validity(self, memory_id: str, validity: Validity, now: int) -> None:
        """Set a memory's validity; one that is not active leaves the indexes."""
        ...

    def set_scope(self, memory_id: str, scope: Scope, workspace: str | None, now: int) -> None:
        """Set the scope of a memory, in all its wordings.

        Args:
            memory_id: the memory.
            scope: in every project, or in one alone.
            workspace: the project it belongs to from now on; None for none.
            now: UTC epoch milliseconds.
        """
        ...

    def set_subject(self, memory_id: str, subject: str | None) -> None:
        """Set the subject that a memory speaks of, in its normal form."""
        ...

    def describe(self, memory_id: str, details: MemoryDetails, now: int) -> None:
        """Set a memory's fields beside its wording; those that are None stay as they are."""
        ...

    def is_private(self, workspace: str | None) -> bool:
        """Check whether what is said in a workspace is seen from it alone, whatever it is about."""
        ...

    def set_flags(
        self,
        memory_id: str,
        now: int,
        *,
        pinned: bool | None = None,
        verified: bool | None = None,
        upvotes: int = 0,
        downvotes: int = 0,
    ) -> None:
        """Set flags and add votes."""
        ...

    def get(self, memory_id: str) -> Memory | None:
        """Return a memory with all its versions; None if there is none."""
        ...

    def erase(self, memory_id: str) -> None:
        """Erase a memory in all its wordings."""
        ...

    def erase_wording(self, memory_id: str, n: int) -> None:
        """Erase one wording that no longer holds."""
        ...

    def list_stated_in(self, turn_ns: Sequence[int]) -> list[str]:
        """List ids of the memories with a wording concluded from one of these turns."""
        ...

    def list_repeated_in(self, turn_ns: Sequence[int]) -> list[str]:
        """List ids of the memories that one of these turns says once more."""
        ...

    def list_evidence(self, memory_id: str) -> list[Evidence]:
        """List every turn a memory rests on, in any of its wordings, in the order said."""
        ...

    def by_version_numbers(self, ns: Sequence[int]) -> dict[int, Memory]:
        """Map the numbers of versions to the memories that have them."""
        ...

    def find_by_fingerprint(
        self, fingerprint: bytes, workspace: str | None = None
    ) -> Memory | None:
        """Return the memory, seen from the workspace, whose present wording has this fingerprint.

        An active one comes before all others; None if there is none.
        """
        ...

    def list_contradictions(
        self, memory_ids: Sequence[str], seen: Filters | None = None
    ) -> dict[str, tuple[str, ...]]:
        """Map memories to the ids of those that contradict them now; those without any are missing.

        A memory contradicts another as long as it is active or waits for confirmation, and both say
        what they said when they were found to contradict each other.

        Args:
            memory_ids: the memories to look up.
            seen: filters that the others must pass (`workspace`, `everywhere`); None for all.
        """
        ...

    def list_contradicted(self, limit: int, workspace: str | None = None) -> list[Memory]:
        """List one memory of each contradicting pair of active memories, newest finding first.

        Both are seen from the workspace.
        """
        ...

    def list_successors(self, ns: Sequence[int], seen: Filters) -> list[Successor]:
        """List present wordings of active memories that said something else in these documents.

        A document is a turn that a memory was concluded from, or that bore it out, or a former
        wording. A memory that took the place of another speaks for it.

        Args:
            ns: turns and wordings.
            seen: filters that the memories must pass (`workspace`, `everywhere`).
        """
        ...

    def list_unverified(self, limit: int, workspace: str | None = None) -> list[Memory]:
        """List active memories seen from the workspace that await confirmation, newest first."""
        ...

    def list_pending(self, limit: int, workspace: str | None = None) -> list[Memory]:
        """List memories seen from the workspace that wait for the user's word, newest first."""
        ...
