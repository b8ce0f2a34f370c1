"""Deletion: a plan carried out within one transaction, with its tombstones and its audit trail."""

from collections.abc import Mapping

from memoria.erasure.cascade import (
    delete_dependents,
    delete_memory,
    drop_lost_subjects,
    drop_unsupported,
    part_unsupported,
)
from memoria.erasure.plan import ErasurePlan
from memoria.erasure.restatements import list_restatements
from memoria.erasure.suppression import Digester
from memoria.language.words.document import full_text
from memoria.model import Channel, Memory, StoredTurn, now_millis
from memoria.store.rows.transaction import Transaction
from memoria.store.values import SuppressedMeaning, Tombstone, TombstoneKind, TombstoneRecord


def list_notes(tx: Transaction, plan: ErasurePlan) -> list[str]:
    """List the tasks, on scratchpads or of memories, whose names go with what a plan forgets."""
    return plan.find_notes([*tx.scratchpads.list_notes(), *tx.tasks.list_names()])


class Deletion:
    """Erases the records of a plan, and those that rest on them."""

    def __init__(
        self,
        tx: Transaction,
        plan: ErasurePlan,
        digester: Digester,
        channel: Channel,
        reason: str,
        meanings: Mapping[str, SuppressedMeaning],
    ) -> None:
        """Create the deletion.

        Args:
            tx: the transaction that forgets.
            plan: made within it.
            digester: makes what tombstones recognise texts by.
            channel: who wants it.
            reason: who wants it and why, for the tombstones.
            meanings: what texts mean, by text, where tombstones are to know that.
        """
        self._tx = tx
        self._plan = plan
        self._digester = digester
        self._channel = channel
        self._reason = reason
        self._meanings = meanings
        self._at = now_millis()
        self._may_return = False

    def run(self, *, may_return: bool = False) -> None:
        """Carry the plan out.

        Args:
            may_return: keep of what is erased that it was, and nothing to know it again by.
        """
        self._may_return = may_return
        tx, plan = self._tx, self._plan
        for memory_id in delete_dependents(
            tx, plan.ids_with_lost_wordings, plan.source_ns, spared={*plan.memories, *plan.kept}
        ):
            self._audit("forget", memory_id)
        for memory in plan.memories.values():
            self._erase_memory(memory)
        for n, memory_id in plan.former_wordings.items():
            if memory_id not in plan.memories and tx.memories.get(memory_id) is not None:
                tx.memories.erase_wording(memory_id, n)
        for turn in plan.named_turns.values():
            if not plan.spares(full_text(turn)):
                self._suppress_text(turn)
        if plan.include_source:
            self._erase_turns()
        else:
            self._suppress_turns()
        self._erase_notes()
        part_unsupported(tx)

    def _erase_memory(self, memory: Memory) -> None:
        texts = self._plan.list_suppressed(memory)
        restatements = list_restatements(self._tx, memory)
        barred = (text for text in restatements if not self._plan.spares(text))
        digests = dict.fromkeys(map(self._digest_statement, barred))
        meanings = tuple(self._meanings[text] for text in texts if text in self._meanings)
        self._add_tombstone("memory", memory.id, tuple(digests), meanings)
        delete_memory(self._tx, memory.id, self._at)
        self._audit("forget", memory.id)

    def _suppress_text(self, turn: StoredTurn) -> None:
        """Set a tombstone for the whole text of a named turn, so that nobody concludes it again."""
        self._add_tombstone("memory", turn.id, (self._digest_statement(full_text(turn)),))

    def _digest_statement(self, text: str) -> str:
        return self._digester.digest_statement(text, erases=self._plan.include_source)

    def _suppress_turns(self) -> None:
        """Let nothing be concluded from the sources, nor in a home restored from a backup."""
        for version in self._plan.source_versions:
            digests = self._digest_turn(version, erases=False)
            self._add_tombstone("memory", version.id, tuple(digests))
        for turn in self._plan.sources.values():
            self._tx.conversations.suppress_turn(turn)
            self._audit("suppress", turn.id)

    def _erase_turns(self) -> None:
        ns = self._plan.source_ns
        dependents = self._tx.dependencies.list_dependents([], ns)
        self._erase_sources()
        # A memory that said it in a former wording stays, without the names that it had from there.
        survivors = {one.memory_id for one in dependents} | {*self._plan.former_wordings.values()}
        drop_lost_subjects(self._tx, survivors, [*map(full_text, self._plan.source_versions)])
        drop_unsupported(self._tx, sorted(survivors), self._at)

    def _erase_sources(self) -> None:
        turns = [*self._plan.sources.values()]
        versions = {turn.n: self._tx.conversations.turn_versions(turn) for turn in turns}
        for n, names in self._tx.conversations.erase_turns(turns).items():
            digests = [self._digest_turn(version, erases=True) for version in versions[n]]
            digests += map(self._digester.digest_message, names)
            for version in versions[n]:
                self._add_tombstone("turn", version.id, tuple(set().union(*digests)))
                self._audit("erase", version.id)

    def _digest_turn(self, turn: StoredTurn, *, erases: bool) -> set[str]:
        """Return the digests of a turn's text; none if the text is to be kept."""
        text = full_text(turn)
        return set() if self._plan.spares(text) else self._digester.digest_turn(text, erases=erases)

    def _erase_notes(self) -> None:
        """Erase tasks that say it, or have their words from an erased turn, wherever noted."""
        unwanted = {*list_notes(self._tx, self._plan)}
        if unwanted:
            self._tx.scratchpads.erase(unwanted.__contains__)
            self._tx.tasks.erase(unwanted.__contains__)

    def _add_tombstone(
        self,
        kind: TombstoneKind,
        subject: str,
        digests: tuple[str, ...] = (),
        meanings: tuple[SuppressedMeaning, ...] = (),
    ) -> None:
        if self._may_return:
            digests, meanings = (), ()
        tombstone = Tombstone(kind, subject, self._at, self._reason)
        self._tx.tombstones.add(TombstoneRecord(tombstone, digests, meanings))

    def _audit(self, action: str, subject: str) -> None:
        self._tx.audit.add(
            at=self._at,
            channel=self._channel.name,
            client=self._channel.client,
            action=action,
            subject=subject,
        )
