"""Values that follow the name of a secret, and the test whether each is a secret, too.

It depends on the name and on what stands between the two (`notations.py`): a password may be a
plain word where nothing else fits, a key looks random.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.doors import opens_a_door
from memoria.language.secrets.names import Name
from memoria.language.secrets.notations import CLOSING, Rule, Separator, list_separators
from memoria.language.secrets.span import ReadText, Span
from memoria.language.secrets.values import (
    has_symbols,
    is_literal,
    is_mixed,
    is_passphrase,
    is_plain_password,
    looks_scrambled,
)

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


_OPTION = lazy_regex(r"""(?:^|[\s"'\[(,=])-{1,2}[\w-]{0,30}$""")
_LONG_VALUE = 500


def _may_separate(separator: Separator, read: ReadText, name: Name) -> bool:
    if separator.is_for_options:
        before = read.text[max(0, name.start - 34) : name.start]
        return _OPTION.search(before) is not None
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
    """Check a password that is a plain word: it has the rest of the line to itself."""
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
