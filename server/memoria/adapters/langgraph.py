"""LangGraph: a `BaseStore` whose items are kept in Memoria.

An item is a turn of the record: its namespace is the session, its key the message's id, its value
what a tool has given. So a value comes back equal, a new value is a new version, a search finds it
by meaning and by words, and deleting it erases it.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, count, islice

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
    )
except ImportError as error:
    from memoria.adapters.extras import missing_extra

    raise missing_extra("langgraph", error) from error

from memoria.adapters.extras import ANY_PROJECT, PAGE, check_written, name_source
from memoria.adapters.filters import is_like, passes
from memoria.app.sync import SyncMemoria
from memoria.app.threads import in_thread
from memoria.errors import NotFoundError
from memoria.model import Role, StoredTurn, Turn, from_millis
from memoria.model.query import MAX_LIMIT, MAX_TOKENS

_Namespace = tuple[str, ...]
_CLIENT = "langgraph"
_BETWEEN_LABELS = "."
"""LangGraph allows none within a label."""


class MemoriaStore(BaseStore):
    """LangGraph's store, kept in Memoria.

    Items are found by a search of the record, too. What is secret in a value is redacted, and what
    the user has forgotten is left out of it, as everywhere. A question is answered with what fits,
    best first and with scores, and then, as in LangGraph's own store, with the rest. There is no
    time to live, and every item is indexed.
    """

    __slots__ = ("_memory",)

    def __init__(self, memory: SyncMemoria) -> None:
        """The memory stays the caller's, to close.

        Args:
            memory: from `memoria.open_sync`. Graphs that run an event loop take it, too.
        """
        self._memory = name_source(_CLIENT, memory)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order; what is written is written last.

        Raises:
            ForgottenError: the user has forgotten what was under a key. The others are written.
            PrivateTimeError: private time is on. Nothing is written.
        """
        results: list[Result] = []
        puts: dict[tuple[_Namespace, str], PutOp] = {}
        for op in ops:
            match op:
                case GetOp():
                    results.append(self._read_item(op.namespace, op.key))
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
        """The same, while the event loop runs on."""
        asked = [*ops]
        return await in_thread(lambda: self.batch(asked))

    def _read_item(self, namespace: _Namespace, key: str) -> Item | None:
        turn = self._memory.find_message(_session_of(namespace), key)
        return None if turn is None else self._to_item(turn)

    def _write(self, puts: list[PutOp]) -> None:
        for op in puts:
            if op.value is None:
                self._delete(op.namespace, op.key)
        turns = [
            Turn(
                session_id=_session_of(op.namespace),
                message_id=op.key,
                role=Role.TOOL,
                tool_name=_CLIENT,
                tool_result=dict(op.value),
            )
            for op in puts
            if op.value is not None
        ]
        if turns:
            check_written(self._memory.record_conversation(turns))

    def _delete(self, namespace: _Namespace, key: str) -> None:
        turn = self._memory.find_message(_session_of(namespace), key)
        if turn is not None:
            self._memory.forget_memory([turn.id], include_source=True, may_return=True)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        namespaces = [
            one
            for one in self._list_namespaces()
            if one[: len(op.namespace_prefix)] == op.namespace_prefix
        ]
        items = self._read_items(namespaces)
        if op.query:
            items = _without_repeats(chain(self._find(op.query, namespaces), items))
        wanted = (one for one in items if passes(one.value, op.filter or {}))
        return [*islice(wanted, op.offset, op.offset + op.limit)]

    def _find(self, query: str, namespaces: list[_Namespace]) -> Iterator[SearchItem]:
        """What fits a question, best first: of all namespaces, then of one where one is asked."""
        sessions = {_session_of(one) for one in namespaces}
        for session in (None, *sessions) if len(sessions) == 1 else (None,):
            result = self._memory.search_conversation_traces(
                query,
                limit=MAX_LIMIT,
                max_tokens=MAX_TOKENS,
                context=0,
                tool=_CLIENT,
                session_id=session,
                workspace=ANY_PROJECT,
            )
            for hit in result.hits:
                if hit.source.session_id in sessions and hit.source.client == _CLIENT:
                    yield self._to_item(self._memory.get_turn(hit.id, context=0).turn, hit.score)

    def _read_items(self, namespaces: list[_Namespace]) -> Iterator[SearchItem]:
        """Everything in some namespaces, in the order in which it was first put."""
        for namespace in namespaces:
            for turn in self._read_turns(_session_of(namespace)):
                if turn.source == _CLIENT:
                    yield self._to_item(turn)

    def _read_turns(self, session_id: str) -> Iterator[StoredTurn]:
        for offset in count(0, PAGE):
            try:
                page = self._memory.get_session(session_id, offset=offset, limit=PAGE).turns
            except NotFoundError:  # emptied meanwhile
                return
            yield from page
            if len(page) < PAGE:
                return

    def _list_matching(self, op: ListNamespacesOp) -> list[_Namespace]:
        conditions = op.match_conditions or ()
        found = {
            one[: op.max_depth]
            for one in self._list_namespaces()
            if all(is_like(one, each.path, each.match_type) for each in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    def _list_namespaces(self) -> list[_Namespace]:
        found: list[_Namespace] = []
        for page in count(1):
            listed = self._memory.list_sessions(
                client=_CLIENT, workspace=ANY_PROJECT, page=page, limit=PAGE
            )
            found += (_namespace_of(one.session_id) for one in listed.sessions)
            if len(listed.sessions) < PAGE:
                break
        return sorted(found)

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


def _session_of(namespace: _Namespace) -> str:
    return _BETWEEN_LABELS.join(namespace)


def _namespace_of(session_id: str) -> _Namespace:
    return tuple(session_id.split(_BETWEEN_LABELS))


def _without_repeats(items: Iterable[SearchItem]) -> Iterator[SearchItem]:
    seen = set[tuple[_Namespace, str]]()
    for item in items:
        if (item.namespace, item.key) not in seen:
            seen.add((item.namespace, item.key))
            yield item
