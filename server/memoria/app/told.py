"""What agents are told unasked and were shown: the records behind it, for the user to look at."""

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

from memoria.app.open_home import in_snapshot, in_thread
from memoria.app.silence import compare_sessions
from memoria.bare.shown import note_shown, read_shown
from memoria.bare.silence import read_sessions
from memoria.bare.spool import read_heard
from memoria.model import Channel, Memory, StoredTurn
from memoria.model.base import Value, choose_by_end
from memoria.model.moments import Moment
from memoria.model.privacy import find_open
from memoria.model.value import SilenceReport
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    from memoria.app.spool import Spool
    from memoria.config import Settings

Way = Literal["briefing", "recall", "search", "traces", "lookup"]
"""Way in which records came before an agent: a hook put the briefing or what bears on a prompt
there, or the agent searched conclusions, searched the record, or looked a record up."""
_LOG = logging.getLogger(__name__)
_MOST_SHOWINGS = 20
_ASKED_WITHIN_MS = 3_600_000
"""Longest time from the user's words to what was shown after them."""


class ToldRecord(Value):
    """Memory or turn that an agent is told of or was shown, as it is now."""

    id: str
    """Its id; of a record that is gone the id or the end that was asked for."""
    memory: Memory | None = None
    turn: StoredTurn | None = None

    @property
    def is_gone(self) -> bool:
        """True if there is no such memory or turn any more."""
        return self.memory is None and self.turn is None


class Showing(Value):
    """Records that an agent was shown at once."""

    at: Moment
    way: Way
    records: tuple[ToldRecord, ...]
    after: StoredTurn | None = None
    """The user's last words in the session before it; None if there are none within an hour, and
    for a briefing."""


class ShowingPage(Value):
    """A page of what an agent was shown in a session, oldest first."""

    showings: tuple[Showing, ...]
    total: int
    """Number on all pages."""


class HeardClient(Value):
    """A client whose hooks have reported here."""

    name: str
    title: str
    at: Moment
    """Time of its last report."""


class _Note(Value):
    """A note as it is stored."""

    at: int
    way: Way
    ids: tuple[str, ...]


class ToldRecords:
    """Records that one tenant's agents are told of, and notes of those they were shown."""

    def __init__(
        self, store: Store, settings: "Settings", channel: Channel, session: str, spool: "Spool"
    ) -> None:
        """Bind to a tenant.

        Args:
            store: of the home.
            settings: whose records, and the project at hand.
            channel: by which the agent calls.
            session: the session of calls whose client names none.
            spool: which knows the sessions that hooks tell of.
        """
        self._store = store
        self._settings = settings
        self._channel = channel
        self._session = session
        self._spool = spool
        self._home = str(settings.home_path)
        self._tenant = settings.tenant

    async def find(self, ids: Iterable[str]) -> dict[str, ToldRecord]:
        """Map ids of memories and turns, or ends of ids, to the records."""
        wanted = list(dict.fromkeys(ids))
        return await in_snapshot(self._store, self._tenant, lambda tx: _find_records(tx, wanted))

    async def list_projects(self) -> list[str]:
        """List the names of the tenant's own projects of which anything is on record."""
        return await in_snapshot(
            self._store, self._tenant, lambda tx: list(tx.projects.list_used())
        )

    async def list_clients(self) -> tuple[HeardClient, ...]:
        """List the clients whose hooks have reported here, the latest first."""
        heard = await in_thread(lambda: read_heard(self._home, self._tenant))
        from memoria.connectors.clients.table import CLIENTS  # noqa: PLC0415  (few ask for it)

        titles = {one.name: one.title for one in CLIENTS}
        latest = sorted(heard.items(), key=lambda one: one[1], reverse=True)
        return tuple(
            HeardClient(name=name, title=titles.get(name, name), at=at) for name, at in latest
        )

    async def note_shown(self, way: Way, ids: Iterable[str], session: str | None = None) -> None:
        """Note what is shown to an agent. In private time nothing is noted; a failure is logged.

        Args:
            way: how it comes to be shown.
            ids: of memories and turns, the first shown first.
            session: as a hook names it; by default that of the calling client.
        """
        shown = list(ids)
        if shown:
            await in_thread(lambda: self._note(way, shown, session))

    async def list_shown(self, session: str, offset: int = 0) -> ShowingPage:
        """List what was shown in a session, by its whole id, as far as it was noted.

        Args:
            session: id of the session.
            offset: how many of the oldest are left out.
        """
        notes = await in_thread(lambda: read_shown(self._home, self._tenant, session))
        known = [one for one in map(_parse, notes) if one is not None]
        page = known[offset : offset + _MOST_SHOWINGS]

        def look_up(tx: Transaction) -> tuple[Showing, ...]:
            records = _find_records(tx, list({end: None for one in page for end in one.ids}))
            return tuple(_describe(tx, session, one, records) for one in page)

        showings = await in_snapshot(self._store, self._tenant, look_up)
        return ShowingPage(showings=showings, total=len(known))

    async def compare_silence(self) -> SilenceReport:
        """Compare sessions in which memory was silent with those in which it spoke."""
        notes = await in_thread(lambda: read_sessions(self._home, self._tenant))
        share = self._settings.silent_share
        return await in_snapshot(
            self._store, self._tenant, lambda tx: compare_sessions(tx, notes, share)
        )

    def _note(self, way: Way, ids: Sequence[str], session: str | None) -> None:
        place, channel = self._settings.workspace, self._channel
        if session is None:
            channel = self._spool.name_session(channel, place)
        named = session or channel.session or self._session
        with self._store.read(self._tenant) as tx:
            if find_open(tx.private_times.applying(place, channel.source, named)) is not None:
                return
        try:
            note_shown(self._home, self._tenant, named, way, ids)
        except OSError as error:  # whoever searches is answered all the same
            _LOG.warning("What was shown in a session is not noted: %s", error)


def _parse(note: dict[str, object]) -> _Note | None:
    """Return a note; None for one that another version has written."""
    fields = {name: note.get(name) for name in _Note.model_fields}
    try:
        return _Note.model_validate(fields)
    except ValidationError:
        return None


def _describe(
    tx: Transaction, session: str, note: _Note, records: dict[str, ToldRecord]
) -> Showing:
    since = note.at - _ASKED_WITHIN_MS
    return Showing(
        at=note.at,
        way=note.way,
        records=tuple(records[end] for end in note.ids),
        after=None  # a briefing comes before anything is said
        if note.way == "briefing"
        else tx.conversations.find_words_before(session, since, note.at),
    )


def _find_records(tx: Transaction, ends: Sequence[str]) -> dict[str, ToldRecord]:
    """Find records by their ids or ends of ids, in a few statements however many there are."""
    alike = tx.short_ids.list_alike(ends)
    whole = {end: choose_by_end(alike, end) or end for end in ends}
    ids = list(dict.fromkeys(whole.values()))
    statuses = tx.core.statuses(ids)
    numbers = {one.memory.version_n: one.memory.id for one in statuses.values()}
    memories = {
        numbers[n]: memory for n, memory in tx.memories.by_version_numbers(list(numbers)).items()
    }
    turns = {turn.id: turn for turn in tx.conversations.list_turns_by_id(ids)}
    return {
        end: ToldRecord(id=one, memory=memories.get(one), turn=turns.get(one))
        for end, one in whole.items()
    }
