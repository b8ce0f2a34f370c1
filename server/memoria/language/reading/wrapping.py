"""Wrapping: removal of the words around a statement that add nothing to it.

`The user says: "I live in Leeds."` and "By the way, I live in Leeds" say what "I live in Leeds"
says.
"""

import unicodedata

from memoria.language.pattern import LazyPattern

_QUOTING = LazyPattern(
    r"""(?xis)^\s*(?:(?:the\s)?user\s(?:asks|asked|wants|says|said|states|stated|notes|reports)
    (?:\sto\sremember)?(?:\sthat\sfrom\snow\son)?\s*[:,]\s*
    |用户(?:要求|说|表示|提到|希望)(?:记住)?\s*[::,]\s*)
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


def peel(text: str) -> str:
    """Return a text without quotation, greeting and introduction, in the words in which it stands.

    >>> peel('The user says: "I live in Leeds."')
    'I live in Leeds.'
    """
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    quoting = _QUOTING.regex.match(plain)
    if quoting:
        plain = quoting["inner"].strip()
    before = None
    while plain != before:
        before = plain
        for introduction in (_LEAD, _CORRECTION, _ADVERB_OF_CHANGE):
            plain = introduction.regex.sub("", plain)
    return plain or text
