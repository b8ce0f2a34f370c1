"""Timelines: days with their sessions, and sessions with what came of each turn."""

from datetime import date, timedelta
from typing import Annotated

from pydantic import Field

from memoria.app.arguments import Count, Offset, Text, check_arguments
from memoria.app.asking import choose_workspace
from memoria.app.open_home import in_snapshot, in_thread
from memoria.bare.lazy_regex import lazy_regex
from memoria.config import Settings
from memoria.disk.folders import daily_path
from memoria.errors import UnusableFileError
from memoria.model.events import EventPosition
from memoria.model.timeline import Happenings, SessionTrace, Timeline
from memoria.retrieval.lookup.timeline import read_days, read_happenings, trace_session
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.engine import Store
from memoria.store.rows.listings import ListedSpan

_ABOVE_LISTS = lazy_regex(r"(?ms)\A# [^\n]*\n(.*?)(?:^## |\Z)")
_Days = Annotated[int, Field(ge=1, le=31)]


class TimelineQueries:
    """Looks back on what was said to one tenant's agents. See `Memoria.timeline`."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._files = store.files.of(settings.tenant)

    @check_arguments
    async def list_days(
        self,
        first: date,
        days: _Days = 1,
        *,
        workspace: Text = EVERYWHERE,
        after: int = 0,
        limit: Count = 50,
    ) -> Timeline:
        """Return days by the user's clock, with their sessions in the order in which they began.

        Args:
            first: the first day.
            days: number of days.
            workspace: project asked from; all that are not private by default.
            after: UTC epoch ms from which sessions are listed; `next_at` of the page before.
            limit: number of sessions at most.
        """
        dates = [first + timedelta(days=number) for number in range(days)]
        place = choose_workspace(self._settings, workspace)
        span = ListedSpan(0, limit, after, workspace=place, everywhere=place == EVERYWHERE)
        found = await in_snapshot(
            self._store,
            self._settings.tenant,
            lambda tx: read_days(tx, [tx.zone.day(one) for one in dates], span),
        )
        summaries = await in_thread(lambda: [self._read_summary(one) for one in dates])
        pairs = zip(found.days, summaries, strict=True)
        told = tuple(day.model_copy(update={"summary": text}) for day, text in pairs)
        return found.model_copy(update={"days": told})

    @check_arguments
    async def trace_session(
        self, session_id: Text, *, offset: Offset = 0, limit: Count = 50
    ) -> SessionTrace:
        """Return a page of a session's turns, with the memories that rest on each.

        Raises:
            NotFoundError: there is no such session.
        """
        return await in_snapshot(
            self._store,
            self._settings.tenant,
            lambda tx: trace_session(tx, session_id, offset, limit),
        )

    @check_arguments
    async def list_happenings(
        self, after: EventPosition | None = None, limit: Count = 100
    ) -> Happenings:
        """Return the events after a place, or the newest, with what they are about, newest first.

        Args:
            after: place of the last event that is known; None for the newest events.
            limit: number of events at most; of more the newest are given.
        """
        return await in_snapshot(
            self._store, self._settings.tenant, lambda tx: read_happenings(tx, after, limit)
        )

    def _read_summary(self, day: date) -> str:
        """Return the sentences above the lists of a day's page, or why they can't be read.

        The text is empty if the day has no page, or its page no sentences.
        """
        try:
            page = self._files.read(daily_path(day)) or b""
        except UnusableFileError as error:
            return str(error)
        found = _ABOVE_LISTS.match(page.decode(errors="replace"))
        return found[1].strip() if found else ""
