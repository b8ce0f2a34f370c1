"""Extract: one entry of the queue becomes memories.

The model is asked outside any transaction, for it may take minutes; what comes of it is applied in
one, together with the entry's completion. Whatever changed meanwhile (a turn edited, forgotten,
read by another worker) is left out: a turn is concluded from once.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoria.errors import MemoriaError
from memoria.inference.chat.gate import Gate
from memoria.inference.tasks import Extraction, extract
from memoria.ingest.focus import follow_reading
from memoria.ingest.grounds import Grounds, Shown
from memoria.ingest.resolve import Resolver
from memoria.ingest.tombstones import Marks
from memoria.model import InferredBy, Memory, StoredTurn, Validity, from_millis, now_millis
from memoria.store.base import Store, Transaction
from memoria.store.values import Work
from memoria.text.document import full_text

Recall = Callable[[Transaction, str, str | None], list[Memory]]
"""Finds what is known already: (transaction, text, workspace) -> memories."""
_BEFORE = 4
_BEFORE_CHARS = 300
_MOST_CHARS = 24_000
_LEAST_CHARS = 400
_CUT = " […] "


class LeaseLostError(MemoriaError):
    """Another worker has the entry by now; nothing of ours was written."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What there is to read for an entry."""

    turns: tuple[StoredTurn, ...]
    before: tuple[StoredTurn, ...]
    known: tuple[Memory, ...]


class Extractor:
    """Reads entries of any tenant."""

    def __init__(
        self,
        store: Store,
        gate: Gate,
        recall: Recall,
        marks: Callable[[str], Marks],
        max_output_tokens: int,
    ) -> None:
        """Nothing is read yet.

        Args:
            store: where the conversations are.
            gate: the way to the model.
            recall: finds the memories to show it.
            marks: a tenant's marks, which recognise what was forgotten.
            max_output_tokens: the longest answer.
        """
        self._store = store
        self._gate = gate
        self._recall = recall
        self._marks = marks
        self._max_output_tokens = max_output_tokens

    def run(self, work: Work, owner: str) -> None:
        """Read an entry and apply what comes of it.

        Raises:
            ChatModelError: the model gave no answer.
            LeaseLostError: it took too long.
            StoreError: the store can't serve.
        """
        reading = self._read(work)
        proposed = self._ask(work, reading) if reading.turns else None
        with self._store.write(work.tenant) as tx:
            outcome = (
                "nothing left" if proposed is None else self._apply(tx, work, reading, proposed)
            )
            if not tx.queue.finish(work.n, owner, outcome):
                raise LeaseLostError(f"The entry {work.id} was read by another worker meanwhile.")

    def _read(self, work: Work) -> _Reading:
        with self._store.read(work.tenant) as tx:
            turns = tuple(filter(_unread, _span(tx, work)))
            if not turns:
                return _Reading((), (), ())
            first = turns[0].turn_index
            before = tx.conversations.span(work.session_n, max(first - _BEFORE, 0), first - 1)
            text = "\n".join(full_text(turn)[:_LEAST_CHARS] for turn in turns)
            known = self._recall(tx, text, turns[0].workspace)
            return _Reading(turns, tuple(before), tuple(known))

    def _ask(self, work: Work, reading: _Reading) -> Extraction:
        most = max(_MOST_CHARS // len(reading.turns), _LEAST_CHARS)
        day = from_millis(reading.turns[-1].at).date()
        question = extract(
            said_on=f"{day:%A}, {day.isoformat()}",
            known="\n".join(map(_line, reading.known)) or "(none)",
            before="\n".join(_spoken(turn, _BEFORE_CHARS) for turn in reading.before)
            or "(nothing)",
            conversation="\n\n".join(
                f"[{number}] {_spoken(turn, most)}" for number, turn in enumerate(reading.turns, 1)
            ),
            max_output_tokens=self._max_output_tokens,
        )
        return self._gate.ask(work.tenant, question)

    def _apply(self, tx: Transaction, work: Work, reading: _Reading, proposed: Extraction) -> str:
        now = tx.conversations.turns([turn.n for turn in reading.turns])
        numbered = enumerate(reading.turns, 1)
        turns = {i: now[t.n] for i, t in numbered if t.n in now and _unread(now[t.n])}
        shown = Shown(turns, {memory.id: memory for memory in reading.known})
        marks = self._marks(work.tenant)
        grounds = Grounds(tx, marks, shown, InferredBy.MODEL, self._gate.name)
        outcome = Resolver(grounds).apply(proposed.operations)
        follow_reading(grounds, proposed.focus)
        _retire_rules(tx, tuple(turns.values()))
        tx.conversations.process(turns.values())
        return str(outcome)


def _span(tx: Transaction, work: Work) -> list[StoredTurn]:
    return tx.conversations.span(work.session_n, work.first_index, work.last_index)


def _unread(turn: StoredTurn) -> bool:
    return turn.current and not turn.barred and not turn.processed


def _retire_rules(tx: Transaction, turns: Sequence[StoredTurn]) -> None:
    """What rules concluded from a turn ends when a model has read it and did not say the same."""
    for memory_id in tx.memories.concluded([turn.n for turn in turns], InferredBy.RULES):
        memory = tx.memories.get(memory_id)
        if memory is not None and not (memory.verified or memory.pinned):
            tx.memories.set_validity(memory_id, Validity.ARCHIVED, now_millis())


def _line(memory: Memory) -> str:
    return json.dumps(
        {
            "id": memory.id,
            "type": memory.type.value,
            "subject": memory.subject,
            "predicate": memory.predicate,
            "content": memory.content,
        },
        ensure_ascii=False,
    )


def _spoken(turn: StoredTurn, most: int) -> str:
    """A turn as the model reads it, its middle left out where it is long."""
    text = full_text(turn)
    if len(text) > most:
        half = most // 2
        text = f"{text[:half]}{_CUT}{text[-half:]}"
    return f"{turn.speaker or turn.role.value}: {text}"
