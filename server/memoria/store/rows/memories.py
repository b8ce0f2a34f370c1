"""Memories and their versions."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from memoria.errors import NotFoundError, StoreDamagedError
from memoria.model import Evidence, InferredBy, Memory, Scope, Validity
from memoria.store.connection import Connection, Row
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.memory_rows import (
    MemoryReader,
    Wordings,
    choose_scope,
    is_verified_by_channel,
)
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows, as_json, build_value, list_numbers
from memoria.store.values import (
    LAST,
    Filters,
    MemoryDetails,
    NewEvidence,
    NewMemory,
    NewVersion,
    Successor,
)

_REACH = 1000
"""Number of a file's newest memories that are searched before all of a tenant's are."""


class Memories:
    """Memories and their versions."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        documents: DocumentIndex,
        workspaces: Workspaces,
        wordings: Wordings,
    ) -> None:
        self._rows = TenantRows(connection, tenant, "memories")
        self._read = MemoryReader(self._rows)
        self._wordings = wordings
        self._documents = documents
        self._workspaces = workspaces

    def add(self, memory: NewMemory, version: NewVersion) -> None:
        """Write a new memory with its first version."""
        more = {
            "workspace": self._workspaces.enter(memory.workspace),
            "scope": choose_scope(memory),
            "verified": is_verified_by_channel(version),
            "expires_at": version.expires_at,
            "now": version.ingested_at,
        }
        memory_n = self._rows.insert("add", **{**asdict(memory), **more})
        n = self._wordings.write(memory_n, 1, version)
        if memory.validity is not Validity.ACTIVE:
            self._documents.set_current(n, current=False)

    def add_evidence(self, evidence: NewEvidence) -> bool:
        """Record a further turn on which a memory rests; return False if already recorded."""
        return bool(
            self._rows.change(
                "add_evidence",
                memory_n=self._number(evidence.memory_id),
                turn_n=evidence.turn_n,
                quote=evidence.quote,
                now=evidence.ingested_at,
            )
        )

    def add_use(self, memory_id: str, gain: float, now: int) -> None:
        """Record that a memory shaped a reply; its importance grows by `gain`, up to 1."""
        self._rows.send("use", memory_n=self._number(memory_id), gain=gain, now=now)

    def list_about(
        self, subject: str, workspace: str | None = None, *, limit: int = 50
    ) -> list[Memory]:
        """List active memories about a subject, seen from a workspace, newest first.

        Memories without a predicate come before all others.
        """
        return self._list_memories("about", workspace, subject=subject, limit=limit)

    def list_of_property(
        self, subject: str, predicate: str | None, workspace: str | None = None, *, limit: int = 50
    ) -> list[Memory]:
        """List active memories that may tell the same property of a subject.

        Memories with the predicate come first, newest first. Then, of the subject's newest other
        memories, as many as the limit leaves room for, those without a predicate are listed.
        """
        return self._list_memories(
            "of_property", workspace, subject=subject, predicate=predicate, limit=limit
        )

    def list_concluded_from(self, turn_ns: Sequence[int], by: InferredBy) -> list[str]:
        """List ids of active memories whose present wording a reader concluded from the turns."""
        return self._rows.column("concluded", ns=as_json(turn_ns), by=by.value)

    def list_concluded_turns(self, turn_ns: Sequence[int]) -> set[int]:
        """Select the turns on which the present wording of an active memory rests."""
        return set(self._rows.column("turns_concluded", ns=as_json(turn_ns)))

    def list_awaiting_turns(self, turn_ns: Sequence[int]) -> set[int]:
        """Select the turns from which a model concluded a memory that awaits confirmation.

        The first level shows such a turn until the user has decided on all memories from the turn.
        """
        return set(self._rows.column("turns_awaiting_confirmation", ns=as_json(turn_ns)))

    def list_spoken_for(self, turn_ns: Sequence[int]) -> set[int]:
        """Return the turns that support a memory; episodes and archived memories do not count."""
        return set(self._rows.column("turns_spoken_for", ns=as_json(turn_ns)))

    def add_version(self, memory_id: str, version: NewVersion) -> int:
        """Write a wording that replaces the present one, and return its version number."""
        memory_n = self._number(memory_id)
        old = self._newest(memory_n)
        self._rows.send("end_version", n=old["n"], valid_to=version.valid_from)
        self._documents.set_current(old["n"], current=False)
        self._rows.send("end_evidence", memory_n=memory_n, now=version.ingested_at)
        number = int(old["version"]) + 1
        self._wordings.write(memory_n, number, version)
        self._rows.send(
            "touch",
            memory_n=memory_n,
            now=version.ingested_at,
            verified=is_verified_by_channel(version),
            subject=version.subject,
            predicate=version.predicate,
            type=version.type,
            task=version.task,
            importance=version.importance,
            expires_at=version.expires_at,
            metadata=version.metadata,
        )
        self._release_turns(memory_n)
        return number

    def add_past_version(self, memory_id: str, version: NewVersion) -> bool:
        """Write a wording that held before the present wording, up to the next known wording.

        The wording before ends where the new wording begins. Returns False if the memory has had
        this wording already.
        """
        memory_n = self._number(memory_id)
        known = self._rows.all("windows", memory_n=memory_n)
        if any(row["fingerprint"] == version.fingerprint for row in known):
            return False
        since = min(version.valid_from, known[-1]["valid_from"])
        later = next((row for row in known if row["valid_from"] > since), known[-1])
        number = int(later["version"])
        for row in known:
            if row["version"] == number - 1:
                self._rows.send("end_version", n=row["n"], valid_to=since)
        self._rows.send("make_room", memory_n=memory_n, version=number)
        self._rows.send("number_anew", memory_n=memory_n)
        n = self._wordings.write(
            memory_n, number, replace(version, valid_from=since), later["valid_from"]
        )
        self._documents.set_current(n, current=False)
        return True

    def set_validity(self, memory_id: str, validity: Validity, now: int) -> None:
        """Set a memory's validity; a memory that is not active leaves the indexes."""
        memory_n = self._number(memory_id)
        self._rows.send("set_validity", memory_n=memory_n, validity=validity.value, now=now)
        self._documents.set_current(
            self._newest(memory_n)["n"], current=validity is Validity.ACTIVE
        )
        if validity is not Validity.PENDING_CONFIRMATION:
            self._release_turns(memory_n)

    def set_scope(self, memory_id: str, scope: Scope, workspace: str | None, now: int) -> None:
        """Set the scope of a memory, in all its wordings.

        Args:
            memory_id: the memory.
            scope: seen in every project, or in one alone.
            workspace: the project that the memory belongs to from now on; None for no project.
            now: UTC epoch milliseconds.
        """
        memory_n = self._number(memory_id)
        place = self._workspaces.enter(workspace)
        scope = "everywhere" if place is None else scope
        self._rows.send("set_scope", memory_n=memory_n, scope=scope, workspace=place, now=now)
        for row in self._rows.all("wordings", memory_n=memory_n):
            self._documents.set_workspace(row["n"], place if scope == "project" else None)

    def set_subject(self, memory_id: str, subject: str | None) -> None:
        """Set a memory's subject, given in its normal form."""
        self._rows.send("set_subject", memory_n=self._number(memory_id), subject=subject)

    def describe(self, memory_id: str, details: MemoryDetails, now: int) -> None:
        """Set a memory's fields beside its wording; fields that are None stay as they are."""
        number = self._number(memory_id)
        self._rows.send("describe", memory_n=number, now=now, **asdict(details))

    def is_private(self, workspace: str | None) -> bool:
        """Check whether a workspace is private: its rows are seen from itself alone."""
        return self._workspaces.is_private(workspace)

    def set_flags(
        self,
        memory_id: str,
        now: int,
        *,
        pinned: bool | None = None,
        verified: bool | None = None,
        confidence: float | None = None,
        upvotes: int = 0,
        downvotes: int = 0,
    ) -> None:
        """Set flags and confidence, and add votes."""
        self._rows.send(
            "mark",
            memory_n=self._number(memory_id),
            pinned=pinned,
            verified=verified,
            confidence=confidence,
            upvotes=upvotes,
            downvotes=downvotes,
            now=now,
        )

    def get(self, memory_id: str) -> Memory | None:
        """Return a memory with all its wordings; None if no memory has the id."""
        row = self._rows.first("number", id=memory_id)
        return None if row is None else self._read.load([row["n"]])[row["n"]]

    def erase(self, memory_id: str) -> None:
        """Erase a memory in all its wordings."""
        memory_n = self._number(memory_id)
        self._release_turns(memory_n)
        for row in self._rows.all("wordings", memory_n=memory_n):
            self._erase_version(row["n"])
        self._rows.send("erase", memory_n=memory_n)

    def erase_wording(self, memory_id: str, n: int) -> None:
        """Erase a former wording of a memory, its evidence, and the memory's images in journals.

        Undoing a nightly run leaves the memory as it is from then on.
        """
        memory_n = self._number(memory_id)
        if any(row["n"] == n for row in self._rows.all("wordings", memory_n=memory_n)):
            self._rows.send("erase_evidence", memory_n=memory_n, n=n)
            self._erase_version(n)
            self._rows.send("empty_images", memory_n=memory_n)

    def _release_turns(self, memory_n: int) -> None:
        """Mark turns as processed that were shown only while a memory awaited confirmation."""
        for row in self._rows.all("turns_decided_with", memory_n=memory_n):
            self._documents.mark_processed(row["n"])

    def _erase_version(self, n: int) -> None:
        self._rows.send("erase_version", n=n)
        self._documents.erase(n)

    def list_stated_in(self, turn_ns: Sequence[int]) -> list[str]:
        """List ids of memories with a wording concluded from one of the turns."""
        return self._rows.column("resting_on", ns=as_json(turn_ns))

    def list_repeated_in(self, turn_ns: Sequence[int]) -> list[str]:
        """List ids of memories that one of the turns repeats."""
        return self._rows.column("said_again_in", ns=as_json(turn_ns))

    def list_by_turns(self, turn_ns: Sequence[int], limit: int) -> list[tuple[int, int]]:
        """List (turn, newest wording) of memories concluded from the turns or repeated there."""
        rows = self._rows.tuples("by_turns", ns=list_numbers(turn_ns), limit=limit)
        return [(turn_n, wording_n) for turn_n, wording_n in rows]

    def list_evidence(self, memory_id: str, most: int | None = None) -> list[Evidence]:
        """List the turns on which a wording of a memory rests, in the order said.

        Args:
            memory_id: of the memory.
            most: turns at most, those of wordings before all others, then the newest; all by
                default.
        """
        rows = self._rows.all("evidence", id=memory_id, limit=LAST if most is None else most)
        found = [build_value(Evidence, dict(row)) for row in rows]
        return sorted(found, key=lambda one: (one.at, one.noted_at, one.version or 0))

    def by_version_numbers(self, ns: Sequence[int]) -> dict[int, Memory]:
        """Map the numbers of wordings to their memories."""
        if not ns:
            return {}
        versions = self._rows.tuples("versions_beside", ns=list_numbers(ns))
        memories = self._read.build(versions)
        wanted = {*ns}
        owners = {n: memory_n for memory_n, n, *_ in versions if n in wanted}
        return {n: memories[owners[n]] for n in sorted(owners)}

    def find_by_fingerprint(
        self, fingerprint: bytes, workspace: str | None = None
    ) -> Memory | None:
        """Return the memory, seen from a workspace, whose present wording has a fingerprint.

        An active memory comes before others. Returns None if no memory has the fingerprint.
        """
        place = self._workspaces.number(workspace)
        row = self._rows.first("with_fingerprint", fingerprint=fingerprint, workspace=place)
        return None if row is None else self._read.load([row["memory_n"]])[row["memory_n"]]

    def list_contradictions(
        self, memory_ids: Sequence[str], seen: Filters | None = None
    ) -> dict[str, tuple[str, ...]]:
        """Map contradicted memories to the ids of the memories that contradict them.

        Memories contradict each other as long as both have the wording in which they were found to
        contradict, and the other is active or awaits confirmation.

        Args:
            memory_ids: the memories to look up.
            seen: filters that the other memories must pass (`workspace`, `everywhere`); None for
                all memories.
        """
        place = None if seen is None else self._workspaces.number(seen.workspace)
        everywhere = seen is None or seen.everywhere
        rows = self._rows.all(
            "contradictions",
            ids=as_json(memory_ids),
            workspace=place,
            everywhere=everywhere,
            private=as_json(self._workspaces.private if seen else ()),
        )
        found: dict[str, tuple[str, ...]] = {}
        for row in rows:
            found[row["id"]] = (*found.get(row["id"], ()), row["other"])
        return found

    def list_successors(self, ns: Sequence[int], seen: Filters) -> list[Successor]:
        """List present wordings of active memories that had another wording in given documents.

        A document is a former wording, or a turn on which a wording rested. The memory that took
        the place of another is listed for the other.

        Args:
            ns: turns and wordings.
            seen: filters that the memories must pass (`workspace`, `everywhere`).
        """
        place = self._workspaces.number(seen.workspace)
        rows = self._rows.all(
            "successors",
            ns=as_json(ns),
            workspace=place,
            everywhere=seen.everywhere,
            private=as_json(self._workspaces.private),
        )
        return [Successor(row["n"], row["former"], row["n_now"], row["present"]) for row in rows]

    def list_unverified(self, limit: int, workspace: str | None = None) -> list[Memory]:
        """List active memories that the user has not verified, newest first.

        The newest memories of the file are searched first, which is fast; all of the tenant's
        memories are searched only if too few are found among the newest.
        """
        ns = self._find("newest_unverified", workspace, limit=limit, reach=_REACH)
        if len(ns) != limit:
            ns = self._find("unverified", workspace, limit=limit)
        return self._read.load_in_order(ns)

    def _list_memories(
        self, name: str, workspace: str | None, **parameters: str | int | None
    ) -> list[Memory]:
        """List the memories that a statement finds, in the order of the statement."""
        return self._read.load_in_order(self._find(name, workspace, **parameters))

    def _find(self, name: str, workspace: str | None, **parameters: str | int | None) -> list[int]:
        """List the numbers of the memories that a statement finds, seen from a workspace."""
        place = self._workspaces.number(workspace)
        return self._rows.column(name, workspace=place, **parameters)

    def _number(self, memory_id: str) -> int:
        row = self._rows.first("number", id=memory_id)
        if row is None:
            raise NotFoundError.for_memory(memory_id)
        return int(row["n"])

    def _newest(self, memory_n: int) -> Row:
        row = self._rows.first("newest_version", memory_n=memory_n)
        if row is None:
            raise StoreDamagedError.for_problem(f"memory number {memory_n} has no wording")
        return row
