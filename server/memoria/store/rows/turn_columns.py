"""Turn columns: turns as arrays, most of them from the process's cache."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from memoria.language.asking.aim import find_wish, read_saying
from memoria.store.connection import Connection
from memoria.store.features import UNHEARD, Surroundings, TextFeatureColumns, TurnMetadataColumns
from memoria.store.image.tenant_images import ImageReader
from memoria.store.rows.conversations import Conversations
from memoria.store.sql.statements import TenantRows, as_json, list_numbers

if TYPE_CHECKING:
    from memoria.store.image.turn_table import TurnReads, TurnTable

_T = TypeVar("_T")


class TurnColumns:
    """Turns of a tenant as columns; the process caches values that hardly ever change."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        conversations: Conversations,
        reading: ImageReader | None,
    ) -> None:
        """Bind to a tenant.

        Args:
            connection: to the file.
            tenant: its number.
            conversations: reads texts.
            reading: the image, for a reader; None for a writer, which reads everything each time.
        """
        self._rows = TenantRows(connection, tenant, "turn_columns")
        self._conversations = conversations
        self._reading = reading

    def surroundings(
        self, central: Sequence[int], others: Sequence[int], *, include_processed: bool
    ) -> Surroundings:
        """Find the places of all turns, and the turns up to two places around central turns.

        Without `include_processed`, processed and suppressed turns around them are left out.
        """
        return self._use(
            lambda table: table.find_around(
                self._reads, central, others, include_processed=include_processed
            )
        )

    def remarks(self, ns: Sequence[int]) -> TurnMetadataColumns:
        """Return speakers and times of the turns, a row for each in the order of the numbers."""
        return self._use(lambda table: table.list_remarks(self._reads, ns))

    def sayings(self, ns: Sequence[int], *, with_wishes: bool) -> TextFeatureColumns:
        """Read the texts of turns and return their features, a row for each turn.

        Looking for wishes takes longest, so it is done on request only.
        """
        import numpy as np  # noqa: PLC0415  (brings NumPy)

        remarks = self._conversations.remarks(ns)
        texts = [remarks[n].content if n in remarks else "" for n in ns]
        told = [*map(read_saying, texts)]
        wishes = [find_wish(text) if with_wishes else UNHEARD for text in texts]
        sayings = TextFeatureColumns(
            np.array([each.words for each in told], np.int16),
            np.array([each.asks for each in told], np.bool_),
            np.array(wishes, np.int16),
        )
        self._use(lambda table: table.note_sayings(ns, sayings))
        return sayings

    def _use(self, work: Callable[["TurnTable"], _T]) -> _T:
        """Return the result of `work` on a table of turns that is up to date with this snapshot."""
        from memoria.store.image.turn_table import TurnTable  # noqa: PLC0415  (brings NumPy)

        if self._reading is None:
            return work(TurnTable())
        with self._reading.open() as image:
            return work(image.column(TurnTable))

    @cached_property
    def _reads(self) -> "TurnReads":
        from memoria.store.image.turn_table import TurnReads  # noqa: PLC0415  (brings NumPy)

        rows = self._rows
        return TurnReads(
            lambda ns: rows.tuples("turns", ns=list_numbers(ns)),
            lambda spans: rows.tuples("spans", spans=as_json(spans)),
            0 if self._reading is None else self._reading.tenant.newest_document,
        )
