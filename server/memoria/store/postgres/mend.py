"""Mending of a database: derived indexes, dangling rows of the graph, the backlog and leases.

The truth is read, never written. One tenant is mended after the other, in transactions of its own,
so that its writers wait for no other's. Words are written anew page by page, so that they wait for
a page at most.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import count

from memoria.language.words.analyser import FORM
from memoria.model.moments import Zone
from memoria.store.connection import Row
from memoria.store.image.tenants import find_tenant, list_tenants
from memoria.store.image.visibility import visibility_of
from memoria.store.postgres.connections import ALL_TENANTS, DatabaseConnections
from memoria.store.postgres.driver import PostgresConnection
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.links import mend_links
from memoria.store.rows.mending import drop_stale_leases, forgive_failures, queue_missing_vectors
from memoria.store.rows.word_renewal import read_tokens
from memoria.store.sql.statements import Parameter, TenantRows
from memoria.store.vectors import VectorIndex, list_models

Progress = Callable[[int, int], None]
OpenVectors = Callable[[PostgresConnection, int], VectorIndex]
_PAGE = 500


class Mender:
    """Mends what `examine` has found."""

    def __init__(
        self, connections: DatabaseConnections, open_vectors: OpenVectors, zone: Zone
    ) -> None:
        """Bind to a database.

        Args:
            connections: its connections.
            open_vectors: opens the vector index of a tenant on a connection that writes.
            zone: where days begin of which nothing better is known.
        """
        self._connections = connections
        self._open_vectors = open_vectors
        self._zone = zone
        self._menders: Mapping[str, Callable[[Progress], None]] = {
            "full text": self._index_words,
            "vectors": self._index_vectors,
            "graph": partial(self._mend_each, mend_links),
            "backlog": partial(self._mend_each, forgive_failures),
            "leases": partial(self._mend_each, drop_stale_leases),
        }

    def rebuild(self, progress: Progress) -> None:
        """Build the full text and the vector indexes anew, and remove dangling edges."""
        self._index_words(progress)
        self._index_vectors(progress)
        self._mend_each(mend_links, progress)
        with self._connections.open_fresh() as raw:
            raw.execute("VACUUM (ANALYZE)")  # so many new rows make old statistics wrong

    def mend(self, check: str, progress: Progress) -> None:
        """Mend what a check has found; nothing is changed if no mender has its name."""
        if check in self._menders:
            self._menders[check](progress)

    def _index_words(self, progress: Progress) -> None:
        """Write every document's tokens anew, from the stored text."""
        with self._connections.read(ALL_TENANTS) as connection:
            total = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
        numbers = count(1)
        for tenant in self._list_tenants():
            after: int | None = 0
            while after is not None:
                after = self._index_page(tenant, after, lambda: progress(next(numbers), total))
            self._count_words(tenant)

    def _index_page(self, tenant: str, after: int, note: Callable[[], None]) -> int | None:
        """Index some documents of a tenant anew, and return the last; None after all."""
        with self._connections.write(tenant) as connection:
            found = find_tenant(connection, tenant)
            if found is None:
                return None
            tenant_n = found.number
            rows = TenantRows(connection, tenant_n, "examination")
            page = rows.all("documents_of", after=after, limit=_PAGE)
            if not page:
                return None
            vectors = self._open_vectors(connection, tenant_n)
            tokens = read_tokens(connection, vectors, self._zone, tenant_n, page)
            index = TenantRows(connection, tenant_n, "documents")
            rows.change("erase_page", after=after, last=page[-1]["n"])
            index.change_many("index_document", map(partial(_index_row, tokens), page))
            DocumentIndex(connection, tenant_n, vectors).announce_return()  # caches let words go
            for _ in page:
                note()
            return int(page[-1]["n"])

    def _count_words(self, tenant: str) -> None:
        """Drop the words of documents that are gone, and count the others."""
        with self._connections.write(tenant) as connection:
            if found := find_tenant(connection, tenant):
                rows = TenantRows(connection, found.number, "examination")
                rows.change("drop_stray_postings")
                rows.change("count_words")

    def _index_vectors(self, _progress: Progress) -> None:
        """Build indexes anew from the stored vectors; queue documents without vectors."""
        for tenant in self._list_tenants():
            with self._connections.write(tenant) as connection:
                if found := find_tenant(connection, tenant):
                    vectors = self._open_vectors(connection, found.number)
                    for model in list_models(connection):
                        vectors.catch_up(model.n, model.dims)
                    queue_missing_vectors(connection)

    def _mend_each(
        self, mend_rows: Callable[[PostgresConnection], None], _progress: Progress
    ) -> None:
        """Mend the rows of each tenant: row-level security shows a transaction no other's."""
        for tenant in self._list_tenants():
            with self._connections.write(tenant) as connection:
                mend_rows(connection)

    def _list_tenants(self) -> list[str]:
        with self._connections.read(ALL_TENANTS) as connection:
            return list_tenants(connection)


def _index_row(tokens: Mapping[int, tuple[str, str]], row: Row) -> dict[str, Parameter]:
    words, context = tokens[row["n"]]
    scope = visibility_of(row).token
    return {"n": row["n"], "scope": scope, "words": words, "context": context, "form": FORM}
