"""Index size: what BM25 rests on, of the whole file, as the full-text index has noted it."""

from typing import NamedTuple

from memoria.store.sqlite.rows import TenantRows
from memoria.store.sqlite.varints import read_varints


class IndexSize(NamedTuple):
    """How much a full-text index holds, of everybody."""

    documents: int = 0
    words: int = 0
    newest: int = 0
    """The number of the newest document."""

    @property
    def mean_length(self) -> float:
        """In words, with the one that tells who sees a document."""
        return self.words / self.documents if self.documents else 0.0


def read_index_size(rows: TenantRows) -> IndexSize:
    """The size of the index on a snapshot; a writer would not see what it has indexed itself."""
    return rows.connection.read_settled("index size", lambda: _read_index_size(rows))


def _read_index_size(rows: TenantRows) -> IndexSize:
    newest, block = rows.tuples("index_size")[0]
    documents, *words = read_varints(block) if block else (0,)
    return IndexSize(documents, sum(words), newest)
