"""Core: what was edited by hand becomes memories, and the files are written from the rows anew.

A file is announced in one transaction and written in the next: whoever is stopped between finds out
by its digest whether it was (`lifecycle.core.cycle`).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from memoria.ingest.by_hand import ByHand
from memoria.ingest.tombstones import Marks
from memoria.lifecycle.core.apply import Edit, apply_edit
from memoria.lifecycle.core.before import Before
from memoria.lifecycle.core.cycle import (
    UNREADABLE,
    Draft,
    announce_core,
    plan_core,
    put_core,
    read_core_edits,
    recover_core,
    settle_core,
)
from memoria.lifecycle.face import Applied, Item, Night
from memoria.model.core import CORE, CoreFile
from memoria.model.night import Outcome
from memoria.model.retention import Vitals
from memoria.policy.retention import strength
from memoria.store.base import Transaction
from memoria.store.files import tombstone_key
from memoria.store.folders import tenant_folder

_PAGE = 500


class CoreItem(Item):
    """An edit to be taken over, or a file to be announced or written."""

    does: Literal["edit", "announce", "write"]
    file: CoreFile
    edit: Edit | None = None


class Core:
    """MEMORY.md, USER.md and PERSONA.md, which people read and edit."""

    name = "core"
    item = CoreItem
    rows = 500

    def reduced(self, night: Night) -> str | None:
        """Whether a file can't be read."""
        with night.store.read(night.tenant) as tx:
            _, held = read_core_edits(tx, _folder(night))
        return "; ".join(f"{file}: {UNREADABLE}" for file in held) or None

    def plan(self, night: Night) -> Iterator[CoreItem]:
        """The edits in their order, then each file."""
        with night.store.read(night.tenant) as tx:
            edits, held = read_core_edits(tx, _folder(night))
            stale = [draft.file for draft in _drafts(tx, night) if draft.changed]
        for i, edit in enumerate(edits):
            yield CoreItem(key=f"edit {i}", does="edit", file=edit.file, edit=edit)
        for file in CORE:
            if file not in held and (edits or file in stale):
                yield CoreItem(key=f"announce {file}", does="announce", file=file)
                yield CoreItem(key=f"write {file}", does="write", file=file)

    def apply(self, tx: Transaction, item: CoreItem, night: Night) -> Applied:
        """Take an edit over, or come a step nearer to a file that says what the rows say."""
        if item.edit is not None:
            done = apply_edit(tx, _hand(night), item.edit)
            outcome = Outcome.CHANGED_SINCE if done.effect == "changed" else Outcome.DONE
            return Applied(outcome, done.memory_id, f"{done.effect} by hand in {item.file}")
        if item.file in recover_core(tx, _folder(night), night.at):
            return Applied(Outcome.DONE)
        draft = next((each for each in _drafts(tx, night) if each.file == item.file), None)
        if draft is None or not draft.changed:
            return Applied(Outcome.UNCHANGED)
        if item.does == "announce":
            announce_core(tx, draft)
            return Applied(Outcome.DONE)
        return self._write(tx, draft, night)

    def _write(self, tx: Transaction, draft: Draft, night: Night) -> Applied:
        if tx.core.state(draft.file).pending != draft.digest:
            return Applied(Outcome.CHANGED_SINCE)
        Before(_folder(night), night.run.id).keep(draft.file)
        if not put_core(_folder(night), draft):
            return Applied(Outcome.CHANGED_SINCE)
        settle_core(tx, draft)
        return Applied(Outcome.DONE)


def _drafts(tx: Transaction, night: Night) -> list[Draft]:
    left = {one.id: strength(one, night.at, night.retention) for one in _vitals(tx)}
    tokens = night.settings.core_tokens
    return plan_core(tx, _folder(night), night.at, tokens, lambda memory: left[memory.id])


def _vitals(tx: Transaction) -> Iterator[Vitals]:
    after = 0
    while page := tx.retention.vitals(after, _PAGE):
        yield from (one for _, one in page)
        after = page[-1][0]


def _folder(night: Night) -> Path:
    return tenant_folder(night.settings.home_path, night.tenant)


def _hand(night: Night) -> ByHand:
    home = night.settings.home_path
    marks = Marks(night.tenant, lambda: tombstone_key(home))
    return ByHand(night.store, night.tenant, marks, night.settings.personal_data)
