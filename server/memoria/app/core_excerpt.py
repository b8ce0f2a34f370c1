"""Core memory as it is now, for who reads it: the files with what has been said since.

Instructions, the briefing, the resources and the context package all ask here, so that a rule
counts in each of them from the next call on.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace

from memoria.bare.projects import find_place
from memoria.config import Settings
from memoria.disk.home_folder import open_home_files
from memoria.inference import LazyEmbedder
from memoria.lifecycle.core.current import CurrentCore, compose_core
from memoria.lifecycle.core.places import head_of, places_seen_from
from memoria.model import now_millis
from memoria.model.core import PROJECT_FILE, CoreFile, CoreMemory
from memoria.store.rows.transaction import Transaction

_MINUTE_MS = 60_000
"""Time for which a reading may be used again while nothing changes."""
_MOST_KNOWN = 8
_IN_ORDER: tuple[CoreFile, ...] = ("PERSONA.md", "USER.md", "MEMORY.md")


class CoreReader:
    """Reads what the core files say now, and does it again only after a change."""

    def __init__(self, settings: Settings, embedder: LazyEmbedder | None) -> None:
        """Bind to a home's core files.

        Args:
            settings: whose files they are.
            embedder: whose vectors tell what was said later; without one nothing does.
        """
        self._embedder = embedder
        self._files = open_home_files(settings).of(settings.tenant)
        self._tokens = settings.core_file_tokens
        self.home = str(settings.home_path)
        """The data folder."""
        self._known: dict[Hashable, dict[CoreFile, CurrentCore]] = {}

    def read(self, tx: Transaction, project: str | None) -> dict[CoreFile, CurrentCore]:
        """Map each file to what it says in a project; a file that says nothing is missing."""
        at = now_millis()
        place = None if project is None else find_place(self.home, project)
        key = (project, place, at // _MINUTE_MS, tx.core.version(), self._read_files(project))
        known = self._known.get(key)
        if known is None:
            found = compose_core(tx, self._files, at, self._tokens, project, self._embedder)
            if place != project and PROJECT_FILE in found:
                found[PROJECT_FILE] = _name_place(found[PROJECT_FILE], project or "", place or "")
            known = {file: found[file] for file in _IN_ORDER if file in found}
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = known
        return known

    def _read_files(self, project: str | None) -> tuple[bytes | None, ...]:
        return tuple(place.read(self._files) for place in places_seen_from(project))


def _name_place(core: CurrentCore, project: str, place: str) -> CurrentCore:
    """Return a project's file with the folder in which the project is now in its head."""
    return replace(core, text=core.text.replace(head_of(project), head_of(place)))


def list_binding_lines(current: Mapping[CoreFile, CurrentCore], room: int) -> list[str]:
    """List lines of core memory for a reader who has asked for nothing yet, best first.

    These are rules and preferences, and whatever else the user has confirmed. What a client reports
    as stated by the user counts at once, and says that it is reported.

    Args:
        current: what the core files say.
        room: how many characters all of them may have; a line more than fits is left out.
    """
    memories = [memory for core in current.values() for memory in core.memories]
    ranked = sorted((one for one in memories if one.verified or one.type.is_guide), key=_order)
    behind = {one: text for core in current.values() for one, text in core.behind.items()}
    lines = (_line(memory, behind.get(memory.id, "")) for memory in ranked)
    return list(_fit(dict.fromkeys(lines), room))


def _order(memory: CoreMemory) -> tuple[bool, bool, int]:
    """Return a key that sorts confirmed rules first, then rules, then confirmed; newest first."""
    return (not memory.type.is_binding, not memory.verified, -memory.valid_from)


def _line(memory: CoreMemory, behind: str) -> str:
    reported = "" if memory.verified else " (reported)"
    return f"- {' '.join(memory.content.split())}{reported}{behind}"


def _fit(lines: Iterable[str], room: int) -> Iterator[str]:
    for line in lines:
        if len(line) < room:
            room -= len(line) + 1
            yield line
