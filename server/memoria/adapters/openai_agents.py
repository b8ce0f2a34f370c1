"""OpenAI Agents SDK: a `Session` whose items are kept in Memoria."""

from collections.abc import Mapping
from typing import cast

try:
    from agents import SessionSettings, TResponseInputItem
    from agents.memory.session_settings import resolve_session_limit
except ImportError as error:
    from memoria.adapters.shared import missing_extra

    raise missing_extra("openai-agents", error) from error

from memoria.adapters.shared import (
    Entry,
    History,
    Item,
    join_item,
    list_texts,
    split_item,
    to_entry,
)
from memoria.app.memory import Memoria
from memoria.app.sync import SyncMemoria
from memoria.model import Role

_CLIENT = "openai-agents"
_ROLES: Mapping[object, Role] = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}
_FORMS: Mapping[str, Item] = {"said": {}, "said+": {"logprobs": []}}
"""Usual forms of a model's answer: the fields its one part has besides its text."""
_MOST_ID_CHARS = 200


class MemoriaSession:
    """A conversation of the OpenAI Agents SDK, kept in Memoria.

    What was said is found by every search, in this conversation and in later ones. Items come back
    equal, but for secrets, which are redacted, and context that Memoria itself has put in.
    """

    session_settings: SessionSettings | None = None

    def __init__(
        self,
        session_id: str,
        memory: Memoria | SyncMemoria,
        session_settings: SessionSettings | None = None,
    ) -> None:
        """Use a memory that the caller opens and closes.

        Args:
            session_id: which conversation.
            memory: from `memoria.open`, or from `memoria.open_sync` for `Runner.run_sync`.
            session_settings: the SDK's own, such as how many items are read by default.
        """
        self.session_id = session_id
        self.session_settings = session_settings
        self._history = History(memory, _CLIENT, session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the last items, or all of them, in their order."""
        turns = await self._history.read()
        most = resolve_session_limit(limit, self.session_settings)
        if most is not None:
            turns = turns[-most:] if most > 0 else []
        return [_to_item(to_entry(turn)) for turn in turns]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Record items. They are on disk afterwards."""
        await self._history.append(_to_entry(cast("Item", item)) for item in items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Erase the last item and give it back. It may be added again."""
        last = (await self._history.read())[-1:]
        await self._history.erase(last)
        return _to_item(to_entry(last[0])) if last else None

    async def clear_session(self) -> None:
        """Erase the conversation, and what was concluded from it alone."""
        await self._history.erase(await self._history.read())


def _to_entry(item: Item) -> Entry:
    """Split an item into words and rest; no rest for an item of a usual form."""
    role = _ROLES.get(item.get("role"), Role.TOOL)
    words, rest = split_item(item, list_texts(item.get("content"), ["content"], "text"))
    if words:
        item_id = str(item.get("id", ""))[:_MOST_ID_CHARS]
        for name in ("", *(f"{form} {item_id}" for form in _FORMS)):
            short = Entry(role, words, name=name)
            if _from_entry(short) == item:
                return short
    return Entry(role, words, rest)


def _from_entry(entry: Entry) -> Item:
    if entry.rest is not None:
        return join_item(entry.words, entry.rest)
    form, _, item_id = entry.name.partition(" ")
    if form not in _FORMS:
        return {"role": entry.role.value, "content": entry.words}
    part: Item = {"type": "output_text", "text": entry.words, "annotations": [], **_FORMS[form]}
    kind: Item = {"type": "message", "role": "assistant", "status": "completed"}
    return {"id": item_id, "content": [part], **kind}


def _to_item(entry: Entry) -> TResponseInputItem:
    return cast("TResponseInputItem", _from_entry(entry))
