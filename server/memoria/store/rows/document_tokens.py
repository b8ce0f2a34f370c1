"""Document tokens: the words that documents are found by, each read once in a transaction."""

from collections.abc import Sequence
from functools import partial

from memoria.store.image.kept_tokens import LONGEST_KEPT, KeptTokens
from memoria.store.image.remembered import RememberedRows
from memoria.store.image.tenant_images import ImageReader
from memoria.store.index_tokens import IndexTokens
from memoria.store.sql.tenant_rows import TenantRows, list_numbers


class DocumentTokens:
    """The tokens of a tenant's documents, as one transaction sees them."""

    def __init__(self, rows: TenantRows, reading: ImageReader | None) -> None:
        """Bind to a transaction.

        Args:
            rows: the statements about documents.
            reading: the image, for a reader; None for a writer, which reads everything each time.
        """
        self._rows = rows
        self._reading = reading
        self._by_length: dict[int, RememberedRows[IndexTokens]] = {}

    def look_up(self, ns: Sequence[int], most_chars: int) -> dict[int, IndexTokens]:
        """Map documents to their tokens; those of more than `most_chars` characters are missing."""
        if most_chars not in self._by_length:
            self._by_length[most_chars] = RememberedRows(is_kept=self._reading is not None)
        return self._by_length[most_chars].look_up(ns, partial(self._read, most_chars))

    def _read(self, most_chars: int, ns: Sequence[int]) -> dict[int, IndexTokens]:
        """Read tokens from the image, or else from the index."""
        if self._reading is None or most_chars < LONGEST_KEPT:
            rows = self._rows.tuples("indexed", ns=list_numbers(ns), most=most_chars)
            return {n: tokens for n, tokens, _ in rows}
        with self._reading.open() as image:
            known = image.column(KeptTokens).recall(ns)
        unknown = [n for n in ns if n not in known]
        if unknown:
            rows = self._rows.tuples("indexed", ns=list_numbers(unknown), most=most_chars)
            with self._reading.open() as image:
                image.column(KeptTokens).keep({n: tokens for n, tokens, changed in rows if changed})
            known |= {n: tokens for n, tokens, _ in rows}
        return known
