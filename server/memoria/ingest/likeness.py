"""Likeness: tells whether two accounts of a session have the same turn.

The client's own transcript has the very words. An agent that reports them may have changed white
space or Markdown, or cut what was long. Both are read as `language/reading/recognition` reads
statements, so that a word more or less within is another turn: a summary or a paraphrase is the
agent's own.
"""

import hashlib
import re

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.recognition import read_statement
from memoria.model import Role

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
    """Check whether two texts of the same opening are one turn, whole or with one of them cut."""
    if one == other:
        return True
    first, second = read_statement(one).words, read_statement(other).words
    return first == second or _is_cut(one, second) or _is_cut(other, first)


def is_whole(account: str, text: str) -> bool:
    """Check whether an account has all words of a text."""
    return account == text or read_statement(account).words == read_statement(text).words


def _is_cut(account: str, whole: list[str]) -> bool:
    """Check whether an account is the beginning of some words, the last one perhaps cut itself."""
    end = account[-_MARK_CHARS:]
    words = read_statement(account[: -len(end)] + _CUT_MARK.sub("", end, count=1)).words
    if not _LEAST_CUT <= len(words) < len(whole) + 1:
        return False
    *before, last = words
    return before == whole[: len(before)] and whole[len(before)].startswith(last)
