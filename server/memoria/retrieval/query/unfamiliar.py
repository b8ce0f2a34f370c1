"""Unfamiliar: what a question names, beside people, that stands nowhere on record.

People ask by what they have heard or written before: a place, a number, a title in quotation marks,
the long name of an event, what somebody whom they mean is (那个职业是会计的人). Where nothing of it
is on record, the question is about something else, however near its other words come. A short
common word that is not on record says little: answers are often in other words than questions.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from memoria.bare.lazy_regex import lazy_regex
from memoria.graph.lexicon import CITIES_ZH, PROVINCES_ZH
from memoria.retrieval.query.described import find_description
from memoria.retrieval.query.parse import ParsedQuery
from memoria.text.analyser import query_terms, tokens
from memoria.text.script import is_cjk

_PLACES = "|".join(sorted(CITIES_ZH | PROVINCES_ZH, key=len, reverse=True))
_PLACE_ZH = lazy_regex(rf"(?:(?:{_PLACES})(?![人话菜语大银]))+")
"""A province and its city are one place."""
_LONG_NUMBER = lazy_regex(r"\d{5,}")
_JOINS_ZH = lazy_regex(
    "[^\u4e00-\u9fff]+|[我你他她它们的了是在有什么哪个几多少谁怎样吗呢呀啊吧来着那这一不和就都也还要说"
    "过提到叫请问时候另外其以及与对于从给把被让很最些次里上下中为位项]"
)
"""What stands between the compounds of a Chinese question."""
_LINKS_ZH = lazy_regex("是|为|叫|当|担任|喜欢|在")
"""In a description, before what tells somebody apart: of 职业是会计 that is the last word."""
_STRANGE_SHARE = 0.7
"""Of a title, a description or a compound, so many of its words or pairs are on record nowhere."""
_LEAST_QUOTED = 3
_LEAST_STRANGE_PAIRS = 5
"""Of a compound; two words that merely stand beside each other have fewer that are in no text. Of
73 answerable questions of MemoryBank 2 have such a compound, of 458 of CMRC and MemDaily one, and
of those put to somebody else's record three in ten."""


def list_unfamiliar(parsed: ParsedQuery, counts: Mapping[str, int]) -> list[bool]:
    """Of each place, long number, title and description whether it is on record nowhere.

    Args:
        parsed: the question.
        counts: how many documents hold each of its terms.
    """
    places = (match[0] for match in _PLACE_ZH.finditer(parsed.text))
    numbers = [one for one in parsed.literals if _LONG_NUMBER.fullmatch(one)]
    return [
        *(_is_nowhere(_list_pairs(place), counts) for place in places),
        *(_is_nowhere(tokens(number), counts) for number in numbers),
        *(_is_strange(words, counts) for words in _list_titles(parsed, counts)),
        *(_is_strange(words, counts) for words in _list_described(parsed, counts)),
    ]


def has_unfamiliar_compound(parsed: ParsedQuery, counts: Mapping[str, int]) -> bool:
    """Whether a question has a long compound whose Chinese characters never stand together."""
    for compound in _JOINS_ZH.split(parsed.text):
        pairs = [pair for pair in _list_pairs(compound) if pair in counts]
        strange = sum(not counts[pair] for pair in pairs)
        if strange >= _LEAST_STRANGE_PAIRS and _is_strange(pairs, counts):
            return True
    return False


def _list_titles(parsed: ParsedQuery, counts: Mapping[str, int]) -> Iterator[list[str]]:
    """The words, or the pairs of characters, of each title of several words."""
    for phrase in parsed.phrases:
        words = [word for run in phrase for word in run.split(" ") if word in counts]
        longer = [word for word in words if len(word) > 1]
        if len(longer) >= _LEAST_QUOTED:
            yield longer


def _list_described(parsed: ParsedQuery, counts: Mapping[str, int]) -> Iterator[list[str]]:
    """What a Chinese question says of somebody or something it does not name.

    In English whoever is said to do it in other words can't be told from nobody.
    """
    description = find_description(parsed.text)
    if description is not None and is_cjk(description.said):
        told = _LINKS_ZH.split(description.said, maxsplit=1)[-1]
        words = [word for word in query_terms(told) if word in counts]
        longer = [word for word in words if word.isascii() or len(word) > 1]
        if longer:
            yield longer


def _is_nowhere(terms: Sequence[str], counts: Mapping[str, int]) -> bool:
    """Whether no part of a name is on record, of those that were looked up."""
    looked_up = [counts[term] for term in terms if term in counts]
    return bool(looked_up) and not any(looked_up)


def _is_strange(words: Sequence[str], counts: Mapping[str, int]) -> bool:
    return sum(not counts[word] for word in words) >= _STRANGE_SHARE * len(words)


def _list_pairs(run: str) -> list[str]:
    return [one + other for one, other in pairwise(run)]
