"""The extraction queue and the unread turns: what a chat model or an agent has still to read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import SkipValidation

from memoria.app.arguments import Count, Text, check_arguments
from memoria.app.changes import Changes
from memoria.app.open_home import in_snapshot, in_thread
from memoria.config import Settings
from memoria.erasure.suppression import Digester
from memoria.errors import InvalidInputError
from memoria.memories.conditions import count_unread
from memoria.model import DAY_MS, QueueEntry, QueueState, QueueStatus, now_millis, start_of_utc_day
from memoria.model.conclusions import MOST_CONCLUSIONS, HandedIn, UnreadLeft
from memoria.model.status import DaySpending
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    from memoria.app.skills import SkillShelf
    from memoria.app.spool import Spool
    from memoria.app.told import ToldRecords
    from memoria.ingest.extraction import ExtractionWorker
    from memoria.ingest.handing_in import AgentReader
    from memoria.ingest.intake import IntakeLimits


_EVERY_ENTRY = 1_000_000
_AT_ONCE = 500
"""Segments queued in one transaction, so that nobody has to wait long to write."""
NO_CHAT_MODEL = (
    "No chat model is configured, so nobody can read. `memoria model` finds one that you have."
)


class ExtractionQueue:
    """Queue of one tenant's conversations for a chat model. See `Memoria.queue`."""

    def __init__(
        self, store: Store, tenant: str, digester: Digester, reader: "ExtractionWorker | None"
    ) -> None:
        self._store = store
        self._digester = digester
        self._tenant = tenant
        self._reader = reader

    @property
    def has_reader(self) -> bool:
        """True if a chat model is configured to read what is recorded."""
        return self._reader is not None

    @check_arguments
    async def status(self) -> QueueStatus:
        """Count what waits for a chat model, what it has read and what was given up."""
        return await in_snapshot(self._store, self._tenant, lambda tx: tx.queue.status())

    @check_arguments
    async def list_entries(
        self, state: QueueState | None = None, *, limit: Count = 50, after: Text | None = None
    ) -> list[QueueEntry]:
        """List segments of conversation in the queue, those that wait first.

        Args:
            state: only those in this state.
            limit: entries at most.
            after: id of the entry with which a list ended: only those behind it.
        """
        return await in_snapshot(
            self._store, self._tenant, lambda tx: tx.queue.list_entries(state, limit, after)
        )

    @check_arguments
    async def list_spending(self, days: Count = 30) -> list[DaySpending]:
        """List the tokens that each model took on each UTC day, newest first.

        Args:
            days: how many days back, today among them.
        """
        since = start_of_utc_day(now_millis()) - (days - 1) * DAY_MS
        return await in_snapshot(self._store, self._tenant, lambda tx: tx.ledger.list_days(since))

    @check_arguments
    async def retry(self, ids: Sequence[Text] | None = None) -> list[str]:
        """Let segments be tried again that were given up, dropped or put off.

        Returns the ids of segments for which there was something to do.

        Args:
            ids: which; all that were given up or put off by default.
        """
        changed = await self._change(ids, lambda tx, i: tx.queue.retry(i))
        if self._reader is not None:
            self._reader.wake()
        return changed

    @check_arguments
    async def rouse(self) -> None:
        """Let what waits for a pause, or for more to be read with, be read now."""

        def rousing() -> None:
            with self._store.work_queue(write=True) as queue:
                queue.rouse(self._tenant, now_millis())

        await in_thread(rousing)
        if self._reader is not None:
            self._reader.wake()

    @check_arguments
    async def drop(self, ids: Sequence[Text] | None = None) -> list[str]:
        """Take segments out of the queue unread. Return the ids of those that were in it.

        Args:
            ids: which; all that wait or were given up by default.
        """
        return await self._change(ids, lambda tx, i: tx.queue.drop(i))

    @check_arguments
    async def fill(self) -> int:
        """Queue what was recorded while there was no chat model. Return how many segments.

        Raises:
            InvalidInputError: there is none now.
        """
        reader = self._reader
        if reader is None:
            raise InvalidInputError(NO_CHAT_MODEL)

        def filling() -> int:
            with self._store.write(self._tenant) as tx:
                return self._queue_missing(tx, reader.intake)

        filled = 0
        while some := await in_thread(filling):
            filled += some
            reader.wake()
        return filled

    def _queue_missing(self, tx: Transaction, limits: "IntakeLimits") -> int:
        from memoria.ingest.intake import Intake  # noqa: PLC0415  (a start-up must not pay for it)

        unread = tx.conversations.list_unqueued_segments(_AT_ONCE)
        at_once = replace(limits, wait_ms=0)
        Intake(tx, self._digester, at_once, now_millis()).queue_segments(unread)
        return len(unread)

    @check_arguments
    async def is_idle(self) -> bool:
        """Check whether there is nothing to read now."""
        return self._reader is None or await in_thread(self._reader.is_idle)

    async def _change(
        self, ids: Sequence[str] | None, change: Callable[[Transaction, str], bool]
    ) -> list[str]:
        def changing() -> list[str]:
            with self._store.write(self._tenant) as tx:
                return [i for i in (_list_open(tx) if ids is None else ids) if change(tx, i)]

        return await in_thread(changing)


def _list_open(tx: Transaction) -> list[str]:
    """List ids of the queue's entries that wait or were given up."""
    states = (QueueState.DEAD, QueueState.WAITING)
    return [entry.id for state in states for entry in tx.queue.list_entries(state, _EVERY_ENTRY)]


def count_for_agent(settings: Settings, tx: Transaction, project: str | None) -> UnreadLeft:
    """Count what an agent in a project is asked to read.

    That is nothing where a chat model reads, or the user has said no.
    """
    is_asked = settings.agents_read and not settings.has_chat_model
    return count_unread(tx, project) if is_asked else UnreadLeft(turns=0)


class Unread(Changes):
    """Unread turns of one tenant, for an agent that reads them and hands in conclusions."""

    spool: "Spool"

    @property
    def told(self) -> "ToldRecords":
        """Records that agents are told of unasked and were shown, by session."""
        from memoria.app.told import ToldRecords  # noqa: PLC0415  (not every call pays for it)

        session = self._default_session
        return ToldRecords(self._store, self.settings, self._channel, session, self.spool)

    @property
    def skills(self) -> "SkillShelf":
        """Skills made from what has held, and their files."""
        from memoria.app.skills import SkillShelf  # noqa: PLC0415  (as above)
        from memoria.memories.revisions import Revisions  # noqa: PLC0415

        place = None if self.settings.workspace == EVERYWHERE else self.settings.workspace
        revisions = Revisions(self._store, self.tenant, self._channel, self._digester, place)
        return SkillShelf(self._store, self.settings, revisions)

    @check_arguments
    async def count_unread(self) -> UnreadLeft:
        """Count what an agent is asked to read of what was said in this project, and in none."""
        settings, place = self.settings, self._place_of_agent()
        if self._home.chat is not None:
            return UnreadLeft(turns=0)
        return await in_snapshot(
            self._store, self.tenant, lambda tx: count_for_agent(settings, tx, place)
        )

    @check_arguments
    async def read_unread(self, page_id: Text | None = None) -> str | None:
        """Return a page of turns that no model or agent has read, with how to hand in conclusions.

        Args:
            page_id: which; the next one by default.

        Returns:
            The page; None where nothing is left to be read.

        Raises:
            InvalidInputError: the page was read already, or is not what it was.
            NotFoundError: there is no such page.
        """
        reader = self._agent_reader()
        return await in_thread(lambda: reader.show(page_id))

    @check_arguments
    async def hand_in(
        self,
        page_id: Text,
        conclusions: Annotated[Sequence[Mapping[str, object]], SkipValidation] = (),
    ) -> HandedIn:
        """Keep what was concluded from a page. Its turns count as read, also where that is nothing.

        Args:
            page_id: the page, as `read_unread` names it.
            conclusions: objects with the fields of `AgentConclusion`.

        Raises:
            InvalidInputError: they are too many, none of them can be kept, or the page is not what
                it was. Nothing was done.
            NotFoundError: there is no such page.
        """
        if len(conclusions) > MOST_CONCLUSIONS:
            raise InvalidInputError(
                f"memories: these are {len(conclusions)}, and a call takes {MOST_CONCLUSIONS} at "
                "most. Nothing was done; hand in those that matter most."
            )
        await self._check_private_time()
        reader = self._agent_reader()
        done = await in_thread(lambda: reader.take(page_id, conclusions))
        self._wake_worker()
        return done

    async def _check_private_time(
        self, session_id: str | None = None, workspace: str | None = None
    ) -> None:
        raise NotImplementedError

    def _agent_reader(self) -> "AgentReader":
        from memoria.ingest.handing_in import AgentReader  # noqa: PLC0415  (only who reads pays for it)
        from memoria.memories.wordings import Author  # noqa: PLC0415  (as above)
        from memoria.retrieval.lookup.related import RelatedMemoryFinder  # noqa: PLC0415  (as above)

        return AgentReader(
            self._store,
            self.tenant,
            self._place_of_agent(),
            RelatedMemoryFinder(self._embedder),
            self._digester,
            Author(self._channel.name, self._channel.client, self._channel.caller),
            self._home.policy,
        )

    def _place_of_agent(self) -> str | None:
        place = self._workspace(None)
        return None if place == EVERYWHERE else place
