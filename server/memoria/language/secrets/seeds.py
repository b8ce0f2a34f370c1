"""Seed phrases of wallets: rows of words from the list that BIP 39 has published.

Its words have at most eight letters and no articles, pronouns or forms of "to be", so hardly a
sentence has twelve of them in a row.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.span import ReadText, Span

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
_WORD = lazy_regex("[a-z]+")
_LABEL = lazy_regex(
    r"(?i)(?:seed|mnemonic|recovery|backup|secret)[ -]?(?:phrase|words?)?|助记词|助記詞|恢复短语"
)
_HAN_ROW = lazy_regex(r"\W{0,6}(?P<secret>[一-鿿](?:[ 　][一-鿿]){11,23})(?![ 　]?[一-鿿])")
_LABEL_END = lazy_regex(r"[^\n:：]{0,40}(?:[:：]|\bis\b|[是为])|")
_BEFORE = 60


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
    known = _load_words()
    run = list[re.Match[str]]()
    for word in _WORD.finditer(read.lower, start, end):
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
    is_named = _LABEL.search(text[max(0, start - _BEFORE) : start]) is not None
    if is_named or has_checksum([word[0] for word in run]):
        yield Span(start, end, "seed-phrase")


def has_checksum(words: Sequence[str]) -> bool:
    """Check that a seed phrase ends in the bits of its hash; 1 in 16 other rows does, too."""
    if len(words) not in _LENGTHS:
        return False
    known = _load_words()
    number = 0
    for word in words:
        number = number << _BITS | known[word]
    check = len(words) // 3
    entropy = (number >> check).to_bytes(check * 4, "big")
    return sha256(entropy).digest()[0] >> (8 - check) == number & ((1 << check) - 1)


@cache
def _load_words() -> dict[str, int]:
    """Map the words of the list to their numbers."""
    words = files("memoria.language.secrets").joinpath("bip39_english.txt").read_text("utf-8")
    return {word: number for number, word in enumerate(words.split())}
