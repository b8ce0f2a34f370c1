"""Tellings: what a turn tells in a clause, with whether it denies it and whether it calls it news.

Of a name, a place or a plan no amount says that it has changed. "The reception is going to be at
Hartley Barn after all" says it by its adverb, and "I moved the accounts to Xero" by its verb.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memoria.policy.updates.words import PlacedWord, place_words
from memoria.text.pattern import LazyPattern

_LONGEST = 240
"""Characters of a clause. A longer one holds more than one thing."""


@dataclass(frozen=True, slots=True)
class Telling:
    """One thing that a turn tells."""

    text: str
    around: tuple[PlacedWord, ...]
    words: frozenset[str]
    is_news: bool
    """Whether it says that something is so now, and was not before."""
    is_denied: bool
    """Whether it says that something is not so: an odd number of its words say no."""


def read_tellings(sentence: str) -> Iterator[Telling]:
    """What a sentence tells; nothing of what it asks, supposes or does not know."""
    for clause in map(str.strip, _CLAUSE_END.regex.split(sentence)):
        if not clause or len(clause) > _LONGEST or _UNTOLD.regex.search(clause):
            continue
        around = place_words(clause)
        yield Telling(
            clause,
            around,
            frozenset(word.stem for word in around),
            is_news=_NEWS.regex.search(clause) is not None,
            is_denied=len(_NO.regex.findall(clause)) % 2 == 1,
        )


_CLAUSE_END = LazyPattern(
    r"(?i),\s(?:and\s|but\s|so\s)?(?=(?:can|could|would|should|how|what|which|do|does|is|are|I|we)\b)"
    r"|,?\s(?=(?:but|because|since|although|though|while)\s)"
    r"|[，,](?=(?:怎么|能不能|可以|如何|帮|但|不过|因为|请))"
)
_UNTOLD = LazyPattern(
    r"""(?xi)[?？吗呢]\s*$|^\W*(?:can|could|would|should|how|what|which|when|where|who|why|do|does|did|is|are|please|help|if|suppose|let)\b
      |\b(?:if|whether|unless|wonder\w*|not\ssure|(?:don|didn|doesn)['’]t\s(?:know|remember|think|understand|mind|see|realize)|maybe|perhaps|might)\b
      |\bhad\s(?:never|not)\b|如果|要是|是否|能不能|可不可以|不知道|不确定|不记得|怎么|如何|为什么|帮我|请"""
)
"""What is asked, supposed or in doubt, and what had not been so until then."""
_NEWS = LazyPattern(
    r"""(?xi)\b(?:now|nowadays|no\slonger|any\s?more|instead|after\sall|switch\w*|moved?|moving|relocat\w+|chang(?:ed|ing)|replac\w+|upgrad\w+|migrat\w+
      |swap\w*|convert\w*|transferr\w+|reschedul\w+|postpon\w+|renam\w+|turned\sinto|traded|went\sback|gave\sup|stopped|quit|from\snow\son|ended\sup|became|this\stime)\b
    |现在|如今|改|换|搬|转[到为成去]|变成|不再|挪|移到|升级|以后都|最后还是|而是"""
)
_NO = LazyPattern(
    r"""(?xi)\b(?:not|never|no|none|neither|nor|hardly|without|cannot|no\slonger|nothing|nobody|nowhere)\b|n['’]t\b
      |\b(?:refus|reject|declin|hate|dislik|detest|loath|stop|quit|cancel|avoid|fail|forg[eo]t|skip|lack|miss|den[iy]|drop|abandon|unable|gave\sup|gone\soff)\w*
    |[不没未](?![错过仅但久同管论少断])|从未|拒绝|讨厌|取消|停止|放弃|反对|避免|戒|推掉|退出"""
)
"""What says no, and verbs that say of an act that it is not done or not liked."""
