"""Updates that a model proposes, and their effect on the memory that they name."""

from memoria.language.reading.statement import (
    canonical_form,
    differs_in_number_or_negation,
    fingerprint,
)
from memoria.memories.event_times import find_event_time
from memoria.model import Memory, StoredTurn, Update
from memoria.model.zone import Zone
from memoria.policy.conflict import start_of


def says_what_is_known(content: str, known: str, update: Update) -> bool:
    """Check whether an update says what is known: the same words, but for case and punctuation.

    One word more or less is another statement, which the model has decided to write. A correction
    may be one of spelling alone.
    """
    if update.reason == "correction":
        return fingerprint(content) == fingerprint(known)
    return canonical_form(content) == canonical_form(known)


def adds_to(update: Update, memory: Memory) -> bool:
    """Check whether a memory still holds, and an update only says more of it.

    A model calls many a change a detail; one that a number or a negation tells is not taken for it.
    """
    is_otherwise = differs_in_number_or_negation(update.content, memory.content)
    return update.reason == "detail" and not is_otherwise


def start_of_update(update: Update, turn: StoredTurn, memory: Memory, zone: Zone) -> int:
    """Return the moment from which an update holds; a correction, from the beginning.

    A date in its wording may be what it tells ("the birthday is on 9 May"), so only a time that
    the model has named as the event's says when a change happened.
    """
    if update.reason == "correction":
        return memory.current.valid_from
    happened = find_event_time(update.event_time, "", turn, zone, "past")
    return start_of(happened.at, turn.at, memory)
