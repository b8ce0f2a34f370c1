"""Wording: takes off a statement what does not belong to what it says.

`The user says: "I live in Leeds."`, "I live in Leeds" and "The user lives in Leeds" are the same
statement in three wordings. What is left speaks of the user in the third person.
"""

import unicodedata
from dataclasses import dataclass
from itertools import chain

from memoria.text.pattern import LazyPattern, small_letters

_QUOTING = LazyPattern(
    r"""(?xis)^\s*(?:(?:the\s)?user\s(?P<ask>asks|asked|wants|says|said|states|stated|notes|reports)
    (?P<note>\sto\sremember)?(?:\sthat\sfrom\snow\son)?\s*[:,]\s*
    |用户(?P<ask_zh>要求|说|表示|提到|希望)(?P<note_zh>记住)?\s*[::,]\s*)
    ["“”「](?P<inner>.+?)["“”」]\s*[.。!]*\s*$"""
)
_LEAD = LazyPattern(
    r"""(?xi)^(?:(?:please|pls|and|also|but|btw|fyi|by\sthe\sway|for\sthe\srecord|personally|honestly)\b[\s,:;—-]*
    |(?:ok(?:ay)?|so|oh|hey|hi|well|yes|no|in\sgeneral|generally)\s?[,:;—-]\s*
    |as\si\s(?:said|mentioned|told\syou)\s?,\s*|(?:我说过|之前说过)[,:]\s*
    |(?:remember|note|keep\sin\smind)(?:\sthat\s|\s?[,:]\s*)
    |(?:请(?!假|客|求|教)|麻烦你?|顺便说一下|说实话|记住|记一下|别忘了)[,、:\s]*
    |(?:对了|还有|另外|嗯|哦|好的?|那么?|总之)[,、:\s]\s*)+"""
)
_CORRECTION = LazyPattern(
    r"""(?xi)^(?:(?:(?:a\s)?correction|corrected|erratum|i\swas\swrong|i\smisspoke|my\smistake|sorry|wait|oops)
    \s?[,:;.—-]+\s*(?:that\s)?
    |i\sme(?:ant|an)\b(?:\sto\ssay\b)?[\s,:;—-]*(?:that\s)?
    |(?:(?:纠正|更正|订正|修正|勘误)(?:一下)?|我?(?:记错|说错|搞错|弄错)了?|不对)[,、:;。]\s*)+"""
)
_ADVERB_OF_CHANGE = LazyPattern(
    r"""(?xi)^(?:(?:actually|in\sfact|as\sof\s(?:now|today))\b[\s,:;]*|update\s?[,:;]\s*
    |(?:其实|事实上|实际上)[,、:\s]*|更新[,、:]\s*)+"""
)
_SIGN = LazyPattern("[a-z]+|[我本俺咱该]")
_PLAINER = (
    (("t", "wont"), LazyPattern(r"(?i)\bwon['’]?t\b"), "will not"),
    (("t", "cant", "cannot"), LazyPattern(r"(?i)\bcan['’]?t\b|\bcannot\b"), "can not"),
    (
        ("t",),
        LazyPattern(r"(?i)\b(is|are|was|were|do|does|did|has|have|had|would|should|could)n['’]t\b"),
        r"\1 not",
    ),
    (("dont",), LazyPattern(r"(?i)\bdont\b"), "do not"),
    (("s",), LazyPattern(r"(?i)\b(it|he|she|that|there|name|where|who)['’]s\b"), r"\1 is"),
    (("re",), LazyPattern(r"(?i)\b(they|we|you)['’]re\b"), r"\1 are"),
    (("ve",), LazyPattern(r"(?i)\b(they|we|you)['’]ve\b"), r"\1 have"),
    (("im", "i"), LazyPattern(r"(?i)\bi['’]?m\b|\bi am\b"), "the user is"),
    (("i",), LazyPattern(r"(?i)\bi['’]ve\b|\bi have\b"), "the user has"),
    (("i",), LazyPattern(r"(?i)\bi['’]d\b"), "the user would"),
    (("i",), LazyPattern(r"(?i)\bi['’]ll\b"), "the user will"),
    (("my",), LazyPattern(r"(?i)\bmy\b"), "the user's"),
    (("myself",), LazyPattern(r"(?i)\bmyself\b"), "themselves"),
    (("mine",), LazyPattern(r"(?i)\bmine\b"), "the user's own"),
    (("i",), LazyPattern(r"\bI\b|(?<![.\w])i(?![.\w])"), "the user"),
    (("me",), LazyPattern(r"(?i)\bme\b"), "the user"),
    (("该",), LazyPattern("该用户"), "用户"),
    (("我", "本", "俺", "咱"), LazyPattern("(?:我|本人|俺|咱)(?!们|国|校|司)"), "用户"),
)
"""Contractions, then the first person: what is looked for, what is put in its place, and before
them the words or characters, in small letters, of which a text has one wherever it has that: for
most texts have few of them."""

_SIGNS = frozenset(chain.from_iterable(signs for signs, _, _ in _PLAINER))


@dataclass(frozen=True, slots=True)
class Wording:
    """What a statement says, without its wrapping."""

    text: str
    """In the third person, with its letter case."""
    is_order: bool = False
    """Whether it was introduced as something that the user asks for."""
    is_correction: bool = False
    """Whether it is introduced as a correction."""
    is_change: bool = False
    """Whether it is introduced as news about something known."""


def peel(text: str) -> str:
    """The text without quotation, greeting and introduction, in the words in which it stands."""
    return _take_off(text)[0] or text


def unwrap(text: str) -> Wording:
    """Take off quotation, greeting and introduction, and put it in the third person."""
    plain, is_order, is_correction, is_change = _take_off(text)
    found = _list_signs(plain)
    for signs, pattern, plainer in _PLAINER if not found.isdisjoint(_SIGNS) else ():
        if not found.isdisjoint(signs):
            plain, count = pattern.regex.subn(plainer, plain)
            found = _list_signs(plain) if count else found
    return Wording(plain or text, is_order, is_correction, is_change or is_correction)


def _list_signs(text: str) -> set[str]:
    return set(_SIGN.regex.findall(small_letters(text)))


def _take_off(text: str) -> tuple[str, bool, bool, bool]:
    """What is left without the wrapping, and whether this was an order, a correction, a change."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    is_order = False
    quoting = _QUOTING.regex.match(plain)
    if quoting:
        plain = quoting["inner"].strip()
        verb = (quoting["ask"] or quoting["ask_zh"]).lower()
        is_note = quoting["note"] or quoting["note_zh"]
        is_order = not is_note and verb in ("asks", "asked", "wants", "要求", "希望")
    is_correction = is_change = False
    before = None
    while plain != before:
        before = plain
        plain = _LEAD.regex.sub("", plain)
        shorter = _CORRECTION.regex.sub("", plain)
        is_correction, plain = is_correction or shorter != plain, shorter
        shorter = _ADVERB_OF_CHANGE.regex.sub("", plain)
        is_change, plain = is_change or shorter != plain, shorter
    return plain, is_order, is_correction, is_change
