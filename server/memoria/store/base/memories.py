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
        """Note another turn that a memory rests on. False if that is known."""
        ...

    def add_use(self, memory_id: str, gain: float, now: int) -> None:
        """Note that a memory shaped a reply; its importance grows by `gain`, up to 1."""
        ...

    def list_about(
        self, subject: str, workspace: str | None = None, *, limit: int = 50
    ) -> list[Memory]:
        """Active memories seen from the workspace that speak of a subject, newest first.

        Those that tell no property of it by name come before all others.
        """
        ...

    def list_of_property(
        self, subject: str, predicate: str | None, workspace: str | None = None, *, limit: int = 50
    ) -> list[Memory]:
        """Of the active memories that speak of a subject those that may tell the same property.

        They tell it, newest first, or none by name; of those that tell it not, the newest are
        looked at that the limit leaves room for.
        """
        ...

    def list_concluded_from(self, turn_ns: Sequence[int], by: InferredBy) -> list[str]:
        """Ids of active memories whose present wording was concluded so from one of the turns."""
        ...

    def list_awaiting_turns(self, turn_ns: Sequence[int]) -> set[int]:
        """Those of the turns from which a model concluded what waits for the user's word.

        They have been read, but the first level shows them until the last of these memories has
        been confirmed, corrected, archived or forgotten; then they are processed like others.
        """
        ...

    def list_spoken_for(self, turn_ns: Sequence[int]) -> set[int]:
        """Those of the turns that a memory rests on: not an episode, nor one that was archived."""
        ...

    def add_version(self, memory_id: str, version: NewVersion) -> int:
        """Write a wording that replaces the present one. Gives its version number."""
        ...

    def add_past_version(self, memory_id: str, version: NewVersion) -> bool:
        """Write a wording that held before the present one, up to the next that is known.

        The wording before it ends where it begins. False where the memory has said the same before.
        """
        ...

    def set_validity(self, memory_id: str, validity: Validity, now: int) -> None:
        """Set a memory's validity; one that is not active leaves the indexes."""
        ...

    def set_scope(self, memory_id: str, scope: Scope, workspace: str | None, now: int) -> None:
        """Set where a memory is seen, in all its wordings.

        Args:
            memory_id: the memory.
            scope: in every project, or in one alone.
            workspace: the project it belongs to from now on; None for none.
            now: UTC epoch milliseconds.
        """
        ...

    def set_subject(self, memory_id: str, subject: str | None) -> None:
        """Set of whom or what a memory speaks, in its normal form."""
        ...

    def describe(self, memory_id: str, details: MemoryDetails, now: int) -> None:
        """Set what is known of a memory beside its wording; what is not given stays."""
        ...

    def is_private(self, workspace: str | None) -> bool:
        """Whether what is said in a workspace is seen from it alone, whatever it is about."""
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
        """A memory with all its versions."""
        ...

    def erase(self, memory_id: str) -> None:
        """Erase a memory in all its wordings."""
        ...

    def erase_wording(self, memory_id: str, n: int) -> None:
        """Erase one wording that no longer holds."""
        ...

    def list_stated_in(self, turn_ns: Sequence[int]) -> list[str]:
        """Ids of the memories with a wording concluded from one of these turns."""
        ...

    def list_repeated_in(self, turn_ns: Sequence[int]) -> list[str]:
        """Ids of the memories that one of these turns says once more."""
        ...

    def list_evidence(self, memory_id: str) -> list[Evidence]:
        """Every turn a memory rests on, in any of its wordings, in the order they were said."""
        ...

    def by_version_numbers(self, ns: Sequence[int]) -> dict[int, Memory]:
        """Memories by the number of any of their versions."""
        ...

    def find_by_fingerprint(
        self, fingerprint: bytes, workspace: str | None = None
    ) -> Memory | None:
        """The memory, seen from the workspace, whose present wording has this fingerprint.

        An active one comes before all others.
        """
        ...

    def list_contradictions(
        self, memory_ids: Sequence[str], seen: Filters | None = None
    ) -> dict[str, tuple[str, ...]]:
        """The memories that contradict some of these now, ids by id; the others are missing.

        A memory contradicts another as long as it is active or waits for confirmation, and both say
        what they said when they were found to contradict each other.

        Args:
            memory_ids: which.
            seen: from where the others must be seen (`workspace`, `everywhere`); None for all.
        """
        ...

    def list_contradicted(self, limit: int, workspace: str | None = None) -> list[Memory]:
        """Of every two active memories that contradict each other one, the latest found first.

        Both are seen from the workspace.
        """
        ...

    def list_successors(self, ns: Sequence[int], seen: Filters) -> list[Successor]:
        """What active memories say now that said something else in one of these documents.

        A document is a turn that a memory was concluded from, or that bore it out, or a former
        wording. A memory that took the place of another speaks for it.

        Args:
            ns: turns and wordings.
            seen: from where the memories must be seen (`workspace`, `everywhere`).
        """
        ...

    def list_unverified(self, limit: int, workspace: str | None = None) -> list[Memory]:
        """Active memories seen from the workspace that the user has not confirmed, newest first."""
        ...

    def list_pending(self, limit: int, workspace: str | None = None) -> list[Memory]:
        """Memories seen from the workspace that wait for the user's word, newest first."""
        ...
