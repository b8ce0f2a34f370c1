"""Foreign memories: conclusions of another program, and a note of each import."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memoria.errors import ForgottenError, InvalidInputError
from memoria.language.names.keys import subject_key
from memoria.language.reading.clean import Tally, clean_name
from memoria.memories.details import End, check_subject, clean_entities
from memoria.memories.revisions import claim_of_statement, confidence_of
from memoria.memories.statements import Statements
from memoria.memories.wordings import Interpretation, check_statement, interpretation_by_agent
from memoria.model import (
    Channel,
    Memory,
    Mention,
    SourceKind,
    StoredTurn,
    Trust,
    Validity,
    new_id,
    now_millis,
)
from memoria.model.base import derive_id
from memoria.model.conclusions import ForeignMemory
from memoria.model.forgetting import Change
from memoria.policy.questions import RefusedError
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    from memoria.memories.verdicts import ClaimOutcome, NewClaim


_LOGGED_AS = "import"
_PURPOSE = "foreign memory"
_IMPORTANCE = 0.5
_MOMENT_BYTES = 6
ForeignStatus = Literal[
    "added", "known", "changed", "past", "waiting", "forgotten", "private", "refused"
]
"""Outcome of a foreign memory. `past`: it was true before what is known now. `waiting`: it
contradicts what is better borne out, and waits for the user's word."""


@dataclass(frozen=True, slots=True)
class ForeignReceipt:
    """Outcomes of some foreign memories, in their order."""

    statuses: tuple[ForeignStatus, ...]
    problems: tuple[str | None, ...]
    """Reason of each refusal; None for the others."""
    redactions: dict[str, int]
    stripped: int


@dataclass(frozen=True, slots=True)
class _Draft:
    """A foreign memory without secrets, or the reason why it is refused."""

    given: ForeignMemory
    text: str
    subject: str | None = None
    mentions: tuple[Mention, ...] = ()
    problem: str | None = None


class ForeignMemories(Statements):
    """Writes one tenant's memories that other programs have concluded."""

    def keep(self, memories: Sequence[ForeignMemory]) -> ForeignReceipt:
        """Write some memories in one transaction.

        Raises:
            StoreError: the store can't be written; none of them was.
        """
        tally = Tally()
        drafts = [self._clean(one, tally) for one in memories]
        with self._store.write(self._tenant) as tx:
            outcomes = [self._try_to_keep(tx, draft) for draft in drafts]
        return ForeignReceipt(
            tuple(status for status, _ in outcomes),
            tuple(problem for _, problem in outcomes),
            dict(tally.redactions),
            tally.stripped,
        )

    def _clean(self, given: ForeignMemory, tally: Tally) -> _Draft:
        try:
            text = self._screen(check_statement(given.content, tally), tally)
            subject = check_subject(given.subject, tally) if given.subject else None
        except InvalidInputError as error:
            return _Draft(given, "", problem=str(error))
        return _Draft(given, text, subject, clean_entities(given.mentions, tally))

    def _try_to_keep(self, tx: Transaction, draft: _Draft) -> tuple[ForeignStatus, str | None]:
        """Write a memory; return the outcome, with the problem of one that is refused."""
        try:
            return self._keep_one(tx, draft), draft.problem
        except RefusedError as error:
            return "refused", str(error)

    def _keep_one(self, tx: Transaction, draft: _Draft) -> ForeignStatus:
        given = draft.given
        if draft.problem is not None:
            return "refused"
        if self._is_private(tx, given):
            return "private"
        own_id = self._own_id(given)
        if tx.tombstones.get(own_id) is not None:
            return "forgotten"
        writer = self._writer(tx)
        names = (name for one in draft.mentions for name in one.names)
        try:
            for words in filter(None, (given.content, draft.text, draft.subject, *names)):
                writer.check_not_forgotten(words)
        except ForgottenError:
            return "forgotten"
        known = tx.memories.get(own_id)
        if known is not None:
            return self._update(tx, draft, known)
        new = self._new_claim(own_id, draft)
        end = None if given.expires_at is None else End(given.expires_at)
        return _status(self._state(tx, new, end, log_as=_LOGGED_AS))

    def _update(self, tx: Transaction, draft: _Draft, known: Memory) -> ForeignStatus:
        """Give an already imported memory the present text of its item.

        What the user has archived, corrected or replaced stays so.
        """
        is_told = any(version.content == draft.text for version in known.versions)
        if is_told or known.validity is not Validity.ACTIVE:
            return "known"
        new = self._new_claim(known.id, draft)
        return _status(self._state(tx, new, replaced=known, log_as=_LOGGED_AS))

    def _own_id(self, given: ForeignMemory) -> str:
        program = self._channel.source
        # A key may hold half a character, which JSON can write.
        key = hashlib.sha256(given.key.encode("utf-8", "surrogatepass"))
        parts = (_PURPOSE, self._tenant, program, key.hexdigest())
        digest = hashlib.sha256("\0".join(parts).encode()).digest()
        # Ids of what has no date must differ at their beginning, too: people shorten them.
        at = given.created_at or int.from_bytes(digest[:_MOMENT_BYTES], "big")
        return derive_id(at, *parts)

    def _is_private(self, tx: Transaction, given: ForeignMemory) -> bool:
        times = tx.private_times.applying(self._workspace, self._channel.source, "")
        return any(time.includes(given.at) for time in times)

    def _new_claim(self, own_id: str, draft: _Draft) -> "NewClaim":
        from memoria.memories.verdicts import NewClaim  # noqa: PLC0415  (the start-up does without it)

        given = draft.given
        wording = self._wording(draft.text, given.at)
        origin = wording.provenance.model_copy(update={"client": self._name_author(given)})
        confidence = confidence_of(wording)
        memory = replace(
            self._new_memory(
                given.kind, _IMPORTANCE if given.importance is None else given.importance
            ),
            id=own_id,
            confidence=confidence,
            subject=subject_key(draft.subject) if draft.subject else None,
        )
        wording = replace(
            wording,
            provenance=origin,
            interpretation=_interpret(draft, confidence),
            importance=given.importance,
        )
        return NewClaim(claim_of_statement(wording, memory, confidence), memory, wording)

    def _name_author(self, given: ForeignMemory) -> str | None:
        """Return the name of the program, with the item's author: `mem0 (anna)`."""
        program = self._channel.client
        author = clean_name(given.author, Tally()) if given.author else None
        return f"{program} ({author})" if author else program

    def _origin_of(self, turn: StoredTurn | None, text: str) -> tuple[SourceKind, Trust]:  # noqa: ARG002
        """Return an import's source and trust, which are the same for every statement."""
        return SourceKind.IMPORTED, self._channel.trust


def _interpret(draft: _Draft, confidence: float) -> Interpretation | None:
    """Interpret an item by the names its program gives; None where it gives none."""
    if not (draft.subject or draft.mentions):
        return None
    return interpretation_by_agent(draft.text, draft.mentions, draft.subject, confidence)


def _status(outcome: "ClaimOutcome") -> ForeignStatus:
    match outcome.action:
        case "ADD" | "restored":
            return "added"
        case "UPDATE":
            return "changed"
        case "pending":
            return "waiting"
        case "past":
            return "past"
        case _:
            return "known"


ACTION = "import"
"""Action of an import in the audit log and in lists of changes."""
_MOST_CONVERSATIONS = 20


def note_import(
    tx: Transaction, channel: Channel, turns: int, memories: int, turn_ids: Sequence[str] = ()
) -> None:
    """Note an import in the audit log, unless nothing new came in.

    Args:
        tx: a transaction of its own, or the last one of the import.
        channel: the way in.
        turns: how many turns are new.
        memories: how many memories are.
        turn_ids: one new turn of each conversation.
    """
    if not turns and not memories:
        return
    detail = {"turns": turns, "memories": memories, "seen": turn_ids[:_MOST_CONVERSATIONS]}
    tx.audit.add(
        at=now_millis(),
        channel=channel.name,
        client=channel.client,
        caller=channel.caller,
        action=ACTION,
        subject=new_id(),
        detail=json.dumps(detail),
    )


def read_last_import(tx: Transaction, project: str | None, *, everywhere: bool) -> Change | None:
    """Read the last import as a change that nobody can undo.

    Args:
        tx: a view of the store.
        project: the one whose conversations are named, and those of none.
        everywhere: whether those of all are.
    """
    line = next(iter(tx.audit.list_by_action(ACTION, 1)), None)
    if line is None:
        return None
    detail = json.loads(line.detail or "{}")
    turns = filter(None, map(tx.conversations.turn, detail["seen"]))
    seen = [one for one in turns if everywhere or one.workspace in (None, project)]
    items = {"turn": detail["turns"], "memory": detail["memories"]}
    return Change(
        id=line.subject,
        at=line.at,
        action=ACTION,
        by=line.by,
        items={kind: number for kind, number in items.items() if number},
        sessions=tuple(dict.fromkeys(one.session_id for one in seen)),
        is_gone=True,
    )
