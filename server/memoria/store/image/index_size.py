"""Index size: the totals of the whole file that BM25 needs, as FTS5's own tables have them.

FTS5 writes integers of variable length: seven bits a byte, the highest first, and eight in a
ninth.
"""

from collections.abc import Iterator
from typing import NamedTuple

from memoria.store.sql.statements import TenantRows

_MORE = 0x80
_NINTH = 8


def read_varints(block: bytes) -> Iterator[int]:
    """Yield the numbers of a block, one after the other.

    >>> [*read_varints(bytes([5, 0x81, 0]))]
    [5, 128]
    """
    number = read = 0
    for byte in block:
        read += 1
        if read > _NINTH:
            yield number << 8 | byte
        else:
            number = number << 7 | byte & ~_MORE
            if byte & _MORE:
                continue
            yield number
        number = read = 0


def sum_varints(block: bytes) -> int:
    """Return the sum of the numbers of a block."""
    return sum(block) if block.isascii() else sum(read_varints(block))


class IndexSize(NamedTuple):
    """Totals of a full-text index, of all tenants."""

    documents: int = 0
    words: int = 0
    newest: int = 0
    """Number of the newest document."""

    @property
    def mean_length(self) -> float:
        """Mean number of words of a document, with the token of its visibility as one word."""
        return self.words / self.documents if self.documents else 0.0


def read_index_size(rows: TenantRows) -> IndexSize:
    """Return the size of the index on a snapshot, without additions of the same transaction."""
    return rows.connection.read_settled("index size", lambda: _read_index_size(rows))


def _read_index_size(rows: TenantRows) -> IndexSize:
    newest, block = rows.tuples("index_size")[0]
    documents, *words = read_varints(block) if block else (0,)
    return IndexSize(documents, sum(words), newest)
