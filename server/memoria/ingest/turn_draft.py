"""Turn drafts: a turn that was checked and cleaned, with the identity that tells repetitions.

Some clients give each message an id. The same (source, session, message id) is then the same
message, and another text under that id is an edit, stored as a new version. A tool call that comes
again without the result it already has is no edit: the client wrote it before the result came.

Other clients give no ids and may send again what they have sent before: the last call, the whole
conversation so far, or a sliding window. So the beginning of a call is compared with the end of the
session, and only the turns beyond the overlap are new. A call that repeats the beginning of the
session is an old one sent late. Any other repetition counts as said again, because a turn too many
can be mended later and a lost turn cannot. A time, where one is given, is part of a turn's
identity: "yes" at 9:14 and "yes" at 9:20 are two turns.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoria.erasure.suppression import Digester
from memoria.errors import InvalidTurnError
from memoria.ingest.clean import CleanTurn, clean_turn
from memoria.ingest.identity import clean_id
from memoria.ingest.likeness import digest_opening
from memoria.language.reading.clean import Tally, clean_name
from memoria.language.words.document import full_text
from memoria.model import Role, Session, Turn
from memoria.store.rows.conversations import Conversations

_MAX_ID_CHARS = 500
_UNMISTAKABLE_BEGINNING = 3
"""Number of equal turns that prove a repeated beginning; "yes" alone is said often."""
_TOO_DEEP = "its tool call is nested too deeply; pass it as text"
_IDS = ("session_id", "message_id")
_NAMES = (*_IDS, "speaker", "tool_name")
_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class TurnDraft:
    """A cleaned turn with its identity."""

    turn: Turn
    session_id: str
    text: CleanTurn
    fingerprint: bytes
    likeness: bytes | None = None
    """Key by which the other account of it is found, where there may be two."""

    @property
    def is_unanswered_call(self) -> bool:
        """True for a tool call without its result, which adds nothing to a known call."""
        is_call = self.turn.role is Role.TOOL and self.text.tool_args is not None
        return is_call and self.turn.tool_result is None and not self.text.content

    def with_text(self, text: CleanTurn) -> "TurnDraft":
        """Return the same turn with another text, and the identity that follows from it."""
        likeness = None if self.likeness is None else _digest_opening(self.turn, text)
        return replace(
            self, text=text, fingerprint=_fingerprint(self.turn, text), likeness=likeness
        )

    def with_likeness(self) -> "TurnDraft":
        """Return the same turn, in a session of which there may be two accounts."""
        return replace(self, likeness=_digest_opening(self.turn, self.text))


def draft_turn(
    i: int, raw: Turn, session_id: str, max_bytes: int, tally: Tally, digester: Digester
) -> TurnDraft:
    """Check and clean a turn.

    Args:
        i: its position in the call, for an error.
        raw: the turn as it came in.
        session_id: the session if the turn names none.
        max_bytes: the largest turn that is accepted.
        tally: counts what is taken out.
        digester: tells ids apart of which a secret was taken out.

    Raises:
        InvalidTurnError: the turn cannot be stored.
    """
    _check(i, raw, max_bytes)
    turn = _with_clean_names(raw, tally, digester)
    try:
        text = clean_turn(turn, tally)
    except RecursionError as error:
        raise InvalidTurnError(i, _TOO_DEEP) from error
    return TurnDraft(turn, turn.session_id or session_id, text, _fingerprint(turn, text))


def find_repeats(
    conversations: Conversations, session: Session, drafts: Sequence[TurnDraft]
) -> set[int]:
    """Find drafts without a message id that the session already has, by their `id()`."""
    unnumbered = [d for d in drafts if d.turn.message_id is None and not d.text.is_empty]
    if not unnumbered or not session.turns:
        return set()
    prints = [draft.fingerprint for draft in unnumbered]
    if len(prints) >= _UNMISTAKABLE_BEGINNING and _begins_with(conversations, session, prints):
        return {id(draft) for draft in unnumbered}
    tail = conversations.last_fingerprints(session.n, len(prints))
    repeats = {id(draft) for draft in unnumbered[: overlap_length(tail, prints)]}
    dated = [draft for draft in unnumbered if draft.turn.at is not None]
    repeats.update(id(d) for d in dated if conversations.find_fingerprint(session.n, d.fingerprint))
    return repeats


def _begins_with(conversations: Conversations, session: Session, prints: Sequence[bytes]) -> bool:
    """Check whether the session begins with exactly these turns."""
    return conversations.first_fingerprints(session.n, len(prints)) == list(prints)


def overlap_length(tail: Sequence[bytes], head: Sequence[bytes]) -> int:
    """Return how many of the first of `head` are the last of `tail`.

    >>> overlap_length([b"a", b"b", b"c"], [b"b", b"c", b"d"])
    2
    """
    most = min(len(tail), len(head))
    return next((k for k in range(most, 0, -1) if tail[-k:] == head[:k]), 0)


def _check(i: int, turn: Turn, max_bytes: int) -> None:
    if not turn.content and turn.tool_args is None and turn.tool_result is None:
        raise InvalidTurnError(i, "it is empty: no content, tool_args or tool_result. Leave it out")
    size = len(_payload(i, turn).encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise InvalidTurnError(i, f"it has {size:,} bytes; the most is {max_bytes:,}. Split it")
    for name in _NAMES:
        value = getattr(turn, name)
        if value is not None and not 1 <= len(value) <= _MAX_ID_CHARS:
            raise InvalidTurnError(i, f"{name} must have 1 to {_MAX_ID_CHARS} characters")


def _with_clean_names(turn: Turn, tally: Tally, digester: Digester) -> Turn:
    """Return the turn with names and ids that hold no secret and that any encoding can store."""
    names = {name: getattr(turn, name) for name in _NAMES}
    given = {name: value for name, value in names.items() if value}
    ids = {name: clean_id(given[name], tally, digester) for name in _IDS if name in given}
    others = {name: clean_name(given[name], tally) for name in given if name not in ids}
    clean = {**others, **ids}
    return turn if clean == given else turn.model_copy(update=clean)


def _fingerprint(turn: Turn, text: CleanTurn) -> bytes:
    """Return the identity of a turn, 32 bytes.

    With a message id, the text alone tells an edit from a repetition: two captures of a message
    may differ in the second or in the speaker's name. Without one, time and speaker count too.
    """
    tools = [text.tool_args, text.tool_result]
    tools_json = [None if part is None else _encode(part) for part in tools]
    content = [turn.role.value, text.content, turn.tool_name, *tools_json]
    distinguishing = [turn.speaker, turn.at] if turn.message_id is None else []
    return hashlib.sha256(_encode([*content, *distinguishing]).encode()).digest()


def _digest_opening(turn: Turn, text: CleanTurn) -> bytes:
    return digest_opening(turn.role, full_text(text))


def _payload(i: int, turn: Turn) -> str:
    """Return everything that counts towards a turn's size."""
    tools = [value for value in (turn.tool_args, turn.tool_result) if value is not None]
    try:
        return turn.content + "".join(
            json.dumps(value, ensure_ascii=False, allow_nan=False) for value in tools
        )
    except ValueError as error:
        raise InvalidTurnError(i, "NaN and Infinity are not JSON; write them as text") from error
    except RecursionError as error:
        raise InvalidTurnError(i, _TOO_DEEP) from error
