"""Tokens of forms that their vendors have published: their beginnings and lengths.

The table of forms is `formats.tsv`. A token is at least sixteen characters without a gap and begins
where a word begins. So runs of such characters are found first, of which ordinary text has few, and
only the words in them are compared with the table.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.span import ReadText, Span
from memoria.language.secrets.values import is_gap, looks_encoded
from memoria.language.word_table import read_rows

_ALPHABETS = {
    "alnum": "A-Za-z0-9",
    "base64": "A-Za-z0-9+/",
    "base64url": r"\w=-",
    "digit": "0-9",
    "dotted": r"\w.-",
    "hex": "0-9a-fA-F",
    "lower": "a-z0-9",
    "path": r"\w/-",
    "percent": r"\w%.=+/-",
    "token": r"\w",
    "upper": "A-Z0-9",
    "url": r"\w-",
    "webhook": r"\w@/-",
}
_PARTS = {
    "uuid": "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
}
_PLACEHOLDER = lazy_regex(r"<(\w+)(?: (\d+)(?:(\+)|-(\d+))?)?>")
_RUN = lazy_regex(r"[\w.~/+=:%$-]{16,}", re.ASCII)
# A `\n` of a quoted text or a `%3D` of an address may stand before a word.
_WORD = lazy_regex(r"(?:(?<=\\)[nrt]|(?<=%)[0-9A-F]{2})?([\w-]+)", re.ASCII)
# Neither more of the word nor a marker: a row of tokens isn't to show one by one, last first.
_END = r"(?![\w\[-])"


@dataclass(frozen=True, slots=True)
class _Format:
    kind: str
    start: str
    """Beginning of every such token; empty, if it begins with a placeholder."""
    landmark: str
    """A part that every such token has."""
    pattern: re.Pattern[str]
    must_look_random: bool

    def match(self, text: str, at: int) -> Span | None:
        match = self.pattern.match(text, at)
        if match is None:
            return None
        rest = text[at + len(self.start) : match.end()]
        if is_gap(rest) or (self.must_look_random and not looks_encoded(rest)):
            return None
        return Span(match.start("secret"), match.end("secret"), self.kind)


@dataclass(frozen=True, slots=True)
class _Table:
    by_start: dict[str, list[_Format]]
    """Forms by their first three characters, or by two, if no more are fixed."""
    others: list[_Format]


def find_tokens(read: ReadText) -> Iterator[Span]:
    """Yield tokens of the published forms."""
    text, table = read.text, _load_table()
    inner = [one for one in table.others if one.landmark in text]
    for run in _RUN.finditer(text):
        begin, end = run.span()
        others = [one for one in inner if text.find(one.landmark, begin, end) >= 0]
        done = begin
        for word in _WORD.finditer(text, begin, end):
            at = word.start(1)
            begun = text[at : at + 3]
            formats = table.by_start.get(begun) or table.by_start.get(begun[:2])
            if (formats or others) and at >= done:
                candidates = (*(formats or ()), *others)
                if span := next(filter(None, (one.match(text, at) for one in candidates)), None):
                    yield span
                    done = span.end


@cache
def _load_table() -> _Table:
    table = _Table(defaultdict(list), [])
    for kind, form in read_rows("memoria.language.secrets", "formats.tsv", 2):
        one = _read_format(kind, form)
        (table.by_start[one.start[:3]] if one.start else table.others).append(one)
    return _Table(dict(table.by_start), table.others)


def _read_format(kind: str, form: str) -> _Format:
    must_look_random = form.endswith("?")
    form = form.removesuffix("?")
    is_exact = form.endswith("$")
    form = form.removesuffix("$")
    pieces, end = list[str](), 0
    for place in _PLACEHOLDER.finditer(form):
        pieces += (re.escape(form[end : place.start()]), _pattern_of(place))
        end = place.end()
    pattern = "".join((*pieces, re.escape(form[end:])))
    # The rest of the word belongs to the token: vendors have made theirs longer. A full stop ends
    # a sentence.
    pattern = f"{pattern}{_END}" if is_exact else rf"{pattern}(?<!\.)[\w-]*"
    before, mark, after = pattern.partition("«")
    named = f"{before}(?P<secret>{after.replace('»', ')', 1)}" if mark else f"(?P<secret>{pattern})"
    literals = [form[: form.find("<")], *re.findall(r"(?:^|>)([^<>]+)", form)]
    return _Format(
        kind,
        form.partition("<")[0].partition("«")[0],
        max(literals, key=len).strip("«»"),
        lazy_regex(named, re.ASCII),
        must_look_random,
    )


def _pattern_of(place: re.Match[str]) -> str:
    name, least, plus, most = place.groups()
    if name in _PARTS:
        return _PARTS[name]
    return f"[{_ALPHABETS[name]}]{{{least}{',' if plus else f',{most}' if most else ''}}}"
