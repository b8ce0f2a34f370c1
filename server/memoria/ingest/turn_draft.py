"""Turn drafts: turns that were checked and cleaned, with the identity that tells repetitions."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from memoria.bare.lazy_regex import lazy_regex
from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import InvalidTurnError
from memoria.ingest.clean import CleanTurn, clean_turn
from memoria.language.reading.clean import Tally, clean_name
from memoria.language.reading.recognition import (
    Reading,
    read_statement,
    read_words,
    split_sentences,
)
from memoria.language.words.document import full_text
from memoria.model import Role, Session, Turn
from memoria.model.metadata import map_texts
from memoria.model.turn import FORGOTTEN_PASSAGE
from memoria.store.rows.conversations import Conversations

_OPENING_WORDS = 12
_OPENING_CHARS = 240
"""Number of characters in which the opening words are looked for."""
_BYTES = 8
_LEAST_CUT = _OPENING_WORDS
"""Least number of words of a turn that was cut."""
_MARK_CHARS = 40
_DOTS = r"(?:…|\.{3,})?+\s*+"
_CUT_MARK = lazy_regex(
    rf"\s*+{_DOTS}[\[(（【]?+\s*+{_DOTS}"
    rf"(?:truncated|shortened|omitted|cut(?:\s++off)?+|已?截断|省略|略)?+\s*+{_DOTS}[\])）】]?+\s*+$",
    re.IGNORECASE,
)
"""Mark of a cut. Each part takes all that it can: sharing blanks out in all ways is slow."""


def digest_opening(role: Role, text: str) -> bytes:
    """Return a digest of role and opening words, which both accounts of a turn have in common."""
    words = read_statement(text.lstrip()[:_OPENING_CHARS]).words[:_OPENING_WORDS]
    content = "\0".join([role.value, *words]).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).digest()[:_BYTES]


def is_same_turn(one: str, other: str) -> bool:
    """Check whether two texts that begin alike are one turn, perhaps with one text cut short."""
    if one == other:
        return True
    first, second = read_statement(one).words, read_statement(other).words
    return first == second or _is_cut(one, second) or _is_cut(other, first)


def is_whole(account: str, text: str) -> bool:
    """Check whether an account has all words of a text."""
    return account == text or read_statement(account).words == read_statement(text).words


def _is_cut(account: str, whole: list[str]) -> bool:
    """Check whether an account is the beginning of a text, which may end within a word."""
    end = account[-_MARK_CHARS:]
    words = read_statement(account[: -len(end)] + _CUT_MARK.sub("", end, count=1)).words
    if not _LEAST_CUT <= len(words) < len(whole) + 1:
        return False
    *before, last = words
    return before == whole[: len(before)] and whole[len(before)].startswith(last)


def clean_id(given: str, tally: Tally, digester: Digester) -> str:
    """Return the id without secrets.

    The same id gives the same again, so that recording a message again changes nothing. Two ids
    that differ in their secrets alone give two: the suffix is a digest that only this home's key
    can make, so that no short secret can be found by trying.
    """
    cleaned = clean_name(given, tally)
    return cleaned if cleaned == given else f"{cleaned}~{digester.digest_name(given)}"


MOST_TURN_BYTES = 5 * 1024 * 1024
"""The largest turn, in UTF-8 bytes of content, tool arguments and result together."""
MOST_ID_CHARS = 500
"""Greatest length of a name in a turn."""
_UNMISTAKABLE_BEGINNING = 3
"""Number of equal turns that prove a repeated beginning; "yes" alone is said often."""
_TOO_DEEP = "its tool call is nested too deeply; pass it as text"
_IDS = ("session_id", "message_id")
NAMES_OF_TURNS = (*_IDS, "speaker", "tool_name")
"""Fields of a turn that hold a name or an id."""
_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class TurnDraft:
    """A turn without secrets, ready to be stored, with its identity."""

    turn: Turn
    session_id: str
    text: CleanTurn
    fingerprint: bytes
    likeness: bytes | None = None
    """Key by which the other account of the turn is found, where there may be two."""
    files: "tuple[TurnDraft, ...]" = ()
    """Attachments of the turn."""
    file: bytes | None = None
    """Bytes of an attachment that is no text."""
    attached_to: str | None = None
    """Id of the message of an attachment, once that is written."""

    @property
    def is_unanswered_call(self) -> bool:
        """True for a tool call without its result, which adds nothing to a known call."""
        is_call = self.turn.role is Role.TOOL and self.text.tool_args is not None
        return is_call and self.turn.tool_result is None and not self.text.content

    def with_text(self, text: CleanTurn) -> "TurnDraft":
        """Return the same turn with another text, and the identity that follows from it."""
        new = replace(self, text=text, fingerprint=_fingerprint(self.turn, text))
        if text.tool_result != self.text.tool_result:  # the bytes hold what was left out
            new = replace(new, file=None)
        return new if self.likeness is None else new.with_likeness()

    def with_likeness(self) -> "TurnDraft":
        """Return the same turn, in a session of which there may be two accounts."""
        return replace(self, likeness=digest_opening(self.turn.role, full_text(self.text)))


def draft_turn(
    i: int, raw: Turn, session_id: str, max_bytes: int, tally: Tally, digester: Digester
) -> TurnDraft:
    """Return a turn ready to be stored: checked, and without secrets.

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
    is_long = len(prints) >= _UNMISTAKABLE_BEGINNING
    if is_long and conversations.first_fingerprints(session.n, len(prints)) == prints:
        return {id(draft) for draft in unnumbered}
    tail = conversations.last_fingerprints(session.n, len(prints))
    repeats = {id(draft) for draft in unnumbered[: overlap_length(tail, prints)]}
    dated = [draft for draft in unnumbered if draft.turn.at is not None]
    repeats.update(id(d) for d in dated if conversations.find_fingerprint(session.n, d.fingerprint))
    return repeats


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
    for name in NAMES_OF_TURNS:
        value = getattr(turn, name)
        if value is not None and not 1 <= len(value) <= MOST_ID_CHARS:
            raise InvalidTurnError(i, f"{name} must have 1 to {MOST_ID_CHARS} characters")


def _with_clean_names(turn: Turn, tally: Tally, digester: Digester) -> Turn:
    """Return the turn with names and ids that hold no secret and that any encoding can store."""
    names = {name: getattr(turn, name) for name in NAMES_OF_TURNS}
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


_MARK = f"[redacted:{FORGOTTEN_PASSAGE}]"


def leave_out_forgotten(text: CleanTurn, suppression: SuppressionList) -> CleanTurn | None:
    """Return a turn without passages erased from the record; None if nothing else is left."""
    omission = _Omission(suppression)
    left = replace(
        text,
        content=omission.leave_out(text.content),
        tool_args=omission.leave_out_of_json(text.tool_args),
        tool_result=omission.leave_out_of_json(text.tool_result),
    )
    is_left = any(char.isalnum() for char in full_text(left).replace(_MARK, ""))
    # What is spread over several values of a tool call is found in the whole alone.
    return None if not is_left or suppression.repeats_erased(full_text(left)) else left


def leave_forgotten_metadata(text: CleanTurn, suppression: SuppressionList) -> CleanTurn:
    """Return a turn without the texts of its metadata that say what was forgotten."""
    if not text.metadata:
        return text
    kept = map_texts(text.metadata, lambda _, one: one if suppression.may_keep(one) else None)
    return replace(text, metadata=kept)


def count_omissions(text: CleanTurn) -> int:
    """Count the passages of a turn that were left out."""
    return full_text(text).count(_MARK)


class _Omission:
    """Replaces passages of texts that were erased from the record."""

    def __init__(self, suppression: SuppressionList) -> None:
        self._suppression = suppression

    def leave_out(self, text: str) -> str:
        """Return a text with a mark in place of each passage that repeats something erased."""
        if not self._suppression.repeats_erased(text):
            return text
        sentences = split_sentences(text)
        reading, owners = Reading(), list[int]()
        for number, sentence in enumerate(sentences):
            own = read_words(sentence)
            reading.ends.update(len(owners) + end for end in own.ends)
            reading.words.extend(own.words)
            owners += [number] * len(own.words)
        found = [match for match in self._suppression.match_reading(reading) if match.erases]
        unwanted = {
            number
            for match in found
            for number in range(owners[match.start], owners[match.start + match.length - 1] + 1)
        }
        return _put_marks(sentences, unwanted) if unwanted else _MARK

    def leave_out_of_json(self, value: JsonValue) -> JsonValue:
        """Put marks into every text of a tool's call or result."""
        match value:
            case str():
                return self.leave_out(value)
            case list():
                return [self.leave_out_of_json(item) for item in value]
            case dict():
                return {
                    self.leave_out(key): self.leave_out_of_json(item) for key, item in value.items()
                }
            case _:
                return value


def _put_marks(sentences: list[str], unwanted: set[int]) -> str:
    """Join sentences, with one mark in place of each run of unwanted sentences."""
    pieces = list[str]()
    for number, sentence in enumerate(sentences):
        if number not in unwanted:
            pieces.append(sentence)
            continue
        if number - 1 not in unwanted:
            pieces.append(_MARK)
        if number + 1 not in unwanted:
            pieces.append(sentence[len(sentence.rstrip()) :])
    return "".join(pieces)
