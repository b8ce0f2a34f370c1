"""Index size: the totals of the whole file that BM25 needs, as the full-text index has them."""

from typing import NamedTuple

from memoria.store.image.varints import read_varints
from memoria.store.sql.statements import TenantRows


class IndexSize(NamedTuple):
    """Totals of a full-text index, of all tenants."""

    documents: int = 0
    words: int = 0
    newest: int = 0
    """Number of the newest document."""

    @property
    def mean_length(self) -> float:
        """Mean number of words of a document, its visibility token included."""
        return self.words / self.documents if self.documents else 0.0


def read_index_size(rows: TenantRows) -> IndexSize:
    """Return the size of the index on a snapshot; a writer would not see its own additions."""
    return rows.connection.read_settled("index size", lambda: _read_index_size(rows))


def _read_index_size(rows: TenantRows) -> IndexSize:
    newest, block = rows.tuples("index_size")[0]
    documents, *words = read_varints(block) if block else (0,)
    return IndexSize(documents, sum(words), newest)
