"""What the user writes into a core file: statements within a transaction that is open already."""

from dataclasses import replace

from memoria.ingest.clean import Tally
from memoria.ingest.statements import Statements, statement
from memoria.ingest.tombstones import Marks
from memoria.model import Memory, MemoryType, Validity, now_millis
from memoria.model.channel import HAND_EDIT
from memoria.model.privacy import PersonalRules
from memoria.store.base import Store, Transaction
from memoria.text.statement import fingerprint


class ByHand(Statements):
    """One tenant's edits by hand. They hold everywhere, and are the user's own word."""

    def __init__(
        self, store: Store, tenant: str, marks: Marks, personal: PersonalRules | None = None
    ) -> None:
        super().__init__(store, tenant, HAND_EDIT, marks, None, personal)

    def add(
        self,
        tx: Transaction,
        content: str,
        kind: MemoryType,
        subject: str | None,
        predicate: str | None,
    ) -> str:
        """Keep a new line, or know it again. Gives the memory's id.

        Raises:
            ForgottenError: it was forgotten.
            InvalidInputError: there is nothing to keep, too much, or what must not be kept.
        """
        text = self._ready(tx, content)
        memory = replace(self._new(kind), subject=subject, predicate=predicate)
        return self._keep(tx, text, memory)[0]

    def correct(self, tx: Transaction, memory: Memory, content: str) -> str | None:
        """Give a memory another wording; gives the id of what says exactly that already.

        Then the memory is put aside, for it says nothing of its own any more.

        Raises:
            ForgottenError: the new wording was forgotten.
            InvalidInputError: there is nothing to keep, too much, or what must not be kept.
        """
        text = self._ready(tx, content)
        known = tx.memories.with_fingerprint(fingerprint(text), None)
        if known is not None and known.id != memory.id and known.validity is Validity.ACTIVE:
            self.archive(tx, memory.id)
            return known.id
        if text != memory.content:
            self._revise(tx, memory.id, "correct", content)
        return None

    def archive(self, tx: Transaction, memory_id: str) -> None:
        """Put a memory aside."""
        self._revise(tx, memory_id, "archive")

    def supersede(self, tx: Transaction, memory_id: str, by: str) -> None:
        """Let another memory take the place of one."""
        tx.memories.set_validity(memory_id, Validity.SUPERSEDED, now_millis())
        self._audit(tx, "supersede", memory_id, f"settled as {by}")

    def hold(self, tx: Transaction, memory: Memory, content: str) -> str:
        """Keep a wording that stands against a memory until the user has chosen. Gives its id.

        Raises:
            ForgottenError: it was forgotten.
            InvalidInputError: there is nothing to keep, too much, or what must not be kept.
        """
        from memoria.ingest.link import (  # noqa: PLC0415  (a start-up must not pay for it)
            Surroundings,
            link,
        )

        version = self._version(tx, self._ready(tx, content), None, None)
        new = replace(
            self._new(memory.type, memory.importance),
            subject=memory.subject,
            predicate=memory.predicate,
            validity=Validity.PENDING_CONFIRMATION,
            flag="conflict",
        )
        tx.memories.add(new, version)
        around = Surroundings(contradicts=(memory.id,))
        link(tx, self._memory(tx, new.id), around=around, now=now_millis())
        self._audit(tx, "hold", new.id, f"against {memory.id}")
        return new.id

    def _ready(self, tx: Transaction, content: str) -> str:
        """The wording as it may be kept."""
        tally = Tally()
        text = self._permitted(statement(content, tally), tally)
        self._allow(tx, text, again=False)
        return text
