"""What is thrown: texts, numbers and structures that have broken programs before.

Long, deep and live things are written as small placeholders, so that hypothesis can shrink them and
a report can show them. `real` turns them into what they stand for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from memoria import Role, Turn

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Given:
    """An id the product gave out earlier."""

    which: int


@dataclass(frozen=True, slots=True)
class Long:
    """A text repeated up to a length."""

    unit: str
    chars: int


@dataclass(frozen=True, slots=True)
class Deep:
    """Lists in lists, or objects in objects."""

    levels: int
    key: str | None


@dataclass(frozen=True, slots=True)
class Odd:
    """A Python object that belongs nowhere, by its name in `ODD`."""

    name: str


def _ouroboros() -> object:
    snake: list[object] = []
    snake.append(snake)
    return snake


def _unchecked_turn() -> Turn:
    fields: Any = {"role": "wizard", "content": 3}
    return Turn.model_construct(**fields)


class _Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no representation")


class _Shout(str):
    __slots__ = ()


ODD: dict[str, Callable[[], object]] = {
    "object": object,
    "bytes": lambda: b"\xff\xfe",
    "a set": lambda: {"a", "b"},
    "a tuple": lambda: ("a", 1),
    "a generator": lambda: (i for i in range(3)),
    "a function": lambda: real,
    "a class": lambda: Turn,
    "a turn": lambda: Turn(role=Role.USER, content="hello"),
    "a turn never checked": _unchecked_turn,
    "a datetime": lambda: datetime(2026, 3, 2, 9, 14),  # noqa: DTZ001  (one without a zone)
    "a path": lambda: Path("nowhere"),
    "a kind of text": lambda: _Shout("hello"),
    "not a number": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "a complex number": lambda: 1 + 2j,
    "an integer of 5,000 digits": lambda: 10**5_000,
    "unprintable": _Unprintable,
    "a list that holds itself": _ouroboros,
    "keys that are no text": lambda: {1: "a", None: "b"},
}
# fmt: off
NAMES = (
    "s", "s1", "m1", "林岚", "bash", "search_memory", "mcp__memoria__remember", "USER.md",
    "长" * 499, "x" * 500,
)
WORDS = (
    "the release checklist", "我对花生过敏", "Lin is allergic to peanuts", "what must Lin not eat?",
    "上周三说了什么", "E1437 in src/main.py:12", "yes",
)
HOSTILE = (
    "", " \n\t", "\x00", "a\x00b", "\x1b[31mred\x1b]0;title\x07", "\x85\u2028\u2029", "\r\n",
    '"', '""', '"a', "'", "''", "`", "*", "a*", "^a", "-a", "a:b", "content:a", "{a b}: c", "AND",
    "OR NOT", "a AND", "NEAR(a b, 3)", "NEAR(", "(", ")", "a + b", "(((((a", "%", "_", "\\",
    "'; DROP TABLE turns; --", "1 OR 1=1", "%s%n", "{0}", "${x}", "[red]", "[/]", "<b>", "&amp;",
    "../../etc/passwd", "/etc/passwd", "C:\\", "file:///etc/passwd", "memory://guide", "%00", "%2e",
    "null", "true", "[]", "{}", '["a"]', '{"a": 1}', "0", "-1", "1e999", "NaN", "Infinity", "1_000",
    "half \ud83d", "\udc00", "\ufeff", "\ufffe", "\U0010ffff", "\u202eabc", "👩\u200d👧", "e\u0301",
    "ß", "İ", "ﬃ", "ǰ", "가각", "𠀀𠀁", "々〆", "٣٤", "ⅷ", "a" * 501, "长" * 501, "-", "--",
    "--help", "<private>", "</private>", "<private>a</private>", "<private>a<private>b</private>",
    "<memoria>", "</memoria>", "<memoria>a</memoria>", "<private>\x00</memoria></private>",
    "password = hunter2!", "token: abcdef1234567890", "AKIA" + "IOSFODNN7EXAMPLE", "pin is 1234",
    "[redacted:password]", "-----BEGIN PRIVATE KEY-----", "sk-", "://a:b@c", "cookie: a=b",
)
UNITS = (
    *"ax \n\"'<长é\x00\ud83d9", "a b ", "ab, ", "word ", "sk-", "://", "<private>", "</private>",
    "password=", "密码是", "token ", "-----BEGIN PRIVATE KEY-----\n", "eyJ", "a.b.", "[[", '{"',
)
DATES = (
    "2026-03-02", "2026-03-02T09:14:05+08:00", "20260302T011405Z", "2026-W10-1", "1999-12-31",
    "2026-03-02T09:14:05.123456789Z", " 2026-03-02 ", "0002-01-01", "9999-12-30T23:59:59-14:00",
)
NO_DATES = (
    "2026-02-30", "0001-01-01", "0001-01-01T00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-03",
    "yesterday", "上周三", "1772414045", "1772414045000", "2026-03-02T24", "2026-03-02T09:14:60",
    "+12026-03-02", "-0001-01-01", "2026-03-02T09:14+99:99", "٢٠٢٦-٠٣-٠٢",
)
NUMBERS = (
    0, 1, -1, 2, 5, 6, 49, 50, 200, 201, 100_000, 100_001, 10**9, 2**31, 2**53 + 1, 2**63 - 1,
    2**63, -(2**63) - 1, 10**40, -0.0, 0.5, 1.0, 1.5, -0.1, 1e-320, 1e308, 1.0000001, True, False,
    "5", "5.0", "many", "", "१", "1e3",
)
# fmt: on

_LONG_CHARS = 300_000
_TOO_LONG_CHARS = (6_000_000, 10_485_760)
_FIRST, _LAST = datetime(2, 1, 1), datetime(9999, 12, 30)  # noqa: DTZ001  (in any zone)
_KEYS = st.sampled_from([None, "a", "password"])
_DEEPEST_JSON = 180
"""What a client can still send: JSON parsers stop at about two hundred levels."""


def weighted(*choices: tuple[int, SearchStrategy[_T]]) -> SearchStrategy[_T]:
    """One of the strategies, each as often as its weight says. `one_of` flattens and forgets."""
    tickets = [choice for weight, choice in choices for _ in range(weight)]
    return st.sampled_from(range(len(tickets))).flatmap(lambda i: tickets[i])


def texts() -> SearchStrategy[object]:
    """Any text: real words, hostile ones, noise, and now and then a great deal of it."""
    short: SearchStrategy[object] = st.sampled_from(WORDS + HOSTILE) | st.text(max_size=20)
    joined = st.lists(st.sampled_from(HOSTILE + WORDS), min_size=2, max_size=4).map(" ".join)
    return weighted((24, short), (4, joined), (1, long_texts()))


def long_texts() -> SearchStrategy[object]:
    """Texts that find what is quadratic, and some that are too long for everything."""
    sizes = weighted((7, st.integers(1, _LONG_CHARS)), (1, st.sampled_from(_TOO_LONG_CHARS)))
    return st.builds(Long, st.sampled_from(UNITS), sizes)


def names() -> SearchStrategy[object]:
    """Ids of the product's, and plausible names."""
    return weighted((2, st.builds(Given, st.integers(0, 7))), (1, st.sampled_from(NAMES)))


def dates() -> SearchStrategy[object]:
    """Dates in every way that ISO 8601 has."""
    return st.sampled_from(DATES) | st.datetimes(_FIRST, _LAST).map(datetime.isoformat)


def junk() -> SearchStrategy[object]:
    """What may stand where something else belongs: JSON of any kind."""
    deep = st.builds(Deep, st.integers(100, _DEEPEST_JSON), _KEYS)
    return weighted(
        (4, json_values()), (2, texts()), (2, st.sampled_from(NO_DATES)), (1, names()), (1, deep)
    )


def json_values() -> SearchStrategy[object]:
    """What JSON can hold and a turn can keep."""
    leaves = st.one_of(st.none(), st.sampled_from(NUMBERS), texts(), names())
    nested = st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(HOSTILE) | st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=5,
    )
    return weighted((7, nested), (1, st.builds(Deep, st.integers(2, 90), _KEYS)))


def python_values() -> SearchStrategy[object]:
    """Whatever a program may pass by mistake."""
    odd = st.builds(Odd, st.sampled_from(sorted(ODD)))
    deep = st.builds(Deep, st.integers(2, 100_000), _KEYS)
    numbers = st.sampled_from((None, *NUMBERS))
    return weighted((4, odd), (3, numbers), (3, junk()), (1, deep))


def real(value: object, ids: Sequence[str]) -> object:  # noqa: PLR0911  (a case each)
    """The value with every placeholder in it replaced by what it stands for."""
    match value:
        case Given(which):
            return ids[which % len(ids)] if ids else "no-id-yet"
        case Long(unit, chars):
            return (unit * (chars // len(unit) + 1))[:chars]
        case Deep(levels, key):
            return _nested(levels, key)
        case Odd(name):
            return ODD[name]()
        case list():
            return [real(item, ids) for item in value]
        case dict():
            return {key: real(item, ids) for key, item in value.items()}
        case _:
            return value


def paths() -> SearchStrategy[tuple[int, ...]]:
    """Ways into a structure, for `replaced`."""
    return st.lists(st.integers(0, 9), max_size=4).map(tuple)


def replaced(value: object, path: Sequence[int], new: object) -> object:
    """The value with another at the end of the path; a path leads on as far as it can."""
    if not path:
        return new
    first, rest = path[0], path[1:]
    match value:
        case dict() if value:
            keys = list(value)
            chosen = keys[first % len(keys)]
            return {**value, chosen: replaced(value[chosen], rest, new)}
        case list() if value:
            i = first % len(value)
            return [*value[:i], replaced(value[i], rest, new), *value[i + 1 :]]
        case _:
            return new


def _nested(levels: int, key: str | None) -> object:
    nested: object = "bottom"
    for _ in range(levels):
        nested = [nested] if key is None else {key: nested}
    return nested
