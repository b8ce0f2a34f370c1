"""The analyser: turns text into search tokens.

A full-text index stores exactly these tokens and splits them at spaces only, so a document ranks
the same in every engine, whatever tokenizer the engine has.

- Words are Unicode letters and digits, case-folded, without Latin, Greek or Cyrillic accents and
  without invisible characters, such as soft hyphens.
- English words are reduced to their Porter2 stem (M. Porter, the Snowball English stemmer).
- A run of Chinese, Japanese or Korean is written as its characters and its overlapping pairs.
  Pairs find two-character words exactly; single characters catch the rest. Against a dictionary
  segmenter this loses nothing and needs no dictionary.

Stop words stay in the index, so that a query of stop words alone still finds something. They are
removed from a query that has other words.
"""

import unicodedata
from functools import cache
from itertools import pairwise
from typing import Any

from memoria.bare.lazy_regex import lazy_regex
from memoria.text.invisible import drop_invisible
from memoria.text.remembered import remember_results
from memoria.text.stopwords import STOP_WORDS

CJK = (
    "\u3005-\u3007"  # 々〆〇
    "\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uac00-\ud7af"  # Hangul syllables
    "\U00020000-\U0003ffff"  # Han, the later planes
)
"""The scripts written without spaces, as the inside of a character class."""
_TOKEN = lazy_regex(rf"(?P<cjk>[{CJK}]+)|(?P<word>[^\W_{CJK}]+)(?:['’](?:s|t|d|m|ll|re|ve)\b)?")
_ASCII_TOKEN = lazy_regex(r"([a-z0-9]+)(?:'(?:s|t|d|m|ll|re|ve)\b)?")
"""The same in ASCII, as most English is: found twice as fast."""
WORD = lazy_regex(rf"[^\W{CJK}]+|[{CJK}]")
"""A word, or a character of a script without spaces, as it is written."""
_ACCENTS = lazy_regex("[\u0300-\u036f]")
_LONGEST_STEMMED = 40


def tokens(text: str) -> list[str]:
    """The search tokens of `text`, in order, with repeats."""
    if text.isascii():
        return [_stem(word) for word in _ASCII_TOKEN.findall(text.lower())]
    found: list[str] = []
    for run, word in _TOKEN.findall(fold(text)):
        if word:
            found.append(_stem(word))
        else:
            found += _expand_cjk(run)
    return found


def distinct_tokens(text: str) -> frozenset[str]:
    """The search tokens of `text`, once each: a word that stands in it often is read once."""
    if text.isascii():
        return frozenset(map(_stem, {*_ASCII_TOKEN.findall(text.lower())}))
    found: set[str] = set()
    for run, word in {*_TOKEN.findall(fold(text))}:
        if word:
            found.add(_stem(word))
        else:
            found.update(_expand_cjk(run))
    return frozenset(found)


def index_text(text: str) -> str:
    """The tokens of `text` as they are stored: separated by single spaces."""
    return " ".join(tokens(text))


def query_terms(text: str) -> tuple[str, ...]:
    """The distinct tokens to search for, in order of appearance, without stop words.

    A query of stop words alone keeps them all. Empty when there is no word in `text`.
    """
    found: list[tuple[str, str]] = []  # a stop word is recognised by its spelling, not by its stem
    for run, word in _TOKEN.findall(fold(text)):
        found += [(word, _stem(word))] if word else [(part, part) for part in _expand_cjk(run)]
    telling = dict.fromkeys(token for word, token in found if word not in STOP_WORDS)
    return tuple(telling) or tuple(dict.fromkeys(token for _, token in found))


def phrase_tokens(text: str) -> tuple[str, ...]:
    """The runs of tokens that stand one after another in the index wherever `text` does.

    Words make one run; what is written without spaces makes one of its pairs.
    """
    runs: list[list[str]] = [[]]
    for run, word in _TOKEN.findall(fold(text)):
        if word:
            runs[-1].append(_stem(word))
        else:
            runs += [list(map("".join, pairwise(run))) or [run], []]
    return tuple(" ".join(run) for run in runs if run)


def _expand_cjk(run: str) -> list[str]:
    """A CJK run's characters and overlapping pairs."""
    return [*run, *map("".join, pairwise(run))]


def fold(text: str) -> str:
    """The text without compatibility forms, letter case, accents and what is not seen."""
    if text.isascii():
        return text.lower()
    seen = drop_invisible(text)
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", seen).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", folded)).lower()


def _stem(word: str) -> str:
    """The Porter2 stem of an English word; anything else as it is."""
    if len(word) > _LONGEST_STEMMED or not (word.isascii() and word.isalpha()):
        return word  # and it stays out of the cache below: a "word" may be an image in base64
    return _english_stem(word)


@remember_results(65_536)
def _english_stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:  # noqa: ANN401  (the library publishes no types)
    import Stemmer  # noqa: PLC0415  (only who captures or searches needs it)

    return Stemmer.Stemmer("english", 0)  # our cache serves
