"""The items of a LangGraph store, as they lie in the record.

An item is a turn: its namespace is the session, its key the message's id, its value what a tool has
given.
"""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from langgraph.store.base import SearchItem

from memoria.app.sync import SyncMemoria
from memoria.connectors.adapters.shared import ANY_PROJECT, PAGE
from memoria.errors import NotFoundError
from memoria.model import Role, StoredTurn, Turn, from_millis
from memoria.model.query import MAX_LIMIT, MAX_TOKENS

CLIENT = "langgraph"
Namespace = tuple[str, ...]
_BETWEEN_LABELS = "."
"""Separator of labels: LangGraph allows none within a label."""


class StoreItems:
    """Reads, writes and erases items."""

    def __init__(self, memory: SyncMemoria) -> None:
        self._memory = memory

    def get(self, namespace: Namespace, key: str) -> SearchItem | None:
        """Return the item under a key."""
        turn = self._memory.find_message(_session_of(namespace), key)
        return None if turn is None else self._to_item(turn)

    def erase(self, namespace: Namespace, key: str) -> None:
        """Erase an item from the home. The same may be put again."""
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
        """Yield what fits a question, best first: of all namespaces, then of the one asked."""
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
