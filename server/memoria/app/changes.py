"""Changes that a program or a person makes to a memory beside saying things, and undoing them."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoria.app.arguments import Count, Name, Text, check_arguments
from memoria.app.forgetting import Forgetting
from memoria.app.open_home import in_thread
from memoria.errors import ForgottenError, InvalidInputError, NextStep, NotFoundError, shorten
from memoria.ingest.turn_draft import clean_id
from memoria.language.reading.clean import Tally
from memoria.memories.repeats import NotedCall, note_call
from memoria.model import StoredTurn, now_millis
from memoria.model.base import choose_by_end, count_end_chars
from memoria.model.forgetting import Change, ChangeList, ForgetReport
from memoria.model.turn import Mark
from memoria.retrieval.query.plan import EVERYWHERE

if TYPE_CHECKING:
    from memoria.app.projects import ProjectTable
    from memoria.app.provenance import EntityQueries
    from memoria.app.webhooks import WebhookService
    from memoria.memories.foreign import ForeignReceipt
    from memoria.memories.undoing import Undoing
    from memoria.model.conclusions import ForeignMemory
    from memoria.store.rows.transaction import Transaction


_MOST_FORGETS = 1000
"""Number of newest forgets among which those that can be put back are looked for."""


class Changes(Forgetting):
    """One tenant's memory, of which the last changes can be taken back."""

    @check_arguments
    async def find_message(self, session_id: Name, message_id: Name) -> StoredTurn | None:
        """Find the newest version of a message that was recorded over this channel.

        Args:
            session_id: the conversation, in the client's own numbering.
            message_id: the message's id in the client.
        """
        session, message = (
            clean_id(given, Tally(), self._digester) for given in (session_id, message_id)
        )
        source = self._channel.source
        return await self._read(lambda tx: tx.conversations.find_turn(source, session, message))

    @check_arguments
    async def note_call(self, key: Text, request: Text) -> NotedCall:
        """Note that a call is made, by digests alone, and return when it was noted first.

        Args:
            key: the caller's own, the same for each repetition of the call.
            request: what the call asks for.

        Raises:
            InvalidInputError: another call was noted under the key.
        """

        def note() -> NotedCall:
            with self._store.write(self.tenant, only_adds=True) as tx:
                return note_call(tx, self._channel, self._digester, key, request)

        return await in_thread(note)

    @check_arguments
    async def set_quote_aside(self, turn_id: Text) -> None:
        """Stop showing a quote unasked. It stays a turn that a search finds.

        Raises:
            NotFoundError: there is no such turn.
        """
        await self._mark_quote(turn_id, "aside", "set aside")

    @check_arguments
    async def tell_quote_again(self, turn_id: Text) -> None:
        """Show a quote again that was set aside.

        Raises:
            NotFoundError: there is no such turn.
        """
        await self._mark_quote(turn_id, "wish", "tell again")

    async def _mark_quote(self, turn_id: str, mark: Mark, action: str) -> None:
        turn = (await self.get_turn(turn_id, context=0)).turn

        def write() -> None:
            with self._store.write(self.tenant) as tx:
                tx.conversations.mark(turn.n, mark)
                self._log_action(tx, action, turn.id)

        await in_thread(write)

    @check_arguments
    async def set_contradiction(self, memory_id: Text, other_id: Text, *, contradict: bool) -> None:
        """Say whether two memories contradict each other; with False, both hold.

        Raises:
            InvalidInputError: both are one, or it is not the user who says it.
            NotFoundError: there is no such memory.
        """
        from memoria.memories.contradictions import set_contradiction  # noqa: PLC0415  (as below)

        pair = await self.get_memory(memory_id), await self.get_memory(other_id)

        def note() -> None:
            with self._store.write(self.tenant) as tx:
                set_contradiction(tx, self._channel, pair, contradict=contradict)

        await in_thread(note)

    async def note_action(self, action: str, subject: str) -> None:
        """Write into the log what was done to the memory as a whole, such as an export.

        Args:
            action: in words of ours.
            subject: what it was done to, such as the id of a night.
        """

        def note() -> None:
            with self._store.write(self.tenant, only_adds=True) as tx:
                self._log_action(tx, action, subject)

        await in_thread(note)

    def _log_action(self, tx: "Transaction", action: str, subject: str) -> None:
        tx.audit.add(
            at=now_millis(),
            channel=self._channel.name,
            client=self._channel.client,
            caller=self._channel.caller,
            action=action,
            subject=subject,
        )

    @property
    def projects(self) -> "ProjectTable":
        """The projects of the home, for the user to see and to join."""
        from memoria.app.projects import ProjectTable  # noqa: PLC0415  (few ask for it)

        return ProjectTable(self._store, self.settings)

    async def note_import(self, turns: int, memories: int, turn_ids: Sequence[str]) -> None:
        """Note that a person's import has come to its end, so that `undo` knows of it.

        Args:
            turns: how many turns came in.
            memories: how many memories did.
            turn_ids: one new turn of each conversation.
        """
        from memoria.memories.foreign import note_import  # noqa: PLC0415  (as below)

        def note() -> None:
            with self._store.write(self.tenant, only_adds=True) as tx:
                note_import(tx, self._channel, turns, memories, turn_ids)

        await in_thread(note)

    async def keep_foreign(
        self, memories: "Sequence[ForeignMemory]", *, workspace: str | None = None
    ) -> "ForeignReceipt":
        """Write memories of another program in one transaction; they are on disk on return.

        Args:
            memories: not too many: nobody else writes meanwhile.
            workspace: the project they belong to, `none` for none; the configured one by default.
        """
        from memoria.memories.foreign import ForeignMemories  # noqa: PLC0415  (only an import pays for it)

        place = self._workspace(workspace)
        if place == EVERYWHERE:
            raise InvalidInputError("workspace: * asks all projects; to write, name one or none.")
        writer = ForeignMemories(
            self._store, self.tenant, self._channel, self._digester, place, self._home.policy
        )
        return await in_thread(lambda: writer.keep(memories))

    @property
    def webhooks(self) -> "WebhookService":
        """Addresses to which what changes in this memory is told."""
        from memoria.app.webhooks import WebhookService  # noqa: PLC0415  (as below)

        private = self.settings.private_networks or ()
        return WebhookService(self._store, self.tenant, self._channel, private)

    @property
    def graph(self) -> "EntityQueries":
        """The people, places and things that memories speak of."""
        from memoria.app.provenance import EntityQueries  # noqa: PLC0415  (only who looks pays for it)

        project = self.settings.workspace
        return EntityQueries(self._store, self.tenant, project, self._channel)

    @check_arguments
    async def list_changes(self, limit: Count = 10) -> ChangeList:
        """List what people did to memories that this project sees, newest first.

        A forget is among it for as long as `forget_grace_days` let it be put back, and the last one
        also while nothing was done since, as is the last import. What an agent does on its own is
        not.
        """
        changes = await self._all_changes()
        return ChangeList(
            changes=tuple(changes[:limit]), id_chars=count_end_chars(one.id for one in changes)
        )

    @check_arguments
    async def list_latest_changes(self, limit: Count = 30) -> tuple[Change, ...]:
        """List the newest of what `list_changes` lists, from few rows however many there are.

        Of forgets those are among it that can be put back and are among the newest.
        """
        return tuple((await self._all_changes(limit=limit))[:limit])

    @check_arguments
    async def find_change(self, change_id: Text | None = None) -> Change:
        """Find what `undo_change` would take back, and take back nothing.

        Raises:
            ForgottenError: what would come back was forgotten since, or it was a forget for good.
            InvalidInputError: it is undone already, or the memory was changed again since; or none
                is named, and the last was a forget that can't be put back.
            NotFoundError: there is no such change here.
        """
        return choose_change(await self._all_changes(with_lost=True), change_id)

    @check_arguments
    async def undo_change(self, change_id: Text | None = None) -> Change:
        """Take back the last change that stands, or the change with an id or the end of an id.

        Nothing forgotten comes back by it, but for a forget that is undone within its grace. The
        undo is a change itself and can be undone.

        Returns:
            The change that was taken back.

        Raises:
            ForgottenError: what would come back was forgotten since.
            InvalidInputError: it is undone already, or the memory was changed again since; or none
                is named, and the last was a forget that can't be put back.
            NotFoundError: there is no such change here.
        """
        change = await self.find_change(change_id)
        if change.action == "forget":
            await self.undo_forget(change.id)
            return change.model_copy(update={"is_undone": True})
        undoing = self._undoing()
        everywhere = self._workspace(None) == EVERYWHERE
        changed = await in_thread(lambda: undoing.undo(change.id, everywhere=everywhere))
        self._wake_worker()
        return changed

    async def _all_changes(
        self, *, with_lost: bool = False, limit: int | None = None
    ) -> list[Change]:
        """List what people did that this project sees, newest first.

        Args:
            with_lost: whether each forget for good and the last import follow, not only what was
                done last.
            limit: changes to look for, at most; all by default.
        """
        undoing, everywhere = self._undoing(), self._workspace(None) == EVERYWHERE
        changes = await in_thread(lambda: undoing.list_changes(everywhere=everywhere, limit=limit))
        most = _MOST_FORGETS if limit is None else min(limit, _MOST_FORGETS)
        forgets = list(map(_change_of, await self.list_forget_reports(most)))
        kept = (one for one in forgets if not one.is_gone)
        listed = sorted([*changes, *kept], key=lambda one: one.at, reverse=True)
        since = listed[0].at if listed else 0
        imported = await in_thread(self._find_last_import)
        lost = [*filter(_is_lasting, forgets), *([imported] if imported else [])]
        lost.sort(key=lambda one: one.at, reverse=True)
        last = [one for one in lost[:1] if one.at >= since]
        return [*last, *listed, *(lost[len(last) :] if with_lost else ())]

    def _find_last_import(self) -> Change | None:
        from memoria.memories.foreign import read_last_import  # noqa: PLC0415  (as below)

        place = self._workspace(None)
        with self._store.read(self.tenant) as tx:
            return read_last_import(tx, place, everywhere=place == EVERYWHERE)

    def _undoing(self) -> "Undoing":
        from memoria.memories.undoing import Undoing  # noqa: PLC0415  (only who undoes pays for it)

        place = self._workspace(None)
        return Undoing(
            self._store,
            self.tenant,
            self._channel,
            self._digester,
            None if place == EVERYWHERE else place,
            self._home.policy,
        )


def choose_change(changes: list[Change], change_id: str | None) -> Change:
    """Choose the change of this id or its end; without one, the last that an undo can take back.

    Raises:
        ForgottenError: what would come back was forgotten since.
        InvalidInputError: several ids end so, it is undone already, or its memory was changed again
            since.
        NotFoundError: there is none.
    """
    from memoria.memories.undoing import require_standing  # noqa: PLC0415  (only who undoes pays for it)

    chosen = _find_last(changes) if change_id is None else _find_by_id(changes, change_id)
    if chosen.action == "import":
        which = "This" if change_id else "The last change"
        raise InvalidInputError(f"{which} {_describe_import(chosen)}")
    if _is_lasting(chosen):
        raise ForgottenError(
            f"{shorten(change_id or chosen.id)} was a forget for good, which can't be undone: "
            "nothing forgotten comes back by an undo. Nothing was changed.",
            step=NextStep("See what can be undone", "list_changes", "memoria undo --list"),
        )
    require_standing(chosen)
    return chosen


def _find_last(changes: list[Change]) -> Change:
    """Find the last change that stands; changes whose memory was forgotten are passed over.

    Straight after a forget or an import nobody means what was done before it, unless it is named.
    """
    own = [one for one in changes if one.action != "undo"]
    chosen = next((one for one in own if not one.is_undone and not one.is_gone), None)
    if chosen is None and own and own[0].action == "import":
        return own[0]
    if chosen is None:
        why = "all is undone, or was forgotten since" if own else "nobody has changed a memory"
        raise NotFoundError(f"There is nothing to undo here: {why}.")
    if _is_lasting(changes[0]):
        raise _after_lasting(changes[0], chosen, count_end_chars(one.id for one in changes))
    return chosen


def _after_lasting(last: Change, older: Change, id_chars: int) -> InvalidInputError:
    """Return the error that refuses to undo a change older than the latest forget or import."""
    told = "The last change was a forget for good, which can't be undone. Nothing was changed."
    if last.action == "import":
        told = f"The last change {_describe_import(last)}"
    before = f"The change before it ({older.action}: {shorten(older.content or older.id)})"
    return InvalidInputError(
        f"{told} {before} is undone by its id, {older.id}.",
        for_person=f"{told} {before} is undone with `memoria undo {older.id[-id_chars:]}`",
    )


def _find_by_id(changes: list[Change], change_id: str) -> Change:
    end = change_id.strip().lower()
    chosen_id = choose_by_end((one.id for one in changes), end)
    if chosen_id is None or not end:
        raise NotFoundError(
            f"There is no change {shorten(change_id)} here. List them with `memoria undo --list`."
        )
    return next(one for one in changes if one.id == chosen_id)


def _change_of(report: ForgetReport) -> Change:
    """Return a forget as a change, which is gone once it can't be put back any more."""
    is_hidden = report.state == "hidden" and (report.purge_at or 0) > now_millis()
    return Change(
        id=report.id,
        at=report.at,
        action="forget",
        by=report.by,
        items=report.items,
        is_undone=report.state == "restored",
        is_gone=not is_hidden and report.state != "restored",
    )


def _is_lasting(change: Change) -> bool:
    return change.action in ("forget", "import") and change.is_gone


def _describe_import(change: Change) -> str:
    """Return the end of the message that an import can't be undone, with what removes it."""
    sessions = map(shlex.quote, change.sessions[:3])
    named = " or ".join(f"`memoria forget --session-id {one}`" for one in sessions)
    how = f", such as {named}" if named else ""
    return (
        "was an import, which an undo does not take back. Nothing was changed. "
        f"What came in is removed by a forget of its conversations or memories{how}; it can't be "
        "imported again afterwards."
    )
