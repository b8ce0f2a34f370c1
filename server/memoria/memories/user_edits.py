"""User edits: what the user writes into a core file, within a transaction of the caller."""

from dataclasses import replace

from memoria.erasure.suppression import Digester
from memoria.errors import ForgottenError, InvalidInputError
from memoria.language.reading.clean import Tally
from memoria.memories.revisions import claim_of_statement, confidence_of
from memoria.memories.statements import Statements
from memoria.memories.verdicts import NewClaim
from memoria.memories.wordings import StructuralLinks, check_statement
from memoria.model import Memory, MemoryType, Validity
from memoria.model.provenance import USER_EDIT
from memoria.policy.questions import OWN_POLICY, HomePolicy
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction


class UserEdits(Statements):
    """One tenant's edits of core files, which are the user's word.

    What is written into a project's file holds in that project, all else everywhere. No program's
    policy is asked about it.
    """

    def __init__(
        self,
        store: Store,
        tenant: str,
        digester: Digester,
        policy: HomePolicy = OWN_POLICY,
        project: str | None = None,
    ) -> None:
        own = HomePolicy(personal=policy.personal)
        super().__init__(store, tenant, USER_EDIT, digester, project, own)

    def in_project(self, project: str | None) -> "UserEdits":
        """Return the editor of a project's core file; of the home's core files for None."""
        return UserEdits(self._store, self._tenant, self._digester, self._policy, project)

    def add(
        self,
        tx: Transaction,
        content: str,
        kind: MemoryType,
        subject: str | None,
        predicate: str | None,
    ) -> str:
        """Remember a new line, or recognise it, and return the memory's id.

        Raises:
            ForgottenError: the text was forgotten.
            InvalidInputError: it is empty, too long, or must not be kept.
        """
        text = self._check_wording(tx, content)
        memory = replace(
            self._new_memory(kind),
            subject=subject,
            predicate=predicate,
            scope="everywhere" if self._workspace is None else "project",
        )
        wording = self._wording(text)
        memory = replace(memory, confidence=confidence_of(wording))
        claim = claim_of_statement(wording, memory, memory.confidence)
        return self._state(tx, NewClaim(claim, memory, wording)).memory_id

    def correct(self, tx: Transaction, memory: Memory, content: str) -> str | None:
        """Give a memory a new text, and return None.

        If another active memory has exactly this text, the memory is archived instead, and the id
        of the other one is returned.

        Raises:
            ForgottenError: the new wording was forgotten.
            InvalidInputError: it is empty, too long, or must not be kept.
        """
        text = self._check_wording(tx, content)
        known = self._writer(tx).find_same(text, self._workspace)
        if known is not None and known.id != memory.id and known.validity is Validity.ACTIVE:
            self.archive(tx, memory.id)
            return known.id
        if text != memory.content:
            self._revise(tx, memory.id, "correct", content)
        return None

    def move_here(self, tx: Transaction, memory_id: str) -> None:
        """Make a memory visible where the core file with its line is read."""
        memory = self._memory(tx, memory_id)
        if memory.project != self._workspace:
            self._writer(tx).move_to(memory, self._workspace)

    def archive(self, tx: Transaction, memory_id: str) -> None:
        """Archive a memory."""
        self._revise(tx, memory_id, "archive")

    def supersede(self, tx: Transaction, memory_id: str, by: str) -> None:
        """Supersede a memory for which the user has chosen another."""
        self._writer(tx).supersede(memory_id, f"settled as {by}")

    def add_pending(self, tx: Transaction, memory: Memory, content: str) -> str:
        """Hold a text that contradicts a memory until the user has chosen, and return its id.

        Raises:
            ForgottenError: the text was forgotten.
            InvalidInputError: it is empty, too long, or must not be kept.
        """
        wording = self._wording(self._check_wording(tx, content))
        against = StructuralLinks(contradicts=(memory.id,))
        new = replace(
            self._new_memory(memory.type, memory.importance),
            scope=memory.scope,
            subject=memory.subject,
            predicate=memory.predicate,
            validity=Validity.PENDING_CONFIRMATION,
            flag="conflict",
        )
        wording = replace(wording, structural=against)
        self._writer(tx).add(new, wording, "hold", f"against {memory.id}")
        return new.id

    def find_refusal(self, tx: Transaction, content: str) -> str | None:
        """Return the reason why a text is not remembered; None where nothing speaks against it."""
        try:
            self._check_wording(tx, content)
        except ForgottenError:
            return "it was forgotten before, on purpose."
        except InvalidInputError as error:
            return str(error)
        return None

    def _check_wording(self, tx: Transaction, content: str) -> str:
        """Return a text without secrets; raise an error if the text may not be remembered."""
        tally = Tally()
        text = self._screen(check_statement(content, tally), tally)
        self._writer(tx).check_not_forgotten(text)
        return text
