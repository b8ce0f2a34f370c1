"""Unread turns: turns from which nobody has concluded anything, page by page.

Where no chat model is configured, an agent that is there anyway may read them. A page is what a
model would be shown of a part of one session, as far as it is seen from where the agent works and
was told openly: what was told in confidence is on no page, nor what is not to be kept.

The latest conversation comes first, and each in the order in which it was held. The id of a page
follows from what is on it, so that nothing has to be kept of it: once a turn of it was edited, read
or forgotten, or anything else was forgotten that may have stood on it, no page has that id.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from memoria.bare.lazy_regex import lazy_regex
from memoria.erasure.suppression import Digester
from memoria.errors import InvalidInputError, NotFoundError, shorten
from memoria.inference.templates import load_template
from memoria.ingest.attribution import find_participants
from memoria.ingest.extract import leave_out_rules, list_unread
from memoria.ingest.processing import list_readable, list_turns_before
from memoria.ingest.reading_matter import ReadingContext, ShownSegment, list_before, text_to_relate
from memoria.memories.conditions import MOST_COUNTED, count_unread, is_open, list_open
from memoria.memories.verdicts import RelatedMemories
from memoria.model import Memory, QueueKind, StoredTurn, Validity
from memoria.model.base import cut_ids
from memoria.model.conclusions import UnreadLeft
from memoria.model.moments import Zone
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.store.rows.transaction import Transaction
from memoria.store.values import LeasedEntry

_PAGE_TURNS = 60
_PAGE_ID = lazy_regex(r"([0-9a-f]{8})-\d{1,7}-[0-9a-f]{8}", re.ASCII)
_NONE = "-"


@dataclass(frozen=True, slots=True)
class UnreadPage(ReadingContext):
    """A part of a session that nobody has read, as it is shown to an agent."""

    id: str = ""

    @property
    def memory_names(self) -> dict[str, str]:
        """Ids of the known memories, by the short ids that the agent is shown."""
        ids = [memory.id for memory in self.known]
        return dict(zip(cut_ids(ids), ids, strict=True))

    def find_number(self, turn_id: str) -> int | None:
        """Return the number of the turn given by number, id or end of an id, or None."""
        numbered = enumerate(self.turns, 1)
        is_id = len(turn_id) >= INDEXED_CHARS
        return next(
            (n for n, one in numbered if str(n) == turn_id or (is_id and one.id.endswith(turn_id))),
            None,
        )

    def write(self, zone: Zone) -> str:
        """Write the page: how to hand in conclusions, then the turns and related memories."""
        template, matter = load_template("unread"), self.describe(zone)
        text = template.render(
            page=self.id,
            people=matter.people,
            known=matter.known or _NONE,
            before=matter.before or _NONE,
            conversation=matter.conversation,
        )
        return f"{template.instructions}\n\n{text}"


class UnreadTurns:
    """Finds the turns that nobody has read and one project sees, in one transaction."""

    def __init__(self, tx: Transaction, digester: Digester, workspace: str | None) -> None:
        self._tx = tx
        self._digester = digester
        self._workspace = workspace

    def count_left(self) -> UnreadLeft:
        """Count the turns that are left to be read, and find the page to be read next."""
        first = self.find_first()
        page = None if first is None else _write_id(self._tx, first)
        return count_unread(self._tx, self._workspace).model_copy(update={"next_page": page})

    def find_first(self) -> Sequence[StoredTurn] | None:
        """Return the turns of the page to be read next; None if nothing is left."""
        latest = self._tx.conversations.list_unread(self._workspace, MOST_COUNTED)
        pages = map(self._find_first_of, dict.fromkeys(turn.session_n for turn in latest))
        return next(filter(None, pages), None)

    def _find_first_of(self, session_n: int) -> Sequence[StoredTurn]:
        """Return the first turns of a session that an agent may read."""
        start = 0
        while some := self._tx.conversations.list_unread_of(session_n, start, _PAGE_TURNS):
            if readable := self._list_readable(some):
                return readable
            start = some[-1].turn_index + 1
        return ()

    def find(self, page_id: str) -> Sequence[StoredTurn]:
        """Return the turns of a page.

        Raises:
            InvalidInputError: it was read already, or it is not what it was.
            NotFoundError: there never was such a page, or it was forgotten.
        """
        named = _PAGE_ID.fullmatch(page_id)
        firsts = [] if named is None else list(self._list_seen(named[1]))
        for first in firsts:
            turns = self._list_from(first, int(page_id.split("-")[1]))
            if turns and _write_id(self._tx, turns) == page_id:
                return turns
        raise _explain_missing(page_id, firsts, self._is_read(firsts))

    def _is_read(self, turns: Sequence[StoredTurn]) -> bool:
        passed_over = self._tx.conversations.list_passed_over([turn.n for turn in turns])
        return all(turn.processed or turn.n in passed_over for turn in turns)

    def _list_from(self, first: StoredTurn, span: int) -> Sequence[StoredTurn]:
        start = first.turn_index
        said = self._tx.conversations.list_span(first.session_n, start, start + span)
        return self._list_readable(said)

    def _list_seen(self, end: str) -> Iterator[StoredTurn]:
        """Yield the visible turns whose ids end with the given characters."""
        for one in self._tx.short_ids.list_alike([end]):
            turn = self._tx.conversations.turn(one)
            if turn is not None and turn.workspace in (None, self._workspace):
                yield turn

    def _list_readable(self, turns: Iterable[StoredTurn]) -> Sequence[StoredTurn]:
        """Return the turns that are unread and that an agent may read."""
        unread = list_readable(self._tx, list_unread(self._tx, turns), self._digester)
        return list_open(self._tx, unread)

    def describe(self, turns: Sequence[StoredTurn], recall: RelatedMemories) -> UnreadPage:
        """Return a page of turns of one session, with related memories."""
        tx, first = self._tx, turns[0]
        page_id = _write_id(tx, turns)
        near = list_turns_before(tx, first.session_n, first.turn_index)
        before = list_open(tx, list_readable(tx, near, self._digester))
        bearing = recall.find_bearing(tx, text_to_relate(turns), self._workspace)
        return UnreadPage(
            (_as_segment(page_id, turns),),
            before=list_before(before),
            known=tuple(self._list_told(bearing, turns)),
            participants=find_participants(tx),
            compare_meanings=tx.tombstones.has_meanings(),
            id=page_id,
        )

    def _list_told(
        self, bearing: Iterable[Memory], turns: Sequence[StoredTurn]
    ) -> Iterator[Memory]:
        """Yield the memories that may be shown beside turns that are still to be read."""
        for memory in bearing:
            known = leave_out_rules(memory, turns)
            is_active = memory.validity is Validity.ACTIVE
            if known is not None and is_active and is_open(self._tx, memory):
                yield known


def _as_segment(page_id: str, turns: Sequence[StoredTurn]) -> ShownSegment:
    """Return the turns as a part of a conversation that is shown whole.

    Its entry stands in no queue: it says only where the turns are.
    """
    entry = LeasedEntry(
        n=0,
        id=page_id,
        tenant="",
        kind=QueueKind.EXTRACT,
        session_n=turns[0].session_n,
        first_index=turns[0].turn_index,
        last_index=turns[-1].turn_index,
        reason="unread",
        attempts=1,
    )
    return ShownSegment(entry, tuple(turns), frozenset(turn.n for turn in turns))


def _write_id(tx: Transaction, turns: Sequence[StoredTurn]) -> str:
    """Return a page's id: its first turn, the number of further turns, and a digest of all."""
    shown = f"{tx.backlog.last_erasure()} {[turn.n for turn in turns]}"
    digest = blake2b(shown.encode(), digest_size=4).hexdigest()
    first, last = turns[0], turns[-1]
    span = last.turn_index - first.turn_index
    return f"{first.id[-INDEXED_CHARS:]}-{span}-{digest}"


def _explain_missing(
    page_id: str, firsts: Sequence[StoredTurn], is_read: bool
) -> InvalidInputError | NotFoundError:
    """Return the error that says why there is no such page to read."""
    shown = shorten(page_id)
    if not firsts:
        return NotFoundError(
            f"There is no page {shown}. Nothing was done; read memory://unread for what is left."
        )
    if is_read:
        return InvalidInputError(
            f"Page {shown} was read already, and nothing was added. Read memory://unread for what "
            "is left."
        )
    return InvalidInputError(
        f"Page {shown} is not what it was: something on it was edited, forgotten or read since. "
        "Nothing was done; read memory://unread anew."
    )
