"""Sessions in which memory is silent, so that they can be compared with those in which it speaks.

Who sets `silent_share` has that share of sessions told nothing unasked, chosen by a number made of
the session's id: each hook of a session comes to the same without asking anybody. While the share
is set, every session is noted with what it was told, and `memoria value` compares both kinds.
"""

import time
from binascii import crc32

from memoria.bare.plain_json import write_json
from memoria.bare.shown import append_note, delete_notes, list_notes, number_of

VALUE = ("value.notes", "value-former.notes")
"""Files of a tenant's notes on sessions: those that are added to, and those before them."""
_RANGE = 1 << 32
_SALT = b"silent"
_CHARS_PER_TOKEN = 4


def is_silent(session: str, share: float) -> bool:
    """Tell whether memory is silent in a session, where it is in such a share of them."""
    drawn = crc32(_SALT + session.encode("utf-8", "surrogatepass"))
    return drawn < share * _RANGE


def note_session(home: str, tenant: str, session: str, told: str, *, silent: bool) -> None:
    """Note that a session was told a text unasked, or that memory was silent in it.

    Args:
        home: the data folder's path.
        tenant: whose memory.
        session: id of the session. A number made of it is kept.
        told: what it was told; its length alone is kept.
        silent: whether memory is silent in the session.

    Raises:
        OSError: it can't be written.
    """
    at = time.time_ns() // 1_000_000
    tokens = 0 if silent else _count_tokens(told)
    note = {"at": at, "in": number_of(session), "silent": silent, "tokens": tokens}
    append_note(home, tenant, VALUE, write_json(note))


def read_sessions(home: str, tenant: str) -> list[dict[str, object]]:
    """Return the notes on sessions, oldest first: each with `at`, `in`, `silent` and `tokens`.

    Raises:
        OSError: they can't be read.
    """
    return list_notes(home, tenant, VALUE)


def delete_sessions(home: str, tenant: str) -> None:
    """Delete all notes on a tenant's sessions.

    Raises:
        OSError: a file can't be deleted.
    """
    delete_notes(home, tenant, VALUE)


def _count_tokens(text: str) -> int:
    """Estimate tokens as `language/budget.py` does, which a hook does not load."""
    ascii_chars = len(text.encode("ascii", "ignore"))
    return -(-ascii_chars // _CHARS_PER_TOKEN) + len(text) - ascii_chars
