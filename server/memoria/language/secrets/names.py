"""Names of secrets ("DB_PASSWORD", "mot de passe", 密码), and table columns that such a name heads.

A name is found by its word (`names.tsv`), read to its end ("passwordProd", "token2") and, for words
as common as "key" and "token", judged by the words before it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import read_rows
from memoria.language.secrets.values import (
    PartIndex,
    ReadText,
    Span,
    has_symbols,
    is_literal,
    is_mixed,
    is_passphrase,
    looks_scrambled,
)

_STEM = 4
_ENDING = lazy_regex(r"(?<=.)[_*]")
_FIRST_GREEK = "\u0370"
_BEFORE = 40
# What a name may end with: a number, an environment, an encoding.
_SUFFIX = lazy_regex(
    r"(?:[-_ ]?\d{1,2}(?!\d))?(?:[-_]?(?:prod|production|dev|development|test|testing|stage|staging"
    r"|live|local|main|default|base|base64|b64|value|string|text|plain|raw|new|old|data))?(?![a-z0-9_])"
)
_WORD_SIGN = lazy_regex("[a-z0-9+/]")
_SHORT = 3
# What is written before "pass" and "secret" without a sign.
_GLUED = tuple("client app consumer store key user root db sudo my totp ssh".split())
_IS_CAPITAL = lazy_regex(r"[a-z0-9][A-Z]")
_KEY_QUALIFIERS = tuple(
    "api access secret private auth encryption signing account master shared preshared client app "
    "application consumer deploy subscription service storage admin webhook jwt hmac aes session "
    "function host license licence activation recovery decryption crypt ssh root vault cookie "
    "sas connection server wifi wpa wep security network unseal setup totp enrollment".split()
)
_PUBLIC_KEYS = tuple(
    "public primary foreign sort partition cache publishable idempotency unique hash group object "
    "search composite surrogate natural candidate row lookup dict translation message i18n locale "
    "config registry json map index range".split()
)
_TOKEN_QUALIFIERS = tuple(
    "access auth refresh bearer session bot api security deploy id secret oauth csrf xsrf private "
    "personal service user admin webhook app github gitlab slack jwt identity device push reset "
    "verification login authentication job registration runner client root vault".split()
)
_PAGE_TOKENS = tuple(
    "next page continuation starting start pagination sync cancellation cancel lookup pad eos bos "
    "unk mask stop end special first last max min total cursor resume skip synonym n num "
    "completion prompt input output cached reasoning".split()
)


class Name(NamedTuple):
    """The name of a secret in a text."""

    start: int
    end: int
    kind: str
    """Kind of secret: "password", "secret", "credential" or "token"."""
    language: str


class _NameWord(NamedTuple):
    text: str
    kind: str
    language: str
    stands_alone: bool
    before: re.Pattern[str] | None
    """Pattern that must stand before the word."""


def find_names(read: ReadText) -> Iterator[Name]:
    """Yield every name of a secret, in no order."""
    for match, words in _load_index().find_matches(read):
        word = words[match.lastgroup or ""]
        if read.is_in_marker(match.start()):
            continue
        if name := _read_name(read, match, word):
            yield name


def _read_name(read: ReadText, match: re.Match[str], word: _NameWord) -> Name | None:
    lower, (at, end) = read.lower, match.span()
    if lower[end - 1] < _FIRST_GREEK:  # an alphabet that separates words
        rest = _SUFFIX.match(lower, end)
        if rest is None:
            return None
        end = rest.end()
    if word.before and not word.before.search(lower[max(0, at - _BEFORE) : at]):
        return None
    if word.kind in {"key", "token"}:
        kind = _qualify(read, at, word.kind)
        return Name(at, end, kind, word.language) if kind else None
    if lower[at - 1 : at] == ":" and word.kind == "secret":  # arn:aws:secretsmanager:…:secret:X
        return None
    if word.stands_alone and at and not _stands_alone(read, at, end):
        return None
    return Name(at, end, word.kind, word.language)


def _stands_alone(read: ReadText, at: int, end: int) -> bool:
    """Check whether a word begins there, and not within a longer one or in base64."""
    if not _WORD_SIGN.match(read.lower, at - 1):
        return True
    is_humped = end - at > _SHORT and _IS_CAPITAL.match(read.text, at - 1) is not None
    return is_humped or read.lower.endswith(_GLUED, max(0, at - 8), at)


def _qualify(read: ReadText, at: int, kind: str) -> str:
    """Return the kind of a "key" or a "token" by the word before it; empty, if it is no secret."""
    before = read.lower[max(0, at - _BEFORE) : at]
    stripped = before.rstrip("-_. ")
    joined = len(before) - len(stripped) <= 1
    if kind == "key":
        if joined and stripped.endswith(_KEY_QUALIFIERS):
            return "credential"
        is_variable = read.text[at - 1 : at] == "_" and not stripped.endswith(_PUBLIC_KEYS)
        return "random-key" if is_variable else ""
    if joined and stripped.endswith(_TOKEN_QUALIFIERS):
        return "credential"
    if stripped.endswith(_PAGE_TOKENS) or (before and before[-1].isalpha()):
        return ""
    return "credential" if read.text[at - 1 : at + 5] == "_TOKEN" else "token"


@cache
def _load_index() -> PartIndex[dict[str, _NameWord]]:
    by_stem = defaultdict[str, list[_NameWord]](list)
    for kind, language, words in read_rows("memoria.language.secrets", "names.tsv", 3):
        for word in words.split():
            one = _read_word(word, kind, language)
            by_stem[one.text[:_STEM]].append(one)
    return PartIndex(_compile_words(words) for words in by_stem.values())


def _read_word(word: str, kind: str, language: str) -> _NameWord:
    before, mark, rest = word.removeprefix("=").rpartition(">")
    needed = lazy_regex(f"{_pattern_of(before)}$") if mark else None
    return _NameWord(rest, kind, language, word.startswith("="), needed)


def _compile_words(words: list[_NameWord]) -> tuple[str, re.Pattern[str], dict[str, _NameWord]]:
    """Return the common start of some words, a pattern of all words, and the word of each group."""
    # What may be left out between two words cannot be part of what is looked for.
    stem = _find_common_start([_ENDING.split(word.text)[0] for word in words])
    longest_first = sorted(words, key=lambda word: -len(word.text))
    named = {f"w{i}": word for i, word in enumerate(longest_first)}
    pattern = "|".join(f"(?P<{name}>{_pattern_of(word.text)})" for name, word in named.items())
    return stem, lazy_regex(pattern, re.IGNORECASE), named


def _find_common_start(words: list[str]) -> str:
    pairs = zip(min(words), max(words), strict=False)
    return "".join(first for first, last in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _pattern_of(word: str) -> str:
    ending = "[a-zğıüşöåäø]{0,4}" if word.endswith("*") else ""
    return re.escape(word.removesuffix("*")).replace("_", "[-_ ]?") + ending


_LONGEST_LINE = 400
_MOST_ROWS = 200
_DELIMITERS = "|\t;,"
_HEADING = lazy_regex(r"""[\w .#"'`*()（）/-]{0,40}""")
_RULE = lazy_regex(r"[|:\- ]+")
_CELL = lazy_regex(r"""[\s"'`*]*(?P<value>.*?)[\s"'`*]*""", re.DOTALL)
_LEAST = 4


def find_in_tables(read: ReadText, names: Iterable[Name]) -> Iterator[Span]:
    """Yield the cells below each name that heads a column."""
    done = (-1, -1)
    for name in sorted(names):
        header = _header_of(read.text, name)
        if header is None:
            continue
        line_end, delimiter, column, columns = header
        if name.start < done[0] and column == done[1]:
            continue
        cells = list(_cells_below(read.text, line_end, delimiter, column, columns))
        for start, _, value in cells:
            if _is_secret(value):
                yield Span(start, start + len(value), _kind_of(name))
        done = (cells[-1][1] if cells else line_end, column)


def _kind_of(name: Name) -> str:
    return name.kind if name.kind in {"password", "secret"} else "credential"


def _is_secret(value: str) -> bool:
    if len(value) < _LEAST or not is_literal(value, is_quoted=False):
        return False
    if " " in value:
        return is_passphrase(value)
    is_odd = is_mixed(value) or has_symbols(value) or looks_scrambled(value)
    return is_odd or value.isdigit() or is_passphrase(value)


def _header_of(text: str, name: Name) -> tuple[int, str, int, int] | None:
    """Return a header line's end, its delimiter, the name's column and their number, or None."""
    begin = text.rfind("\n", max(0, name.start - _LONGEST_LINE), name.start) + 1
    end = text.find("\n", name.end, name.end + _LONGEST_LINE)
    if end < 0 or (not begin and name.start > _LONGEST_LINE):
        return None
    line = text[begin:end]
    delimiter = next((sign for sign in _DELIMITERS if sign in line), "")
    if not delimiter or not all(
        _HEADING.fullmatch(cell.strip("\r")) for cell in line.split(delimiter)
    ):
        return None
    return end, delimiter, text.count(delimiter, begin, name.start), line.count(delimiter)


def _cells_below(
    text: str, at: int, delimiter: str, column: int, columns: int
) -> Iterator[tuple[int, int, str]]:
    """Yield each cell of a column: where its value starts, where its line ends, and the value."""
    for _ in range(_MOST_ROWS):
        begin = at + 1
        at = text.find("\n", begin, begin + _LONGEST_LINE)
        at = len(text) if at < 0 and len(text) - begin <= _LONGEST_LINE else at
        if at < 0 or begin >= len(text):
            return
        cells = text[begin:at].split(delimiter)
        if len(cells) != columns + 1:
            return
        if _RULE.fullmatch(text[begin:at].strip()):
            continue
        cell = cells[column]
        start = begin + sum(len(one) + 1 for one in cells[:column])
        if match := _CELL.fullmatch(cell):
            yield start + match.start("value"), at, match["value"]
