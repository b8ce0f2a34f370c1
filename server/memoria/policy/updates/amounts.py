"""Amounts: the numbers, dates and times that a sentence states, each with what it is one of.

Of "I have 12 open tickets" the value is 12 and the unit is open tickets. What an amount is about
are the telling words around it, a dozen to each side.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from memoria.policy.updates.numerals import (
    DIGITS_ZH,
    NUMERAL,
    NUMERAL_ZH,
    holds_numeral,
    read_numeral,
)
from memoria.policy.updates.words import PlacedWord, words_of
from memoria.text.analyser import tokens
from memoria.text.pattern import LazyPattern
from memoria.text.stopwords import STOP_WORDS

AmountKind = Literal["date", "weekday", "clock", "percent", "money", "score", "version", "count"]
KINDS: tuple[AmountKind, ...] = get_args(AmountKind)
_REACH = 90
"""Characters to each side in which an amount's words stand: a dozen words."""
_REACH_ZH = 20
_CHANGE_BEFORE = 60
_FORMER_BEFORE = 24
_CHANGE_AFTER = 30
_UNIT_WORDS = 4


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, a date or a time with what it is about."""

    kind: AmountKind
    value: str
    """In one spelling: without separators, year and article."""
    unit: frozenset[str]
    """Stems of what is counted; empty where nothing says it."""
    words: frozenset[str]
    """The unit, and the telling words around it."""
    around: tuple[PlacedWord, ...]
    """The same in their order, without the unit."""
    text: str
    """Its sentence."""
    is_change: bool
    """Whether words beside it say that it is news: now, new, increased to, moved to."""
    is_former: bool
    """Whether it is what the value was: "from 3 to 5"."""


def may_hold_amount(text: str) -> bool:
    """Whether a text can hold an amount at all; most can not, and this is seen at once."""
    return _DIGIT.regex.search(text) is not None or "day" in text or holds_numeral(text)


def find_amounts(sentence: str, words: Sequence[PlacedWord]) -> Iterator[Amount]:
    """The amounts of a sentence.

    Args:
        sentence: its text.
        words: its telling words, as `place_words` gives them.
    """
    in_chinese = _HAN.regex.search(sentence) is not None
    reach = _REACH_ZH if in_chinese else _REACH
    starts = [word.start for word in words]
    for match in (_AMOUNT_ZH if in_chinese else _AMOUNT).regex.finditer(sentence):
        kind = next(kind for kind in KINDS if match[kind])
        first = bisect_left(starts, match.start() - reach)
        last = bisect_left(starts, match.end() + reach)
        around = tuple(
            word for word in words[first:last] if not match.start() <= word.start < match.end()
        )
        unit = _read_unit(sentence, match.end(), match["glued"]) if kind == "count" else frozenset()
        yield Amount(
            kind,
            _spell(kind, match[kind]),
            unit,
            frozenset(word.stem for word in around) | unit,
            around,
            sentence,
            _is_change(sentence, match.start(), match.end()),
            _FORMER.regex.search(sentence[max(0, match.start() - _FORMER_BEFORE) : match.start()])
            is not None,
        )


def _spell(kind: AmountKind, text: str) -> str:
    """A value in one spelling."""
    value = text.casefold().replace(",", "").strip()
    if kind == "count":
        return read_numeral(value)
    if kind == "date" and _HAN.regex.search(value):
        return " ".join(read_numeral(part[0]) for part in _DATE_PART_ZH.regex.finditer(value))
    if kind == "date":
        return " ".join(sorted(tokens(_YEAR.regex.sub("", value))))
    if kind == "clock":
        return value.replace(" ", "").replace(".", "").replace(":00", "")
    return value.replace(" ", "").replace("percent", "%").replace("％", "%")


def _read_unit(sentence: str, end: int, glued: str | None) -> frozenset[str]:
    """What is counted: the words that follow the number without a break."""
    if glued:
        return frozenset({glued.lower()})
    match = _UNIT_ZH.regex.match(sentence, end)
    if match:
        return read_unit_zh(match[0].strip())
    unit: list[str] = []
    for word in _UNIT_WORD.regex.finditer(sentence, end):
        if word[1] is None or word[1].lower() in STOP_WORDS or len(unit) == _UNIT_WORDS:
            break
        unit += tokens(word[1])[:1]
    return frozenset(unit)


def read_unit_zh(text: str) -> frozenset[str]:
    """What is counted in Chinese: the measure word, or the noun behind one that fits anything."""
    noun = text[1:] if text[0] in _ANY_MEASURE and len(text) > 1 else text
    return words_of(noun[:2]) | {noun[0]}


def _is_change(sentence: str, start: int, end: int) -> bool:
    before, after = sentence[max(0, start - _CHANGE_BEFORE) : start], sentence[end:]
    return (
        _TOWARDS.regex.search(before) is not None
        or _CHANGE.regex.search(before + sentence[start:end] + after[:_CHANGE_AFTER]) is not None
        or _CHANGED_ZH.regex.match(after) is not None
    )


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_DIGIT = LazyPattern(rf"[\d{DIGITS_ZH}十百]")
_HAN = LazyPattern(r"[\u3400-\u9fff]")
_DATE_PART_ZH = LazyPattern(rf"\d+|{NUMERAL_ZH}")
_YEAR = LazyPattern(r"\b(?:19|20)\d\d\b年?")
_AMOUNT = LazyPattern(
    rf"""(?xi)
      (?P<date>\b{_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?
        | \b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}\b(?:,?\s\d{{4}}\b)? | \b\d{{4}}-\d\d-\d\d\b)
    | (?P<weekday>\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)
    | (?P<clock>\b\d{{1,2}}(?::\d\d)?\s?[ap]\.?m\b\.? | \b\d{{1,2}}:\d\d\b)
    | (?P<percent>{_NUMBER}\s?(?:%|percent\b))
    | (?P<money>[$€£¥]\s?{_NUMBER}k? | \b{_NUMBER}\s?(?:dollars?|euros?|pounds?|usd|eur)\b)
    | (?P<score>\b\d+/\d+\b)
    | (?P<version>\bv\d+(?:\.\d+)*\b | \b\d+\.\d+\.\d+\b)
    | (?<![\w.\-/#])(?P<count>{_NUMBER}|{NUMERAL}\b)(?![.:]?\d)
      (?P<glued>ms|k|s|h|hrs?|kg|km|gb|mb|kb|cm|mm|px|lbs?)?\b
    """  # noqa: E501
)
_AMOUNT_ZH = LazyPattern(
    rf"""(?xi)
      (?P<date>\d{{1,2}}\s?月\s?\d{{1,2}}\s?[日号]? | \d{{1,2}}\s?[日号] | \d{{4}}-\d\d-\d\d
        | (?:[一二三四五六七八九十]{{1,2}}月)?[二三]?十?[一二三四五六七八九十]?(?<=[一二三四五六七八九十])[日号](?![线楼店门房]))
    | (?P<weekday>(?:周|星期|礼拜)[一二三四五六日天])
    | (?P<clock>\d{{1,2}}:\d\d | (?:\d{{1,2}}|[一二三四五六七八九十两]{{1,2}})\s?点(?:半|\d{{1,2}}分?|[一二三四五六七八九十]{{1,3}}分)?)
    | (?P<percent>{_NUMBER}\s?[%％]|百分之[\d一二三四五六七八九十百]+)
    | (?P<money>[$€£¥￥]\s?{_NUMBER}|(?:{_NUMBER}\s?万?|{NUMERAL_ZH})(?:元|块|美元|欧元)|{_NUMBER}\s?万)
    | (?P<score>(?<!\d)\d+/\d+(?!\d))
    | (?P<version>v\d+(?:\.\d+)*|\d+\.\d+\.\d+)
    | (?<![\d.A-Za-z第])(?P<count>{_NUMBER}|(?!十分)(?:[二两三四五六七八九十]|一[百千万])(?:{NUMERAL_ZH})?)(?![.:]?\d)(?P<glued>ms|kg|km|gb|mb|cm)?
    """  # noqa: E501
)
_ANY_MEASURE = "个次种些"
_UNIT_ZH = LazyPattern(r"\s?(?![了的])[\u3400-\u9fff]{1,4}")
_UNIT_WORD = LazyPattern(r"[-\s/]*([A-Za-z][A-Za-z'’]*)|\S")
_FORMER = LazyPattern(
    r"(?i)(?:\bfrom|\brather than|\binstead of|\bnot|\bused to be|\bdown from|\bup from|从|由|不是|原来是?|之前是?|本来是?)\s*(?:the\s|about\s)?$"  # noqa: E501
)
_TOWARDS = LazyPattern(
    r"(?i)\b(?!(?:due|according|thanks|next|close|listen\w*|talk\w*|reply|repl\w+)\b)[a-z]+\sto\s(?:just\s|only\s|about\s|around\s|nearly\s|almost\s|over\s)?$|[到至]\s?(?:了\s?)?$"
)
"""Where an amount is what something has come to: cut to 90, 降到120."""
_CHANGED_ZH = LazyPattern(r"\s?[\u3400-\u9fff]{0,4}?了(?=[，。！；,.!\s]|$)")
"""了 at a clause's end tells of a new state."""
_CHANGE = LazyPattern(
    r"""(?xi)\b(?:now|new|newly|recently|increas(?:e|ed|es|ing)|decreas(?:e|ed|ing)|dropped|reach(?:ed|es)|improved|updat(?:e|ed|ing)
      |chang(?:e|ed|ing)|mov(?:e|ed|ing)|reschedul(?:e|ed|ing)|postponed?|delayed|extend(?:ed|ing)|adjust(?:ed|ing)|rais(?:e|ed|ing)|lowered
      |reduc(?:ed|ing)|cut\sdown|gr(?:own|ew|owth)|(?:up|down)\sto|total\sof|add(?:ed|ing)|currently|already|latest|so\sfar|no\slonger
      |again|left|after\sall|any\s?more|by\snow|switch(?:ed|ing)|upgrad(?:ed|ing)|revis(?:ed|ing)|push(?:ed|ing)|brought|instead|expand(?:ed|ing)|climbed|fallen|went\s(?:up|down))\b
    |现在|目前|新[的定改]|改[成到为在期]|换[成到了]|推迟|提前|延[期到长后]|增[加到长]|减[少到]|[上下]?[涨降][到至了]|升[级到至]|提高|达到|已经?|变成
    |最新|更新|调[整到成]|不再|一共|总共|挪到|改了"""
)
