"""Unread: what no chat model reads, for an agent to read. `Memoria` adds what is said and done."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import SkipValidation

from memoria.app.arguments import Text, check_arguments
from memoria.app.threads import in_snapshot, in_thread
from memoria.app.undoing import Changes
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.ingest.unread_count import count_unread
from memoria.model.handed_in import MOST_CONCLUSIONS, HandedIn, UnreadLeft
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    from memoria.ingest.handing_in import AgentReader


def count_for_agent(settings: Settings, tx: Transaction, project: str | None) -> UnreadLeft:
    """Count what an agent in a project is asked to read.

    That is nothing where a chat model reads, or the user has said no.
    """
    is_asked = settings.agents_read and not settings.has_chat_model
    return count_unread(tx, project) if is_asked else UnreadLeft(turns=0)


class Unread(Changes):
    """One tenant's memory, of which an agent may read what nobody has read."""

    @check_arguments
    async def count_unread(self) -> UnreadLeft:
        """Count what an agent is asked to read of what was said in this project, and in none."""
        settings, place = self.settings, self._place_of_agent()
        return await in_snapshot(
            self._store, self.tenant, lambda tx: count_for_agent(settings, tx, place)
        )

    @check_arguments
    async def read_unread(self, page_id: Text | None = None) -> str | None:
        """Return a page of what nobody has read, with how to hand in what is concluded from it.

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
        from memoria.memories.values import Author  # noqa: PLC0415  (as above)
        from memoria.retrieval.lookup.related import RelatedMemoryFinder  # noqa: PLC0415  (as above)

        return AgentReader(
            self._store,
            self.tenant,
            self._place_of_agent(),
            RelatedMemoryFinder(self._embedder),
            self._digester,
            Author(self._channel.name, self._channel.client),
            self.settings.personal_data or {},
        )

    def _place_of_agent(self) -> str | None:
        place = self._workspace(None)
        return None if place == EVERYWHERE else place
