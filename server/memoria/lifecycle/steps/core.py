"""Core files: the user's edits become memories, and the files are written from the rows anew.

A file is announced in one transaction and written in the next: after a kill between the two, the
next run finds out by the digest whether it was written (`lifecycle.core.cycle`).
"""

from collections.abc import Iterator
from typing import Literal

from memoria.inference import choose_embedder
from memoria.lifecycle.core.cycle import (
    UNREADABLE,
    CoreDraft,
    note_core_written,
    plan_core,
    read_core_edits,
    recover_core,
    replace_core,
)
from memoria.lifecycle.core.edits import Edit, EditResult, apply_edit
from memoria.lifecycle.core.lines import list_places
from memoria.lifecycle.core.restore import CoreImages
from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.memories.user_edits import UserEdits
from memoria.model.core import CoreFile
from memoria.model.nightly import StepOutcome
from memoria.model.retention import RetentionAttributes
from memoria.policy.retention import strength
from memoria.store.rows.transaction import Transaction

_PAGE = 500
_OUTCOMES = {"changed": StepOutcome.CHANGED_SINCE, "refused": StepOutcome.REFUSED}


class CoreItem(Item):
    """An edit to be taken over, or a file to be announced or written."""

    does: Literal["edit", "announce", "write"]
    file: CoreFile
    edit: Edit | None = None


class CoreStep(PlannedStep[CoreItem]):
    """Takes over edits of the core files, and writes these files."""

    name = "core"
    summary = "Take over your edits of MEMORY.md, USER.md and PERSONA.md, and write the files anew."
    things = ("core file, or line of one,", "core files, or lines of them,")
    deed = "brought up to date"
    item = CoreItem
    rows = 500

    def describe_limits(self, context: StepContext) -> str | None:
        """Name the core files that can't be read."""
        files = context.files
        with context.store.read(context.tenant) as tx:
            _, held = read_core_edits(tx, files)
        told = (files.find_obstacle(file) or f"{file}: {UNREADABLE}" for file in held)
        return " ".join(told) or None

    def plan(self, context: StepContext) -> Iterator[CoreItem]:
        """Yield the edits in their order, then the files to write."""
        with context.store.read(context.tenant) as tx:
            edits, held = read_core_edits(tx, context.files)
            stale = [draft.file for draft in _drafts(tx, context) if draft.has_changes]
            all_files = [place.file for place in list_places(tx)]
        for i, edit in enumerate(edits):
            yield CoreItem(key=f"edit {i}", does="edit", file=edit.file, edit=edit)
        for file in all_files:
            if file not in held and (edits or file in stale):
                yield CoreItem(key=f"announce {file}", does="announce", file=file)
                yield CoreItem(key=f"write {file}", does="write", file=file)

    def apply(self, tx: Transaction, item: CoreItem, context: StepContext) -> ItemResult:
        """Carry out an edit, announce a file, or write one."""
        if item.edit is not None:
            done = apply_edit(tx, _user_edits(context), item.edit)
            outcome = _OUTCOMES.get(done.effect, StepOutcome.DONE)
            return ItemResult(outcome, done.memory_id, _describe(done, item.file))
        if item.file in recover_core(tx, context.files, context.at):
            return ItemResult(StepOutcome.DONE)
        draft = next(iter(_drafts(tx, context, item.file)), None)
        if draft is None or not draft.has_changes:
            return ItemResult(StepOutcome.UNCHANGED)
        if item.does == "announce":
            tx.core.announce_write(draft.file, draft.digest)
            return ItemResult(StepOutcome.DONE)
        return self._write(tx, draft, context)

    def _write(self, tx: Transaction, draft: CoreDraft, context: StepContext) -> ItemResult:
        if tx.core.file_state(draft.file).pending != draft.digest:
            return ItemResult(StepOutcome.CHANGED_SINCE)
        CoreImages(context.files, context.run.id).save(draft.file)
        if not replace_core(context.files, draft):
            return ItemResult(StepOutcome.CHANGED_SINCE)
        note_core_written(tx, draft)
        return ItemResult(StepOutcome.DONE)


def _describe(done: EditResult, file: CoreFile) -> str:
    """Describe the outcome of an edit, without a word of its text."""
    reason = f": {done.reason}" if done.reason else ""
    return f"{done.effect} by hand in {file}{reason}"


def _drafts(tx: Transaction, context: StepContext, only: CoreFile | None = None) -> list[CoreDraft]:
    left = {one.id: strength(one, context.at, context.retention) for one in _vitals(tx)}
    tokens = context.settings.core_file_tokens
    hand = _user_edits(context)
    return plan_core(
        tx,
        context.files,
        context.at,
        tokens,
        lambda memory: left[memory.id],
        lambda project, text: hand.in_project(project).find_refusal(tx, text),
        only,
        choose_embedder(context.settings),
        str(context.settings.home_path),
    )


def _vitals(tx: Transaction) -> Iterator[RetentionAttributes]:
    after = 0
    while page := tx.retention.list_attributes(after, _PAGE):
        yield from (one for _, one in page)
        after = page[-1][0]


def _user_edits(context: StepContext) -> UserEdits:
    return UserEdits(context.store, context.tenant, context.digests, context.policy)
