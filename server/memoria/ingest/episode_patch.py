"""Patches of episodes: the sentences of a summary that are worded anew after a change."""

import json
from collections.abc import Sequence

from memoria.bare.lazy_regex import lazy_regex
from memoria.ingest.processing import compact_json
from memoria.model import InferredBy, Memory, StoredTurn, Validity
from memoria.model.operation import SummaryPatch
from memoria.store.rows.transaction import Transaction
from memoria.store.values import LeasedEntry

_END = lazy_regex(r"(?<=[.!?])(?=\s)|(?<=[。！？])")


def find_patchable(
    tx: Transaction, entry: LeasedEntry, turns: Sequence[StoredTurn]
) -> tuple[Memory, list[str]] | None:
    """Return a segment's summary and the changed statements; None if the segment is to be read.

    The segment is read again where a turn was recorded after the summary, and where a person has
    decided about the summary.
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
    """Return the sentences of a summary as numbered JSON objects, one on each line."""
    numbered = enumerate(_split(content), 1)
    return "\n".join(compact_json({"number": n, "text": one.strip()}) for n, one in numbered)


def list_statements(changed: Sequence[str], most: int) -> str:
    """Return the changed statements, each once as a JSON string, a line each."""
    return "\n".join(
        json.dumps(one, ensure_ascii=False) for one in [*dict.fromkeys(changed)][:most]
    )


def apply_patch(content: str, patch: SummaryPatch) -> str:
    """Replace the sentences of a summary that a patch words anew."""
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
