"""Values that follow the name of a secret, and the signs between a name and its value.

Whether a value counts depends on the name and on the signs: a password may be a plain word where
nothing else fits, a key looks random. A separator is tried where a name ends, and a value where the
separator ends, so every attempt is bounded. The first sign after the name tells which separators
are tried.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.names import Name
from memoria.language.secrets.numbers import opens_a_door
from memoria.language.secrets.values import (
    ReadText,
    Span,
    has_symbols,
    is_literal,
    is_mixed,
    is_passphrase,
    is_plain_password,
    looks_scrambled,
)

_PREPOSITIONS = (
    "for|of|to|on|at|in|für|fürs|vom|von|zum|zur|de|del|della|dello|du|des|da|do|dos|di|d'|pour|para"
    "|per|van|voor|op|från|för|till|til|fra|от|для|к|на|в|από|για|ל|של|cho|untuk|dari"
)
_IS = (
    "is|was|are|by|ist|lautet|war|est|era|es|é|è|jest|brzmi|är|er|on|je|este|είναι|là|adalah|yaitu|هي|هو"
    r"|היא|to(?=[ ]\S*\d)"
)
_STILL = "still|now|just|currently|actually|jetzt|nun|maintenant|ahora|agora|ora|set[ ]to"
# What may be said of a name before the sign: "password (wifi)", "password for the router".
_ASIDE = (
    r"(?:[ ]?[(（][^()（）\n]{1,40}[)）]|[ ]wi-?fi"
    rf"|[ ](?:{_PREPOSITIONS})[ ][^\n:,;.?!：，；。]{{1,40}}?)?"
)
CLOSING = lazy_regex(r"""(?:\\?["'`]\]?|\*{1,2}|\]|_)?""")
_BLANK = lazy_regex(r"[ \t]{0,20}")


class Rule(Enum):
    """Condition that a value must meet to count."""

    ASSIGNED = auto()
    ALONE = auto()
    NAMED = auto()
    SAID = auto()
    RANDOM = auto()
    NUMBER = auto()
    ODD = auto()
    ANY = auto()


@dataclass(frozen=True, slots=True)
class ValueForm:
    """A form in which a value may be written, and the rule by which it counts."""

    pattern: re.Pattern[str]
    rule: Rule


@dataclass(frozen=True, slots=True)
class Separator:
    """Signs that may stand between a name and its value."""

    pattern: re.Pattern[str]
    values: tuple[ValueForm, ...]
    is_for_options: bool = False
    """True if the name must be an option of a command, such as `--password`."""
    is_for_joined: bool = False
    """True if the name must be of a language that does not separate words."""


# Out of quotes, what follows `=` or an option ends at what separates arguments; what follows a
# colon or a verb may hold any sign, but not end with one that ends a sentence.
_QUOTED = r"""[bu@]?(?P<quote>\\?["'`])
    (?P<secret>(?:(?!(?P=quote))(?:\\\S|[^\s\\])){4,4096})(?=(?P=quote))"""
_PHRASE = r"""[bu@]?(?P<quote>\\?["'`“「«„])
    (?P<secret>[a-z]{3,12}(?:[ ][a-z]{3,12}){2,10}[\d!?.]{0,4})
    (?=\\?["'`”」»“])"""
_MIXED_PHRASE = r"""[bu@]?(?P<quote>\\?["'`“「«„])
    (?=(?:[^\s"'`”」»“]{1,40}[ ]){0,8}(?=[a-z]{0,40}\d)(?=\d{0,40}[a-z])[a-z\d]{8,40}[ "'`”」»“])
    (?P<secret>[^\s"'`\\”」»“]{2,40}(?:[ ][^\s"'`\\”」»“]{2,40}){1,8})
    (?=\\?["'`”」»“])"""
# A scheme before the value, as vendors write theirs: API_TOKEN="Foo x7Kq…".
_SCHEMED = r"""[bu@]?(?:\\?["'`“「『])?(?-i:[A-Z])[\w-]{1,24}[ ]
    (?P<secret>(?!(?:19|20)\d\d-)[\w~+/=%-][\w.~+/=%:,-]{14,}[\w~+/=%-])
    (?=\\?["'`”」』]|[ \t]*(?:[\r\n]|$)|[.,;][ \t\r\n]|[.;]$|[。，；])"""
_ROW = r"(?P<secret>[a-z]{3,12}(?:[ ][a-z]{3,12}){3,10})(?=[ \t]*(?:$|[\r\n]|\\[nr]))"
_TIGHT = r"(?P<secret>[!#-%(-+\--:=?-\[\]^_a-{}~À-ӿ]{4,}(?<![.,:;?*|)\]}]))"
_LOOSE = r"[“‘「『【«„]?(?P<secret>[!#-&(-;=?-\[\]^_a-~À-ӿ]{4,}(?<![.,:;?*|)\]}]))"
_WORD = r"""(?P<secret>
    [^\s"'`<>|,;，。；、“”「」『』（）()\\一-鿿぀-ヿ가-힯]{4,200}(?<![.:?!*]))"""
_GROUPS = r"(?P<secret>(?-i:[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15})(?![\w-]))"
_IN_MARKUP = r"(?P<secret>[^<>\s]{4,4096})(?=</)"
_ON_ITS_LINE = r"""["'`]?
    (?P<secret>[^\s"'`<>|,;\\一-鿿぀-ヿ가-힯]{4,4096}(?<![:*]))["'`]?[ \t]{0,8}(?=[\r\n]|$)"""
_IN_CELL = rf"""[ *"`]{{0,30}}{_WORD}["`*]{{0,3}}[ ]{{0,30}}(?=[|\r\n]|$)"""
_IN_LIST = rf"{_WORD}(?=[\t,;\r\n]|$)"
_EQUALS = r"[ \t]{0,20}(?::[ \t]?[\w.&|\[\] ]{1,40})?(?:[:!=]?={1,2}|=>)[ \t]{0,20}"
_COLON = rf"{_ASIDE}[ \t]{{0,20}}\*{{0,2}}[:：](?!:)[*\t ]{{0,20}}"
_VERB = rf"""{_ASIDE}[ ](?:{_IS})(?:[ ](?:{_STILL}))?:?[ ]
    |{_ASIDE}[ ]{{0,2}}(?:—|–|→|->|[ ]-)[ ]"""
_JOINED_VERB = r"[ ]?[一-鿿]{0,6}?[是为為成](?:了|：|:|[ ]){0,3}|[ ]?(?:は|が|은|는|이|가)[ ]{0,2}"
_PAIR = r""",?\s{1,40}["'`]?value["'`]?[ \t]?[:=][ \t]{0,20}"""
_NEXT_LINE = r"""(?:[^\n:：=]{0,60}[:：])?[*]{0,2}[ \t]{0,4}(?:\r?\n[ \t]{0,8}){1,2}
    (?:```\w{0,10}\r?\n)?[>*\t -]{0,8}"""


def _value(pattern: str, rule: Rule) -> ValueForm:
    return ValueForm(lazy_regex(f"(?xi){pattern}"), rule)


def _separator(
    pattern: str, *values: ValueForm, options: bool = False, joined: bool = False
) -> Separator:
    return Separator(lazy_regex(f"(?xi){pattern}"), values, options, joined)


_ASSIGNED = _value(_QUOTED, Rule.ASSIGNED)
_KEY_OF_SCHEME = _value(_SCHEMED, Rule.RANDOM)
_PHRASED = _value(_PHRASE, Rule.SAID)
_MIXED = _value(_MIXED_PHRASE, Rule.SAID)
_EQUAL = _separator(
    _EQUALS,
    _ASSIGNED,
    _PHRASED,
    _MIXED,
    _value(rf"(?<==){_TIGHT}", Rule.ALONE),
    _value(_TIGHT, Rule.ASSIGNED),
    _KEY_OF_SCHEME,
)
_NAMED = _separator(
    _COLON,
    _ASSIGNED,
    _PHRASED,
    _MIXED,
    _value(_GROUPS, Rule.ANY),
    _value(_ROW, Rule.SAID),
    _value(_LOOSE, Rule.NAMED),
    _KEY_OF_SCHEME,
)
_SAID_VALUES = (
    _value(_QUOTED, Rule.SAID),
    _PHRASED,
    _MIXED,
    _value(_LOOSE, Rule.SAID),
    _KEY_OF_SCHEME,
)
_SAID = _separator(_VERB, *_SAID_VALUES)
_SAID_JOINED = _separator(_JOINED_VERB, *_SAID_VALUES)
_BELOW = _separator(_NEXT_LINE, _value(_ON_ITS_LINE, Rule.NUMBER))
_PAIRED = _separator(_PAIR, _ASSIGNED, _value(_TIGHT, Rule.ALONE))
_MARKED_UP = _separator(r"[^<>\n]{0,40}>", _value(_IN_MARKUP, Rule.ALONE))
_OPTION = _separator(
    r"\s{1,4}", _ASSIGNED, _PHRASED, _value(rf"(?!-){_TIGHT}", Rule.RANDOM), options=True
)
_BARE = _separator(r"""[ ]{1,2}["'`“「]?""", _value(_WORD, Rule.RANDOM))
_BY_SIGN: dict[str, tuple[Separator, ...]] = {
    "=": (_EQUAL,),
    "!": (_EQUAL,),
    ":": (_EQUAL, _NAMED, _BELOW),
    "：": (_NAMED, _BELOW),
    "|": (_separator(r"[ ]{0,30}[|]", _value(_IN_CELL, Rule.NUMBER)),),
    # a call of set_password with the value
    "(": (_NAMED, _separator(r"\(", _ASSIGNED), _SAID),
    # a definition of the name as the value
    ",": (
        _separator(r"""(?<=["'`])[ ]?,[ ]{0,4}""", _value(_QUOTED, Rule.RANDOM)),
        _PAIRED,
        _separator(",", _value(_IN_LIST, Rule.RANDOM)),
    ),
    ";": (_separator(";", _value(_IN_LIST, Rule.RANDOM)),),
    # <password>X</password>, <string name="password">X</string>
    ">": (_MARKED_UP,),
    # <key>Password</key><string>X</string>
    "<": (_separator(r"</\w{1,20}>\s{0,40}<\w{1,20}>", _value(_IN_MARKUP, Rule.ALONE)),),
    "\n": (_BELOW, _PAIRED),
    "\r": (_BELOW, _PAIRED),
}
_AFTER_WORDS = (_NAMED, _OPTION, _SAID, _SAID_JOINED, _PAIRED, _BELOW, _BARE, _MARKED_UP)
_AFTER_JOINED = (
    _SAID_JOINED,
    _separator(r"""["'`“「『]?""", _value(_WORD, Rule.ODD), joined=True),
    _BELOW,
)
_TABBED = _separator(r"\t", _value(_IN_LIST, Rule.RANDOM))


def list_separators(text: str, at: int) -> tuple[Separator, ...]:
    """Return the separators that may stand where a name and its closing signs end."""
    blank = _BLANK.match(text, at)
    first = blank.end() if blank else at
    sign = text[first : first + 1]
    found = _BY_SIGN.get(sign)
    if found is not None:
        return found
    if text[at : at + 1] == "\t":
        return (_TABBED,)
    return _AFTER_WORDS if first > at else _AFTER_JOINED if sign else ()


_LEAST = {"password": 4, "secret": 8, "credential": 8, "token": 16, "random-key": 16}
_KINDS = {"password": "password", "secret": "secret"}


@dataclass(frozen=True, slots=True)
class _Found:
    """A value in a secret's place."""

    value: str
    is_quoted: bool
    after: str
    """Text that follows it."""

    @property
    def ends_line(self) -> bool:
        return _LINE_END.match(self.after) is not None

    @property
    def is_number_of_something(self) -> bool:
        return self.value.isdigit() and _UNIT.match(self.after) is not None

    @property
    def is_literal(self) -> bool:
        return is_literal(self.value, is_quoted=self.is_quoted)


_UNIT = lazy_regex(
    r"(?i)\s?(?:[年月日号位个次天条文字자]|%|char|digit|bit|byte|times|minute|hour|day|year|zeichen)"
)
_LINE_END = lazy_regex(r"[ \t]*(?:$|[\r\n]|\\[nr])")
_AFTER = 20
_TEST = lazy_regex(
    r"::\w|(?i:^[\w@.-]*(?:/[\w@.-]+)+\.[a-z]{1,4}(?![a-z])|^test_|_(?:test|spec)s?\b)"
    r"|^Test[A-Z]\w*_|^[\w.-]+\.(?:test|spec)\.\w+"
)
_TALLY = lazy_regex(r"(?i)[,;/|]?\s*(?:\d+\s)?(?:fail|error|skip|xfail|total|flak|test)")


def find_assigned(read: ReadText, names: Iterable[Name]) -> Iterator[Span]:
    """Yield the values of names that are secrets."""
    done = 0
    for name in sorted(names):
        if name.start >= done:
            for start, end, is_secret in _read_values(read, name):
                if is_secret:
                    yield Span(start, end, _KINDS.get(name.kind, "credential"))
                # Names inside of a very long value are not read again, each to its end.
                if is_secret or end - start > _LONG_VALUE:
                    done = end
                    break


def _read_values(read: ReadText, name: Name) -> Iterator[tuple[int, int, bool]]:
    """Yield possible values of a name: start, end, and true for a secret."""
    text = read.text
    closing = CLOSING.match(text, name.end)
    at = closing.end() if closing else name.end
    for separator in list_separators(text, at):
        if not _may_separate(separator, read, name):
            continue
        sign = separator.pattern.match(text, at)
        for value in separator.values if sign else ():
            if sign and (match := value.pattern.match(text, sign.end())):
                start, end = match.span("secret")
                is_quoted = bool(match.groupdict().get("quote"))
                found = _Found(match["secret"], is_quoted, text[end : end + _AFTER])
                is_long = end - start >= _LEAST[name.kind]
                is_secret = is_long and _CHECKS[value.rule](found, name)
                yield start, end, is_secret and not _is_harmless(read, name, found, start)


def _is_harmless(read: ReadText, name: Name, found: _Found, start: int) -> bool:
    """Check for a test's verdict, or the code of a door."""
    is_code = found.value.rstrip("#*").isdigit()
    return _is_verdict(read, name, found) or (is_code and opens_a_door(read, name.start, start))


def _is_verdict(read: ReadText, name: Name, found: _Found) -> bool:
    """Check for "pass" as a test's verdict, with the test's name or a count."""
    if read.lower[name.start : name.end] not in _VERDICTS:
        return False
    before = read.lower[max(0, name.start - _AFTER) : name.start]
    is_count = found.value.isdigit() and (_TALLY.match(found.after) or "fail" in before)
    return bool(is_count) or _TEST.search(found.value) is not None


_VERDICTS = ("pass", "passed")

_BEFORE_OPTION = lazy_regex(r"""(?:^|[\s"'\[(,=])-{1,2}[\w-]{0,30}$""")
_LONG_VALUE = 500


def _may_separate(separator: Separator, read: ReadText, name: Name) -> bool:
    if separator.is_for_options:
        before = read.text[max(0, name.start - 34) : name.start]
        return _BEFORE_OPTION.search(before) is not None
    return not separator.is_for_joined or read.lower[name.end - 1] >= "\u3040"


# What is accepted
def _is_assigned(found: _Found, name: Name) -> bool:
    """Check a value after a sign: a secret in quotes may be any text, and a key looks random."""
    if not found.is_literal:
        return False
    if is_mixed(found.value) or (found.is_quoted and name.kind in _KINDS):
        return True
    return name.kind == "password" and (
        (found.value.isdigit() and not found.is_number_of_something) or is_passphrase(found.value)
    )


def _is_word_alone(found: _Found, name: Name) -> bool:
    """Check for a plain word that has the rest of the line to itself, as a password may."""
    if _is_assigned(found, name):
        return True
    is_word = is_plain_password(found.value) and found.ends_line
    return name.kind == "password" and found.is_literal and is_word


def _is_named(found: _Found, name: Name) -> bool:
    """Check a value after a colon, where a password need not look like a word."""
    if _is_word_alone(found, name):
        return True
    is_odd = has_symbols(found.value) or looks_scrambled(found.value)
    return name.kind == "password" and found.is_literal and is_odd


def _is_said(found: _Found, name: Name) -> bool:
    """Check a value in a sentence, where an ordinary word is part of what is said."""
    if _is_assigned(found, name):
        return True
    return name.kind == "password" and found.is_literal and has_symbols(found.value)


def _is_random(found: _Found, _name: Name) -> bool:
    return found.is_literal and is_mixed(found.value)


def _is_odd(found: _Found, name: Name) -> bool:
    is_scrambled = name.kind == "password" and looks_scrambled(found.value)
    return _is_random(found, name) or (found.is_literal and is_scrambled)


def _is_anything(_found: _Found, _name: Name) -> bool:
    return True


def _is_number_or_random(found: _Found, name: Name) -> bool:
    return _is_random(found, name) or (
        found.value.isdigit() and name.kind == "password" and not found.is_number_of_something
    )


_Check = Callable[[_Found, Name], bool]
_CHECKS: dict[Rule, _Check] = {
    Rule.ASSIGNED: _is_assigned,
    Rule.ALONE: _is_word_alone,
    Rule.NAMED: _is_named,
    Rule.SAID: _is_said,
    Rule.RANDOM: _is_random,
    Rule.ODD: _is_odd,
    Rule.NUMBER: _is_number_or_random,
    Rule.ANY: _is_anything,
}
