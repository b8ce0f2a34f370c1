"""Values that may be secrets: their places in a text, and tests of how they look."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

from memoria.bare.lazy_regex import lazy_regex

MARKER_START = "[redacted:"
_LONG_MATCH = 500
_MARKER = lazy_regex(r"\[redacted:[a-z-]{1,40}\]?")


class Span(NamedTuple):
    """Place of a secret: its first character and the one after its last, with its kind."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class ReadText:
    """A text as the finders read it."""

    text: str

    @cached_property
    def lower(self) -> str:
        """The text in lower case, each character in its place."""
        # "İ" alone becomes two characters.
        return self.text.replace("İ", "I").lower()

    @cached_property
    def ascii_letters(self) -> str:
        """The lower text without characters beyond ASCII."""
        if self.lower.isascii():
            return self.lower
        return self.lower.encode("ascii", "ignore").decode("ascii")

    @cached_property
    def markers(self) -> list[tuple[int, int]]:
        """Spans that were redacted before."""
        if MARKER_START not in self.text:
            return []
        return [match.span() for match in _MARKER.finditer(self.text)]

    def is_in_marker(self, at: int) -> bool:
        """Check whether a place is within a marker."""
        i = bisect_right(self.markers, at, key=itemgetter(0))
        return i > 0 and at < self.markers[i - 1][1]

    def find_all(self, part: str) -> Iterator[int]:
        """Yield every place in the lower text where a part begins."""
        at = self.lower.find(part)
        while at >= 0:
            yield at
            at = self.lower.find(part, at + len(part))


_Rule = TypeVar("_Rule")
_Entry = tuple[str, re.Pattern[str], _Rule]


class PartIndex(Generic[_Rule]):
    """Patterns by the parts that they begin with.

    To look for a part is many times as fast as to match a pattern, and ordinary text has few parts.
    """

    def __init__(self, entries: Iterable[_Entry[_Rule]]) -> None:
        """Index parts in lower case, each with its pattern and the value it stands for."""
        by_part = defaultdict[str, list[tuple[re.Pattern[str], _Rule]]](list)
        for part, pattern, rule in entries:
            by_part[part].append((pattern, rule))
        self._ascii = [(part, rules) for part, rules in by_part.items() if part.isascii()]
        self._others = [(part, rules) for part, rules in by_part.items() if not part.isascii()]

    def find_matches(self, read: ReadText) -> Iterator[tuple[re.Match[str], _Rule]]:
        """Yield the matches of each pattern where its part occurs."""
        letters = read.ascii_letters
        present = [entry for entry in self._ascii if entry[0] in letters]
        if letters is not read.lower:
            # To look for one character is faster still.
            lower = read.lower
            present += [
                entry for entry in self._others if entry[0][0] in lower and entry[0] in lower
            ]
        for part, rules in present:
            for pattern, rule in rules:
                for match in _match_all(read, part, pattern):
                    yield match, rule


def _match_all(read: ReadText, part: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    at = read.lower.find(part)
    while at >= 0:
        match = pattern.match(read.text, at)
        step = at + len(part)
        if match is not None:
            yield match
            # After a very long match it goes on behind it, else a row of beginnings were read each
            # to the end of all.
            step = match.end() if match.end() - at > _LONG_MATCH else step
        at = read.lower.find(part, step)


_GAP = lazy_regex(  # <X> {X} [X] $X %(X)s %X%, … %s {X} …, cut short or blotted out
    r"(?i)^[<{\[]|^\*\*|^\$(?:\w+$|[({])|^%(?:\(|[sdr]$|\w+%$)|%s\b|\$?\{\w*\}|\.{3}|…|\*{3}|x{4}|••"
    "|^pass(?:word|wd)?$"
)
_NAME = lazy_regex(  # your-api-key, my_password; a path or an address; null
    r"""(?xia) ^(?:your|my)[-_] | [-_]here$ | placeholder | change[-_]?me | :// | ^arn:
    | ^(?:~|\.\.?)/ | ^/(?:etc|run|var|home|usr|opt|tmp|root|app|mnt|data|path|users)\b
    | ^\d?[a-z_.-]*(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credential
        |(?:\b|_|api|private)key|example|dummy)s?[a-z_.-]*\d?:?$
    | ^(?:test|string|value|none|null|true|false|undefined|required|optional|missing|expired|invalid
        |incorrect|wrong|fail|failed|failure)s?$"""
)
_CODE = lazy_regex(  # call(), a[0], a.b, Ed448PrivateKey, a file, uint8; sha256; 12-character
    r"""(?xa) ^[A-Za-z_$][\w.:>-]*[(\[]
    | ^(?!.*\w{20})[a-z_]\w*(?:\.[A-Za-z_]\w*)+$ | ^[A-Z][a-z]\w*Key$
    | (?i: \.(?:pem|key|txt|json|ya?ml|toml|env|crt|py|js|ts|md)$ | ^(?:u?int|float|varchar)\d+
    | ^(?:base64(?!:)|sha-?\d+|md5|bcrypt|argon2|pbkdf2|[hre]s\d{3}|ed25519|rsa|aes|utf-?8)\b
    | ^oauth\d\b
    | ^\d+-?(?:st|nd|rd|th|x|k|h|fa|char(?:acter)?|digit|bit|byte|letter|word|symbol|step|factor
        |minute|hour|day|week|month|year|time)s?\b )"""
)
_NO_PASSWORDS = frozenset(
    "array boolean bytes changed click default empty encrypted enter forgot given hashed hidden "
    "input never number object please prompt protected reset strength unchanged unknown".split()
)
_DIGIT = lazy_regex("[0-9]")
_LETTER = lazy_regex("[A-Za-zÀ-ӿ]")
_SYMBOLS = lazy_regex(r"\w[!@#$%^&*]+\w")
_CAMEL_CASE = lazy_regex("[A-Z]*[a-z]*(?:[A-Z]+[a-z]{2,})*[A-Z]*")
_INNER_CAPITAL = lazy_regex("[a-z][A-Z]")
_PLAIN_WORD = lazy_regex("[a-z]{5,100}")
_LONGEST_READ = 100


def is_gap(value: str) -> bool:
    """Check for a template's placeholder, or what manuals write in place of a secret."""
    return _GAP.search(value[:_LONGEST_READ]) is not None


def is_literal(value: str, *, is_quoted: bool) -> bool:
    """Check for a value that is no name and, outside of quotes, no code that computes a value."""
    value = value[:_LONGEST_READ]
    return not (is_gap(value) or _NAME.search(value) or (not is_quoted and _CODE.search(value)))


def is_mixed(value: str) -> bool:
    """Check for both digits and letters, as no ordinary word and few names in code have them."""
    return _DIGIT.search(value) is not None and _LETTER.search(value) is not None


def looks_encoded(value: str) -> bool:
    """Check whether a value may be base64: it has a digit, or else an inner capital."""
    return is_mixed(value) or _INNER_CAPITAL.search(value) is not None


def looks_scrambled(value: str) -> bool:
    """Check for capitals where no name has them: "rzVAuwLhlu", not "myPassword"."""
    return _INNER_CAPITAL.search(value) is not None and _CAMEL_CASE.fullmatch(value) is None


def has_symbols(value: str) -> bool:
    """Check for signs inside a value that no word has."""
    return _SYMBOLS.search(value) is not None


def is_plain_password(value: str) -> bool:
    """Check for a single word that may be a password where nothing else fits."""
    return _PLAIN_WORD.fullmatch(value) is not None and value not in _NO_PASSWORDS


_PASSPHRASE = lazy_regex(r"[a-z]{3,12}(?:([ .-])[a-z]{3,12})(?:\1[a-z]{3,12}){1,10}[0-9!?.]{0,4}")
_SENTENCE_WORDS = frozenset(
    "the and for not with you your our his her its are was has have must can may should will any "
    "all from this that only please enter type least characters letters number wrong correct "
    "incorrect invalid valid required field see ask use used set get new old same change reset "
    "forgot never here page link there when where who how too out off one two user admin read "
    "write access stored sent saved kept changed expired managed protected".split()
)


def is_passphrase(value: str) -> bool:
    """Check for a row of words that makes no sentence: "amber anchor barley"."""
    return _PASSPHRASE.fullmatch(value) is not None and not (
        _SENTENCE_WORDS & set(re.split("[ .-]", value))
    )
