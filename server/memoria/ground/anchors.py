"""The anchors of a statement and the calls of its session: what of them can be in a repository.

Nothing is concluded from language: words, names, numbers and paths are listed, and only those that
the repository has count later.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from memoria.language.calls.texts import walk_texts
from memoria.language.words.analyser import list_stop_words, tokens
from memoria.model.search import ToolCall

_WORD = re.compile(r"[A-Za-z_$][\w$]*|[\u4e00-\u9fff]+")
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NUMBER = re.compile(
    r"\b0x([0-9a-fA-F]{1,16})\b|(?<![\w.])v?(\d[\d_,]*(?:\.\d+)*)|(?<=[A-Za-z])(\d+)\b"
)
_QUANTITY = re.compile(r"(?<![\d_])(\d[\d_]{0,15})\s*-?([A-Za-z\u4e00-\u9fff]+)")
_CODE_WORD = re.compile(r"\b[A-Za-z_$][\w$]*(?:_[\w$]*|[a-z\d][A-Z][\w$]*)")
_ENDINGS = frozenset(
    "py rs go ts tsx js jsx mjs md rst toml json yaml yml c h cc cpp hpp txt sh cfg ini lock sql"
    " html css java kt rb php xml conf env".split()
)
_CALLED = re.compile(r"\b([A-Za-z_$][\w$]*)\(")
_DOTTED = re.compile(r"\b[A-Za-z_][\w]*(?:(?:\.|::|->|#)[A-Za-z_]\w*)+")
_QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|‘([^’\n]{2,80})’")
_ROUTE = re.compile(r"(?<![\w/.:~-])/[A-Za-z][\w/{}:-]+")
_PATH = re.compile(r"[\w@.+~/-]*[\w@+~-]")
_CHINESE_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2}
_CHINESE_NUMBER = re.compile(
    "([一二三四五六七八九十百千万两零]{2,12}|[一二三四五六七八九十两](?=[个天分秒小次条台种位年月周倍份页行号封级]))"
)
_TARGET = re.compile(
    r"\b(make|gmake|just|task|npm|pnpm|yarn|nox|tox|rake|composer|invoke)\s+(?:run\s+|-s\s+)?"
    r"([A-Za-z][\w:-]*)"
)
_NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100}
_DAY, _KIB = 86_400, 1024
_FACTORS: dict[str, tuple[int, ...]] = {
    "second": (1000,), "sec": (1000,), "s": (1000,), "秒": (1000,),
    "minute": (60, 60_000), "min": (60, 60_000), "分钟": (60, 60_000), "分": (60,),
    "hour": (3600, 60, 3_600_000), "h": (3600, 60, 3_600_000), "小时": (3600, 60, 3_600_000),
    "day": (_DAY, 24, _DAY * 1000), "天": (_DAY, 24, _DAY * 1000), "日": (_DAY,),
    "week": (7, 7 * _DAY), "周": (7, 7 * _DAY),
    "kib": (_KIB,), "kb": (_KIB, 1000), "k": (_KIB, 1000),
    "mib": (_KIB**2, _KIB), "mb": (_KIB**2, 10**6, _KIB), "m": (_KIB**2, 10**6),
    "gib": (_KIB**3,), "gb": (_KIB**3, 10**9), "percent": (), "万": (10_000,),
}  # fmt: skip
_SHOWN_LEAD = re.compile(r"^\s*(?:[\w@.+~/-]+[:-])?\d+[\t:→|-]|^\+(?!\+)|^\s*>\s")
_SHORTEST_SHOWN = 3
_LONGEST_RESULT = 60_000


@dataclass(frozen=True, slots=True)
class Anchors:
    """Terms of a statement and its session with their weights."""

    terms: Mapping[str, float]
    stated: frozenset[str]
    """Terms of the statement itself."""
    names: frozenset[str]
    """Terms of the statement that are written as code is."""
    told_names: frozenset[str]
    """Such terms that only its session has."""
    phrases: tuple[str, ...]
    """What the statement quotes."""
    targets: tuple[tuple[str, str], ...]
    """(program, target) of the commands that the statement gives, such as `make` and `test`."""


def read_anchors(statement: str, said: Sequence[str], calls: Sequence[ToolCall]) -> Anchors:
    """Return what a statement and its session speak of."""
    terms: dict[str, float] = {}
    asked = [text for call in calls for text in list_texts(call.args)]
    for texts, weight in ((asked, 0.4), (said, 0.5), ((statement,), 1.0)):
        for text in texts:
            for term in (*list_terms(text), *_list_amounts(text)):
                terms[term] = max(weight, terms.get(term, 0.0))
    names = frozenset(list_names(statement))
    told = frozenset(name for text in (*said, *asked) for name in list_names(text))
    return Anchors(
        terms=terms,
        stated=frozenset((*list_terms(statement), *_list_amounts(statement))),
        names=names,
        told_names=told - names,
        phrases=tuple(list_phrases(statement)),
        targets=tuple(_TARGET.findall(statement)),
    )


def list_names(text: str) -> Iterator[str]:
    """Yield the terms of a text that are written as code and not as plain words."""
    for pattern in (_CODE_WORD, _CALLED):
        words = (found.group(found.lastindex or 0) for found in pattern.finditer(text))
        yield from (name_term(word) for word in words if word.lower() not in _FACTORS)
    for found in _DOTTED.finditer(text):
        last = re.split(r"\.|::|->|#", found[0])[-1]
        if last.casefold() not in _ENDINGS:
            yield name_term(last)
    for groups in _QUOTED.findall(text):
        if re.fullmatch(r"[A-Za-z_$][\w$]*", groups[0].strip()):
            yield name_term(groups[0].strip())


def name_term(name: str) -> str:
    """Return the term of an identifier: itself if it is made of several words, else its word."""
    if is_composed(name):
        return f"={name.casefold()}"
    return next(iter(tokens(name)), name.casefold())


def is_composed(name: str) -> bool:
    """Check whether an identifier is made of more than one word, so that it is no plain word."""
    return len(re.findall(r"[A-Z]{2,}|[A-Z]?[a-z]{2,}", name)) > 1 or not name.isalpha()


def list_phrases(text: str) -> Iterator[str]:
    """Yield what a text quotes."""
    for groups in _QUOTED.findall(text):
        phrase = next((group for group in groups if group), "").strip()
        if len(phrase) > 1:
            yield phrase
    yield from _ROUTE.findall(text)


def list_terms(text: str) -> frozenset[str]:
    """Return the terms of a text: words and parts of names, whole names and numbers.

    A whole name begins with `=`, a number with `#`.
    """
    found: set[str] = set()
    for word in _WORD.findall(text):
        if word[0] >= "\u4e00":
            found.update(tokens(word)[len(word) :])  # the pairs
            continue
        if is_composed(word):
            found.add(f"={word.casefold()}")
        for part in _SUBWORD.findall(word):
            lower = part.lower()
            if len(part) > 1 and lower not in list_stop_words():
                found.update(tokens(part))
            if lower in _NUMBER_WORDS:
                found.add(f"#{_NUMBER_WORDS[lower]}")
    for hexadecimal, plain, behind in _NUMBER.findall(text):
        found.add(_number(hexadecimal, plain or behind))
    found.update(f"#{_read_chinese(run[1])}" for run in _CHINESE_NUMBER.finditer(text))
    return frozenset(found)


def _number(hexadecimal: str, plain: str) -> str:
    if hexadecimal:
        return f"#{int(hexadecimal, 16)}"
    return f"#{plain.replace('_', '').replace(',', '').rstrip('.')}"


def _read_chinese(run: str) -> int:
    """Return the number that Chinese numerals are."""
    total, digit = 0, 0
    for sign in run:
        if sign in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[sign]
        elif sign == "万":
            total, digit = (total + digit) * 10_000, 0
        else:
            total += max(digit, 1) * {"十": 10, "百": 100, "千": 1000}[sign]
            digit = 0
    return total + digit


def _list_amounts(text: str) -> Iterator[str]:
    """Yield the numbers that amounts with units are in other units."""
    plain = _CHINESE_NUMBER.sub(lambda found: str(_read_chinese(found[1])), text)
    for word, value in _NUMBER_WORDS.items():
        plain = re.sub(rf"(?i)\b{word}\b", str(value), plain)
    for number, unit in _QUANTITY.findall(plain):
        value = int(number.replace("_", ""))
        for name, factors in _FACTORS.items():
            if unit.lower() in (name, f"{name}s") or (name[0] >= "\u4e00" and unit[0] == name[0]):
                yield from (f"#{value * factor}" for factor in factors)
                yield from (f"#{factor}" for factor in factors)


def list_texts(value: JsonValue) -> Iterator[str]:
    """Yield the beginnings of all texts within arguments or a result."""
    yield from (text[:_LONGEST_RESULT] for text in walk_texts(value))


def list_shown(calls: Iterable[ToolCall]) -> list[frozenset[str]]:
    """List the lines that each call showed, without white space and line numbers."""
    return [frozenset(_list_lines(call.result)) for call in calls]


def _list_lines(result: JsonValue) -> Iterator[str]:
    for text in list_texts(result):
        for line in text.split("\n"):
            shown = pack(line)
            bare = pack(_SHOWN_LEAD.sub("", line, count=1))
            yield from (each for each in {shown, bare} if len(each) >= _SHORTEST_SHOWN)


def pack(line: str) -> str:
    """Return a line without white space."""
    return "".join(line.split())


class PathIndex:
    """Paths of a repository, found by how they are written elsewhere."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Index paths by their last parts."""
        self._by_name: dict[str, list[str]] = {}
        self.paths = tuple(paths)
        for path in self.paths:
            name = path.rpartition("/")[2].casefold()
            self._by_name.setdefault(name, []).append(path)
            stem = name.partition(".")[0]
            if stem != name and stem in {"readme", "makefile", "changelog", "contributing"}:
                self._by_name.setdefault(stem, []).append(path)

    def find(self, text: str) -> list[str]:
        """List the paths that a text writes, in the order of their mention."""
        found: dict[str, None] = {}
        for word in _PATH.findall(text):
            plain = re.sub(r"^(?:\./|~/|[ab]/)", "", word)
            name = plain.rpartition("/")[2].casefold()
            for path in self._by_name.get(name, ()):
                if self._agrees(plain, path):
                    found[path] = None
        return [*found]

    @staticmethod
    def _agrees(written: str, path: str) -> bool:
        """Check whether one ends with the other."""
        if "/" not in written:
            return True
        return f"/{path}".endswith(f"/{written.strip('/')}") or f"/{written}".endswith(f"/{path}")
