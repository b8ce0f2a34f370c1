"""Evidence on memories, gathered from the record for `policy/weighing`, and what follows, written.

Of a text it is read whether a passage is in its speaker's own words, and whether they say it
plainly. What the passage means is read by nobody here.
"""

from collections.abc import Sequence
from typing import NamedTuple

from memoria.erasure.cascade import is_telling
from memoria.erasure.plan import search_terms
from memoria.language.names.roles import parse_sentence
from memoria.language.reading.own_words import (
    blot_presented_text,
    own_sentences,
    sentences_of_blotted,
)
from memoria.language.reading.statement import says_the_same
from memoria.language.words.document import full_text
from memoria.memories.conditions import conditions_of_turns
from memoria.memories.times import date_of, date_of_turn
from memoria.model import InferredBy, Memory, Role, SourceKind, StoredTurn, Trust, Validity
from memoria.model.grounds import GroundMark
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.model.weighing import Speaker, Weighing
from memoria.policy.weighing import MemoryCase, Utterance, weigh
from memoria.store.rows.transaction import Transaction

Said = tuple[StoredTurn, str]
"""A turn, and the words in it that say what a memory says."""
WEIGH = "weigh"
"""Action in the audit log for a change of confidence; the detail begins with the former one."""
_DOUBTS = ("joking", "hearsay", "possible")
_BESIDE = " \t\r\n.,!。，！"
"""Signs that may stand beside a passage and take nothing of it back."""
_MOST_TURNS = 200
_MOST_FOUND = 20
_SAME_MOMENT_MS = 2_000
"""Longest time between a wording and its line in the log, written in one transaction."""
_SPEAKERS: dict[SourceKind, Speaker] = {
    SourceKind.USER_SAID: "user",
    SourceKind.ASSISTANT_INFERRED: "assistant",
    SourceKind.TOOL_OUTPUT: "tool",
}
_ROLES: dict[Speaker, Role] = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}


def gather_case(
    tx: Transaction,
    memory: Memory,
    ground: GroundMark | None,
    found: Sequence[Said] = (),
    *,
    is_disputed: bool = False,
) -> MemoryCase:
    """Gather the evidence on a memory in its present wording.

    Args:
        tx: where to look.
        memory: the memory.
        ground: state of the files that it speaks of, if it speaks of any.
        found: further turns that say it, beside those on record as its evidence.
        is_disputed: whether another active memory contradicts it.
    """
    speaker, utterances = _find_speaker(tx, memory, [*_list_said(tx, memory), *found])
    return MemoryCase(
        memory_id=memory.id,
        said_by=speaker,
        trust=memory.current.provenance.trust,
        utterances=utterances,
        confirmation=_find_confirmation(tx, memory),
        is_pinned=memory.pinned,
        files=ground.state if ground and ground.state != "not checked" else None,
        is_disputed=is_disputed,
    )


def weigh_memory(tx: Transaction, memory: Memory) -> Weighing | None:
    """Weigh a memory as it stands; None for one that nobody said, or that waits for the user."""
    if memory.type.is_derived or memory.validity is Validity.PENDING_CONFIRMATION:
        return None
    ids = tx.memories.list_contradictions([memory.id]).get(memory.id, ())
    rivals = filter(None, map(tx.memories.get, ids))
    is_disputed = any(one.validity is Validity.ACTIVE for one in rivals)
    return weigh(gather_case(tx, memory, memory.ground, is_disputed=is_disputed))


def find_restatements(tx: Transaction, memory: Memory) -> list[Said]:
    """Search the record for further turns of the user that say a memory in the same words.

    A plain sentence of theirs has to repeat the memory, or the words it rests on. Turns of another
    project count only for a memory that is seen everywhere, those of another speaker never.
    """
    evidence = tx.memories.list_evidence(memory.id)
    known, speakers = {one.turn_id for one in evidence}, {one.speaker for one in evidence} or {None}
    stated = {memory.content, memory.current.provenance.quote or ""}
    wordings = [one for one in stated if is_telling(one)]
    ns = {n for one in wordings for n in tx.documents.list_containing("turn", search_terms(one))}
    turns = [
        one
        for one in tx.conversations.turns(sorted(ns)[-_MOST_FOUND:]).values()
        if one.role is Role.USER and one.speaker in speakers and one.id not in known
        if _may_bear_out(tx, one, memory)
    ]
    conditions = conditions_of_turns(tx, turns) if turns else {}
    return [
        (turn, sentence.text)
        for turn in turns
        for sentence in own_sentences(turn.content)
        if conditions[turn.n] is None
        and any(says_the_same(sentence.text, one) for one in wordings)
        and _says_plainly(turn, sentence.text)
    ]


def _may_bear_out(tx: Transaction, turn: StoredTurn, memory: Memory) -> bool:
    if turn.suppressed or not turn.current:
        return False
    return turn.workspace == memory.workspace or (
        memory.project is None and not tx.memories.is_private(turn.workspace)
    )


def _list_said(tx: Transaction, memory: Memory) -> list[Said]:
    """List the turns that say the present wording; those of former ones say something else."""
    current = memory.current
    evidence = [
        one
        for one in tx.memories.list_evidence(memory.id, _MOST_TURNS)
        if one.version == current.version
        or (one.version is None and one.noted_at >= current.ingested_at)
    ]
    ids = [one.turn_id for one in evidence]
    turns = {turn.id: turn for turn in tx.conversations.list_turns_by_id(ids)}
    said = ((turns[one.turn_id], one.quote or "") for one in evidence)
    return [one for one in said if not one[0].suppressed]


def _find_speaker(
    tx: Transaction, memory: Memory, said: Sequence[Said]
) -> tuple[Speaker, tuple[Utterance, ...]]:
    """Return whose word a memory is, and the occasions on which they said it."""
    origin = memory.current.provenance
    by_user = [
        _utterance(tx, turn, is_plain=_says_plainly(turn, quote))
        for turn, quote in said
        if turn.role is Role.USER
    ]
    if by_user or (origin.trust is Trust.USER and origin.source_kind is SourceKind.USER_SAID):
        return "user", tuple(by_user) or (_state(tx, memory, is_plain=True),)
    speaker = _SPEAKERS.get(origin.source_kind, "document")
    if not said:
        if memory.current.inferred_by is not InferredBy.STATEMENT:
            return "nobody", ()
        stated_by: Speaker = "agent" if speaker in ("user", "assistant") else speaker
        return stated_by, (_state(tx, memory, is_plain=False),)
    role = _ROLES.get(speaker)
    heard = tuple(_utterance(tx, turn) for turn, _ in said if role in (turn.role, None))
    is_of_work = memory.type.row.leans_to_person < 0
    is_stated = memory.current.inferred_by is InferredBy.STATEMENT
    return ("agent" if speaker == "assistant" and (is_of_work or is_stated) else speaker), heard


def _says_plainly(turn: StoredTurn, quote: str) -> bool:
    """Return whether a turn of the user says a passage, and nothing but it, in a plain sentence.

    A question, a guess, a joke and hearsay are not plain, nor is what is quoted or pasted. Whatever
    stands beside a passage may take it back: "in my story", "/s", "it would be a lie to say".
    """
    text = full_text(turn)
    before, _, after = text.partition(quote or text)
    sentences = list(sentences_of_blotted(blot_presented_text(text)))
    return (
        not (before + after).strip(_BESIDE)
        and bool(sentences)
        and not any(one.is_question or one.is_doubtful for one in sentences)
        and not any(parse_sentence(one.text).modality in _DOUBTS for one in sentences)
    )


def _utterance(tx: Transaction, turn: StoredTurn, *, is_plain: bool = True) -> Utterance:
    return Utterance(turn.at, date_of_turn(turn, tx.zone), str(turn.session_n), is_plain)


def _state(tx: Transaction, memory: Memory, *, is_plain: bool) -> Utterance:
    """Return the occasion on which somebody stated a memory outside any turn."""
    at = memory.current.valid_from
    return Utterance(at, date_of(at, tx.zone), f"stated {memory.id}", is_plain)


def _find_confirmation(tx: Transaction, memory: Memory) -> Utterance | None:
    """Return the user's latest confirmation of the present wording."""
    since = memory.current.ingested_at - _SAME_MOMENT_MS
    for entry in reversed(tx.audit.list_entries(memory.id)) if memory.verified else ():
        if entry.action == "confirm" and entry.is_of_user and entry.at >= since:
            return Utterance(entry.at, date_of(entry.at, tx.zone), f"log {entry.at}", is_plain=True)
    return None


class LastWeighing(NamedTuple):
    """The last time a night changed the confidence in a memory."""

    before: float
    stands: bool
    """True if the confidence is the one that the night came to."""
    is_undone: bool
    """True if it is not, though nobody has done anything to the memory since."""


def read_last_weighing(tx: Transaction, memory: Memory) -> LastWeighing | None:
    """Read from the log the last change of a memory's confidence by a night; None if none was."""
    entries = tx.audit.list_entries(memory.id)
    last = next((one for one in reversed(entries) if one.action == WEIGH), None)
    if last is None:
        return None
    before, _, after = (last.detail or "").partition(":")[0].partition(" → ")
    stands = after == f"{memory.confidence:.2f}"
    return LastWeighing(float(before), stands, is_undone=not stands and last == entries[-1])


def set_weighed_confidence(
    tx: Transaction, memory: Memory, confidence: float, why: str, at: int
) -> None:
    """Set the confidence that a night's weighing came to."""
    tx.end_kept()
    tx.memories.set_flags(memory.id, at, confidence=confidence)
    tx.audit.add(
        at=at,
        channel=NIGHTLY_CHANNEL,
        client=None,
        action=WEIGH,
        subject=memory.id,
        detail=f"{memory.confidence:.2f} → {confidence:.2f}: {why}",
    )
