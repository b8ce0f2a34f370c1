"""Secrets known by their own form: vendors' tokens, private keys, and seed phrases of wallets.

The table of token forms is `formats.tsv`. A token is at least sixteen characters without a gap and
begins where a word begins. So runs of such characters are found first, of which ordinary text has
few, and only the words in them are compared with the table.

A seed phrase is a row of words from the list that BIP 39 has published. Its words have at most
eight letters and no articles, pronouns or forms of "to be", so hardly a sentence has twelve of them
in a row.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import read_rows
from memoria.language.secrets.values import ReadText, Span, is_gap, looks_encoded

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
_PARTS = {"uuid": "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"}
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


_BASE64_LINES = r"""(?:(?:\s|\\[nr]|["',\\])*[A-Za-z0-9+/=]{16,})+"""
# Without its END, a key goes as far as its base64 does.
_PEM = lazy_regex(
    rf"""(?x) -{{4,5}}[ ]?BEGIN[ ]
    (?P<label>[A-Za-z0-9 ]{{0,40}}(?:PRIVATE[ ]KEY|Static[ ]key)(?:[ ]BLOCK|[ ]V1)?)[ ]?-{{4,5}}
    (?: [^-=]*(?:(?:-(?!---)|=(?![ ]))[^-=]*)* -{{4,5}}[ ]?END[ ](?P=label)[ ]?-{{4,5}}
      | (?:(?:\s|\\[nr])*[A-Z][A-Za-z-]{{2,15}}:[ ][^\n\\]{{1,200}})* {_BASE64_LINES} )""",
    re.ASCII,
)
_PUTTY = lazy_regex(rf"(?i:private-lines): \d+(?P<secret>{_BASE64_LINES})", re.ASCII)


def find_blocks(read: ReadText) -> Iterator[Span]:
    """Yield private keys, as PEM, SSH, PGP, OpenVPN and PuTTY write them."""
    text = read.text
    if "PRIVATE KEY" in text or "Static key" in text:
        for match in _PEM.finditer(text):
            yield Span(*match.span(), "private-key")
    if "Private-Lines: " in text:
        for match in _PUTTY.finditer(text):
            yield Span(*match.span("secret"), "private-key")


_BITS = 11
_LENGTHS = (12, 15, 18, 21, 24)
_FEWEST = 12
# From its second word, since to look for a space is the fastest.
_ROW = lazy_regex(rf"(?:[ \n][a-z]{{3,8}}+){{{_FEWEST - 1},}}+")
_FIRST_WORD = lazy_regex(r"[a-z]{3,8}$")
# With commas, in a numbered list or a table: only where it is called a seed phrase.
_GAP = r"(?:[ ]?,)?\s{1,3}(?:\d{1,2}[.):]?\s{0,2}|[-*]\s)?"
_LIST = lazy_regex(
    rf"\W{{0,6}}(?:\d{{1,2}}[.):]?\s{{0,2}})?[a-z]{{3,8}}+(?:{_GAP}[a-z]{{3,8}}+){{{_FEWEST - 1},}}"
)
_SEED_WORD = lazy_regex("[a-z]+")
_LABEL = lazy_regex(
    r"(?i)(?:seed|mnemonic|recovery|backup|secret)[ -]?(?:phrase|words?)?|助记词|助記詞|恢复短语"
)
_HAN_ROW = lazy_regex(r"\W{0,6}(?P<secret>[一-鿿](?:[ 　][一-鿿]){11,23})(?![ 　]?[一-鿿])")
_LABEL_END = lazy_regex(r"[^\n:：]{0,40}(?:[:：]|\bis\b|[是为])|")
_BEFORE_SEED = 60


def find_seed_phrases(read: ReadText) -> Iterator[Span]:
    """Yield rows of words that restore a wallet."""
    for row in _ROW.finditer(read.lower):
        first = _FIRST_WORD.search(read.lower[max(0, row.start() - 9) : row.start()])
        start = row.start() - len(first[0]) if first else row.start()
        yield from _find_in_row(read, start, row.end())
    for part in ("seed", "mnemonic", "recovery", "助记词", "助記詞"):
        for at in read.find_all(part):
            label = _LABEL.match(read.text, at)
            sign = _LABEL_END.match(read.text, label.end()) if label else None
            if sign and (characters := _HAN_ROW.match(read.text, sign.end())):
                yield Span(*characters.span("secret"), "seed-phrase")
            if sign and (words := _LIST.match(read.lower, sign.end())):
                yield from _find_in_row(read, *words.span())


def _find_in_row(read: ReadText, start: int, end: int) -> Iterator[Span]:
    known = _load_seed_words()
    run = list[re.Match[str]]()
    for word in _SEED_WORD.finditer(read.lower, start, end):
        if word[0] in known:
            run.append(word)
        else:
            yield from _judge(run, read.text)
            run = []
    yield from _judge(run, read.text)


def _judge(run: list[re.Match[str]], text: str) -> Iterator[Span]:
    if len(run) < _FEWEST:
        return
    start, end = run[0].start(), run[-1].end()
    is_named = _LABEL.search(text[max(0, start - _BEFORE_SEED) : start]) is not None
    if is_named or has_checksum([word[0] for word in run]):
        yield Span(start, end, "seed-phrase")


def has_checksum(words: Sequence[str]) -> bool:
    """Check that a seed phrase ends in the bits of its hash; 1 in 16 other rows does, too."""
    if len(words) not in _LENGTHS:
        return False
    known = _load_seed_words()
    number = 0
    for word in words:
        number = number << _BITS | known[word]
    check = len(words) // 3
    entropy = (number >> check).to_bytes(check * 4, "big")
    return sha256(entropy).digest()[0] >> (8 - check) == number & ((1 << check) - 1)


@cache
def _load_seed_words() -> dict[str, int]:
    """Map the words of the list to their numbers."""
    words = files("memoria.language.secrets").joinpath("bip39_english.txt").read_text("utf-8")
    return {word: number for number, word in enumerate(words.split())}
