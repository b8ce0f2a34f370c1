"""Turn columns in SQLite: turns side by side, most of them as the process knows them already."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from memoria.store.positions import Surroundings
from memoria.store.remark import UNHEARD, Remarks, Sayings
from memoria.store.sqlite.changed import list_changed
from memoria.store.sqlite.conversations import SqliteConversations
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows, as_json, list_numbers
from memoria.store.sqlite.tenants import ReaderKnowledge
from memoria.text.saying import find_wish, read_saying

if TYPE_CHECKING:
    from memoria.store.sqlite.turn_table import TurnReads, TurnTable

_T = TypeVar("_T")


class SqliteTurnColumns:
    """A tenant's turns as columns, as one transaction sees them."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        conversations: SqliteConversations,
        reading: ReaderKnowledge | None,
    ) -> None:
        """Nothing is read yet.

        Args:
            connection: where turns are.
            tenant: whose they are.
            conversations: where texts are read.
            reading: what a reader knows from the start; a writer reads everything each time.
        """
        self._rows = TenantRows(connection, tenant, "turn_columns")
        self._documents = TenantRows(connection, tenant, "documents")
        self._conversations = conversations
        self._reading = reading
        self._own: TurnTable | None = None
        """Where others have followed a newer snapshot."""

    def follow_changes(self) -> None:
        """Take in turns that are new or were changed, if the process keeps any."""
        if self._reading is not None and self._reading.counted.has_turns(self._rows.tenant):
            self.remarks([])

    def surroundings(
        self, central: Sequence[int], others: Sequence[int], *, include_processed: bool
    ) -> Surroundings:
        """Where turns stand, and what is up to two places around the central ones."""
        return self._use(
            lambda table: table.find_around(
                self._reads, central, others, include_processed=include_processed
            )
        )

    def remarks(self, ns: Sequence[int]) -> Remarks:
        """Return speakers and times of the turns, a row for each in the order of the numbers."""
        return self._use(lambda table: table.list_remarks(self._reads, ns))

    def sayings(self, ns: Sequence[int], *, with_wishes: bool) -> Sayings:
        """What is told by what was said in the turns, which is read; a row for each."""
        import numpy as np  # noqa: PLC0415  (who finds nothing pays nothing)

        remarks = self._conversations.remarks(ns)
        texts = [remarks[n].content if n in remarks else "" for n in ns]
        told = [*map(read_saying, texts)]
        wishes = [find_wish(text) if with_wishes else UNHEARD for text in texts]
        sayings = Sayings(
            np.array([each.words for each in told], np.int16),
            np.array([each.asks for each in told], np.bool_),
            np.array(wishes, np.int16),
        )
        self._use(lambda table: table.note_sayings(ns, sayings))
        return sayings

    def _use(self, work: Callable[["TurnTable"], _T]) -> _T:
        """What comes of work with what is known of turns, as of this snapshot."""
        from memoria.store.sqlite.turn_table import TurnTable  # noqa: PLC0415  (brings NumPy)

        if self._reading is None:
            return work(TurnTable())
        tenant = self._reading.tenant
        table = self._own or self._reading.counted.turns_of(tenant.number)
        with table.lock:
            if table.follow(self._reads, tenant):
                return work(table)
        self._own = TurnTable()
        return self._use(work)

    @cached_property
    def _reads(self) -> "TurnReads":
        from memoria.store.sqlite.turn_table import TurnReads  # noqa: PLC0415  (brings NumPy)

        rows, documents = self._rows, self._documents
        return TurnReads(
            lambda ns: rows.tuples("turns", ns=list_numbers(ns)),
            lambda spans: rows.tuples("spans", spans=as_json(spans)),
            lambda seen: list_changed(documents, seen),
        )
