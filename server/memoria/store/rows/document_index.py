"""The document index as it is written: which document stands in it, and how it is found."""

from collections.abc import Sequence

from memoria.errors import StoreError
from memoria.language.words.analyser import FORM
from memoria.store.connection import Connection
from memoria.store.image.visibility import Visibility, visibility_of
from memoria.store.sql.statements import TenantRows
from memoria.store.values import DocumentKind
from memoria.store.vectors import VectorIndex


class DocumentIndex:
    """A tenant's documents as they enter the indexes, move in them and leave them."""

    def __init__(self, connection: Connection, tenant: int, vectors: VectorIndex) -> None:
        self._rows = TenantRows(connection, tenant, "documents")
        self._vectors = vectors

    def add(
        self,
        kind: DocumentKind,
        workspace: int | None,
        words: str,
        context: str,
        *,
        suppressed: bool = False,
    ) -> int:
        """Add a document, indexed and waiting for its vector, and return its number."""
        n = self._rows.insert("add_document", kind=kind, workspace=workspace, suppressed=suppressed)
        scope = Visibility(kind, self._rows.tenant, workspace, processed=suppressed).token
        self._rows.insert("index_document", n=n, scope=scope, words=words, context=context)
        self._rows.change("note_words", n=n, form=FORM)
        self._rows.insert("await_vector", n=n)
        self._rows.change("note_newest", n=n)
        return n

    def set_current(self, n: int, *, current: bool) -> None:
        """Show or hide a document; hidden ones are found on request only, by text."""
        self._rows.change("set_current", n=n, current=current)
        if not current:
            self.drop_turn_names(n)
        self._refresh_index(n)
        if current:
            self._rows.change("await_vector_if_missing", n=n)
        else:
            self._rows.change("leave_backlog", n=n)

    def set_workspace(self, n: int, workspace: int | None) -> None:
        """Set the workspace that alone sees a document; None lets all see it."""
        self._rows.change("set_workspace", n=n, workspace=workspace)
        self._refresh_index(n)

    def suppress(self, n: int) -> None:
        """Mark a document so that nothing is concluded from it any more; it stays on record."""
        self._rows.change("suppress", n=n)
        self.drop_turn_names(n)
        self._refresh_index(n)

    def erase(self, n: int) -> None:
        """Take a document out of every index, with its vectors; its record is gone already."""
        self.withdraw(n)
        self._rows.change("want_scrub")

    def queue_embedding(self, n: int) -> None:
        """Erase a document's vectors and queue it for new ones: what they rested on is gone."""
        self.embed_again(n)
        self._rows.change("want_scrub")

    def mark_processed(self, n: int) -> None:
        """Mark a document as processed, so that the first level shows it no more."""
        self._rows.change("mark_processed", n=n)
        self.drop_turn_names(n)
        self._refresh_index(n)

    def drop_turn_names(self, n: int) -> None:
        """Remove the names that rules read in a turn from the graph; memories keep theirs."""
        for name in ("drop_turn_links", "drop_turn_names"):
            self._rows.change(name, n=n)

    def withdraw(self, n: int) -> None:
        """Take out a document that an undone run has made; nothing is queued to be wiped."""
        self._vectors.erase(n)
        for name in ("erase_embeddings", "leave_backlog", "erase_tokens", "erase_document"):
            self._rows.change(name, n=n)
        self._rows.change("count_erasure")

    def index_again(self, n: int, scope: str, words: str, context: str) -> None:
        """Index a document anew that was put back, or stands elsewhere than before."""
        self._rows.change("erase_tokens", n=n)
        self._rows.insert("index_document", n=n, scope=scope, words=words, context=context)
        self.refresh_index(n)

    def announce_return(self) -> None:
        """Drop all caches of documents, since erased documents are there again."""
        self._rows.change("count_erasure")

    def replace_tokens(self, n: int, words: str, context: str) -> None:
        """Index a document by other words than before."""
        self._rows.change("erase_tokens", n=n)
        scope = self._read_visibility(n).token
        self._rows.insert("index_document", n=n, scope=scope, words=words, context=context)
        self._rows.change("count_change")
        self._rows.change("note_change", n=n)

    def embed_again(self, n: int) -> None:
        """Queue a document for a new vector: its text or its neighbours have changed."""
        self._vectors.erase(n)
        self._rows.change("erase_embeddings", n=n)
        self._rows.change("count_erasure")
        self._rows.change("await_vector_if_missing", n=n)

    def withdraw_all(self) -> None:
        """Take every document of the tenant out of the vector index; its rows go with the rest."""
        self._vectors.erase_tenant(self._rows.tenant)
        self._rows.change("count_erasure")
        self._rows.change("want_scrub")

    def count_indexed_vectors(self, ns: Sequence[int]) -> int:
        """Count the vectors of these documents in the vector index."""
        return self._vectors.count(ns)

    def refresh_index(self, n: int) -> None:
        """Update the indexes to a document that was put back as it was."""
        self._refresh_index(n)
        if self._read_visibility(n).current:
            self._rows.change("await_vector_if_missing", n=n)
        else:
            self._rows.change("leave_backlog", n=n)

    def _refresh_index(self, n: int) -> None:
        """Update the indexes to a document's present visibility."""
        self._rows.change("set_scope", n=n, scope=self._read_visibility(n).token)
        self._vectors.move(n)
        self._rows.change("count_change")
        self._rows.change("note_change", n=n)

    def _read_visibility(self, n: int) -> Visibility:
        row = self._rows.first("visibility", n=n)
        if row is None:
            raise StoreError(f"Document {n} vanished while it was changed. Run `memoria doctor`.")
        return visibility_of(row)
