"""Forget: erase memories, or all of a tenant, everywhere, so that nothing comes back."""

import hmac
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import groupby, islice
from pathlib import Path

from memoria.erasure.cascade import derive_restatements
from memoria.erasure.deletion import (
    Deletion,
    ErasureDraft,
    digest_items,
    draft_erasure,
    make_report,
    make_token,
)
from memoria.erasure.files import ErasedFile, TextFileEraser
from memoria.erasure.grace import forget_places, hide, put_back, scrub_store
from memoria.erasure.plan import list_affected, list_places, texts_in_plans
from memoria.erasure.selection import ErasureRequest
from memoria.erasure.suppression import Digester
from memoria.errors import EmbedderError, InvalidInputError, PreviewChangedError
from memoria.language.words.document import full_text
from memoria.model import Channel, new_id, now_millis
from memoria.model.forgetting import (
    ForgetItem,
    ForgetPreview,
    ForgetReport,
    ForgetResult,
    ForgetSelection,
    RemainingBackup,
    count_kinds,
)
from memoria.store.engine import Store, renew_all
from memoria.store.rows.transaction import Transaction
from memoria.store.values import ErasureFilter, SuppressedMeaning, Tombstone, TombstoneRecord

_PAGE = 500


def describe_everything(
    tx: Transaction, files: TextFileEraser, digester: Digester
) -> ForgetPreview:
    """Describe a tenant's holdings: the files by name, memories and turns by number."""
    held, places = tx.erasures.get_holdings(), files.list_files()
    notes = len(tx.scratchpads.list_notes())
    counts = {"memory": held.memories, "turn": held.turns, "note": notes, "file": len(places)}
    meant = json.dumps([counts, held.newest, places])
    return ForgetPreview(
        items=tuple(ForgetItem(kind="file", id=place, text="") for place in places),
        counts={kind: count for kind, count in counts.items() if count},
        token=make_token(digester, meant),
        include_source=True,
    )


def erase_everything(
    tx: Transaction, digester: Digester, at: int, reason: str, *, keeps_places: bool
) -> list[str]:
    """Erase every row of a tenant, with tombstones; return a digest of each memory and turn.

    With `keeps_places`, what is put back later finds its place among newer turns.
    """
    digests: list[str] = []
    for list_stones in (_list_memory_stones, _list_turn_stones):
        records = list_stones(tx, digester, at, reason)
        while page := [*islice(records, _PAGE)]:
            tx.tombstones.add_all(page)
            digests += (
                digester.digest_values("proof", one.tombstone.subject, *sorted(one.digests))
                for one in page
            )
    tx.erasures.erase_all(keeps_places=keeps_places)
    return digests


def _list_memory_stones(
    tx: Transaction, digester: Digester, at: int, reason: str
) -> Iterator[TombstoneRecord]:
    for memory_id, versions in groupby(tx.erasures.iterate_wordings(), key=lambda each: each[0]):
        rows = [*versions]
        quotes = filter(None, (quote for _, _, quote in rows))
        stated = derive_restatements([content for _, content, _ in rows], quotes)
        digests = dict.fromkeys(digester.digest_statement(text, erases=True) for text in stated)
        yield TombstoneRecord(Tombstone("memory", memory_id, at, reason), tuple(digests))


def _list_turn_stones(
    tx: Transaction, digester: Digester, at: int, reason: str
) -> Iterator[TombstoneRecord]:
    messages = tx.erasures.iterate_messages()
    while page := [*islice(messages, _PAGE)]:
        turns = tx.conversations.turns([n for n, _, _ in page])
        for n, turn_id, name in page:
            digests = digester.digest_turn(full_text(turns[n])) | digester.digest_message(name)
            yield TombstoneRecord(Tombstone("turn", turn_id, at, reason), tuple(sorted(digests)))


_LOG = logging.getLogger(__name__)
_MAX_REASON_CHARS = 200
MeaningLookup = Callable[[Sequence[str]], Mapping[str, SuppressedMeaning]]
"""Maps texts to their vectors, as far as it can embed them."""
BackupLookup = Callable[[int], tuple[RemainingBackup, ...]]
"""Lists the backups made since a moment, UTC epoch ms."""


class Eraser:
    """Forgets for one tenant."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        channel: Channel,
        digester: Digester,
        home: Path,
        list_backups: BackupLookup = lambda _since: (),
        look_up_meanings: MeaningLookup | None = None,
        grace_ms: int = 0,
        *,
        may_return: bool = False,
    ) -> None:
        """Create the eraser.

        With `grace_ms`, records are hidden for that time first. With `may_return`, nothing is kept
        by which they are recognised.
        """
        self._may_return = may_return
        self._grace_ms = 0 if may_return else grace_ms
        self._store = store
        self._tenant = tenant
        self._channel = channel
        self._digester = digester
        self._home = home
        self._list_backups = list_backups
        self._look_up_meanings = look_up_meanings

    def preview(self, request: ErasureRequest) -> ForgetPreview:
        """Describe everything that would be forgotten, with the token of this very preview.

        Raises:
            InvalidInputError: the selection can't be used.
            NotFoundError: an id is unknown.
        """
        renew_all(self._store)
        files = self._files_to_search()
        with self._store.read(self._tenant) as tx:
            if request.selection.everything:
                return describe_everything(tx, files, self._digester)
            draft = draft_erasure(tx, request)
        return draft.describe(files, self._digester, request.seen)

    def run(
        self, request: ErasureRequest, *, token: str | None = None, reason: str | None = None
    ) -> ForgetResult:
        """Forget what a request selects; a call that was broken off can be repeated.

        Args:
            request: what is meant.
            token: of the preview that was agreed to. Without one, whatever is meant now goes.
            reason: in a few words, shown when somebody tries to bring it back. It is kept: it
                must not say what was forgotten.

        Raises:
            InvalidInputError: the selection can't be used, or the reason is too long.
            NotFoundError: an id is unknown. Nothing was forgotten.
            PreviewChangedError: something else would go than was agreed to. Nothing was forgotten.
        """
        why = self._describe_reason(reason)
        if request.selection.everything:
            return self._forget_everything(request.selection, token, why)
        renew_all(self._store)  # what is meant is looked for by its words
        files = self._files_to_search()
        with self._store.read(self._tenant) as tx:
            before = draft_erasure(tx, request)
        # This reads the files, which takes long: others may write.
        _check_token(token, before.describe(files, self._digester, request.seen))
        meanings = self._meanings_of(before.plan.wordings)
        with self._store.write(self._tenant) as tx:
            draft = draft_erasure(tx, request)
            plan = draft.plan
            _check_token(token, draft.describe(files, self._digester, request.seen))
            affected = list_affected(tx, plan)
            places = list_places(tx, plan)
            items, ns = draft.list_items(files), plan.source_ns if plan.include_source else []
            report_id = new_id()
            with self._hide(tx, report_id if items else None, ns, files):
                report = self._erase_rows(
                    tx, request.selection, draft, report_id, items, why, meanings
                )
                changed = _erase_files(tx, files, draft, places)
        return ForgetResult(
            memories=tuple(plan.memories),
            turns_erased=tuple(plan.sources) if plan.include_source else (),
            turns_suppressed=() if plan.include_source else tuple(plan.sources),
            already_forgotten=tuple(plan.forgotten_before),
            hidden=tuple(plan.hidden),
            told_by=tuple(dict.fromkeys(turn.source for turn in plan.sources.values())),
            related_memories=affected,
            files=tuple(dict.fromkeys(one.name for one in changed)),
            deleted_files=tuple(dict.fromkeys(one.name for one in changed if one.is_deleted)),
            scrubbed=scrub_store(self._store),
            backups=self._list_backups(plan.earliest),
            report=report,
        )

    def _erase_rows(
        self,
        tx: Transaction,
        selection: ForgetSelection,
        draft: ErasureDraft,
        report_id: str,
        items: Sequence[ForgetItem],
        why: str,
        meanings: Mapping[str, SuppressedMeaning],
    ) -> ForgetReport | None:
        """Erase the rows of a draft; return a report of the counts, None if the draft is empty."""
        plan, at = draft.plan, now_millis()
        scope = tx.erasures.find_scope(
            [*plan.memories, *plan.dependents],
            [*plan.former_wordings],
            plan.source_ns if plan.include_source else [],
        )
        before = tx.erasures.count_rows(scope)
        deletion = Deletion(tx, plan, self._digester, self._channel, why, meanings)
        deletion.run(may_return=self._may_return)
        if not items:
            return None
        report = make_report(
            report_id,
            selection,
            self._channel.description,
            at,
            count_kinds([item for item in items if item.effect == "erased"]),
            digest_items(items, self._digester),
            before,
            tx.erasures.count_rows(scope),
            self._purge_at(at),
        )
        tx.erasures.add_report(report)
        return report

    def _forget_everything(
        self, selection: ForgetSelection, token: str | None, why: str
    ) -> ForgetResult:
        files, at = self._files_to_search(), now_millis()
        with self._store.write(self._tenant) as tx:
            preview = describe_everything(tx, files, self._digester)
            _check_token(token, preview)
            report_id, by = new_id(), self._channel.description
            ns = tx.erasures.list_turns(ErasureFilter()) if self._grace_ms else []
            before = tx.erasures.count_all_rows()
            with self._hide(tx, report_id, ns, files):
                digests = erase_everything(
                    tx, self._digester, at, why, keeps_places=bool(self._grace_ms)
                )
                changed = files.remove_all()
            after, due = tx.erasures.count_all_rows(), self._purge_at(at)
            counts = preview.counts
            report = make_report(report_id, selection, by, at, counts, digests, before, after, due)
            tx.erasures.add_report(report)
        if not self._grace_ms:
            forget_places(self._store, str(self._home))
        return ForgetResult(
            memories=(),
            turns_erased=(),
            turns_suppressed=(),
            already_forgotten=(),
            related_memories=(),
            files=tuple(one.name for one in changed),
            deleted_files=tuple(one.name for one in changed),
            scrubbed=scrub_store(self._store),
            backups=self._list_backups(0),
            report=report,
        )

    def undo(self, report_id: str) -> ForgetReport:
        """Put back what a forget has hidden.

        Raises:
            NotFoundError: there is no such report.
            InvalidInputError: nothing is hidden any more.
        """
        files = self._files_to_search()
        return put_back(self._store, self._tenant, files, report_id, self._channel)

    def _hide(
        self, tx: Transaction, report_id: str | None, turn_ns: Sequence[int], files: TextFileEraser
    ) -> AbstractContextManager[None]:
        """Return a context manager that keeps the rows forgotten in its block, for an undo.

        Without a period of grace, nothing is kept.
        """
        if report_id is None or not self._grace_ms:
            return nullcontext()
        generated = {file.path: file.digest for file in tx.file_records.all()}
        return hide(tx, report_id, turn_ns, files, generated)

    def _files_to_search(self) -> TextFileEraser:
        files = self._store.files.of(self._tenant)
        return TextFileEraser(self._home, self._tenant, files)

    def _purge_at(self, at: int) -> int | None:
        return at + self._grace_ms if self._grace_ms else None

    def _meanings_of(self, wordings: Sequence[str]) -> Mapping[str, SuppressedMeaning]:
        """Return the vectors of forgotten texts for their tombstones, if such are kept."""
        if self._look_up_meanings is None:
            return {}
        try:
            return self._look_up_meanings(wordings)
        except EmbedderError as error:
            _LOG.warning("Forgotten by its words only, for what it means can't be told: %s", error)
            return {}

    def _describe_reason(self, reason: str | None) -> str:
        by = self._channel.description
        if reason is None:
            return by
        if len(reason) > _MAX_REASON_CHARS:
            raise InvalidInputError(f"reason has at most {_MAX_REASON_CHARS} characters.")
        return f"{by}: {' '.join(reason.split())}"


def _check_token(token: str | None, preview: ForgetPreview) -> None:
    """Check that a preview is the one that was agreed to.

    Raises:
        PreviewChangedError: it is another.
    """
    if token is not None and not hmac.compare_digest(token.encode(), preview.token.encode()):
        raise PreviewChangedError(preview)


def _erase_files(
    tx: Transaction, files: TextFileEraser, draft: ErasureDraft, places: set[str]
) -> list[ErasedFile]:
    """Erase the phrases from the files, and delete generated files that may paraphrase them."""
    plan, phrases, generated = draft.plan, draft.phrases, draft.generated
    changed = [file for place in places for file in files.remove_generated(place, generated)]
    changed = files.erase_phrases(phrases, generated, plan.ids_to_erase, draft.marks) + changed
    files.erase_notes({*plan.memories, *plan.dependents, *plan.ids_to_erase})
    told = (one.id for one in plan.source_versions)
    tx.nightly_runs.drop_items([*places, *texts_in_plans(phrases), *told])
    for place in files.list_places(changed):
        tx.file_records.forget(place)
    return changed
