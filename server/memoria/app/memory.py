"""Memoria: the operations that MCP, the command line and the library share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import anyio
from pydantic import SkipValidation

from memoria.app.arguments import (
    Bytes,
    Name,
    Seconds,
    Text,
    check_arguments,
    clean_channel,
    require_no_secret,
)
from memoria.app.maintenance import Maintenance
from memoria.app.open_home import OpenHome, in_own_thread, in_thread
from memoria.app.private_times import PrivateSwitch
from memoria.app.queue import ExtractionQueue
from memoria.app.spool import WAITING_BYTES, Spool
from memoria.app.tokens import TokenService
from memoria.errors import InvalidInputError
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.ingest.sessions import update_scratchpad
from memoria.ingest.turn_draft import MOST_TURN_BYTES
from memoria.memories.details import EntityName, StatementDetails, read_entities
from memoria.memories.handed_episodes import HandedEpisodes
from memoria.model import (
    BacklogStatus,
    CaptureEvent,
    Channel,
    Memory,
    MemoryType,
    Receipt,
    RememberResult,
    Revision,
    Scope,
    Scratchpad,
    Turn,
    as_instant,
    as_turns,
)
from memoria.model.metadata import NO_METADATA, Metadata
from memoria.model.moments import use_zone
from memoria.retrieval.query.plan import EVERYWHERE

_IDLE_POLL_S = 0.02
_STALLS_AFTER_S = 20.0
"""Seconds an intake may be at one step, beside its wait for other writers."""


class Memoria(Maintenance):
    """One tenant's memory. Get one from `memoria.open`; its methods may run at the same time.

    Every method raises `InvalidInputError` for arguments it can't use and `StoreError` when the
    store can't serve; nothing is half done.
    """

    def __init__(self, home: OpenHome, channel: Channel) -> None:
        channel = clean_channel(channel)
        super().__init__(home, channel)
        store, settings = home.store, home.settings
        self.spool = Spool(
            store,
            settings.home_path,
            self.tenant,
            self._digester,
            self._record_as,
            _STALLS_AFTER_S + settings.busy_timeout_ms / 1000,
            settings.ignored_folders or (),
        )
        """Reports of hooks that wait to be taken in."""
        self.private = PrivateSwitch(store, self.tenant, settings.workspace, channel)
        """Switches private time on and off in the configured workspace."""
        self.tokens = TokenService(store, self.tenant, channel)
        """Tokens by which this memory is reached over HTTP."""
        self.queue = ExtractionQueue(store, self.tenant, self._digester, home.reader)
        """Conversations that a chat model has still to read."""

    def with_channel(
        self, channel: Channel, session: str | None = None, workspace: str | None = None
    ) -> "Memoria":
        """Return the same memory seen from another channel: provenance is stamped with it.

        The caller stays: who calls over HTTP is the same through whichever channel.

        Args:
            channel: the channel.
            session: the session of calls that name none, where the channel has none; by default
                that of this memory.
            workspace: the project of calls that name none; by default that of this memory.
        """
        if channel.caller is None and self._channel.caller is not None:
            channel = channel.model_copy(update={"caller": self._channel.caller})
        other = Memoria(self._home.in_workspace(workspace), channel)
        other.spool = self.spool
        other._default_session = channel.session or session or self._default_session
        return other

    @check_arguments
    async def record_conversation(
        self,
        turns: Annotated[Iterable[Turn | Mapping[str, object]], SkipValidation],
        event: CaptureEvent | None = None,
        *,
        session_id: Name | None = None,
        workspace: Text | None = None,
    ) -> Receipt:
        """Keep turns verbatim. They are on disk when the receipt is given.

        Args:
            turns: models or dicts with the fields of `Turn`, in the order they were said.
            event: `session_end` or `compaction` closes the segment of the sessions touched.
            session_id: the session of turns that name none; this connection's own by default.
            workspace: the project of sessions that begin here; the configured one by default.
        """
        with use_zone(self.settings.zone):
            validated = as_turns(turns)
        if not validated and event is None:
            raise InvalidInputError("There is nothing to record: give turns, an event, or both.")
        place, session = self._place(workspace), self._session(session_id)
        if self._channel.is_agent:  # what the client has said is then known already
            await self.catch_up()

        def record() -> Receipt:
            channel = self._channel
            if channel.is_agent:
                channel = self.spool.name_session(channel, place)
            return self._capture(place, channel).record(validated, session, event)

        receipt = await in_thread(record)
        self._wake_workers()
        return receipt

    @check_arguments
    async def catch_up(self, most_bytes: Bytes = WAITING_BYTES) -> None:
        """Take in what hooks have said, so that a search finds what was just typed.

        Args:
            most_bytes: of transcripts, at most.
        """
        spool = self.spool
        if not spool.has_changed():
            return
        if await in_own_thread(lambda is_left: spool.catch_up(most_bytes, is_left)):
            self._wake_workers()

    @check_arguments
    async def take_in_spool(self, most_bytes: Bytes) -> bool:
        """Take in what hooks have said, though another process may be about to.

        Args:
            most_bytes: of transcripts, at most.

        Returns:
            True if some of it is left.
        """
        report = await in_own_thread(lambda is_left: self.spool.take_in(most_bytes, is_left))
        if report is not None and report.recorded:
            self._wake_workers()
        return report is not None and bool(report.waiting)

    @check_arguments
    async def close_past_conversations(self) -> int:
        """Close segments in which nothing was said for `segment_idle_minutes`; return their number.

        An import ends so: a conversation that is long over needs no pause before it is summed up.
        """
        capture = self._capture(self.settings.workspace)
        closed = await in_thread(capture.close_idle_segments)
        if self._home.reader is not None:
            self._home.reader.wake()
        return closed

    @check_arguments
    async def remember(
        self,
        content: Text,
        *,
        type: MemoryType | str | None = None,  # noqa: A002  (the field's own name)
        importance: float | None = None,
        valid_from: Text | None = None,
        until: Text | None = None,
        subject: Text | None = None,
        task: Text | None = None,
        entities: Annotated[Sequence[EntityName], SkipValidation] = (),
        supersedes: Text | None = None,
        turn_id: Text | None = None,
        quote: Text | None = None,
        session_id: Name | None = None,
        workspace: Text | None = None,
        scope: Scope | None = None,
        again: bool = False,
        metadata: Metadata = NO_METADATA,
        covers: Sequence[str] = (),
    ) -> RememberResult:
        """Keep a statement as a memory.

        Args:
            content: one conclusion in a sentence, in the language it was said in.
            type: what kind of conclusion it is; by default its wording decides: an order is a rule.
            importance: 0 to 1; 0.5 by default.
            valid_from: since when it holds, ISO 8601; now by default.
            until: a date, words for one (`Friday`, 下周五), `24h`, `7d`, `session` or `permanent`.
            subject: of whom or what it speaks: `Anna`, `user`.
            task: the task it belongs to, for which alone a rule or preference holds; empty for
                none. By default, for what is about the work, the one on the scratchpad.
            entities: whom and what it names: names, or objects with the fields of `Mention`.
            supersedes: the id of the memory that it takes the place of.
            turn_id: the recorded turn it rests on.
            quote: words of that turn, which must stand there.
            session_id: the session whose scratchpad names the task.
            workspace: the project it is said in; the configured one by default.
            scope: seen `everywhere` or in this `project` alone; by default its matter decides.
            again: keep it even if it was forgotten before.
            metadata: fields of the caller's own: texts, numbers, truths, lists of texts by names.
            covers: ids of turns, or of a session, of which it is an episode.

        Raises:
            ForgottenError: it was forgotten before; says when and why.
            RefusedError: this program's policy does not keep it.
        """
        former, said_in = await self._complete_ids(supersedes, turn_id)
        given = StatementDetails(importance=importance, until=until, subject=subject, task=task)
        given = replace(given, quote=quote, scope=scope, again=again, metadata=metadata)
        details = replace(
            given,
            valid_from=as_instant("valid_from", valid_from, self.settings.zone),
            entities=read_entities(entities),
            supersedes=former or None,
            turn_id=said_in or None,
            session_id=self._session(session_id),
            covers=await self._complete_covers(covers),
        )
        return await self._keep(content, type, details, workspace)

    @check_arguments
    async def revise_memory(
        self,
        memory_id: Text,
        action: Revision,
        content: Text | None = None,
        *,
        valid_from: Text | None = None,
        until: Text | None = None,
        turn_id: Text | None = None,
        key: Text | None = None,
    ) -> Memory:
        """Correct, confirm, archive, restore, pin, vote on a memory, or set where it is seen.

        Nothing of it is final.

        Args:
            memory_id: from a search.
            action: what to do. `everywhere` lets it be seen in every project, `project` in its own
                alone: the one it was said in, or this one where it was said in none; `type` files
                it as another type.
            content: with `correct` the new wording, with `type` the type; else nothing.
            valid_from: with `correct`: since when it holds, ISO 8601; now by default.
            until: with `correct`: when the new wording ends, as `remember` takes it. The end of the
                former wording is over with it.
            turn_id: with `correct`: the recorded turn it rests on.
            key: the caller's own for this call; with the same one again, nothing is done.
        """
        since = as_instant("valid_from", valid_from, self.settings.zone)
        statements = self._statements(None)
        if content is not None:
            await self._check_private_time()
        whole, said_in = await self._complete_ids(memory_id, turn_id)
        memory = await in_thread(
            lambda: statements.revise(whole, action, content, since, said_in or None, until, key)
        )
        self._wake_worker()
        return memory

    @check_arguments
    async def update_scratchpad(
        self,
        *,
        current_focus: Text | None = None,
        completed: Text | None = None,
        session_id: Name | None = None,
    ) -> Scratchpad:
        """Say what is being worked on, or what is done. The last five tasks are kept."""
        session = self._session(session_id)
        place = self.settings.workspace
        await self._check_private_time(session_id)
        store, tenant, digester, channel = self._store, self.tenant, self._digester, self._channel
        return await in_thread(
            lambda: update_scratchpad(
                store, tenant, session, current_focus, completed, digester, place, channel
            )
        )

    @check_arguments
    async def wait_until_idle(self, timeout_s: Seconds | None = None) -> BacklogStatus:
        """Wait until turns are read and embedded as far as possible, and the embedder is loaded.

        Turns that failed stay in the backlog, and the returned status counts them.

        Raises:
            TimeoutError: it took longer than `timeout_s`.
        """
        worker, embedder, reader = self._home.worker, self._embedder, self._home.reader
        with anyio.fail_after(timeout_s):
            while reader is not None and reader.is_reading and not await in_thread(reader.is_idle):
                reader.wake()
                await anyio.sleep(_IDLE_POLL_S)
            if worker is None or embedder is None:
                return BacklogStatus(pending=0, failed=0)
            while not await in_thread(worker.is_idle):
                self._wake_worker()
                await anyio.sleep(_IDLE_POLL_S)
            embedder.start_loading()
            while embedder.state == "loading":
                await anyio.sleep(_IDLE_POLL_S)
        return await in_thread(worker.status)

    async def _keep(
        self, content: str, type_: str | None, details: StatementDetails, workspace: str | None
    ) -> RememberResult:
        from memoria.app.likely_replaced import LikeMemories, keep_and_ask  # noqa: PLC0415  (brings NumPy)

        await self._check_private_time(details.session_id, workspace)
        statements, place = self._statements(workspace), self._workspace(workspace)
        like = LikeMemories(self._store, self.tenant, self._embedder, place)
        kept = await in_thread(lambda: keep_and_ask(statements, like, content, type_, details))
        self._wake_worker()
        return kept

    def _capture(self, place: str | None, channel: Channel | None = None) -> Capture:
        chosen, reader = self.settings, self._home.reader
        limits = CaptureLimits(
            MOST_TURN_BYTES,
            chosen.segment_idle_minutes,
            chosen.segment_messages,
            chosen.attachment_bytes,
        )
        return Capture(
            self._store,
            self.tenant,
            channel or self._channel,
            limits,
            self._digester,
            place,
            None if reader is None else reader.intake,
            self._home.policy,
            links_names=self._home.worker is None,
        )

    def _statements(self, workspace: str | None) -> HandedEpisodes:
        place = self._place(workspace)
        policy = self._home.policy
        return HandedEpisodes(
            self._store, self.tenant, self._channel, self._digester, place, policy
        )

    def _session(self, given: str | None) -> str:
        """Return the session of a call: the client's own, else the given, else this connection's.

        An agent that names another session has made the name up: it can't know the client's.
        """
        return self._channel.session or given or self._default_session

    def _place(self, given: str | None) -> str | None:
        """Return the workspace a call writes to."""
        place = self._workspace(given)
        if place == EVERYWHERE:
            raise InvalidInputError("workspace: * asks all projects; to write, name one or none.")
        if place:
            require_no_secret("workspace", place)
        return place

    async def _check_private_time(
        self, session_id: str | None = None, workspace: str | None = None
    ) -> None:
        """Check that what is said in a session and workspace may be kept now."""
        session, place = self._session(session_id), self._place(workspace)
        await in_thread(lambda: self.private.check(session, place))

    def _record_as(self, channel: Channel, place: str) -> Capture:
        return self._capture(self._place(place), channel)

    def _wake_workers(self) -> None:
        self._wake_worker()
        if self._home.reader is not None:
            self._home.reader.wake()

    def _wake_worker(self) -> None:
        if self._home.worker is not None:
            self._home.worker.wake()
