"""Episodes that an agent or a program hands in: its own summary of turns that are on record."""

from collections.abc import Sequence
from dataclasses import replace

from memoria.errors import ConflictError, InvalidInputError, NotFoundError, shorten
from memoria.language.reading.clean import Tally
from memoria.memories.changes import ChangeMark
from memoria.memories.details import StatementDetails
from memoria.memories.episode_fields import describe_span
from memoria.memories.statements import Statements, list_words
from memoria.memories.times import local_span
from memoria.memories.wordings import (
    NewWording,
    StructuralLinks,
    check_statement,
    interpretation_by_agent,
    is_fixed_for,
)
from memoria.model import (
    Memory,
    MemoryType,
    Provenance,
    RelatedStatement,
    RememberResult,
    SourceKind,
    StoredTurn,
    Trust,
    Validity,
    new_id,
)
from memoria.model.metadata import write_metadata
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewMemory

_CONFIDENCE = 0.7
_IMPORTANCE = 0.4
_OF_STATEMENTS = ("valid_from", "until", "subject", "supersedes", "turn_id", "quote")


class HandedEpisodes(Statements):
    """Writes episodes of an agent in the place of those that a model would make."""

    def hand_in(self, content: str, kind: str | None, given: StatementDetails) -> RememberResult:
        """Keep a summary of the turns from the first to the last that it is said to cover.

        It takes the place of the episodes of these turns alone, but for those that the user has
        confirmed or pinned, and no model is asked to sum them up. The beginning, the end and
        the tools are those of the turns.

        Raises:
            ConflictError: the user has confirmed the episode of exactly these turns.
            ForgottenError: it was forgotten.
            InvalidInputError: it is empty, too long or an order, covers several sessions or what
                was forgotten, or has details that only a statement has.
            NotFoundError: there is no such turn or session.
            RefusedError: the policy does not keep it.
        """
        if kind not in (None, MemoryType.EPISODE):
            raise InvalidInputError(
                f"type: what covers turns is an episode, not a {shorten(kind)}. Leave it out, or "
                "leave covers out, and name the turn it rests on (turn_id). Nothing was done."
            )
        misplaced = [name for name in _OF_STATEMENTS if getattr(given, name) is not None]
        if misplaced:
            raise InvalidInputError(
                f"{misplaced[0]}: an episode has none; its turns say when and where. Leave it out, "
                "or leave covers out to state a conclusion. Nothing was done."
            )
        tally = Tally()
        text = self._screen(check_statement(content, tally), tally)
        details = self._check_details(given, tally)
        if not self._is_user_channel:
            _refuse_order(text)
        with self._write_change(mark := ChangeMark("remember"), only_adds=True) as tx:
            writer = self._writer(tx)
            for words in (content, text, *list_words(details)):
                writer.check_not_forgotten(words)
            turns = _list_covered(tx, details.covers)
            known = _list_within(tx, turns)
            mark.memory_id, is_new = self._write(tx, text, details, turns)
            now = self._memory(tx, mark.memory_id)
            replaced = [one for one in known if one.id != now.id and is_new]
            for one in replaced:
                writer.supersede(one.id, successor=now)
            local = local_span(now, tx.zone)
        return RememberResult(
            id=now.id,
            status="remembered" if is_new else "already_known",
            content=text,
            redactions=dict(tally.redactions),
            supersedes=tuple(RelatedStatement(id=x.id, content=x.content) for x in replaced),
            local=local,
            task=now.task,
            scope=now.scope,
            project=now.project,
        )

    def _write(
        self, tx: Transaction, text: str, given: StatementDetails, turns: Sequence[StoredTurn]
    ) -> tuple[str, bool]:
        """Write an episode or reword the one of these turns; return its id, and if that is new."""
        first, last = turns[0], turns[-1]
        span = first.session_n, first.turn_index, last.turn_index
        known_id = tx.episodes.find(*span)
        known = None if known_id is None else self._memory(tx, known_id)
        wording = self._word(text, given, turns)
        if known is None:
            memory = NewMemory(
                id=new_id(),
                type=MemoryType.EPISODE,
                importance=_IMPORTANCE if given.importance is None else given.importance,
                confidence=_CONFIDENCE,
                workspace=first.workspace,
                task=given.task or None,
                scope=given.scope,
                metadata=wording.metadata,
            )
            self._writer(tx).add(memory, wording)
            tx.episodes.add(memory.id, *span)
            return memory.id, True
        if known.content == text and known.validity is Validity.ACTIVE:
            return known.id, False
        if is_fixed_for(known, self._channel.trust):
            raise ConflictError(
                f"The user has confirmed memory {known.id}, the episode of these turns: it stays. "
                "Nothing was done."
            )
        self._writer(tx).revise(known.id, replace(wording, structural=None))
        return known.id, True

    def _word(self, text: str, given: StatementDetails, turns: Sequence[StoredTurn]) -> NewWording:
        provenance = Provenance(
            source_kind=SourceKind.CONSOLIDATED,
            trust=Trust.REPORTED.at_most(self._channel.trust),
            channel=self._channel.name,
            client=self._channel.client,
        )
        return NewWording(
            content=text,
            valid_from=min(turn.at for turn in turns),
            provenance=provenance,
            turn_n=turns[0].n,
            importance=given.importance,
            metadata=write_metadata({**(given.metadata or {}), **describe_span(turns)}),
            interpretation=interpretation_by_agent(text, given.entities, None, _CONFIDENCE),
            structural=StructuralLinks(turns=(turns[-1].id,)),
        )


def _refuse_order(text: str) -> None:
    """Refuse a summary that gives orders.

    Raises:
        InvalidInputError: it does.
    """
    from memoria.language.statements.orders import instruction_shaped  # noqa: PLC0415  (as in `Statements`)

    if instruction_shaped(text, Trust.REPORTED):
        raise InvalidInputError(
            "This reads like an order, and an episode is none. Say what was asked for and what was "
            "done. Nothing was kept."
        )


def _list_covered(tx: Transaction, covers: Sequence[str]) -> list[StoredTurn]:
    """List the turns from the first to the last of those that ids of turns or a session name.

    Raises:
        InvalidInputError: they are of several sessions, or one of them was forgotten.
        NotFoundError: there is no such turn or session.
    """
    named = [turn for one in covers for turn in _find_ends(tx, one)]
    if len({turn.session_n for turn in named}) > 1:
        raise InvalidInputError(
            "covers: these turns are of several sessions. Hand in an episode for each. Nothing was "
            "done."
        )
    places = [turn.turn_index for turn in named]
    turns = tx.conversations.list_span(named[0].session_n, min(places), max(places))
    if any(turn.suppressed for turn in turns):
        raise InvalidInputError(
            "covers: what one of these turns said was forgotten, so nothing is concluded from it. "
            "Leave it out. Nothing was done."
        )
    return turns


def _find_ends(tx: Transaction, one: str) -> Sequence[StoredTurn]:
    """Return the turn with an id, or the first and the last turn of the session with an id."""
    turn = tx.conversations.turn(one)
    if turn is not None:
        return [turn]
    last = tx.conversations.session_size(one) - 1
    if last < 0:
        raise NotFoundError(
            f"covers: no turn and no session has the id {shorten(one)}. Record the conversation "
            "first, and name its turns or its session. Nothing was done."
        )
    return [tx.conversations.session_turns(one, place, 1)[0] for place in (0, last)]


def _list_within(tx: Transaction, turns: Sequence[StoredTurn]) -> list[Memory]:
    """List active episodes of these turns alone that the user has neither confirmed nor pinned."""
    first, last = turns[0], turns[-1]
    ids = tx.episodes.list_within(first.session_n, first.turn_index, last.turn_index)
    found = filter(None, map(tx.memories.get, ids))
    active = (one for one in found if one.validity is Validity.ACTIVE)
    return [one for one in active if not (one.verified or one.pinned)]
