"""Forgetting: previews of what would be erased, the erasure itself, and its reports."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memoria.app.arguments import Count, Text, check_arguments, takes_query
from memoria.app.grounds import GroundedRecords
from memoria.app.open_home import OpenHome, in_thread
from memoria.app.spool import THOROUGH_BYTES
from memoria.erasure.suppression import Digester
from memoria.errors import NotFoundError
from memoria.language.words.document import full_text
from memoria.model import (
    DAY_MS,
    Channel,
    Explanation,
    Memory,
    MemoryVersion,
    Role,
    StoredTurn,
    Validity,
)
from memoria.model.base import choose_by_end
from memoria.model.forgetting import (
    ForgetItem,
    ForgetOrder,
    ForgetPreview,
    ForgetReport,
    ForgetResult,
    ForgetSelection,
)
from memoria.model.query import MAX_LIMIT, MAX_TOKENS
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.retrieval.ranking.selection import HALF_AS_GOOD
from memoria.store.rows.transaction import Transaction
from memoria.store.values import ErasureFilter, Filters, SuppressedMeaning

if TYPE_CHECKING:
    from memoria.app.skills import SettledFiles
    from memoria.erasure.forget import Eraser, MeaningLookup
    from memoria.erasure.selection import ErasureRequest


_COMPARED_CHARS = 500
"""Characters of a memory's wording with which other turns are compared."""
_MOST_REPORTS = 1000
"""Number of newest reports that can be named by the end of their id."""


class Forgetting(GroundedRecords):
    """One tenant's memory as it is looked up and forgotten."""

    def __init__(self, home: OpenHome, channel: Channel) -> None:
        super().__init__(home)
        self._channel = channel
        self._digester = Digester(self.tenant, home.store.files.tombstone_key)

    @takes_query(ForgetSelection)
    async def preview_forget(self, selection: ForgetSelection) -> ForgetPreview:
        """Preview everything that a forget would erase or suppress, with a token for just this.

        It is called with ids and, by name, whatever else `ForgetSelection` has; or with such an
        object.
        """
        request = await self._request(selection)
        preview = await in_thread(lambda: self._eraser().preview(request))
        ids = [item.id for item in preview.items]
        named = [item.id for item in preview.items if item.kind in ("memory", "correction")]
        return preview.model_copy(update={"near": await self._offer_near(named, ids)})

    @takes_query(ForgetOrder)
    async def forget_memory(self, order: ForgetOrder) -> ForgetResult:
        """Erase memories for good from the home, except its backups; they are not learnt again.

        It is called with ids of memories, or of turns (then what was drawn from them is forgotten
        too), and, by name, whatever else `ForgetOrder` has; or with such an object. With the token
        of a preview just that is forgotten, or nothing; without one, whatever is meant now. With
        `may_return` it is erased at once, and may be recorded and learnt again. With `at_once` it
        is not hidden for `forget_grace_days` before.

        Raises:
            PreviewChangedError: with a token: something else would go by now; has the new preview.
        """
        request = await self._request(order.selection)
        eraser = self._eraser(may_return=order.may_return, at_once=order.at_once)
        was_shown = order.token is not None or order.may_return
        near = () if was_shown else await self._offer_near(request.selection.ids)
        forgotten = await in_thread(
            lambda: eraser.run(request, token=order.token, reason=order.reason)
        )
        gone = {*forgotten.turns_erased, *forgotten.turns_suppressed}
        left = tuple(one.id for one in near if one.id not in gone)
        forgotten = forgotten.model_copy(update={"near_turns": left})
        settled = await in_thread(self._settle_skill_files)
        forgotten = forgotten.model_copy(
            update={"skill_files": settled.deleted, "skill_files_left": settled.left}
        )
        if self._embedder is not None:
            self._embedder.forget_questions()
        self._wake_worker()
        return forgotten

    @check_arguments
    async def undo_forget(self, report_id: Text) -> ForgetReport:
        """Put back what a forget has hidden, while `forget_grace_days` are not over.

        What was changed after the forget stays as it is.

        Raises:
            NotFoundError: there is no report of this id.
            InvalidInputError: nothing is hidden any more.
        """
        eraser, whole = self._eraser(), await self._complete_report_id(report_id)
        report = await in_thread(lambda: eraser.undo(whole))
        self._wake_worker()
        return report

    @check_arguments
    async def list_forget_reports(
        self, limit: Count = 20, before: Text | None = None
    ) -> list[ForgetReport]:
        """List the newest proofs of what was forgotten, without their digests.

        Args:
            limit: proofs at most.
            before: id of the proof with which a list ended: only those before it.
        """
        return await self._read(lambda tx: tx.erasures.list_reports(limit, before))

    @check_arguments
    async def get_forget_report(self, report_id: Text) -> ForgetReport:
        """Return the proof of a forget, with a digest of each item.

        Raises:
            NotFoundError: there is no report of this id.
        """
        whole = await self._complete_report_id(report_id)
        report = await self._read(lambda tx: tx.erasures.get_report(whole))
        if report is None:
            raise NotFoundError(
                f"There is no report {report_id}. List them: `memoria list forgotten`."
            )
        return report

    async def _complete_report_id(self, cited: str) -> str:
        """Return the whole id of a report by its end; the end itself if no id has it.

        Raises:
            InvalidInputError: several ids have this end; the message names them.
        """
        if not cited:
            return cited
        reports = await self.list_forget_reports(_MOST_REPORTS)
        return choose_by_end((one.id for one in reports), cited) or cited

    def _settle_skill_files(self) -> "SettledFiles":
        from memoria.app.skills import settle_skill_files  # noqa: PLC0415  (only who forgets pays for it)

        return settle_skill_files(self._store, self.settings)

    def _wake_worker(self) -> None:
        """Wake the worker that embeds what was changed, where there is one."""

    def _eraser(self, *, may_return: bool = False, at_once: bool = False) -> "Eraser":
        # A start-up must not pay for these.
        from memoria.admin.backup import list_remaining  # noqa: PLC0415
        from memoria.erasure.forget import Eraser  # noqa: PLC0415

        home, keep_days = self.settings.home_path, self.settings.backup_keep_days
        return Eraser(
            self._store,
            self.tenant,
            self._channel,
            self._digester,
            home,
            lambda since: list_remaining(home, keep_days, since),
            self._meaning_lookup(self.settings.forget_similarity),
            0 if at_once else round(self.settings.forget_grace_days * DAY_MS),
            may_return=may_return,
        )

    async def _request(self, selection: ForgetSelection) -> "ErasureRequest":
        """Return the request of a selection, with the answers to its query."""
        from memoria.erasure.selection import ErasureRequest  # noqa: PLC0415

        await self.catch_up(THOROUGH_BYTES)
        is_agent = self._channel.is_agent
        place = None if is_agent else selection.workspace
        found = await self._find_answers(selection.query, place) if selection.query else ()
        seen = Filters(workspace=self.settings.workspace) if is_agent else None
        if selection.workspace == EVERYWHERE:
            selection = selection.model_copy(update={"workspace": None})
        ids, spared = (
            await self._complete_ids(*selection.ids),
            await self._complete_ids(*selection.keep),
        )
        selection = selection.model_copy(update={"ids": tuple(ids), "keep": tuple(spared)})
        return ErasureRequest(selection, found, seen)

    async def _offer_near(
        self, ids: Sequence[str], listed: Sequence[str] = ()
    ) -> tuple[ForgetItem, ...]:
        """List turns that say nearly the same as some memories, without turns listed already.

        An agent is shown none that another project alone sees.
        """
        is_agent = self._channel.is_agent
        first = ids[:MOST_COMPARED]
        memories = await self._read(lambda tx: [*filter(None, map(tx.memories.get, first))])
        near: dict[str, None] = {}
        wordings = (one.content for memory in memories for one in memory.versions[:MOST_WORDINGS])
        for wording in dict.fromkeys(wordings):
            found = await self.search_conversation_traces(
                wording[:_COMPARED_CHARS],
                limit=MOST_FOUND,
                workspace=None if is_agent else EVERYWHERE,
                explain=True,
            )
            near |= dict.fromkeys(list_near(found.explanation) if found.explanation else ())
        seen = Filters(workspace=self.settings.workspace) if is_agent else None
        offered = await self._read(lambda tx: read_offered(tx, memories, [*near], seen))
        return tuple(one for one in offered if one.id not in listed)

    async def _find_answers(self, query: str, workspace: str | None) -> tuple[str, ...]:
        """List ids of the hits that fit a query, each at least half as well as the best hit.

        Hits that a search shows merely as the nearest are left out: nobody has meant them.
        """
        result = await self.search_memory(
            query,
            limit=MAX_LIMIT,
            max_tokens=MAX_TOKENS,
            include_history=True,
            workspace=workspace,
            explain=True,
        )
        if result.explanation is None or not result.answered:
            return ()
        fitting = {one.id for one in result.explanation.candidates if one.margin >= 0}
        least = HALF_AS_GOOD * max((hit.score for hit in result.hits), default=0.0)
        hits = (hit for hit in result.hits if hit.shown_as is None and hit.score >= least)
        return tuple(hit.id for hit in hits if hit.id in fitting)

    def _meaning_lookup(self, reach: float | None) -> "MeaningLookup | None":
        """Return the function that makes vectors of what is forgotten; None if none may be kept."""
        embedder = self._embedder
        if reach is None or embedder is None:
            return None

        def likeness(texts: Sequence[str]) -> dict[str, SuppressedMeaning]:
            vectors = embedder.embed_documents(texts)
            return {
                text: SuppressedMeaning(embedder.name, vector, reach)
                for text, vector in zip(texts, vectors, strict=True)
            }

        return likeness


MOST_COMPARED = 5
"""Number of memories for which near turns are looked for; nobody reads a longer list."""
MOST_WORDINGS = 3
"""Number of a memory's newest wordings that are compared."""
MOST_FOUND = 20
_SHOWN_CHARS = 300
_NEAR, _NEAR_IN_WORDS = 1.1, 0.6
"""The share of a memory's words that a turn holds and its cosine, together; without a vector the
words alone. Six corrections and answers to them had 1.37 or more, 14 other turns 0.98 or less."""
_BEFORE_MS = 600_000
"""Longest time from what a user says to the correction that an agent makes of it."""


def list_near(explanation: Explanation) -> list[str]:
    """List ids of turns that say nearly the same as a memory, by the search for its words."""
    return [
        one.id
        for one in explanation.candidates
        if one.coverage + one.cosine >= (_NEAR if one.cosine else _NEAR_IN_WORDS)
    ]


def read_offered(
    tx: Transaction, memories: Sequence[Memory], near: Sequence[str], seen: Filters | None
) -> tuple[ForgetItem, ...]:
    """List the turns to be offered: turns of corrections, and turns that say nearly the same.

    Args:
        tx: where they are read.
        memories: what is to be forgotten.
        near: ids of turns that say nearly the same.
        seen: what the caller sees, where that is not everything.
    """
    turns = [*_list_made_under(tx, memories, seen), *filter(None, map(tx.conversations.turn, near))]
    return tuple(
        ForgetItem(kind="turn", id=turn_id, text=text[:_SHOWN_CHARS])
        for turn_id, text in {turn.id: full_text(turn) for turn in turns}.items()
    )


def _list_made_under(
    tx: Transaction, memories: Sequence[Memory], seen: Filters | None
) -> Iterator[StoredTurn]:
    """Yield the user's last turn before each correction by an agent that named no turn."""
    for version in (v for memory in memories for v in _list_corrections(memory)[:MOST_WORDINGS]):
        origin = version.provenance
        if origin.turn_id is not None or not origin.channel.startswith("mcp"):
            continue
        since, until = version.ingested_at - _BEFORE_MS, version.ingested_at + 1
        ns = tx.erasures.list_turns(ErasureFilter(since=since, until=until, seen=seen))
        said = [one for one in tx.conversations.turns(ns).values() if one.role is Role.USER]
        yield from sorted(said, key=lambda one: one.at)[-1:]


def _list_corrections(memory: Memory) -> Sequence[MemoryVersion]:
    """List a memory's wordings that corrected another, or will once confirmed; newest first."""
    waits = memory.validity is Validity.PENDING_CONFIRMATION
    return memory.versions if waits else memory.versions[:-1]
