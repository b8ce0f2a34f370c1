"""Patches of a summary: the sentences whose facts have changed are written anew.

The model sees the summary's own sentences and what no longer holds, and not the conversation again.
It is not told what holds by now: an episode has the words of its own turns alone, and falls with
them.
"""

import json
from collections.abc import Sequence

from memoria.bare.lazy_regex import lazy_regex
from memoria.ingest.processing import compact_json
from memoria.model import InferredBy, Memory, StoredTurn, Validity
from memoria.model.episode import SummaryPatch
from memoria.store.rows.transaction import Transaction
from memoria.store.values import LeasedEntry

_END = lazy_regex(r"(?<=[.!?])(?=\s)|(?<=[。！？])")


def find_patchable(
    tx: Transaction, entry: LeasedEntry, turns: Sequence[StoredTurn]
) -> tuple[Memory, list[str]] | None:
    """Return a segment's summary and its statements that changed; None if all is to be read.

    All is read again where a turn was recorded after the summary, and where a person has decided
    about it.
    """
    known_id = tx.episodes.find(entry.session_n, entry.first_index, entry.last_index)
    memory = None if known_id is None else tx.memories.get(known_id)
    if memory is None or memory.validity is not Validity.ACTIVE:
        return None
    written_at, by = memory.current.ingested_at, memory.current.inferred_by
    if by is not InferredBy.MODEL or any(turn.ingested_at > written_at for turn in turns):
        return None
    changes = tx.derivations.list_changed([memory.id])
    return (memory, [change.before for change in changes]) if changes else None


def number_sentences(content: str) -> str:
    """Return the sentences of a summary, a numbered JSON object a line."""
    numbered = enumerate(_split(content), 1)
    return "\n".join(compact_json({"number": n, "text": one.strip()}) for n, one in numbered)


def list_statements(changed: Sequence[str], most: int) -> str:
    """Return the changed statements, each once as a JSON string, a line each."""
    return "\n".join(
        json.dumps(one, ensure_ascii=False) for one in [*dict.fromkeys(changed)][:most]
    )


def apply_patch(content: str, patch: SummaryPatch) -> str:
    """Replace some sentences of a summary, as far as it has them."""
    words = {one.number: " ".join(one.text.split()) for one in patch.sentences}
    told = (_reword(one, words.get(n)) for n, one in enumerate(_split(content), 1))
    return "".join(told).strip()


def _reword(sentence: str, words: str | None) -> str:
    if words is None:
        return sentence
    blank = sentence[: len(sentence) - len(sentence.lstrip())]
    return f"{blank}{words}" if words else ""


def _split(content: str) -> list[str]:
    return [piece for piece in _END.split(content) if piece.strip()]
