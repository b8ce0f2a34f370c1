"""Records: memories, turns and sessions looked up by id or listed, and counted."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

from memoria.app.arguments import (
    AdjacentTurns,
    Count,
    Name,
    Offset,
    Text,
    check_arguments,
    takes_query,
)
from memoria.app.open_home import in_snapshot, in_thread
from memoria.app.recall import Recall
from memoria.app.spool import count_waiting
from memoria.memories.task_in_hand import date_focus, list_told_tasks
from memoria.model import (
    Health,
    Memory,
    MemoryListing,
    MemoryPage,
    MemoryStretch,
    MemoryWalk,
    Scratchpad,
    SessionListing,
    SessionPage,
    SessionRecord,
    Statistics,
    TurnRecord,
    now_millis,
)
from memoria.model.attachment import AttachmentFile
from memoria.retrieval.answer.marks import mark_contradicted_memories, mark_outdated_memories
from memoria.retrieval.lookup.records import (
    complete_id,
    complete_session_id,
    is_short,
    mark_conditions,
    read_attachment,
    read_id,
    read_memory,
    read_record,
    read_session,
    read_turn,
)
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

if TYPE_CHECKING:
    from memoria.app.events import EventQueries
    from memoria.app.provenance import ProvenanceQueries
    from memoria.app.timeline import TimelineQueries

_T = TypeVar("_T")
Completed = Literal["memory", "session", "project"]
"""Kinds of values that can be completed as they are typed."""


class Records(Recall):
    """Looks up one tenant's memory, and changes nothing."""

    @check_arguments
    async def get_record(
        self, record_id: Text, *, context: AdjacentTurns = 2
    ) -> Memory | TurnRecord:
        """Return the memory or turn that has the id, whole."""

        def read(tx: Transaction) -> Memory | TurnRecord:
            record = read_record(tx, complete_id(tx, record_id), context)
            return self._look_up(tx, record) if isinstance(record, Memory) else record

        return await self._read(read)

    @check_arguments
    async def get_memory(self, memory_id: Text) -> Memory:
        """Return a memory whole: its wordings, their windows, and where each came from."""
        return await self._read(
            lambda tx: self._look_up(tx, read_memory(tx, complete_id(tx, memory_id)))
        )

    @check_arguments
    async def get_turn(self, turn_id: Text, *, context: AdjacentTurns = 2) -> TurnRecord:
        """Return a recorded turn whole, with its versions and neighbours."""
        return await self._read(lambda tx: read_turn(tx, complete_id(tx, turn_id), context))

    @check_arguments
    async def get_attachment(self, turn_id: Text) -> AttachmentFile:
        """Return a file with its bytes, by its turn or by the message that brought it alone.

        Raises:
            NotFoundError: no file came with the turn, or its bytes are not kept.
            InvalidInputError: the message brought several.
        """
        return await self._read(lambda tx: read_attachment(tx, complete_id(tx, turn_id)))

    @check_arguments
    async def get_session(
        self, session_id: Text, *, offset: Offset = 0, limit: Count = 200
    ) -> SessionRecord:
        """Return a page of a session's turns, in order. The beginning of its id is enough."""
        return await self._read(
            lambda tx: read_session(tx, complete_session_id(tx, session_id), offset, limit)
        )

    @takes_query(MemoryListing)
    async def list_memories(self, listing: MemoryListing) -> MemoryPage:
        """Return a page of memories; the memory that became valid last comes first.

        It is called, by name, with whatever `MemoryListing` has; or with such an object.

        Raises:
            NotFoundError: no memory that is seen speaks of the entity.
        """
        from memoria.retrieval.lookup.listings import list_memories  # noqa: PLC0415  (only who lists pays for it)
        from memoria.retrieval.lookup.newer import mark_later  # noqa: PLC0415

        place, project = self._workspace(listing.workspace), self.settings.workspace

        def read(tx: Transaction) -> MemoryPage:
            page = list_memories(tx, listing, place, project)
            later = mark_later(tx, self._embedder, page.memories, project)
            return page.model_copy(update={"memories": tuple(later)})

        return await self._read(read)

    @takes_query(MemoryWalk)
    async def walk_memories(self, walk: MemoryWalk) -> MemoryStretch:
        """Return the next memories of a walk; the one that became valid last comes first.

        It reads bounded rows, however many there are, so it says neither how many there are nor
        what was said later. It is called, by name, with whatever `MemoryWalk` has; or with such an
        object.
        """
        from memoria.retrieval.lookup.listings import walk_memories  # noqa: PLC0415  (only who lists pays for it)

        place = self._workspace(walk.workspace)
        return await self._read(lambda tx: walk_memories(tx, walk, place))

    @takes_query(SessionListing)
    async def list_sessions(self, listing: SessionListing) -> SessionPage:
        """Return a page of sessions; the session in which something was said last comes first.

        It is called, by name, with whatever `SessionListing` has; or with such an object.
        """
        from memoria.retrieval.lookup.listings import list_sessions  # noqa: PLC0415  (only who lists pays for it)

        place = self._workspace(listing.workspace)
        return await self._read(
            lambda tx: list_sessions(tx, listing, place, self.settings.workspace)
        )

    @check_arguments
    async def list_unverified(self, limit: Count = 20) -> list[Memory]:
        """List memories the user has not confirmed, newest first."""
        place = self.settings.workspace
        return await self._read(
            lambda tx: self._with_contradictions(tx, tx.memories.list_unverified(limit, place))
        )

    @check_arguments
    async def list_pending(self, limit: Count = 20) -> list[Memory]:
        """List conclusions that do not count until the user has confirmed them, newest first."""
        return await self._read(
            lambda tx: self._with_contradictions(tx, tx.waiting.list_pending(limit, self._seen))
        )

    @check_arguments
    async def list_contradicted(self, limit: Count = 20) -> list[Memory]:
        """List a memory of each contradicting pair, with the other memory in `contradicts`."""
        return await self._read(
            lambda tx: self._with_contradictions(
                tx, tx.waiting.list_contradicted(limit, self._seen)
            )
        )

    @check_arguments
    async def scratchpads(
        self, limit: Count = 3, *, session_id: Name | None = None
    ) -> list[Scratchpad]:
        """List the scratchpads touched last, or the one of a session."""
        place = self.settings.workspace

        def read(tx: Transaction) -> list[Scratchpad]:
            own = tx.scratchpads.get(session_id) if session_id is not None else None
            found = tx.scratchpads.list_recent(limit, place) if session_id is None else [own]
            return [date_focus(tx, pad, now_millis()) for pad in found if pad is not None]

        return await self._read(read)

    async def list_tasks(self, limit: Count = 3) -> list[Scratchpad]:
        """List the scratchpads touched last, without tasks that are days old or were left."""
        place = self.settings.workspace
        return await self._read(lambda tx: list_told_tasks(tx, place, now_millis(), limit))

    async def wishes(self) -> list[str]:
        """List what the user has asked for from now on, a dated line each, in their own words.

        These are turns and no memories. `remember` makes a memory of one, and `set_quote_aside`
        has it told no more.
        """
        from memoria.lifecycle.core.told import list_wishes, wish_lines  # noqa: PLC0415  (only who reads them)

        project, home = self.settings.workspace, str(self.settings.home_path)

        def read(tx: Transaction) -> list[str]:
            return [one.text for one in wish_lines(tx, list_wishes(tx, project), project, home)]

        return await self._read(read)

    @check_arguments
    async def statistics(self) -> Statistics:
        """Count what this tenant holds."""
        held = await self._read(lambda tx: tx.statistics())
        waiting = await in_thread(lambda: count_waiting(self.settings.home_path, self.tenant))
        price = self.settings.daily_cap.price
        costs = (
            {}
            if price is None
            else {
                "reading_cost": price.cost_of(held.reading),
                "cost_today": price.cost_of(held.today),
            }
        )
        return held.model_copy(update={"waiting": waiting, **costs})

    @check_arguments
    async def complete(self, kind: Completed, typed: str) -> list[str]:
        """List the ids of memories or sessions, or names of projects, that fit what is typed."""
        from memoria.retrieval.lookup.listings import (  # noqa: PLC0415  (only who types pays)
            list_memory_ids,
            list_project_names,
            list_session_ids,
        )

        place = self._workspace(None)

        def look(tx: Transaction) -> list[str]:
            match kind:
                case "memory":
                    return list_memory_ids(tx, typed, place)
                case "session":
                    return list_session_ids(tx, typed, place)
                case "project":
                    return list_project_names(tx, typed, self.settings)

        return await self._read(look)

    @property
    def provenance(self) -> "ProvenanceQueries":
        """Queries for the origins of memories, and what became of them."""
        from memoria.app.provenance import ProvenanceQueries  # noqa: PLC0415  (only who looks pays for it)

        place = self.settings.workspace
        return ProvenanceQueries(self._store, self.tenant, place, self._home.grounds)

    @property
    def events(self) -> "EventQueries":
        """Changes of this memory, by ids alone."""
        from memoria.app.events import EventQueries  # noqa: PLC0415  (as below)

        return EventQueries(self._store, self.tenant)

    @property
    def timeline(self) -> "TimelineQueries":
        """Days with their sessions, and sessions with what came of each turn."""
        from memoria.app.timeline import TimelineQueries  # noqa: PLC0415  (only who looks back pays for it)

        return TimelineQueries(self._store, self.settings)

    def _look_up(self, tx: Transaction, memory: Memory) -> Memory:
        """Add to a memory what contradicts or outdates it, what was said later, and its links."""
        from memoria.memories.times import local_span  # noqa: PLC0415  (as below)
        from memoria.retrieval.lookup.newer import mark_later  # noqa: PLC0415
        from memoria.retrieval.lookup.provenance import add_links, filters_from  # noqa: PLC0415

        project = self.settings.workspace
        (marked,) = mark_later(tx, self._embedder, self._with_contradictions(tx, [memory]), project)
        marked = marked.model_copy(update={"local": local_span(memory, tx.zone)})
        return add_links(tx, marked, filters_from(project))

    def _with_contradictions(self, tx: Transaction, memories: Sequence[Memory]) -> list[Memory]:
        """Add to memories what contradicts or outdates them, as far as the project sees it."""
        shown = mark_conditions(tx, memories)
        shown = mark_outdated_memories(tx, mark_contradicted_memories(tx, shown, self._seen))
        grounds = self._home.grounds
        return shown if grounds is None else grounds.mark(self.tenant, tx, shown)

    @property
    def _seen(self) -> Filters:
        """Filters for all that counts and that the project sees."""
        project = self.settings.workspace
        return Filters(workspace=project, everywhere=project == EVERYWHERE)

    @check_arguments
    async def quick_health(self, *, own: bool) -> Health:
        """Examine what can be told at once, however much the home holds; `health` sees more.

        Args:
            own: True for what is this tenant's own, without a word on others or on the machine.
        """
        from memoria.admin.doctor import examine_quickly  # noqa: PLC0415  (only who asks pays)

        store, settings, embedder = self._store, self.settings, self._embedder
        return await in_thread(lambda: examine_quickly(store, settings, embedder, own=own))

    async def is_alone(self) -> bool:
        """Return whether the server has this tenant alone, so that all it tells is theirs."""
        if self.settings.homes is not None:
            return False
        return set(await in_thread(self._store.tenants)) <= {self.tenant}

    async def _complete_ids(self, *ids: str | None) -> list[str]:
        """Return the whole ids for some ends of ids; empty for an end that no id has."""
        given = [read_id(one or "") for one in ids]
        if not any(map(is_short, given)):
            return given
        return await self._read(lambda tx: [complete_id(tx, one) for one in given])

    async def _complete_covers(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Return ids of turns whole, and those of sessions as they are."""
        return await self._read(
            lambda tx: tuple(
                one if tx.conversations.session_size(one) else complete_id(tx, one) for one in ids
            )
        )

    async def _read(self, look: Callable[[Transaction], _T]) -> _T:
        return await in_snapshot(self._store, self.tenant, look)
