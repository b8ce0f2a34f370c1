"""Names in a text, found by rules and without a model: only those that are close to certain.

Each rule needs a sign beside the capital letter or the surname: a title, a suffix, a preposition
or a second occurrence. Without such a sign a name is left out, because a wrong entity would link
memories that have nothing in common. Confidence is low throughout, so that a model overrides it.
"""

import re
from bisect import bisect
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import TablePattern
from memoria.language.names import lexicon as known
from memoria.model import EntityKind, Mention

MAX_MENTIONS = 8
"""Most mentions returned of one text, the first ones."""


class NameSpan(NamedTuple):
    """A name, and where it occurs in the text."""

    start: int
    name: str
    kind: EntityKind
    confidence: float

    @property
    def end(self) -> int:
        """The position after its last character."""
        return self.start + len(self.name)

    @property
    def mention(self) -> Mention:
        """The name as a mention, the form in which a model reports names."""
        return Mention(name=self.name, kind=self.kind)


def find_names(text: str) -> tuple[NameSpan, ...]:
    """Find the names in a text, in order, each once. Of overlapping ones the more certain wins.

    >>> [(one.name, one.kind) for one in find_names("My sister Zoe moved to Lisbon.")]
    [('Zoe', 'person'), ('Lisbon', 'place')]
    """
    best: list[NameSpan] = []
    for found in sorted(
        _apply_rules(text), key=lambda one: (-one.confidence, -len(one.name), one.start)
    ):
        place = bisect(best, found)
        beside = best[max(place - 1, 0) : place + 1]  # of spans without overlap only these can
        if len(found.name) <= _MAX_NAME_CHARS and not any(
            _do_overlap(found, other) for other in beside
        ):
            best.insert(place, found)
    first = {one.name: one for one in reversed(best)}
    return tuple(sorted(first.values()))[:MAX_MENTIONS]


_MAX_NAME_CHARS = 100


def _do_overlap(one: NameSpan, other: NameSpan) -> bool:
    return one.start < other.end and other.start < one.end


def _apply_rules(text: str) -> Iterator[NameSpan]:
    for rule in (*_RULES, *(_RULES_ZH if _HAN_CHARACTER.search(text) else ())):
        yield from rule(text)


_HAN = r"[\u4e00-\u9fff]"
_HAN_CHARACTER = lazy_regex(_HAN)
_WORD = r"[A-Z][A-Za-z'’-]*[A-Za-z]"
_NAME = rf"{_WORD}(?: (?:of the |of |the |de |van |von )?{_WORD})*"
_URL = lazy_regex(r"https?://[^\s<>\"'）】。，]+[^\s<>\"'）】。，.,;:!?)]")
_PATH = lazy_regex(r"(?<![\w/.-])(?:~|\.{1,2})?/?(?:[\w.-]++/)+[\w-]*\.?[\w-]+")
_HANDLE = lazy_regex(r"(?<![\w.@])@[A-Za-z][\w-]{1,38}(?![\w@]|\.\w)")
_QUOTED = lazy_regex(r"《([^》\n]{1,40})》")
_TITLED = lazy_regex(
    r"\b(?:book|film|movie|song|album|article|paper|novel|series|titled|called|reading|watching)"
    rf"\s+[\"“]({_WORD}[^\"”\n]{{0,60}})[\"”]"
)
_VERSIONED = TablePattern(
    lambda: (
        r"(?<![\w@/.-])(?:[A-Z][A-Za-z+#]+ v?\d+(?:\.\d+)+"
        rf"|(?:{known.any_english('products')}) \d{{1,2}}(?![\d:.%-]))\b"
    )
)
_SEQUENCE = lazy_regex(rf"(?<![\w@/.'’-]){_NAME}(?![\w/@])")
_INTRODUCED = lazy_regex(rf"\b(?:named|called|name is) ({_NAME})")
_ADDRESSED = TablePattern(lambda: rf"\b((?:{known.any_english('titles')})\.? {_WORD}(?: {_WORD})?)")
_RELATED = TablePattern(
    lambda: rf"\b(?:{known.any_english('relations')})(?:,| is| named| called)? ({_WORD})(?![\w/@])"
)
_PLACED = lazy_regex(
    rf"\b(?:in|near|visit|visited|visiting|(?:come|comes|came|am|is|are|was|were|moved|flew) from"
    rf"|(?:moved|moving|move|flew|fly|flying|travel|travelled|went|going|trip) to) ({_NAME})"
)
_SENTENCE_START = lazy_regex(r"(?:^|[.!?…:;\n\"“(—-]\s*|[。！？]\s*)$")


def _literal_names(text: str) -> Iterator[NameSpan]:
    """Find addresses, paths, handles and titles, which are recognised by their form."""
    for match in _URL.finditer(text):
        yield NameSpan(match.start(), match[0], "other", 0.6)
    for match in _PATH.finditer(text):
        if "." in match[0].rpartition("/")[2] or match[0][0] in "~./":
            yield NameSpan(match.start(), match[0], "other", 0.5)
    for match in _HANDLE.finditer(text):
        yield NameSpan(match.start(), match[0], "person", 0.5)
    for pattern in (_QUOTED, _TITLED):
        for match in pattern.finditer(text):
            yield NameSpan(match.start(1), match[1], "other", 0.5)


def _products(text: str) -> Iterator[NameSpan]:
    """Find products with their version: Python 3.12, Windows 11; but not March 5 nor Room 3."""
    for match in _VERSIONED.regex.finditer(text):
        if match[0].split(" ")[0] not in known.english("numbered", "nameless"):
            yield NameSpan(match.start(), match[0], "product", 0.5)


def _english_names(text: str) -> Iterator[NameSpan]:
    """Find English names: capitalised where only a name would be, or listed as a name."""
    for match in _SEQUENCE.finditer(text):
        start, name = _trim(match.start(), match[0])
        words = name.split()
        if not words:
            continue
        kind, confidence = _classify(text, start, words)
        if confidence:
            yield NameSpan(start, name, kind, confidence)


def _trim(start: int, name: str) -> tuple[int, str]:
    """Remove the leading words that are capitalised for another reason, and a possessive ending."""
    words = _POSSESSIVE.sub("", name).split(" ")
    leading = takewhile(known.english("nameless").__contains__, words)
    skipped = sum(len(word) + 1 for word in leading)
    return start + skipped, _POSSESSIVE.sub("", name)[skipped:]


_POSSESSIVE = lazy_regex(r"['’]s(?: .*)?$")
"""Possessive ending, with all that follows it: what somebody has, not their name."""


def _classify(text: str, start: int, words: list[str]) -> tuple[EntityKind, float]:
    """Return the kind of thing a sequence names, and the confidence; 0 if it may be no name."""
    name = " ".join(words)
    ends = known.english("organisation_ends")
    if len(words) > 1 and (words[-1] in ends or "University of" in name):
        return "organisation", 0.6
    if words[0] in known.english("given_names") and len(words) <= _LONGEST_PERSON:
        return "person", 0.5
    if name in known.english("cities"):
        return "place", 0.6
    if name.isupper() or words[-1] in known.english("nameless", "numbered", "titles"):
        return "other", 0.0
    begins = _SENTENCE_START.search(text[max(0, start - _LONGEST_GAP) : start])
    return "other", 0.3 if not begins or _is_repeated(name, text) else 0.0


def _is_repeated(name: str, text: str) -> bool:
    places = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return next(islice(places, 1, None), None) is not None


_LONGEST_GAP = 20
"""Characters between the sign that ends a sentence and the next one's first word."""


_LONGEST_PERSON = 3


_NO_PLACE = lazy_regex(r"['’]s\b| of the ")


def _introductions(text: str) -> Iterator[NameSpan]:
    """Find people who are introduced: Dr. Zoe, named Zoe, my sister Zoe."""
    patterns = ((_ADDRESSED.regex, 0.6), (_INTRODUCED, 0.5), (_RELATED.regex, 0.55))
    for pattern, confidence in patterns:
        for match in pattern.finditer(text):
            name = _POSSESSIVE.sub("", match[1])
            if name.split()[0] not in known.english("nameless") and not name.isupper():
                yield NameSpan(match.start(1), name, "person", confidence)


def _places_en(text: str) -> Iterator[NameSpan]:
    """Find places after a preposition: moved to Lisbon; but not in March, in Python, to Alice."""
    for match in _PLACED.finditer(text):
        words = match[1].split()
        known_else = known.english("nameless", "no_places", "given_names", "titles")
        if (
            words[0] in known_else
            or words[-1] in known.english("organisation_ends")
            or match[1].isupper()
        ):
            continue
        if not (_NO_PLACE.search(match[1]) or re.match(r" v?\d", text[match.end() :])):
            yield NameSpan(match.start(1), match[1], "place", 0.4)


_PARTICLES_ZH = "的了在去是和跟说吃喝也都不没会要想聊见住"
_AFTER_NAME_ZH = TablePattern(
    lambda: (
        rf"$|[{_PARTICLES_ZH}谁哪什怎多几有一今昨上下发讲谈借送从养可打计准、，。！？；：,.!?;:（）()\s]|明天|明年"
        rf"|{known.any_chinese('verbs')}"
    )
)
_PERSON_SIGNS = lazy_regex(r"(?:名叫|叫做|叫|我是|他是|她是|这位是|跟|和|与|找|问|告诉|认识|请|给)")
_SURNAME = TablePattern(lambda: known.any_chinese("surnames"))
_PHRASE_START = lazy_regex(rf"^|(?<!{_HAN})(?={_HAN})|[和跟与给问找叫是请帮对像向把被让]")
_FULL_NAME_CHARS = 3
_TITLE_ENDS_ZH = ("老师", "医生", "先生", "女士", "小姐", "阿姨", "叔叔", "师傅", "经理", "教授")
_NO_FULL_NAME = lazy_regex(r"[我你他她它们哪何什么谁怎这那使为]")
_VERB_AT_NAME = lazy_regex("就[读职任学是业医]|师[从承]|任[职教]|出[生演版]|毕业")
"""Verbs whose first character may pass for the last of a name: 蔡敏就读于… names 蔡敏."""
_NICKNAME = lazy_regex(rf"(?:(?<=[叫跟和与找问给是请])|(?<!{_HAN}))[小老阿]{_HAN}")
_ORGANISATION_ZH = lazy_regex(
    r"(?:^|(?<=[在去从到于进是和跟给为的，。、：；（\s])|(?<=离开|加入|来自))"
    r"((?:(?!离开|加入|来自|毕业)[^\W在去从到于进是和跟给为的]){2,10}?"
    r"(?:公司|大学|学院|集团|银行|医院|研究院|研究所|中学))"
)
_NO_STEM_ZH = lazy_regex(r"[我你他她们所个了着过趟一某另这那哪同其最附近当现任]")
_NO_ORGANISATION_ZH = lazy_regex(
    r"^[这那我你他她本该某哪每几两各贵别新大小一二三家在去从到于个今昨明上下前后]"
)
_PLACE_SIGNS = r"(?:住在|来自|搬到|搬去|飞到|飞往|回到|在|去|到|从)"
_PLACE_ZH = lazy_regex(rf"{_PLACE_SIGNS}({_HAN}{{1,4}}(?:市|省|县|区|镇|村|路|街|公园|机场|车站))")
_CITY_ZH = TablePattern(lambda: known.any_chinese("cities"))


def _persons_zh(text: str) -> Iterator[NameSpan]:
    """Find people by a surname after a word that names follow: 跟王小明、我叫李雷."""
    for sign in _PERSON_SIGNS.finditer(text):
        name = _person_at(text, sign.end())
        if name:
            yield NameSpan(sign.end(), name, "person", 0.5)


def _person_at(text: str, start: int) -> str:
    """Return a surname with one or two characters if a name can end there; else ""."""
    surname = _SURNAME.regex.match(text, start)
    if surname is None:
        return ""
    for given in (2, 1):
        name = text[start : surname.end() + given]
        own = name[len(surname[0]) :]
        if (
            re.fullmatch(f"{_HAN}{{{given}}}", own)
            and not set(own) & set(_PARTICLES_ZH)
            and _AFTER_NAME_ZH.regex.match(text, surname.end() + given)
            and name not in known.chinese("no_names")
        ):
            return name
    return ""


def find_names_asked(text: str) -> list[str]:
    """List the titles, then the people, that a Chinese question names (李晓芬和王思婷谁高).

    A question has no sign before most names, so only full ones count: a surname at the beginning
    of a phrase, with two characters that no question word has.
    """
    titles = (match[1] for match in _QUOTED.finditer(text))
    starts = (match.end() for match in _PHRASE_START.finditer(text))
    persons = ((start, _person_at(text, start)) for start in starts)
    full = (
        name
        for start, name in persons
        if _is_full_name(name) and not _VERB_AT_NAME.match(text, start + len(name) - 1)
    )
    return [*titles, *full]


def names_person(text: str, name: str) -> bool:
    """Return whether a Chinese text has this whole name, not as the beginning of a longer one."""
    return any(
        _person_at(text, found.start()) == name for found in re.finditer(re.escape(name), text)
    )


def _is_full_name(name: str) -> bool:
    is_title = name.endswith(_TITLE_ENDS_ZH) or name[:2] in known.chinese("no_names")
    return len(name) >= _FULL_NAME_CHARS and not is_title and not _NO_FULL_NAME.search(name)


def _nicknames_zh(text: str) -> Iterator[NameSpan]:
    """Find nicknames (小明、老王、阿强) at a beginning or after a sign."""
    for match in _NICKNAME.finditer(text):
        own = match[0] not in known.chinese("no_names")
        if own and _AFTER_NAME_ZH.regex.match(text, match.end()):
            yield NameSpan(match.start(), match[0], "person", 0.45)


def _organisations_zh(text: str) -> Iterator[NameSpan]:
    """Find organisations: 在阿里巴巴公司、毕业于清华大学; but not 这家公司."""
    for match in _ORGANISATION_ZH.finditer(text):
        known_else = match[1] in known.chinese("common_organisations")
        own = not known_else and not _NO_STEM_ZH.search(match[1])
        if own and not _NO_ORGANISATION_ZH.match(match[1]):
            yield NameSpan(match.start(1), match[1], "organisation", 0.55)


def _places_zh(text: str) -> Iterator[NameSpan]:
    """Find places (住在西湖区、去人民公园), and the big cities wherever they stand."""
    for match in _PLACE_ZH.finditer(text):
        own = match[1] not in known.chinese("places") and not re.search("的", match[1])
        if own and not _NO_STEM_ZH.search(match[1]) and not _NO_ORGANISATION_ZH.match(match[1]):
            yield NameSpan(match.start(1), match[1], "place", 0.5)
    for match in _CITY_ZH.regex.finditer(text):
        if text[match.end() : match.end() + 1] not in set("人话菜语大银"):
            yield NameSpan(match.start(), match[0], "place", 0.5)


_RULES: tuple[Callable[[str], Iterator[NameSpan]], ...] = (
    _literal_names,
    _products,
    _english_names,
    _introductions,
    _places_en,
)
_RULES_ZH: tuple[Callable[[str], Iterator[NameSpan]], ...] = (
    _persons_zh,
    _nicknames_zh,
    _organisations_zh,
    _places_zh,
)
