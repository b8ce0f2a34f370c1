"""Words: what a stretch of a turn is about, as stems and, in Chinese, as pairs of characters."""

from collections.abc import Iterator
from typing import NamedTuple

from memoria.text.analyser import tokens
from memoria.text.pattern import LazyPattern
from memoria.text.remembered import remember_results
from memoria.text.stopwords import STOP_WORDS

_SHORTEST = 2
_WORD = LazyPattern(r"[A-Za-z][A-Za-z'’]*|[\u3400-\u9fff]+")
_EMPTY = frozenset(
    """
    tri want need make help sure understand use work like know get thing way also think feel kinda
    look start plan realli just good great complet consid ensur abl much mani lot bit time any anyth
    someth one project relat involv now new recent updat chang current alreadi increas decreas
    improv reach add total latest ever never befor actual
    """.split()
)
"""Stems that stand in any turn of somebody at work, and those that tell only that something has
changed: to share them tells nothing of a common matter."""
_EMPTY_ZH = frozenset(
    "现在 已经 目前 最近 今天 我的 我想 想要 需要 帮我 可以 怎么 增加 减少 提高 从来 来没 没有".split()  # noqa: E501
)


class PlacedWord(NamedTuple):
    """A word of a sentence with where it stands."""

    start: int
    stem: str
    before: str = ""
    """The stem of the telling word right before it: of "the staging server" staging."""
    is_name: bool = False
    """Whether it has a capital within its sentence."""


def tells_by_itself(word: str) -> bool:
    """Whether a question's word tells what it asks: not where a pair of characters is half empty.

    Of 婚礼在哪里 that is 婚礼 alone, for 礼在 stands in no other wording of the same.
    """
    return word.isascii() or STOP_WORDS.isdisjoint(word)


def place_words(sentence: str) -> tuple[PlacedWord, ...]:
    """The telling words of a sentence, in their order; what joins them is left out."""
    return tuple(_iter_words(sentence))


def words_of(text: str) -> frozenset[str]:
    """The telling words of a text."""
    return frozenset(word.stem for word in _iter_words(text))


def _iter_words(text: str) -> Iterator[PlacedWord]:
    end, before = 0, ""
    for match in _WORD.regex.finditer(text):
        word = match[0]
        if not word.isascii():
            yield from _iter_pairs(word, match.start())
            continue
        if text[end : match.start()] != " ":
            before = ""
        if stem := _stem_telling(word):
            yield PlacedWord(match.start(), stem, before, match.start() > 0 and word[0].isupper())
        end, before = match.end(), stem


@remember_results(16_384)
def _stem_telling(word: str) -> str:
    """The stem of an English word; empty where it tells nothing."""
    found = "" if word.lower() in STOP_WORDS else "".join(tokens(word)[:1])
    return "" if len(found) < _SHORTEST or found in _EMPTY else found


def _iter_pairs(run: str, start: int) -> Iterator[PlacedWord]:
    before = ""
    for i in range(len(run) - 1):
        pair = run[i : i + 2]
        if pair not in _EMPTY_ZH and not STOP_WORDS.issuperset(pair) and pair not in STOP_WORDS:
            yield PlacedWord(start + i, pair, before)
            before = pair
        else:
            before = ""
