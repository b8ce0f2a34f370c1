"""Forgotten records: tombstones, and rows hidden until their period of grace is over.

A forget with a period of grace deletes rows as any other does. Temporary triggers record every row
that it changes, so hidden rows are in no table that anything else reads.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, NamedTuple

from memoria.model import Vector
from memoria.model.forgetting import HiddenRecord
from memoria.model.moments import Zone
from memoria.store.connection import Connection
from memoria.store.image.visibility import visibility_of
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.revert import JOURNALED_TABLES, Renumbering, RevertOutcome, revert
from memoria.store.rows.texts import Texts
from memoria.store.rows.word_renewal import read_tokens
from memoria.store.sql.statements import TenantRows, as_json
from memoria.store.values import SuppressedMeaning, Tombstone, TombstoneKind, TombstoneRecord
from memoria.store.vectors import VectorIndex


class Tombstones:
    """Tombstones of a tenant: proofs of what was forgotten."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "tombstones")

    def ask_for_any(self) -> None:
        """Prepare for `any`."""
        self._rows.ask_ahead("any")

    def any(self) -> bool:
        """Check whether the tenant has ever forgotten anything."""
        return bool(self._rows.number("any"))

    def has_older(self) -> bool:
        """Check whether the tenant has digests in the form of older versions."""
        return bool(self._rows.number("has_older"))

    def find_anchored(self, anchors: Iterable[str]) -> list[tuple[str, Tombstone]]:
        """List (digest, tombstone) for every stored digest that begins with one of the anchors."""
        rows = self._rows.all("find_anchored", anchors=as_json(anchors))
        return [(digest, Tombstone(*stone)) for digest, *stone in rows]

    def find(self, digests: Iterable[str], kind: TombstoneKind) -> Tombstone | None:
        """Return the newest tombstone of a kind with one of the digests; None without a match."""
        row = self._rows.first("find", digests=as_json(digests), kind=kind)
        return None if row is None else Tombstone(**row)

    def get(self, subject: str) -> Tombstone | None:
        """Return the tombstone of a memory or turn by its id; None if it was not forgotten."""
        row = self._rows.first("by_subject", subject=subject)
        return None if row is None else Tombstone(**row)

    def find_hiding(self, subject: str, now: int) -> HiddenRecord | None:
        """Return the forget that hides a memory or turn, if the forget can still be undone."""
        row = self._rows.first("hiding", subject=subject, now=now)
        return None if row is None else HiddenRecord(id=subject, **row)

    def has_meanings(self) -> bool:
        """Check whether any tombstone of the tenant has a vector for recognising paraphrases."""
        return bool(self._rows.number("has_meanings"))

    def find_by_meaning(self, model: str, vector: Vector) -> Tombstone | None:
        """Return the newest tombstone with a vector close to this vector; None without a match.

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
                Tombstone(*stone),
                tuple(row["digest"] for row in self._rows.all("digests", n=n)),
                tuple(to_meaning(dict(row)) for row in self._rows.all("vectors_of", n=n)),
            )
            for n, *stone in self._rows.all("all")
        ]

    def add(self, record: TombstoneRecord) -> None:
        """Add a tombstone; a tombstone that exists already gains the new digests and vectors."""
        stone = record.tombstone
        kind, subject = stone.kind, stone.subject
        self._rows.send("add", kind=kind, subject=subject, at=stone.at, reason=stone.reason)
        number = self._rows.number("number", subject=subject, kind=kind)
        for digest in record.digests:
            self._rows.send("add_digest", digest=digest, tombstone=number)
        for one in record.meanings:
            self._rows.send(
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
        """Delete digests and the vectors beside them, so that memories may say the same again.

        Returns the number of deleted digests.
        """
        lifted = 0
        for digest in digests:
            self._rows.send("lift_vectors", digest=digest)
            lifted += self._rows.change("lift", digest=digest)
        return lifted


def to_meaning(row: dict[str, Any]) -> SuppressedMeaning:
    """Build the vector of a tombstone from its columns."""
    import numpy as np  # noqa: PLC0415  (only for tombstones with vectors)

    return SuppressedMeaning(row["model"], np.frombuffer(row["vector"], np.float32), row["reach"])


class HiddenFile(NamedTuple):
    """A file from which a forget took lines."""

    place: str
    content: bytes
    """Content of the file before the forget."""
    left_as: str | None
    """SHA-256 of the content left after the forget; None if nothing was left."""


HIDDEN_TABLES = (
    *(name for name in JOURNALED_TABLES if name not in ("generated_files", "core_files")),
    *("turns", "tool_calls", "tombstones", "tombstone_digests", "tombstone_vectors"),
)
"""The tables whose rows are put back. Names are of this list and of the schema, never a user's."""
_PARTS = ("changes", "texts", "files")


class HiddenRecords:
    """A tenant's hidden rows, which no question and no answer reads."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        documents: DocumentIndex,
        vectors: VectorIndex,
        zone: Zone,
    ) -> None:
        self._rows = TenantRows(connection, tenant, "hidden")
        self._documents = documents
        self._texts = Texts(connection, tenant)
        self._vectors = vectors
        self._zone = zone

    @contextmanager
    def hide_changes(self, report_id: str) -> Iterator[None]:
        """Record every row that changes in this block, so that the row can be put back."""
        rows = self._rows
        with rows.connection.hide_changes(HIDDEN_TABLES, rows.tenant, report_id):
            yield

    def hide_texts(self, report_id: str, turn_ns: Sequence[int]) -> None:
        """Record the texts and files of turns that are about to be erased."""
        for row in self._rows.all("hashes", ns=as_json(turn_ns)):
            text = self._texts.get(row["hash"])
            self._rows.send("add_text", report_id=report_id, text=text, data=None)
        for row in self._rows.all("file_hashes", ns=as_json(turn_ns)):
            data = self._texts.get_bytes(row["hash"])
            self._rows.send("add_text", report_id=report_id, text="", data=data)

    def hide_file(self, report_id: str, file: HiddenFile) -> None:
        """Record a file as it was before the forget."""
        self._rows.send("add_file", report_id=report_id, **file._asdict())

    def list_files(self, report_id: str) -> list[HiddenFile]:
        """List the files from which a forget took lines."""
        return [HiddenFile(*row) for row in self._rows.all("files", report_id=report_id)]

    def put_back(self, report_id: str, places: Collection[str]) -> int:
        """Put back all rows and texts that a forget hid, and return the number of rows.

        A row that somebody has changed after the forget stays as it is. The report becomes
        `restored`.

        Args:
            report_id: the id of the forget's report.
            places: places of the files that were put back; core lines of others are left out.
        """
        for row in self._rows.all("texts", report_id=report_id):
            self._texts.put_bytes(row["text"].encode() if row["data"] is None else row["data"])
        restored: set[int] = set()
        numbers, count = Renumbering(self._rows.connection), 0
        for noted in self._rows.all("changes", report_id=report_id):
            change = numbers.translate(noted)
            if change["tbl"] == "core_lines" and not _is_of(change, places):
                continue
            outcome = revert(self._rows.connection, change, self._documents, HIDDEN_TABLES)
            count += outcome is RevertOutcome.RESTORED
            if change["tbl"] == "documents" and outcome is RevertOutcome.RESTORED:
                restored.add(json.loads(change["key"])[0])
        for n in sorted(restored):
            self._index(n)
        if restored:
            self._documents.announce_return()
        self._end(report_id, "restored", 0)
        return count

    def list_due(self, now: int) -> list[str]:
        """List ids of the reports whose hidden rows are due to be erased."""
        return self._rows.column("due", now=now)

    def purge(self, report_id: str, now: int) -> None:
        """Erase the hidden rows of a forget, and mark the forget's report as `erased`."""
        self._end(report_id, "erased", now)
        if self._rows.number("is_of_everything", report_id=report_id):
            self._rows.send("drop_empty_sessions")
            self._rows.send("drop_empty_workspaces")
        self._rows.send("want_scrub")

    def _end(self, report_id: str, state: str, now: int) -> None:
        for part in _PARTS:
            self._rows.send(f"drop_{part}", report_id=report_id)
        self._rows.send("end", report_id=report_id, state=state, now=now)

    def _index(self, n: int) -> None:
        """Index a document that was put back."""
        row = self._documents.find_visibility(n)
        if row is not None:
            rows = self._rows
            words, context = read_tokens(
                rows.connection, self._vectors, self._zone, rows.tenant, [row]
            )[n]
            token = visibility_of(row).token
            self._documents.index_again(n, token, words, context)


def drop_hidden(connection: Connection) -> None:
    """Delete the hidden rows of all tenants from a copy, which is scrubbed next."""
    sql = connection.statements("hidden")
    if connection.execute(sql["any"]).fetchone()[0]:
        for part in _PARTS:
            connection.execute(sql[f"drop_all_{part}"])
        connection.execute(sql["want_scrub"])


def _is_of(change: Mapping[str, str], places: Collection[str]) -> bool:
    """Check whether a change is to a core line of one of the files."""
    return any(part in places for part in json.loads(change["key"]))
