"""LangGraph: a `BaseStore` whose items are kept in Memoria.

An item is a turn of the record (`langgraph_items`). So a value comes back equal, a new value is a
new version, a search finds it by meaning and by words, and deleting it erases it.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, islice

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
    )
except ImportError as error:
    from memoria.connectors.adapters.shared import missing_extra

    raise missing_extra("langgraph", error) from error

from memoria.app.open_home import in_thread
from memoria.app.sync import SyncMemoria
from memoria.connectors.adapters.filters import is_like, passes
from memoria.connectors.adapters.langgraph_items import CLIENT, Namespace, StoreItems, to_turn
from memoria.connectors.adapters.shared import check_written, name_source


class MemoriaStore(BaseStore):
    """LangGraph's store, kept in Memoria.

    Items are found by a search of the record, too. What is secret in a value is redacted, and what
    the user has forgotten is left out of it, as everywhere. A question is answered with what fits,
    best first and with scores, and then, as in LangGraph's own store, with the rest. There is no
    time to live, and every item is indexed.
    """

    __slots__ = ("_items", "_memory")

    def __init__(self, memory: SyncMemoria) -> None:
        """Use a memory that the caller opens and closes.

        Args:
            memory: from `memoria.open_sync`. Graphs that run an event loop take it, too.
        """
        self._memory = name_source(CLIENT, memory)
        self._items = StoreItems(self._memory)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order; what is written is written last.

        Raises:
            ForgottenError: the user has forgotten what was under a key. The others are written.
            PrivateTimeError: private time is on. Nothing is written.
        """
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            match op:
                case GetOp():
                    results.append(self._items.get(op.namespace, op.key))
                case SearchOp():
                    results.append(self._search(op))
                case ListNamespacesOp():
                    results.append(self._list_matching(op))
                case PutOp():
                    puts[op.namespace, op.key] = op
                    results.append(None)
        self._write([*puts.values()])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what `batch` does, while the event loop runs on."""
        asked = [*ops]
        return await in_thread(lambda: self.batch(asked))

    def _write(self, puts: list[PutOp]) -> None:
        for op in puts:
            if op.value is None:
                self._items.erase(op.namespace, op.key)
        turns = [to_turn(op.namespace, op.key, op.value) for op in puts if op.value is not None]
        if turns:
            check_written(self._memory.record_conversation(turns))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        depth = len(op.namespace_prefix)
        listed = self._items.list_namespaces()
        namespaces = [one for one in listed if one[:depth] == op.namespace_prefix]
        items = self._items.read(namespaces)
        if op.query:
            items = _without_repeats(chain(self._items.find(op.query, namespaces), items))
        wanted = (one for one in items if passes(one.value, op.filter or {}))
        return [*islice(wanted, op.offset, op.offset + op.limit)]

    def _list_matching(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        found = {
            one[: op.max_depth]
            for one in self._items.list_namespaces()
            if all(is_like(one, each.path, each.match_type) for each in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def _without_repeats(items: Iterable[SearchItem]) -> Iterator[SearchItem]:
    seen = set[tuple[Namespace, str]]()
    for item in items:
        if (item.namespace, item.key) not in seen:
            seen.add((item.namespace, item.key))
            yield item
