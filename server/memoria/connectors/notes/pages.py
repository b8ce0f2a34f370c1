"""Pages: a note for each person, place and thing, with links to the memories that speak of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from memoria.connectors.notes.folder import PAGES, NoteFolder, title_of
from memoria.connectors.notes.note import render_page
from memoria.connectors.notes.state import WrittenPage
from memoria.store.rows.portable.records import PortableSelection
from memoria.store.rows.transaction import Transaction


class NotePages:
    """The pages of whom and what the memories speak of."""

    def __init__(self, folder: NoteFolder, former: Mapping[str, WrittenPage]) -> None:
        self._folder = folder
        self._canonical: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._places = {entity: page.place for entity, page in former.items()}
        for entity, place in self._places.items():
            folder.take(place, entity)
        self._links: dict[str, list[tuple[str, str]]] = {}

    def read_kinds(self, tx: Transaction) -> None:
        """Read of every entity what it is, and which other one it is the same as."""
        for record in tx.portable.read("entity", PortableSelection()):
            own_id = str(record["id"])
            self._kinds[own_id] = str(record["kind"])
            if record["same_as"] is not None:
                self._canonical[own_id] = str(record["same_as"])

    def enter(self, record: dict[str, Any], place: str) -> list[str]:
        """Note what a memory speaks of. Return the titles of the pages."""
        titles = dict[str, None]()
        for name in record["names"]:
            entity = self._canonical.get(name["entity"], name["entity"])
            if entity not in self._places:
                self._places[entity] = self._folder.find_place(PAGES, name["name"], entity)
            link = (title_of(place), record["versions"][-1]["content"])
            links = self._links.setdefault(entity, [])
            if link not in links[-1:]:
                links.append(link)
            titles[title_of(self._places[entity])] = None
        return list(titles)

    def render(self) -> Iterator[tuple[str, str, str]]:
        """Yield every page by its entity, with its place."""
        for entity, links in self._links.items():
            place, kind = self._places[entity], self._kinds.get(entity, "other")
            yield entity, place, render_page(title_of(place), kind, links)
