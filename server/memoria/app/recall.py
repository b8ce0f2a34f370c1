"""Recall: the two levels of search, and the context package."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

from memoria.app.arguments import Name, ShortTermTurns, Text, check_arguments, takes_query
from memoria.app.asking import (
    choose_options,
    choose_workspace,
    plan_memory_search,
    plan_trace_search,
)
from memoria.app.live_sessions import LiveSessions
from memoria.app.open_home import OpenHome, in_snapshot, in_thread
from memoria.app.spool import WAITING_BYTES
from memoria.bare.spans import spans
from memoria.errors import InvalidInputError, UnusableFileError
from memoria.memories.task_in_hand import date_focus, list_told_tasks
from memoria.model import ContextPackage, SearchResult, new_id, now_millis
from memoria.model.core import CORE_FILES, CoreFile, ToldText
from memoria.model.query import MemoryQuery, TranscriptQuery
from memoria.retrieval import (
    Search,
    SearchOptions,
    SearchPlan,
    plan_context,
    plan_evidence,
    plan_unasked,
)

_TASKS = 3
_SHORT_TERM_TURNS = 6
_UNASKED_WAIT_MS = 1_000
"""Longest wait for a model that is loading: words alone tell less surely."""
_LONGEST_PROMPT = 2_000
"""Longest prompt that is asked with, in characters; beyond are logs, files, pages."""


if TYPE_CHECKING:
    from memoria.app.briefing import CoreReader
    from memoria.app.kept import AnswerKeeper, Composer
    from memoria.config import Settings
    from memoria.model.grounds import GroundMark
    from memoria.model.turn import Scratchpad, StoredTurn
    from memoria.store.rows.transaction import Transaction


class Recall:
    """The two levels of search over one tenant's memory, and the package for a prompt."""

    def __init__(self, home: OpenHome) -> None:
        self.settings = home.settings
        self.tenant = home.settings.tenant
        self._home = home
        self._store = home.store
        self._embedder = home.embedder
        self._default_session = f"session-{new_id()}"
        self.live = LiveSessions(home.store, self.tenant)
        """Sessions that hooks of other machines tell of."""
        self.embedder_wait_ms = 3000
        """How long a search waits for a model that is still loading before it goes on with text
        alone. The bundled model loads in 0.2 s; the first time on a machine, in about 2 s."""

    @property
    def session(self) -> str:
        """The session of calls that name none."""
        return self._default_session

    def warm_up(self) -> None:
        """Begin to load the embedder in the background, and return at once."""
        if self._embedder is not None:
            self._embedder.start_loading()

    @property
    def embedder_state(self) -> str:
        """`off`, `not loaded`, `loading`, `ready` or `failed: …`."""
        return "off" if self._embedder is None else self._embedder.state

    @takes_query(MemoryQuery)
    async def search_memory(self, query: MemoryQuery) -> SearchResult:
        """Search the first level: conclusions, a line each, cited; empty when nothing fits.

        Turns that no chat model has read yet, or whose memory waits for the user's word, stand
        in, marked `unprocessed`. It is called
        with a question and, by name, whatever else `MemoryQuery` has; or with such an object.
        """
        await self.catch_up()
        return await self._run(partial(plan_memory_search, query))

    @takes_query(TranscriptQuery)
    async def search_conversation_traces(self, query: TranscriptQuery) -> SearchResult:
        """Search the second level: the verbatim record, tool calls included.

        It is called with a question and, by name, whatever else `TranscriptQuery` has; or with such
        an object.
        """
        await self.catch_up()
        return await self._run(partial(plan_trace_search, query))

    @check_arguments
    async def build_context(
        self,
        query: Text,
        *,
        max_tokens: int = 1200,
        session_id: Name | None = None,
        short_term_turns: ShortTermTurns | None = None,
        workspace: Text | None = None,
        task: Text | None = None,
    ) -> ContextPackage:
        """Build what a framework puts before a model: all that matters now, in one token budget.

        That is persona, the task in hand, the last turns of the session, recall, evidence and
        citations. What is recalled has to fit better than in a search, for nobody asked for it.
        Evidence is added where the query asks for the record, or where nothing was recalled.

        Args:
            query: what the user has just said, or is about to be answered.
            max_tokens: estimated tokens of the package at most, 200 or more.
            session_id: the session whose task is in hand and whose last turns are shown; by default
                the tasks are the latest ones and the turns those of this connection.
            short_term_turns: how many of the last turns are shown at most, as far as they fit; 6
                by default, 0 for none.
            workspace: ask as from this project; the configured one by default.
            task: memories of this task gain; by default the task on the scratchpad.
        """
        from memoria.retrieval.answer.prompt import (  # noqa: PLC0415  (only who asks for it pays for it)
            MIN_TOKENS,
            FixedBlocks,
            build_context,
            read_session_end,
        )

        if max_tokens < MIN_TOKENS:
            raise InvalidInputError(f"max_tokens is {max_tokens}; it must be {MIN_TOKENS} or more.")

        await self.catch_up()
        place, search = self._workspace(workspace), self._search
        most_turns = _SHORT_TERM_TURNS if short_term_turns is None else short_term_turns
        options = self._options(task, session_id)
        memories, evidence = (
            plan(query, max_tokens=max_tokens, workspace=place, options=options)
            for plan in (plan_context, plan_evidence)
        )

        def build() -> ContextPackage:
            with self._store.read(self.tenant) as tx:
                tasks = _list_tasks(tx, session_id, place)
                core = self._core.read(tx, place).values()
                session = session_id or self._default_session
                end = read_session_end(tx, session, most_turns, query, place)
            urgent = frozenset[str]().union(*(one.urgent for one in core))
            fixed = FixedBlocks([one.text for one in core], tasks, end, urgent)
            return build_context(
                fixed, max_tokens, lambda *room: search.run_for_context(memories, evidence, *room)
            )

        return await in_thread(build)

    async def catch_up(self, most_bytes: int = WAITING_BYTES) -> None:
        """Take in what hooks have said; a memory that is only read takes in nothing."""

    async def read_core(self) -> dict[CoreFile, str]:
        """Return the present text of each core file without Memoria's marks; leave out empty files.

        That is the files as they stand, with what has been said since they were written and
        without what no longer holds. MEMORY.md ends with what holds in the configured project.
        """

        def read() -> dict[CoreFile, str]:
            with self._store.read(self.tenant) as tx:
                found = self._core.read(tx, self.settings.workspace)
            return {file: core.text for file, core in found.items()}

        return await in_thread(read)

    async def recall_unasked(
        self, prompt: str, *, session_id: str | None = None, workspace: str | None = None
    ) -> str:
        """Return what bears on a prompt so surely that it is shown unasked; mostly nothing.

        Args:
            prompt: what the user has just said.
            session_id: where; what was said there is left out.
            workspace: ask as from this project; the configured one by default.
        """
        return (await self.tell_unasked(prompt, session_id, workspace)).text

    async def tell_unasked(
        self, prompt: str, session_id: str | None, workspace: str | None
    ) -> ToldText:
        """Return what `recall_unasked` does, by line; its arguments are the same."""
        from memoria.retrieval.answer.prompt import compose_unasked, says_enough  # noqa: PLC0415  (as above)

        if len(prompt) > _LONGEST_PROMPT or not says_enough(prompt):
            return ToldText(())
        place = self._workspace(workspace)
        plan = plan_unasked(prompt, workspace=place, options=self._options())
        if plan.parsed.is_time_only:
            return ToldText(())
        search = Search(
            self._store,
            self.tenant,
            self._embedder,
            _UNASKED_WAIT_MS,
            read_grounds=self._read_grounds,
        )
        found = await in_thread(lambda: search.run(plan))
        return compose_unasked(prompt, found, session_id)

    async def compose(self, write: "Composer", workspace: str | None = None) -> ToldText:
        """Compose an answer for a project, for a reader who has asked nothing yet."""
        place, core = self._workspace(workspace), self._core
        return await in_snapshot(self._store, self.tenant, lambda tx: write(tx, core, place))

    def open_keeper(self, composers: "Mapping[str, Composer]") -> "AnswerKeeper":
        """Open the keeper of composed answers, which keeps them for readers that can't wait."""
        from memoria.app.kept import AnswerKeeper  # noqa: PLC0415  (only a server keeps some)

        return AnswerKeeper(self.settings, self._store, composers, self._read_grounds)

    async def look_at_core(self) -> dict[str, Hashable]:
        """Map each core file of all projects to a value that changes with the file."""
        files = self._store.files.of(self.tenant)

        def find_state(file: CoreFile) -> Hashable:
            with suppress(UnusableFileError):
                return files.find_state(file)
            return None

        def look(_: "Transaction") -> dict[str, Hashable]:
            return {file: find_state(file) for file in CORE_FILES}

        return await in_snapshot(self._store, self.tenant, look)

    @cached_property
    def _core(self) -> "CoreReader":
        from memoria.app.briefing import CoreReader  # noqa: PLC0415  (only who reads it pays for it)

        files = self._store.files.of(self.tenant)
        return CoreReader(self.settings, files, self._embedder, self._read_grounds)

    @property
    def _search(self) -> Search:
        return Search(
            self._store,
            self.tenant,
            self._embedder,
            self.embedder_wait_ms,
            self._home.reranker,
            self._read_grounds,
            names_projects=self.settings.name_other_projects,
        )

    def _read_grounds(
        self, tx: "Transaction", memory_ids: Sequence[str], turns: "Sequence[StoredTurn]" = ()
    ) -> "Mapping[str, GroundMark]":
        """Return the states of those memories and turns that are bound to files, by their ids."""
        grounds = self._home.grounds
        return {} if grounds is None else grounds.read_marks(self.tenant, tx, memory_ids, turns)

    async def _run(self, make_plan: "Callable[[Settings, str, int], SearchPlan]") -> SearchResult:
        """Plan and run a search in a thread, once it is its turn."""
        asked_at = now_millis()

        def run() -> SearchResult:
            with spans.time("search"):
                return self._search.run(make_plan(self.settings, self._default_session, asked_at))

        async with self._home.tenant_turns:
            found = await in_thread(run, self._home.search_turns)
        return await self._propose_former(found)

    async def _propose_former(self, found: SearchResult) -> SearchResult:
        """Note in an answer the project's likely former place, where other projects have matches.

        If this project has matches as well, the former project must have some.
        """
        if found.elsewhere is None:
            return found
        from memoria.app.project_news import propose_former  # noqa: PLC0415  (hardly ever)

        among = found.elsewhere.holders if found.answered else None
        said = await in_thread(lambda: propose_former(self._store, self.settings, among))
        return found.model_copy(update={"notes": (*found.notes, said)}) if said else found

    def _options(self, task: str | None = None, session_id: str | None = None) -> SearchOptions:
        session = session_id or self._default_session
        return choose_options(self.settings, (), task, session, explain=False)

    def _workspace(self, given: str | None) -> str | None:
        """Return the workspace a call means."""
        return choose_workspace(self.settings, given)


def _list_tasks(tx: "Transaction", session_id: str | None, place: str | None) -> "list[Scratchpad]":
    """List the task of a session that has one, else those that are told in a project."""
    own = tx.scratchpads.get(session_id) if session_id else None
    if own:
        return [date_focus(tx, own, now_millis())]
    return list_told_tasks(tx, place, now_millis(), _TASKS)
