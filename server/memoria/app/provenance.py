"""Origins and links of memories, and the entities that memories speak of."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from memoria.app.arguments import AdjacentTurns, Count, Text, check_arguments
from memoria.app.open_home import in_snapshot, in_thread
from memoria.errors import NotFoundError, shorten
from memoria.memories.entities import Pair, find_kin, join_entities, list_proposals, part_entities
from memoria.memories.weighing import weigh_memory
from memoria.model import Entity, LoggedAction, StoredTurn, now_millis
from memoria.model.provenance import (
    Channel,
    EntityKin,
    EntityRecord,
    MemoryHistory,
    MemoryRecord,
    NamePage,
    Namesakes,
    Neighbourhood,
    TurnOrigin,
    WaitingPage,
)
from memoria.retrieval.lookup.entities import choose_pair, find_entity
from memoria.retrieval.lookup.neighbourhood import (
    list_names,
    list_open_entities,
    read_neighbourhood,
)
from memoria.retrieval.lookup.provenance import (
    filters_from,
    list_pending,
    read_history,
    read_origin,
)
from memoria.retrieval.lookup.records import complete_id
from memoria.retrieval.lookup.review import read_contradicted, read_pending
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import LAST

if TYPE_CHECKING:
    from memoria.ingest.grounding import GroundingWorker

Hops = Literal[1, 2]
_Settle = Callable[[Transaction, Pair, Channel, int], None]


class ProvenanceQueries:
    """Queries for the origins of one tenant's memories. See `Memoria.provenance`."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        workspace: str | None,
        grounds: "GroundingWorker | None" = None,
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._seen = filters_from(workspace)
        self._grounds = grounds

    @check_arguments
    async def get(
        self, record_id: Text, *, context: AdjacentTurns = 2, most: Count | None = None
    ) -> MemoryRecord | TurnOrigin:
        """Return a memory with every turn it rests on and every link, or a turn with its memories.

        Args:
            record_id: of a memory or a turn.
            context: neighbours of a turn on each side.
            most: turns of a memory, the newest, or memories of a turn, at most; all by default.

        Raises:
            NotFoundError: there is neither.
        """

        def read(tx: Transaction) -> MemoryRecord | TurnOrigin:
            found = read_origin(tx, complete_id(tx, record_id), context, self._seen, most)
            if isinstance(found, TurnOrigin):
                return found
            memory = found.memory
            if self._grounds is not None:
                (memory,) = self._grounds.mark(self._tenant, tx, [memory])
            weighing = weigh_memory(tx, memory)
            return found.model_copy(update={"memory": memory, "weighing": weighing})

        return await in_snapshot(self._store, self._tenant, read)

    @check_arguments
    async def history(self, memory_id: Text, *, most: Count | None = None) -> MemoryHistory:
        """Return the life of a memory: each wording, what said it again, what was done to it.

        Args:
            memory_id: of the memory.
            most: turns that said it again, and things done to it, at most, the newest; all by
                default.

        Raises:
            NotFoundError: there is no such memory.
        """
        return await in_snapshot(
            self._store, self._tenant, lambda tx: read_history(tx, complete_id(tx, memory_id), most)
        )

    @check_arguments
    async def list_pending(self, limit: Count = 20) -> list[MemoryRecord]:
        """List memories that the user has yet to confirm, newest first, each with its evidence."""
        return await in_snapshot(
            self._store, self._tenant, lambda tx: list_pending(tx, limit, self._seen)
        )

    @check_arguments
    async def page_pending(self, limit: Count = 20, before: Text | None = None) -> WaitingPage:
        """List memories that the user has yet to confirm, newest first, with what contradicts them.

        Args:
            limit: memories at most.
            before: id of the memory after which the list goes on; from the newest by default.

        Raises:
            NotFoundError: there is no memory `before`.
        """
        return await in_snapshot(
            self._store, self._tenant, lambda tx: read_pending(tx, limit, self._seen, before)
        )

    @check_arguments
    async def page_contradicted(self, limit: Count = 20) -> WaitingPage:
        """List memories that count and cannot all be true, the newest finding first."""
        return await in_snapshot(
            self._store, self._tenant, lambda tx: read_contradicted(tx, limit, self._seen)
        )

    async def list_quotes(self) -> list[StoredTurn]:
        """List turns in which the user has asked for something from now on, newest first.

        Agents are told them as they were said. `remember` makes a memory of one, and
        `set_quote_aside` has it told no more.
        """
        from memoria.lifecycle.core.told import list_wishes  # noqa: PLC0415  (only who reads them)

        project = self._seen.workspace
        return await in_snapshot(self._store, self._tenant, lambda tx: list_wishes(tx, project))

    @check_arguments
    async def list_actions(
        self, limit: Count = 100, since: int = 0, before: int = LAST
    ) -> list[LoggedAction]:
        """List what was done and what was refused, newest first.

        Args:
            limit: lines at most.
            since: UTC epoch milliseconds.
            before: only lines before the one of this number, with which a list ended.
        """
        return await in_snapshot(
            self._store, self._tenant, lambda tx: tx.audit.list_latest(limit, since, before)
        )


class EntityQueries:
    """The people, places and things of one tenant's memories. See `Memoria.graph`."""

    def __init__(self, store: Store, tenant: str, workspace: str | None, channel: Channel) -> None:
        self._store = store
        self._tenant = tenant
        self._seen = filters_from(workspace)
        self._channel = channel

    @check_arguments
    async def join(self, name: Text, other: Text) -> None:
        """Join two entities: who is asked for by one name is found by both from now on.

        Each keeps the names and links it has, so `part` makes two of them again.

        Args:
            name: a name, an alias or an id.
            other: the same of the other entity, by whose id both are known then.

        Raises:
            NotFoundError: nobody goes by one of the names.
            InvalidInputError: the names mean one entity, or more than two.
        """
        await self._settle(join_entities, name, other)

    @check_arguments
    async def part(self, name: Text, other: Text) -> None:
        """Part two entities, and propose no more that they are one.

        Args:
            name: a name, an alias or an id.
            other: the same of the other entity.

        Raises:
            NotFoundError: nobody goes by one of the names.
            InvalidInputError: the names mean one entity, or more than two.
        """
        await self._settle(part_entities, name, other)

    @check_arguments
    async def list_proposals(self, limit: Count = 20) -> list[tuple[Entity, Entity]]:
        """List pairs of entities that may be one, because they go by one name."""

        def read(tx: Transaction) -> list[tuple[Entity, Entity]]:
            pairs = list_proposals(tx, self._seen, limit)
            entities = list({one.id: one for pair in pairs for one in pair}.values())
            told = {one.id for one in list_open_entities(tx, entities, self._seen)}
            return [pair for pair in pairs if {one.id for one in pair} <= told]

        return await in_snapshot(self._store, self._tenant, read)

    @check_arguments
    async def read_neighbourhood(self, name: Text) -> Neighbourhood | Namesakes:
        """Return an entity with the memories and turns that name it, and what is around these.

        Where several entities or none go by the name, the result lists them.

        Args:
            name: a name, an alias or an id.
        """
        return await in_snapshot(
            self._store, self._tenant, lambda tx: read_neighbourhood(tx, name, self._seen)
        )

    @check_arguments
    async def find_kin(self, entity_id: Text) -> EntityKin:
        """Find the entities that an entity was joined with, and those that it may be one with.

        Raises:
            NotFoundError: there is no such entity.
        """

        def find(tx: Transaction) -> EntityKin:
            entity = tx.graph.get_entity(entity_id, self._seen)
            if entity is None:
                raise NotFoundError(f"Nothing is known by the id {shorten(entity_id)}.")
            return find_kin(tx, entity, self._seen)

        return await in_snapshot(self._store, self._tenant, find)

    @check_arguments
    async def list_names(
        self, begins: Text = "", *, after: Text | None = None, limit: Count = 50
    ) -> NamePage:
        """List people, places and things in the order of their names.

        Args:
            begins: beginning of a name or an alias, whatever its letter case; empty for all names.
            after: place after which the list goes on, as the page before tells it.
            limit: names at most; entities of several names stand at each of them, once on a page.
        """
        entity_id, _, key = (after or "").partition(":")
        place = None if after is None else (key, entity_id)

        def read(tx: Transaction) -> NamePage:
            found, end = list_names(tx, begins, place, self._seen, limit)
            next_place = None if end is None else f"{end[1]}:{end[0]}"
            return NamePage(entities=tuple(found), after=next_place)

        return await in_snapshot(self._store, self._tenant, read)

    async def _settle(self, settle: _Settle, name: str, other: str) -> None:
        def settling() -> None:
            with self._store.write(self._tenant) as tx:
                pair = choose_pair(tx, name, other, self._seen)
                settle(tx, pair, self._channel, now_millis())

        await in_thread(settling)

    @check_arguments
    async def around(
        self, name: Text, *, hops: Hops = 1, limit: Count = 30
    ) -> EntityRecord | Namesakes:
        """Return what is known of an entity, with the memories that speak of the entity.

        Where several entities or none go by the name, the result lists them.

        Args:
            name: a name, an alias or an id.
            hops: 2 to add what these memories are linked with.
            limit: memories at most.
        """
        return await in_snapshot(
            self._store, self._tenant, lambda tx: find_entity(tx, name, hops, limit, self._seen)
        )
