"""Document index: adding documents to the indexes of words and vectors, moving, removing them."""

from collections.abc import Sequence

from memoria.errors import StoreError
from memoria.language.words.analyser import FORM
from memoria.store.connection import Connection, Row
from memoria.store.image.visibility import Visibility, visibility_of
from memoria.store.sql.statements import TenantRows
from memoria.store.values import DocumentKind
from memoria.store.vectors import VectorIndex


class DocumentIndex:
    """Writes a tenant's documents to the indexes of words and vectors."""

    def __init__(self, connection: Connection, tenant: int, vectors: VectorIndex) -> None:
        self._rows = TenantRows(connection, tenant, "documents")
        self._vectors = vectors
        self._expected = 0
        self._numbers: list[int] = []

    def expect(self, count: int) -> None:
        """Prepare for so many documents to be added."""
        if not self._rows.connection.has_dense_numbers:
            self._expected = count
            self._rows.ask_ahead("allot", count=count)

    def add(
        self,
        kind: DocumentKind,
        workspace: int | None,
        words: str,
        context: str,
        *,
        suppressed: bool = False,
    ) -> int:
        """Add a document to the index, queue it for a vector, and return its number."""
        n = self._insert(kind=kind, workspace=workspace, suppressed=suppressed)
        scope = Visibility(kind, self._rows.tenant, workspace, processed=suppressed).token
        self._index(n, scope, words, context)
        if self._rows.connection.has_dense_numbers:  # else each document has the form
            self._rows.send("note_words", n=n, form=FORM)
        self._rows.send("await_vector", n=n)
        self._rows.send("note_newest", n=n)
        return n

    def _insert(self, **document: str | int | None) -> int:
        if self._rows.connection.has_dense_numbers:
            return self._rows.insert("add_document", n=None, **document)
        if not self._numbers:  # a number before its row, so that nobody waits for the row
            rows = self._rows.all("allot", count=max(self._expected, 1))
            self._numbers, self._expected = [n for (n,) in rows], 0
        n = self._numbers.pop(0)
        self._rows.send("add_document", n=n, **document)
        return n

    def set_current(self, n: int, *, current: bool) -> None:
        """Show or hide a document; a hidden document is found on request only, by its words."""
        self._rows.send("set_current", n=n, current=current)
        if not current:
            self.drop_turn_names(n)
        self._refresh_index(n)
        if current:
            self._rows.send("await_vector_if_missing", n=n)
        else:
            self._rows.send("leave_backlog", n=n)

    def set_workspace(self, n: int, workspace: int | None) -> None:
        """Set the only workspace that sees a document; None stands for every workspace."""
        self._rows.send("set_workspace", n=n, workspace=workspace)
        self._refresh_index(n)

    def suppress(self, n: int) -> None:
        """Suppress a document: it stays on record, and nothing more is concluded from it."""
        self._rows.send("suppress", n=n)
        self.drop_turn_names(n)
        self._refresh_index(n)

    def erase(self, n: int) -> None:
        """Remove a document from every index and wipe its traces; its record is gone already."""
        self.withdraw(n)
        self._rows.send("want_scrub")

    def queue_embedding(self, n: int) -> None:
        """Queue a document for a new vector, and wipe the old: text that it covered was erased."""
        self.embed_again(n)
        self._rows.send("want_scrub")

    def mark_processed(self, n: int) -> None:
        """Mark a document as processed: the first level no longer shows the document."""
        self._rows.send("mark_processed", n=n)
        self.drop_turn_names(n)
        self._refresh_index(n)

    def drop_turn_names(self, n: int) -> None:
        """Remove the names that rules read in a turn from the graph; names of memories stay."""
        for name in ("drop_turn_links", "drop_turn_names"):
            self._rows.send(name, n=n)

    def withdraw(self, n: int) -> None:
        """Remove a document from every index, without wiping its traces from the file."""
        self._vectors.erase(n)
        for name in ("erase_embeddings", "leave_backlog", "erase_tokens", "erase_document"):
            self._rows.send(name, n=n)
        self._rows.send("count_erasure")

    def index_again(self, n: int, scope: str, words: str, context: str) -> None:
        """Index a document that was put back, or that is seen from elsewhere than before."""
        self._rows.send("erase_tokens", n=n)
        self._index(n, scope, words, context)
        self.refresh_index(n)

    def _index(self, n: int, scope: str, words: str, context: str) -> None:
        self._rows.send("index_document", n=n, scope=scope, words=words, context=context, form=FORM)

    def announce_return(self) -> None:
        """Invalidate all caches of documents: erased documents were put back."""
        self._rows.send("count_erasure")

    def replace_tokens(self, n: int, words: str, context: str) -> None:
        """Replace the words that a document is indexed by."""
        self._rows.send("erase_tokens", n=n)
        scope = self._read_visibility(n).token
        self._index(n, scope, words, context)
        self._rows.send("count_change")
        self._rows.send("note_change", n=n)

    def embed_again(self, n: int) -> None:
        """Queue a document for a new vector: its text, or the turn before, has changed."""
        self._vectors.erase(n)
        self._rows.send("erase_embeddings", n=n)
        self._rows.send("count_erasure")
        self._rows.send("await_vector_if_missing", n=n)

    def withdraw_all(self) -> None:
        """Remove all of the tenant's documents from the vector index, but not their rows."""
        self._vectors.erase_tenant(self._rows.tenant)
        self._rows.send("count_erasure")
        self._rows.send("want_scrub")

    def count_indexed_vectors(self, ns: Sequence[int]) -> int:
        """Count the vectors of documents in the vector index."""
        return self._vectors.count(ns)

    def refresh_index(self, n: int) -> None:
        """Update the indexes and the backlog to a document that was put back."""
        self._refresh_index(n)
        if self._read_visibility(n).current:
            self._rows.send("await_vector_if_missing", n=n)
        else:
            self._rows.send("leave_backlog", n=n)

    def _refresh_index(self, n: int) -> None:
        """Update the indexes to the present visibility of a document."""
        self._rows.send("set_scope", n=n, scope=self._read_visibility(n).token)
        self._vectors.move(n)
        self._rows.send("count_change")
        self._rows.send("note_change", n=n)

    def find_visibility(self, n: int) -> Row | None:
        """Return the row of a document's visibility; None if there is no such document."""
        return self._rows.first("visibility", n=n)

    def _read_visibility(self, n: int) -> Visibility:
        row = self.find_visibility(n)
        if row is None:
            raise StoreError(f"Document {n} vanished while it was changed. Run `memoria doctor`.")
        return visibility_of(row)
