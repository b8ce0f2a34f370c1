"""Words of change: what a sentence says beside its statement, that something is so by now.

"I don't like jazz any more" states that its speaker does not like jazz. The phrases know only the
plain sentence, so these words are taken off before it is read.
"""

from typing import NamedTuple

from memoria.text.pattern import LazyPattern, has_any


class _Change(NamedTuple):
    """How words of change are taken off."""

    signs: tuple[str, ...]
    """Without any of these, in small letters, a sentence has none of them."""
    pattern: LazyPattern
    plainer: str


_CHANGES = (
    _Change(
        ("correct", "sorry", "oops", "wait", "mistake", "wrong", "misspoke", "mean", "update"),
        LazyPattern(
            r"""(?xi)^(?:(?:(?:a\s)?correction|sorry|oops|wait|my\smistake|i\s(?:was\swrong|misspoke|meant|mean)|update)
            \s?[,:;.—-]+\s*)+"""
        ),
        "",
    ),
    _Change(("no longer",), LazyPattern(r"(?i)\b(i)['’]?\s?a?m no longer\b"), r"\1'm not"),
    _Change(("no longer",), LazyPattern(r"(?i)\bno longer\b"), "don't"),
    _Change(("now",), LazyPattern(r"(?i)\b(i|is) now\b"), r"\1"),
    _Change(
        ("call me",),
        LazyPattern(r"(?i)^(?:please )?do\s?n[o'’]t call me [^,;]+[,;] (?:please )?(?=call me )"),
        "",
    ),
    _Change(
        ("more", "longer", "now", "again", "after all"),
        LazyPattern(r"(?i)[\s,]+(?:any\s?more|any longer|now|again|after all)(?=[.!]?$|,\s)"),
        "",
    ),
)
_CHANGES_ZH = (
    _Change(
        ("更正", "纠正", "订正", "修正", "错"),
        LazyPattern(
            "^(?:(?:更正|纠正|订正|修正)(?:一下)?|(?:不好意思|抱歉)?[，,]?我?(?:之前)?(?:记错|说错|写错|搞错|弄错)了?)"
            "[，,：:。、]\\s*(?=.)"
        ),
        "",
    ),
    _Change(
        ("叫我",),
        LazyPattern("(?:以后|请)*(?:别|不要|不用)再?叫我[^，,；;]+[，,；;](?:以后|请|改)*(?=叫我)"),
        "",
    ),
    _Change(("不",), LazyPattern("(?:现在|如今)?(?:已经|再也|也)?不再?(?=[喜爱吃喝碰怎太])"), "不"),
    _Change(("不再",), LazyPattern("不再(?=吃素|吃斋)"), "不"),
    _Change(("又", "开始"), LazyPattern("(?<=我)(?:现在)?(?:又(?:开始)?|开始)(?=[喜爱吃])"), ""),
    _Change(("现在",), LazyPattern("(?<=我)现在(?=改?名?叫|喜欢|讨厌|对|吃素)"), ""),
    _Change(("改名叫",), LazyPattern("(?<=我)改名叫"), "叫"),
    _Change(("现在", "如今"), LazyPattern("^(?:现在|如今)(?=比起|我|对我)"), ""),
)
_TURN = LazyPattern("不|又|开始|现在|如今|已经")
_IS_SO_NOW = LazyPattern("^(?P<said>我.{2,30}?)了(?=$|[，,；;。])")
"""With a 了 at the end of the clause, which the phrases take for something that happened."""


_ANY_CHANGE = LazyPattern(
    r"(?i)\b(?:now|no longer|any ?more|again|correction|sorry|i meant)\b"
    "|现在|如今|又|不再|已经|更正|纠正|[记说搞弄]错"
)


def has_change(text: str) -> bool:
    """Whether a text has such words at all; a quick look."""
    return bool(_ANY_CHANGE.regex.search(text))


def without_change(text: str) -> str:
    """The sentence without words that say that it is so by now, no longer or after all."""
    plain, small, is_ascii = text, text.lower(), text.isascii()
    for signs, pattern, plainer in _CHANGES if is_ascii else _CHANGES + _CHANGES_ZH:
        if has_any(small, signs):
            plain = pattern.regex.sub(plainer, plain)
            small = plain.lower()
    if not is_ascii and _TURN.regex.search(text):
        plain = _IS_SO_NOW.regex.sub(lambda match: match["said"], plain)
    return plain or text
