"""Additions to core files beside the memories: contradictions, later words and quotes.

Beside a memory stands what contradicts it and what was said later; in a section of their own stand
the quotes of what the user asked for, of which there is no memory yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoria.inference import LazyEmbedder
from memoria.lifecycle.core.lines import Quote, render_text
from memoria.lifecycle.core.places import CorePlace
from memoria.lifecycle.core.render import Rows
from memoria.lifecycle.core.told import may_be_quoted
from memoria.lifecycle.core.wishes import list_wishes, name_other_project
from memoria.memories.days import date_of_turn
from memoria.model import StoredTurn
from memoria.model.core import PROJECT_FILE, CoreLine
from memoria.retrieval.lookup.newer import Told, find_newer
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MOST_QUOTES = 8


@dataclass(frozen=True, slots=True)
class BesideSearch:
    """Finds contradictions and later words beside memories, in one snapshot."""

    tx: Transaction
    project: str | None
    """Project from which they are read."""
    embedder: LazyEmbedder | None = None
    """Embedder whose vectors tell what was said later."""

    def add_to(self, rows: Rows, shown: Sequence[CoreLine]) -> Rows:
        """Return the rows with what stands beside those memories of them that are shown."""
        ids = {line.memory_id for line in shown}
        told = [
            Told(one.id, one.version_n, one.valid_from)
            for one in rows.memories
            if one.id in ids and not one.type.is_derived
        ]
        seen = Filters(workspace=self.project)
        return replace(
            rows,
            contradicted=frozenset(self.tx.memories.list_contradictions(list(ids), seen)),
            newer=find_newer(self.tx, self.embedder, told, self.project, may_be_quoted),
        )


def list_quotes(tx: Transaction, place: CorePlace, home: str | None = None) -> list[Quote]:
    """List the user's requests without a memory: of everywhere, or of a project alone.

    Args:
        tx: sees the tenant's rows.
        place: the file in which it is to stand.
        home: which knows the folders in which projects are now; None for those they were in.
    """
    if place.file != PROJECT_FILE and place.project is None:
        return []
    wishes = list_wishes(tx, place.project)
    if place.project is not None:
        everywhere = {turn.n for turn in list_wishes(tx, None)}
        wishes = [turn for turn in wishes if turn.n not in everywhere]
    return [
        Quote(turn.id, _when(tx, turn, place, home), turn.content)
        for turn in wishes[:_MOST_QUOTES]
        if may_be_quoted(turn)
    ]


def _when(tx: Transaction, turn: StoredTurn, place: CorePlace, home: str | None) -> str:
    other = render_text(name_other_project(turn, place.project, home))
    return f"{date_of_turn(turn, tx.zone)}{other}"
