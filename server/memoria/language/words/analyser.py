"""The analyser: turns text into search tokens.

A full-text index stores exactly these tokens and splits them at spaces only, so a document ranks
the same in every engine, whatever tokenizer the engine has.

- Words are Unicode letters and digits, case-folded, without Latin, Greek or Cyrillic accents and
  without invisible characters, such as soft hyphens.
- Letters that other keyboards write otherwise have one form, and symbols are words, too, however
  they are drawn (`language/words/characters`).
- What has signs or spaces within (ADR-0167, 1,250,000) is one word without them as well. Such words
  and symbols stand last.
- English words are reduced to their Porter2 stem (M. Porter, the Snowball English stemmer).
- A run of Chinese, Japanese or Korean is written as its characters and its overlapping pairs.
  Pairs find two-character words exactly; single characters catch the rest. Against a dictionary
  segmenter this loses nothing and needs no dictionary.

Stop words (`stopwords.tsv`) stay in the index, so that a query of stop words alone still finds
something. They are removed from a query that has other words. Only closed-class words are listed:
articles, pronouns, prepositions, auxiliaries and question words.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Any

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import read_word_lists, remember_results
from memoria.language.reading.fences import drop_invisible
from memoria.language.words.characters import CJK, split_symbols, unify_letters

_DIGIT = lazy_regex("[0-9]")
_SPACE_IN_NUMBER = lazy_regex("(?<=[0-9])[\u00a0\u2007-\u200a\u202f](?=[0-9]{3}(?![0-9]))")
_BETWEEN = "'’_\u066c"


def _group(sign: str, groups: str) -> str:
    """Return the pattern of a number in groups of digits with a sign between them."""
    return rf"(?<![0-9])(?<![0-9]{sign})[0-9]{{1,3}}{groups}(?!{sign}?[0-9])"


_NUMBERS = (
    _group(",", "(?:,[0-9]{2,3}){0,5},[0-9]{3}"),
    _group(f"[{_BETWEEN}]", f"(?:[{_BETWEEN}][0-9]{{3}}){{1,6}}"),
    _group(r"\.", r"(?:\.[0-9]{3}){2,6}"),
    _group(" ", "(?: [0-9]{3}){2,6}"),
)
_LETTER = rf"[^\W\d_{CJK}]"
_CODE = rf"(?<![^\W_{CJK}]){_LETTER}++[-_\u2010-\u2013][0-9]++[a-z]*+(?![0-9a-z])"
_JOINED = lazy_regex("|".join((*_NUMBERS, _CODE)))
_SIGNS = lazy_regex(r"[\W_]+")


def mark_spaces(text: str) -> str:
    """Replace each no-break space within a number by an apostrophe."""
    return _SPACE_IN_NUMBER.sub("’", text)


def list_joined(folded: str) -> list[str]:
    """List the words that have signs within, written without the signs.

    Args:
        folded: a text in small letters, with ASCII digits.
    """
    if _DIGIT.search(folded) is None:
        return []
    return [_SIGNS.sub("", found) for found in _JOINED.findall(folded)]


@cache
def list_stop_words() -> frozenset[str]:
    """List the stop words of both languages, and signs that stand for no word."""
    lists = read_word_lists(__package__, "stopwords.tsv").values()
    return frozenset[str]().union(*(one.english | one.chinese for one in lists))


FORM = 3
"""Number of the tokens' form, raised wherever the same text gets other tokens. What older versions
have indexed is then read anew, in the background."""
_TOKEN = lazy_regex(rf"(?P<cjk>[{CJK}]+)|(?P<word>[^\W_{CJK}]+)(?:['’](?:s|t|d|m|ll|re|ve)\b)?")
_ASCII_TOKEN = lazy_regex(r"([a-z0-9]+)(?:'(?:s|t|d|m|ll|re|ve)\b)?")
"""Pattern of tokens in ASCII text, which matches faster."""
_ACCENTS = lazy_regex("[\u0300-\u036f]")
_LONGEST_STEMMED = 40


def tokens(text: str) -> list[str]:
    """List the words of `text` as tokens, in order, with repeats; no symbols."""
    if text.isascii():
        return [_stem(word) for word in _ASCII_TOKEN.findall(text.lower())]
    return _list_tokens(_TOKEN.findall(_read(text)[0]))


def distinct_tokens(text: str) -> frozenset[str]:
    """Return all that `text` is indexed by, once each; a repeated word is analysed once."""
    plain, symbols = _read(text)
    if text.isascii():
        return frozenset((*map(_stem, {*_ASCII_TOKEN.findall(plain)}), *list_joined(plain)))
    words = _list_tokens({*_TOKEN.findall(plain)})
    return frozenset((*words, *symbols, *list_joined(plain)))


def index_text(text: str) -> str:
    """Return the tokens by which `text` is found, separated by single spaces.

    Its words come first, in order, so that a phrase is found whatever stands within.
    """
    plain, symbols = _read(text)
    if text.isascii():
        words = [_stem(word) for word in _ASCII_TOKEN.findall(plain)]
    else:
        words = _list_tokens(_TOKEN.findall(plain))
    return " ".join((*words, *symbols, *list_joined(plain)))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct tokens to search for: words in order, without stop words; then symbols.

    A query of stop words alone keeps them all. Empty when there is nothing to find in `text`.
    """
    plain, symbols = _read(text)
    return _list_terms(plain, (*symbols, *list_joined(plain)))


def word_terms(text: str) -> tuple[str, ...]:
    """Return `query_terms` without symbols, to find a text again in any decoration."""
    return _list_terms(_read(text)[0], ())


def phrase_tokens(text: str) -> tuple[str, ...]:
    """Return the runs of tokens that stand one after another in the index wherever `text` does.

    Words make one run; what is written without spaces makes one of its pairs, and a symbol one.
    """
    plain, symbols = _read(text)
    runs: list[list[str]] = [[]]
    for run, word in _TOKEN.findall(plain):
        if word:
            runs[-1].append(_stem(word))
        else:
            runs += [list(map("".join, pairwise(run))) or [run], []]
    return (*(" ".join(run) for run in runs if run), *symbols)


def _read(text: str) -> tuple[str, list[str]]:
    """Return the text in its searchable form, and the symbols that it had."""
    if text.isascii():
        return text.lower(), []
    plain, symbols = split_symbols(drop_invisible(text))
    return unify_letters(fold(mark_spaces(plain))), symbols


def _list_tokens(found: Iterable[tuple[str, str]]) -> list[str]:
    """List the tokens of runs and words."""
    listed: list[str] = []
    for run, word in found:
        if word:
            listed.append(_stem(word))
        else:
            listed += _expand_cjk(run)
    return listed


def _list_terms(plain: str, others: Iterable[str]) -> tuple[str, ...]:
    found: list[tuple[str, str]] = []  # a stop word is recognised by its spelling, not by its stem
    for run, word in _TOKEN.findall(plain):
        found += [(word, _stem(word))] if word else [(part, part) for part in _expand_cjk(run)]
    found += [(other, other) for other in others]
    common = list_stop_words()
    telling = dict.fromkeys(token for word, token in found if word not in common)
    return tuple(telling) or tuple(dict.fromkeys(token for _, token in found))


def _expand_cjk(run: str) -> list[str]:
    """List a CJK run's characters and overlapping pairs."""
    return [*run, *map("".join, pairwise(run))]


def fold(text: str) -> str:
    """Return the text without compatibility forms, letter case, accents and unseen characters."""
    if text.isascii():
        return text.lower()
    seen = drop_invisible(text)
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", seen).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", folded)).lower()


def _stem(word: str) -> str:
    """Return the Porter2 stem of an English word; anything else as it is."""
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


_AROUND = " \"'“”‘’《》〈〉「」『』【】()（）,，.。"


def name_key(name: str) -> str:
    """Return a key that ignores letter case, width, accents, spaces and quotation marks."""
    folded = fold(name)
    return " ".join(folded.strip(_AROUND).split()) or folded
