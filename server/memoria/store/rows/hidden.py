"""Hidden records: what a forget took away and has not erased yet.

A forget with a period of grace deletes as any other does; temporary triggers record every row that
it changes, as the journal of a nightly run does. So hidden rows are in no table that anything
reads.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memoria.model.zone import Zone
from memoria.store.connection import Connection
from memoria.store.image.visibility import visibility_of
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.renumbering import Renumbering
from memoria.store.rows.revert import JOURNALED_TABLES, RevertOutcome, revert
from memoria.store.rows.stored_tokens import read_tokens
from memoria.store.rows.texts import Texts
from memoria.store.sql.statements import statements
from memoria.store.sql.tenant_rows import TenantRows, as_json
from memoria.store.vectors import VectorIndex


class HiddenFile(NamedTuple):
    """A file from which a forget took lines."""

    place: str
    content: bytes
    """Its content before."""
    left_as: str | None
    """SHA-256 of what was left of it; None where that is nothing."""


_HIDDEN_TABLES = (
    *(name for name in JOURNALED_TABLES if name not in ("generated_files", "core_files")),
    *("turns", "tombstones", "tombstone_digests", "tombstone_vectors"),
)
"""The tables whose rows are put back. Names are of this list and of the schema, never a user's."""
_PARTS = ("changes", "texts", "files")


class HiddenRecords:
    """A tenant's hidden rows. No question and no answer reads them."""

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
        """Record every row that is changed in this block, so that it can be put back."""
        rows = self._rows
        with rows.connection.hide_changes(_HIDDEN_TABLES, rows.tenant, report_id):
            yield

    def hide_texts(self, report_id: str, turn_ns: Sequence[int]) -> None:
        """Record the texts of turns that are about to be erased."""
        for row in self._rows.all("hashes", ns=as_json(turn_ns)):
            self._rows.insert("add_text", report_id=report_id, text=self._texts.get(row["hash"]))

    def hide_file(self, report_id: str, file: HiddenFile) -> None:
        """Record a file as it was."""
        self._rows.insert("add_file", report_id=report_id, **file._asdict())

    def list_files(self, report_id: str) -> list[HiddenFile]:
        """List the files from which a forget took lines."""
        return [HiddenFile(*row) for row in self._rows.all("files", report_id=report_id)]

    def put_back(self, report_id: str, places: Collection[str]) -> int:
        """Put back every row that a forget changed, and its texts; return the number of rows.

        Rows changed since stay as they are. The report says that it was restored.

        Args:
            report_id: of the forget.
            places: of the files that were put back; core lines of other files are left out.
        """
        for row in self._rows.all("texts", report_id=report_id):
            self._texts.put(row["text"])
        restored: set[int] = set()
        numbers, count = Renumbering(self._rows.connection), 0
        for noted in self._rows.all("changes", report_id=report_id):
            change = numbers.translate(noted)
            if change["tbl"] == "core_lines" and not _is_of(change, places):
                continue
            outcome = revert(self._rows.connection, change, self._documents, _HIDDEN_TABLES)
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
        return [row["id"] for row in self._rows.all("due", now=now)]

    def purge(self, report_id: str, now: int) -> None:
        """Erase the hidden rows of a forget, and note that in its report."""
        self._end(report_id, "erased", now)
        if self._rows.number("is_of_everything", report_id=report_id):
            self._rows.change("drop_empty_sessions")
            self._rows.change("drop_empty_workspaces")
        self._rows.change("want_scrub")

    def _end(self, report_id: str, state: str, now: int) -> None:
        for part in _PARTS:
            self._rows.change(f"drop_{part}", report_id=report_id)
        self._rows.change("end", report_id=report_id, state=state, now=now)

    def _index(self, n: int) -> None:
        """Index a document that is there again."""
        row = self._rows.first("document", n=n)
        if row is not None:
            words, context = read_tokens(self._rows.connection, self._vectors, self._zone, row)
            token = visibility_of(row).token
            self._documents.index_again(n, token, words, context)


def drop_hidden(connection: Connection) -> None:
    """Delete the hidden rows of all tenants from a copy, which is scrubbed next."""
    sql = statements("hidden")
    if connection.execute(sql["any"]).fetchone()[0]:
        for part in _PARTS:
            connection.execute(sql[f"drop_all_{part}"])
        connection.execute(sql["want_scrub"])


def _is_of(change: Mapping[str, str], places: Collection[str]) -> bool:
    """Check whether a change to a core line is of one of these files."""
    return any(part in places for part in json.loads(change["key"]))
