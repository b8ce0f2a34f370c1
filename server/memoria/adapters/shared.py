"""Parts that adapters share: the error for a missing framework, and a conversation kept as turns.

What somebody says in an item is the turn's words, which every search finds and rules and models
read. The rest of the item is kept beside the words, and both together give the item again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from pydantic import JsonValue

from memoria.app.memory import Memoria
from memoria.app.sync import SyncMemoria
from memoria.errors import ForgottenError, NotFoundError, PrivateTimeError
from memoria.model import LIBRARY, Receipt, Role, StoredTurn, Turn, new_id, to_iso

ANY_PROJECT = "*"
PAGE = 500
"""Number of records read at once from a list that may be long."""
_MemoryT = TypeVar("_MemoryT", Memoria, SyncMemoria)


def missing_extra(extra: str, error: ImportError) -> ImportError:
    """Return the error that says how to install an adapter's framework."""
    return ImportError(
        f"memoria.adapters.{extra.replace('-', '_')} needs a package that is not installed "
        f"({error}). Install it with: pip install 'memoria-server[{extra}]'",
        name=error.name,
    )


def name_source(framework: str, memory: _MemoryT) -> _MemoryT:
    """Return the memory under a framework's own name, with its own ids of sessions and messages."""
    return memory.with_channel(LIBRARY.model_copy(update={"client": framework}))


def find_awaitable(memory: Memoria | SyncMemoria) -> Memoria:
    """Return the memory for a framework that awaits, opened in either way."""
    return memory.asynchronous if isinstance(memory, SyncMemoria) else memory


def check_written(receipt: Receipt) -> None:
    """Check that every value of a receipt was written.

    Raises:
        ForgottenError: the user has forgotten what was under a key, or what a value says.
        PrivateTimeError: private time is on.
    """
    if receipt.forgotten:
        raise ForgottenError(
            f"{receipt.forgotten} of these values were not stored: the user has forgotten what was "
            "under their keys, or what they say. Another key can be used."
        )
    if receipt.private_since is not None:
        raise PrivateTimeError(to_iso(receipt.private_since))


Item = dict[str, JsonValue]
Path = list[JsonValue]
"""The keys and places that lead to a text in an item."""
_ITEM, _WORDS = "item", "words"
_ERASED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """An item as the record keeps it: words and rest."""

    role: Role
    words: str = ""
    """Text said in it; empty for a tool's call or answer."""
    rest: JsonValue = None
    """All other fields of the item, as JSON."""
    name: str = ""
    """Name in the client. Names need not be unique; an item has an id besides."""


class History:
    """The items of one session, in their order."""

    def __init__(self, memory: Memoria | SyncMemoria, framework: str, session_id: str) -> None:
        """Bind to one conversation."""
        self._memory = name_source(framework, find_awaitable(memory))
        self._framework = framework
        self._session_id = session_id

    async def append(self, entries: Iterable[Entry]) -> None:
        """Record items. In a private time nothing is kept, as everywhere."""
        turns = [
            Turn(
                session_id=self._session_id,
                message_id=f"{new_id()} {entry.name}".rstrip(),
                role=entry.role,
                content=entry.words,
                tool_name=self._framework if entry.role is Role.TOOL else None,
                tool_result=entry.rest,
            )
            for entry in entries
        ]
        if turns:
            await self._memory.record_conversation(turns)

    async def read(self) -> list[StoredTurn]:
        """Return the turns of the items, in their order."""
        found: list[StoredTurn] = []
        for offset in count(0, PAGE):
            try:
                page = await self._memory.get_session(self._session_id, offset=offset, limit=PAGE)
            except NotFoundError:  # nothing has been said yet
                break
            found += page.turns
            if len(page.turns) < PAGE:
                break
        return [turn for turn in found if turn.source == self._framework]

    async def erase(self, turns: Sequence[StoredTurn]) -> None:
        """Erase items and what was concluded from them. They may be recorded again."""
        ids = [turn.id for turn in turns]
        for first in range(0, len(ids), _ERASED_AT_ONCE):
            some = ids[first : first + _ERASED_AT_ONCE]
            await self._memory.forget_memory(some, include_source=True, may_return=True)


def to_entry(turn: StoredTurn) -> Entry:
    """Return the entry that was recorded as a turn."""
    _, _, name = (turn.message_id or "").partition(" ")
    return Entry(turn.role, turn.content, turn.tool_result, name)


def split_item(item: Item, places: Sequence[Path]) -> tuple[str, JsonValue]:
    """Take the one text at some places out of an item; return the text, and the rest of the item.

    Where there is none, or several, or it is blank, the item stays whole.
    """
    texts = [(path, text) for path in places if isinstance(text := _look_up(item, path), str)]
    if len(texts) != 1 or not texts[0][1].strip():
        return "", {_ITEM: item}
    path, text = texts[0]
    return text, {_ITEM: _replace(item, path, None), _WORDS: path}


def join_item(words: str, rest: JsonValue) -> Item:
    """Join a text and an item that were split."""
    parts = rest if isinstance(rest, dict) else {}
    item, path = parts.get(_ITEM), parts.get(_WORDS)
    whole = _replace(item, path, words) if isinstance(path, list) else item
    return whole if isinstance(whole, dict) else {}


def list_texts(field: JsonValue, path: Path, *inner: str) -> list[Path]:
    """List the paths of a field's texts: its own or, in a list, one in each part."""
    if not isinstance(field, list):
        return [path]
    return [[*path, n, *inner] for n in range(len(field))]


def _look_up(value: JsonValue, path: Path) -> JsonValue:
    for step in path:
        match value, step:
            case dict(), str():
                value = value.get(step)
            case list(), int() if step < len(value):
                value = value[step]
            case _:
                return None
    return value


def _replace(value: JsonValue, path: Path, new: JsonValue) -> JsonValue:
    """Replace the value at a place."""
    if not path:
        return new
    step, *rest = path
    match value:
        case dict():
            return {
                key: _replace(child, rest, new) if key == step else child
                for key, child in value.items()
            }
        case list():
            return [
                _replace(child, rest, new) if n == step else child for n, child in enumerate(value)
            ]
        case _:
            return value
