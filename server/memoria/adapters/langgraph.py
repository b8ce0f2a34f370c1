"""LangGraph: a `BaseStore` whose items are kept in Memoria.

An item is a turn of the record: its namespace is the session, its key the message's id, its value
what a tool has given. So a value comes back equal, a new value is a new version, a search finds it
by meaning and by words, and deleting it erases it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from operator import eq, ge, gt, le, lt, ne
from typing import Any

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
    from memoria.adapters.shared import missing_extra

    raise missing_extra("langgraph", error) from error

from memoria.adapters.shared import ANY_PROJECT, PAGE, check_written, name_source
from memoria.app.open_home import in_thread
from memoria.app.sync import SyncMemoria
from memoria.errors import InvalidInputError, NotFoundError, quote_value
from memoria.model import Role, StoredTurn, Turn, from_millis
from memoria.model.query import MAX_LIMIT, MAX_TOKENS

CLIENT = "langgraph"
Namespace = tuple[str, ...]
_BETWEEN_LABELS = "."
"""Separator of labels: LangGraph allows none within a label."""
_ANY_LABEL = "*"
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": eq,
    "$ne": ne,
    "$gt": gt,
    "$gte": ge,
    "$lt": lt,
    "$lte": le,
}
_OF_EQUALITY = ("$eq", "$ne")


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


class StoreItems:
    """Items of the store: read, found and erased."""

    def __init__(self, memory: SyncMemoria) -> None:
        self._memory = memory

    def get(self, namespace: Namespace, key: str) -> SearchItem | None:
        """Return the item under a key; None if no item is."""
        turn = self._memory.find_message(_session_of(namespace), key)
        return None if turn is None else self._to_item(turn)

    def erase(self, namespace: Namespace, key: str) -> None:
        """Erase an item from the home. The same item may be put again."""
        turn = self._memory.find_message(_session_of(namespace), key)
        if turn is not None:
            self._memory.forget_memory([turn.id], include_source=True, may_return=True)

    def read(self, namespaces: list[Namespace]) -> Iterator[SearchItem]:
        """Yield everything in some namespaces, in the order in which it was first put."""
        for namespace in namespaces:
            for turn in self._read_turns(_session_of(namespace)):
                if turn.source == CLIENT:
                    yield self._to_item(turn)

    def find(self, query: str, namespaces: list[Namespace]) -> Iterator[SearchItem]:
        """Yield the items that fit a question, best first."""
        sessions = {_session_of(one) for one in namespaces}
        for session in (None, *sessions) if len(sessions) == 1 else (None,):
            result = self._memory.search_conversation_traces(
                query,
                limit=MAX_LIMIT,
                max_tokens=MAX_TOKENS,
                context=0,
                tool=CLIENT,
                session_id=session,
                workspace=ANY_PROJECT,
            )
            for hit in result.hits:
                if hit.source.session_id in sessions and hit.source.client == CLIENT:
                    yield self._to_item(self._memory.get_turn(hit.id, context=0).turn, hit.score)

    def list_namespaces(self) -> list[Namespace]:
        """List every namespace that has an item, in order."""
        found: list[Namespace] = []
        for page in count(1):
            listed = self._memory.list_sessions(
                client=CLIENT, workspace=ANY_PROJECT, page=page, limit=PAGE
            )
            found += (_namespace_of(one.session_id) for one in listed.sessions)
            if len(listed.sessions) < PAGE:
                break
        return sorted(found)

    def _read_turns(self, session_id: str) -> Iterator[StoredTurn]:
        for offset in count(0, PAGE):
            try:
                page = self._memory.get_session(session_id, offset=offset, limit=PAGE).turns
            except NotFoundError:  # emptied meanwhile
                return
            yield from page
            if len(page) < PAGE:
                return

    def _to_item(self, turn: StoredTurn, score: float | None = None) -> SearchItem:
        first = turn
        if turn.version > 1:
            first = self._memory.get_turn(turn.id, context=0).versions[-1]
        value = turn.tool_result
        return SearchItem(
            namespace=_namespace_of(turn.session_id),
            key=turn.message_id or turn.id,
            value=value if isinstance(value, dict) else {},
            created_at=from_millis(first.ingested_at),
            updated_at=from_millis(turn.ingested_at),
            score=score,
        )


def to_turn(namespace: Namespace, key: str, value: Mapping[str, Any]) -> Turn:
    """Return the turn that records an item."""
    return Turn(
        session_id=_session_of(namespace),
        message_id=key,
        role=Role.TOOL,
        tool_name=CLIENT,
        tool_result=dict(value),
    )


def _session_of(namespace: Namespace) -> str:
    return _BETWEEN_LABELS.join(namespace)


def _namespace_of(session_id: str) -> Namespace:
    return tuple(session_id.split(_BETWEEN_LABELS))


# Filters on the fields of a value, and on a namespace


def passes(value: object, wanted: object) -> bool:
    """Check whether a value has the fields that a filter names, each as the filter wants it.

    >>> passes({"size": 3, "name": "tea"}, {"size": {"$gt": 2}})
    True

    Raises:
        InvalidInputError: the filter has an operator that is none.
    """
    if not isinstance(wanted, Mapping):
        return value == wanted
    if any(name.startswith("$") for name in wanted):
        return all(_holds(name, value, limit) for name, limit in wanted.items())
    return isinstance(value, Mapping) and all(
        passes(value.get(name), each) for name, each in wanted.items()
    )


def _holds(name: str, value: object, limit: object) -> bool:
    compare = _OPERATORS.get(name)
    if compare is None:
        known = ", ".join(_OPERATORS)
        raise InvalidInputError(f"filter: {quote_value(name)} is no operator; there are {known}.")
    if name in _OF_EQUALITY:
        return compare(value, limit)
    try:
        return compare(value, limit)
    except TypeError:  # a text is neither more nor less than a number
        return False


def is_like(namespace: Sequence[str], path: Sequence[str], where: str) -> bool:
    """Check whether a namespace begins or ends with these labels, `*` standing for any one.

    >>> is_like(("users", "7", "notes"), ("users", "*"), "prefix")
    True
    """
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if where == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in (_ANY_LABEL, label) for label, wanted in zip(part, path, strict=True))
