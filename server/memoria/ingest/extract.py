"""Extract: one entry of the queue becomes memories.

The model is asked outside any transaction, for it may take minutes; what comes of it is applied in
one, together with the entry's completion. Whatever changed meanwhile (a turn edited, forgotten,
read by another worker) is left out: a turn is concluded from once. Where something was forgotten,
nothing of the answer counts, and what is left is read again.
"""

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from memoria.inference.tasks import Extraction, extract
from memoria.ingest.clean import Tally, clean_text
from memoria.ingest.focus import follow_reading
from memoria.ingest.grounds import Grounds, Shown
from memoria.ingest.reading import (
    ChangedMeanwhileError,
    Tools,
    day_of,
    finish,
    numbered,
    share,
    span,
    spoken,
    stated,
)
from memoria.ingest.resolve import Resolver
from memoria.ingest.second_look import Advice, SecondLook, doubtful
from memoria.model import (
    Add,
    InferredBy,
    Meanings,
    Memory,
    StoredTurn,
    Update,
    Validity,
)
from memoria.store.base import Transaction
from memoria.store.values import Work
from memoria.text.document import full_text
from memoria.text.statement import sentences_in

_BEFORE = 4
_BEFORE_CHARS = 300
_MOST_CHARS = 24_000
_LEAST_CHARS = 400


@dataclass(frozen=True, slots=True)
class _Reading:
    """What there is to read for an entry."""

    turns: tuple[StoredTurn, ...]
    before: tuple[StoredTurn, ...]
    known: tuple[Memory, ...]
    forgotten_by_meaning: bool = False
    """Whether what is concluded has to be held against the meaning of what was forgotten."""


class Extractor:
    """Reads entries of any tenant."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def run(self, work: Work, owner: str) -> None:
        """Draw memories from an entry's turns; see `Reader`."""
        reading = self._read(work)
        if not reading.turns:
            with self._tools.store.write(work.tenant) as tx:
                finish(tx, work, owner, "nothing left")
            return
        proposed = self._ask(work, reading)
        meanings = self._tools.recall.meanings(
            _statements(proposed), wait=reading.forgotten_by_meaning
        )
        advice = self._look_again(work, reading, proposed, meanings)
        with self._tools.store.write(work.tenant) as tx:
            _see_that_nothing_was_forgotten(tx, work, reading)
            grounds = self._grounds(tx, work, reading, meanings)
            finish(tx, work, owner, self._apply(grounds, proposed, advice))

    def _read(self, work: Work) -> _Reading:
        with self._tools.store.read(work.tenant) as tx:
            turns = tuple(filter(_unread, span(tx, work)))
            if not turns:
                return _Reading((), (), ())
            first = turns[0].turn_index
            near = tx.conversations.span(work.session_n, max(first - _BEFORE, 0), first - 1)
            before = [turn for turn in near if not turn.barred]
            text = "\n".join(full_text(turn)[:_LEAST_CHARS] for turn in turns)
            known = self._tools.recall.related(tx, text, turns[0].workspace)
            by_meaning = tx.tombstones.know_meanings()
            return _Reading(turns, tuple(before), tuple(known), by_meaning)

    def _ask(self, work: Work, reading: _Reading) -> Extraction:
        most = share(_MOST_CHARS, reading.turns, _LEAST_CHARS)
        question = extract(
            said_on=day_of(reading.turns[-1]),
            known="\n".join(map(_line, reading.known)) or "(none)",
            before="\n".join(_said(turn, _BEFORE_CHARS) for turn in reading.before) or "(nothing)",
            conversation=numbered(_said(turn, most) for turn in reading.turns),
            max_output_tokens=self._tools.max_output_tokens,
        )
        return self._tools.gate.ask(work.tenant, question)

    def _look_again(
        self, work: Work, reading: _Reading, proposed: Extraction, meanings: Meanings
    ) -> Advice:
        """Ask about what can't be told, or would cost much if it were wrong."""
        with self._tools.store.read(work.tenant) as tx:
            grounds = self._grounds(tx, work, reading, meanings)
            doubts = doubtful(grounds, proposed.operations, self._tools.recall, meanings)
        return SecondLook(self._tools.gate, work.tenant, self._tools.max_output_tokens).at(doubts)

    def _grounds(
        self, tx: Transaction, work: Work, reading: _Reading, meanings: Meanings
    ) -> Grounds:
        """What may be built on now: turns that were left meanwhile are no grounds."""
        now = tx.conversations.turns([turn.n for turn in reading.turns])
        shown_as = enumerate(reading.turns, 1)
        turns = {i: now[t.n] for i, t in shown_as if t.n in now and _unread(now[t.n])}
        shown = Shown(turns, {memory.id: memory for memory in reading.known})
        return self._tools.grounds(tx, work, shown, meanings)

    def _apply(self, grounds: Grounds, proposed: Extraction, advice: Advice) -> str:
        resolver = Resolver(grounds, advice)
        outcome = resolver.apply(proposed.operations)
        follow_reading(grounds, proposed.focus)
        understood = [turn for turn in grounds.turns if turn.n not in grounds.misread]
        _retire_rules(grounds, understood, resolver.echoed)
        grounds.tx.conversations.process(grounds.turns)
        return str(outcome)


def _statements(proposed: Extraction) -> list[str]:
    """What may become a memory, without secrets: an embedder may be a stranger, too."""
    said = (one.content for one in proposed.operations if isinstance(one, Add | Update))
    return [piece for text in said for piece in sentences_in(clean_text(text, Tally()).strip())]


def _see_that_nothing_was_forgotten(tx: Transaction, work: Work, reading: _Reading) -> None:
    """Take no conclusion from a model that has seen what was forgotten since: it may say it.

    Raises:
        ChangedMeanwhileError: so it is.
    """
    shown = [turn.n for turn in (*reading.turns, *reading.before)]
    left = [turn.n for turn in tx.conversations.turns(shown).values() if not turn.barred]
    gone = any(tx.memories.get(memory.id) is None for memory in reading.known)
    if gone or len(left) < len(shown):
        raise ChangedMeanwhileError(f"Something that {work.id} was read with is forgotten.")


def _unread(turn: StoredTurn) -> bool:
    return turn.current and not turn.barred and not turn.processed


def _retire_rules(grounds: Grounds, turns: Sequence[StoredTurn], echoed: AbstractSet[str]) -> None:
    """What rules concluded from a turn ends when a model has read it and did not say the same."""
    memories = grounds.tx.memories
    for memory_id in memories.concluded([turn.n for turn in turns], InferredBy.RULES):
        memory = grounds.stored(memory_id)
        if not (memory_id in echoed or memory.verified or memory.pinned):
            memories.set_validity(memory_id, Validity.ARCHIVED, grounds.now)
            grounds.audit("archive", memory_id, "it read the turn and does not say the same")


def _line(memory: Memory) -> str:
    return json.dumps(
        {
            "id": memory.id,
            "type": memory.type.value,
            "subject": memory.subject,
            "predicate": memory.predicate,
            "content": stated(memory.content),
        },
        ensure_ascii=False,
    )


def _said(turn: StoredTurn, most: int) -> str:
    return spoken(turn, full_text(turn), most)
