"""Tombstones."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from memoria.model import Vector
from memoria.model.forgetting import HiddenRecord
from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows, as_json
from memoria.store.values import SuppressedMeaning, Tombstone, TombstoneKind, TombstoneRecord


class Tombstones:
    """Proofs of what was forgotten."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "tombstones")

    def any(self) -> bool:
        """Check whether the tenant has ever forgotten anything."""
        return bool(self._rows.number("any"))

    def has_older(self) -> bool:
        """Check whether the tenant has digests of earlier versions, looked up in another way."""
        return bool(self._rows.number("has_older"))

    def find_anchored(self, anchors: Iterable[str]) -> list[tuple[str, Tombstone]]:
        """List the stored imprints that have one of these anchors, with their tombstones."""
        rows = self._rows.all("find_anchored", anchors=as_json(anchors))
        return [
            (row["digest"], Tombstone(row["kind"], row["subject"], row["at"], row["reason"]))
            for row in rows
        ]

    def find(self, digests: Iterable[str], kind: TombstoneKind) -> Tombstone | None:
        """Return the newest tombstone of a kind with one of the digests; None if none has any."""
        row = self._rows.first("find", digests=as_json(digests), kind=kind)
        return None if row is None else Tombstone(**row)

    def get(self, subject: str) -> Tombstone | None:
        """Return the tombstone of the record that had this id; None if there is none."""
        row = self._rows.first("by_subject", subject=subject)
        return None if row is None else Tombstone(**row)

    def find_hiding(self, subject: str, now: int) -> HiddenRecord | None:
        """Return the forget that has hidden the record with this id, if it can be put back now."""
        row = self._rows.first("hiding", subject=subject, now=now)
        return None if row is None else HiddenRecord(id=subject, **row)

    def has_meanings(self) -> bool:
        """Check whether any tombstone of the tenant has a vector, to recognise paraphrases by."""
        return bool(self._rows.number("has_meanings"))

    def find_by_meaning(self, model: str, vector: Vector) -> Tombstone | None:
        """Return the newest tombstone that has a vector close to this one; None if none has.

        Args:
            model: the model that made the vector.
            vector: the vector of a text.
        """
        for row in self._rows.all("vectors", model=model):
            meaning = to_meaning({"model": model, "reach": row["reach"], "vector": row["vector"]})
            near = len(meaning.vector) == len(vector) and meaning.vector @ vector >= meaning.reach
            if near:
                return Tombstone(row["kind"], row["subject"], row["at"], row["reason"])
        return None

    def all(self) -> list[TombstoneRecord]:
        """List every tombstone with its digests and vectors, oldest first."""
        return [
            TombstoneRecord(
                Tombstone(row["kind"], row["subject"], row["at"], row["reason"]),
                tuple(digest["digest"] for digest in self._rows.all("digests", n=row["n"])),
                tuple(to_meaning(dict(one)) for one in self._rows.all("vectors_of", n=row["n"])),
            )
            for row in self._rows.all("all")
        ]

    def add(self, record: TombstoneRecord) -> None:
        """Add a tombstone; one that exists already gains the new digests and vectors."""
        stone = record.tombstone
        kind, subject = stone.kind, stone.subject
        self._rows.insert("add", kind=kind, subject=subject, at=stone.at, reason=stone.reason)
        number = self._rows.number("number", subject=subject, kind=kind)
        for digest in record.digests:
            self._rows.insert("add_digest", digest=digest, tombstone=number)
        for one in record.meanings:
            self._rows.insert(
                "add_vector",
                tombstone=number,
                model=one.model,
                reach=one.reach,
                vector=one.vector.tobytes(),
            )

    def add_all(self, records: Sequence[TombstoneRecord]) -> None:
        """Add many tombstones without vectors, in a fixed number of statements."""
        stones = [(record.tombstone, record.digests) for record in records]
        self._rows.change_many("add", (asdict(stone) for stone, _ in stones))
        self._rows.change_many(
            "add_digest_of",
            (
                {"kind": stone.kind, "subject": stone.subject, "digest": digest}
                for stone, digests in stones
                for digest in digests
            ),
        )

    def lift(self, digests: Iterable[str]) -> int:
        """Delete these digests and the vectors beside them, so that memories may say it again.

        Returns the number of deleted digests.
        """
        lifted = 0
        for digest in digests:
            self._rows.change("lift_vectors", digest=digest)
            lifted += self._rows.change("lift", digest=digest)
        return lifted


def to_meaning(row: dict[str, Any]) -> SuppressedMeaning:
    """Build the vector of a tombstone from its columns."""
    import numpy as np  # noqa: PLC0415  (who keeps no vectors pays nothing)

    return SuppressedMeaning(row["model"], np.frombuffer(row["vector"], np.float32), row["reach"])
