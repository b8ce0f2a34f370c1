"""Transitions: a statement that says in so many words that something has become something else.

"The frontend switched from yarn to pnpm" has another frame than "The frontend uses yarn", and no
property in common. What relates the two is the transition: it names what is over (*from yarn*, *no
longer Jenkins*, *since Marcus left*), or what it has come to (*was moved to 7 May*), of the thing
that the known statement speaks of. Rules that read properties come first; these are asked last.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memoria.text.analyser import query_terms
from memoria.text.pattern import LazyPattern, has_any
from memoria.text.remembered import remember_results
from memoria.text.script import is_cjk

_USER_TERMS = frozenset(("user", "we", "用户", "用", "户", "我们"))
_LEAST_SHARED_ZH = 2
"""Pairs of characters that two Chinese statements share, as one word does."""
_BECOME = tuple(
    """
    switched moved upgraded downgraded migrated changed relocated transferred raised lowered cut
    increased decreased reduced slipped slid postponed pushed rescheduled renamed converted ported
    rewritten bumped extended shortened rose dropped
    """.split()
)
_BECOMING = f"(?:{'|'.join(_BECOME)})"
_TO = LazyPattern(
    rf"""(?xi)^(?P<thing>.*?)\b(?:has|have|had|was|were|is|are|got|been|just|recently|finally|now|already|also|\s)*
    \b{_BECOMING}(?P<object>\s(?:the|a|an|my|our|his|her|their|\w+'s)\s[^,;]*?)?
    (?:\s(?:over|back|out|forward|up|down|away))?(?:\sfrom\s(?P<old>[^,;]+?))?
    \s(?:to|into|onto)\s(?P<new>[^,;]+)"""
)
_OVER = LazyPattern(
    r"""(?xi)\b(?:no\slonger\s(?:use|using|uses|have|has|on|with|at|run|runs|own|owns|work|works|drive|drives)?
    |(?:stopped|quit|ditched|abandoned|dropped|sold|scrapped|cancelled|canceled|left|retired|replaced)
    (?:\s(?:using|running|driving|playing|taking))?
    |(?:moved|moving|migrated|switched|switching)\s(?:off|away\sfrom|out\sof)|got\srid\sof|gave\sup
    |instead\sof|rather\sthan)\s(?:the\s|my\s|our\s|that\s|his\s|her\s|their\s)?(?P<old>[^,;.]+?)(?=[,;.]|\s(?:and|for|in|so|last
    |because|since)\b|$)
    |\bsince\s(?P<gone>[^,;]+?)\s(?:left|moved\son|quit|retired|was\spromoted)"""
)
_BECOMING_ZH = (
    "(?:改成|改为|改到|改用|改名为|改名叫|迁移到|迁到|搬到|搬去|搬进|换成|换到|换为|升级到|升级成"
    "|升级为|升到|涨到|降到|加到|减到|提高到|降低到|延长到|缩短到|推迟到|提前到|延期到|调到|调整到"
    "|调整为|转到|切换到|切到|重写成|挪到|跳槽去了?|跳槽到|换了)"
)
_TO_ZH = LazyPattern(
    rf"""(?x)^(?P<thing>[^,;。]*?)(?:已经?|刚|最近|上个?[月周]|去年|今年|全部|都|又|现在|早就)*
    (?:[从由把](?P<old>[^,;。]+?))?{_BECOMING_ZH}了?(?P<new>[^,;。]+)"""
)
_SWAPPED_ZH = LazyPattern(rf"(?x)(?:把|由|从)(?P<old>[^,;。]+?){_BECOMING_ZH}了?(?P<new>[^,;。]+)")
_OVER_ZH = LazyPattern(
    r"""(?x)(?:不再(?:用|使用|是|去|由)?|停用了?|弃用了?|卖掉?了|取消了|退了|告别了?)(?P<old>[^,;。了]{2,12})
    |(?P<gone>[一-鿿A-Za-z]{2,8}?)(?:离职|转岗|调走|退休|下线|停用|退役|走|辞职)了"""
)
_SIGNS = (
    *_BECOME,
    *"longer stopped quit ditched abandoned dropped sold scrapped cancel left".split(),
    *"retired replaced moved moving migrated switched switching rid gave".split(),
    *"instead rather since".split(),
)
"""A statement without any of these words tells no transition."""
_LIVES = LazyPattern(r"(?i)\b(?:lives?|living|resides?)\b|住")
_ATTENDS = LazyPattern(r"(?i)\b(?:goes\sto|attends|studies)\b|读|上学")
_STANDS = LazyPattern(
    r"""(?xi)\b(?:based|located|hosted|stored|kept|runs?|deployed|sits?|stands?)\b
    |[存放搭跑搁]在|部署|托管|位于|在[^,;]*?(?:里|上|中|做|当|任职|上班|工作)"""
)
_SCHOOL = LazyPattern(
    r"(?i)\b(?:school|university|college|academy|kindergarten|primary)\b|[学院校]$|大学|中学|小学|幼儿园"
)
_STAYS = LazyPattern(
    r"(?i)\b(?:works?|working|stays?|staying|rents?|renting|based|(?:is|are|am)\s(?:at|in))\b|租|工作|上班|任职|就职"
)
_SELF = LazyPattern(r"(?i)(?:the\s)?user|we|用户|我们")
_WE = LazyPattern(r"(?i)\s*(?:we\b|我们)")
_ABOUT_SELF = LazyPattern(r"(?i)\s*(?:(?:(?:the\s)?user|we)\s|(?:用户|我们)(?!的))")
_CHANGED_JOBS = LazyPattern("跳槽")
_WORKS = LazyPattern("做|当|任职|上班|工作")
_OF_THE_USER = LazyPattern(r"(?i)^(?:the\suser's|用户的?)\s*")
_MOVED = LazyPattern(r"(?i)\b(?:moved|relocated|transferred|migrated)\b|搬|迁|转到|挪到|跳槽")
_USED = LazyPattern(r"(?i)\b(?:uses?|using|drives?)\b|用|开的是")
_YEAR = LazyPattern(r"(?i)\b(?:in|since)\s(?:19|20)\d\d\b|(?:19|20)\d\d年|\bago\b|年前")
"""When it happened is told: that is history, and may be older than what is known."""
_DATE = LazyPattern(
    r"""(?xi)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d{1,2}\b
    |\b\d{1,2}\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*
    |\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|周[一二三四五六日天]|星期[一二三四五六日天]|\d+[月日号]|[一二三四五六七八九十]+[月日号]"""
)
_CLOCK = LazyPattern(
    r"(?i)\b\d{1,2}:\d\d\b|\b\d{1,2}\s?[ap]m\b|\b(?:noon|midnight)\b|[一二三四五六七八九十两\d]+点半?"
)
_AMOUNT = LazyPattern(
    r"""(?xi)\d[\d,.]*\s?(?P<unit>[a-z%€$£]+|[一-鿿])?
    |[一二三四五六七八九十百千两半]+(?P<unit_zh>[一-鿿])"""
)


@dataclass(frozen=True, slots=True)
class Transition:
    """What a statement says has become something else, each as its words stand there."""

    thing: str = ""
    """What has changed; empty where the user has."""
    old: str = ""
    """What is over."""
    new: str = ""
    """What it has come to; empty where the statement says it elsewhere."""


def tells_transition(new: str, known: str) -> bool:
    """Whether a statement says that what a known one tells has become something else.

    Args:
        new: what is said now, in the third person.
        known: what was said before, in the third person.
    """
    if not tells_any_transition(new) or is_cjk(new) != is_cjk(known):
        return False
    return any(_is_about(one, new, known) for one in _read_transitions(new))


def tells_any_transition(text: str) -> bool:
    """Whether a statement says that anything has become something else."""
    return bool(_may_tell(text, _SIGNS) and _read_transitions(text))


@remember_results(256)
def _read_transitions(text: str) -> tuple[Transition, ...]:
    """The transitions that a statement tells.

    One that is dated back is history, and may be older than what is known.
    """
    return () if _YEAR.regex.search(text) else tuple(_transitions(text))


def _transitions(text: str) -> Iterator[Transition]:
    over, becoming = (_OVER_ZH, _TO_ZH) if is_cjk(text) else (_OVER, _TO)
    for found in over.regex.finditer(text):
        yield Transition(old=found["old"] or found["gone"])
    for found in _SWAPPED_ZH.regex.finditer(text):
        yield Transition(old=found["old"], new=found["new"])
    result = becoming.regex.search(text) if _may_tell(text, _BECOME) else None
    if result is not None:
        parts = result.groupdict()
        thing = parts.get("object") or parts["thing"]
        yield Transition(thing, parts["old"] or "", parts["new"])


def _may_tell(text: str, words: Iterable[str]) -> bool:
    """Whether an English text has any of these words, which takes a tenth of the time to see."""
    return not text.isascii() or has_any(text.lower(), words)


def _is_about(one: Transition, said: str, known: str) -> bool:
    """Whether a transition is one of what a known statement tells."""
    terms = _terms(known)
    old = _terms(_OF_THE_USER.regex.sub("", one.old)) - _USER_TERMS
    thing = _terms(one.thing) - _USER_TERMS
    if old and old <= terms and thing and not thing <= terms:
        return False  # of another thing
    if old and old <= terms and one.new:
        is_move = not thing and _MOVED.regex.search(said) is not None
        return not is_move or (_is_of_us(one.thing, known) and _tells_place(known))
    if old and old <= terms:
        return _is_enough((_terms(said) & terms) - old - _USER_TERMS, said)
    if not one.new or not (_holds_thing(thing, terms) or _is_of_the_user(one.thing, known)):
        return False
    return _has_come_to(one, said, known, terms, thing)


def _has_come_to(
    one: Transition, said: str, known: str, terms: frozenset[str], thing: frozenset[str]
) -> bool:
    """Whether what something has come to is another value of what is known of it."""
    if thing and _quantity_kinds(one.new) & _quantity_kinds(known):
        return True
    if thing and (_terms(one.new) & terms) - thing and _counts(one.new) and _counts(known):
        return True  # of the same kind: Postgres 16 after Postgres 13
    begins_with_time = _quantity_kinds(" ".join(one.new.split()[:2]))
    if _MOVED.regex.search(said) and not begins_with_time:
        return _is_placed(one.new, said, known, of_the_user=not thing)
    same_kind = (_terms(one.new) & terms) - _USER_TERMS
    return not thing and bool(same_kind) and _USED.regex.search(known) is not None


def _counts(text: str) -> bool:
    return any(map(str.isdigit, text))


def _quantity_kinds(text: str) -> set[str]:
    """Which kinds of quantity a text has: dates, times of day, and amounts by their unit."""
    kinds = {"date"} if _DATE.regex.search(text) else set()
    rest = _DATE.regex.sub(" ", text)
    kinds |= {"clock"} if _CLOCK.regex.search(rest) else set()
    rest = _CLOCK.regex.sub(" ", rest)
    amounts = (found["unit"] or found["unit_zh"] for found in _AMOUNT.regex.finditer(rest))
    return kinds | {unit.casefold() for unit in amounts if unit}


def _is_placed(place: str, said: str, known: str, *, of_the_user: bool) -> bool:
    """Whether a known statement tells where the thing was that has moved to a place."""
    if _CHANGED_JOBS.regex.search(said):
        return _WORKS.regex.search(known) is not None
    if of_the_user or _LIVES.regex.search(known):
        return bool(_LIVES.regex.search(known)) and not _SCHOOL.regex.search(place)
    if _ATTENDS.regex.search(known):
        return _SCHOOL.regex.search(place) is not None
    return _STANDS.regex.search(known) is not None


def _holds_thing(thing: frozenset[str], terms: frozenset[str]) -> bool:
    return bool(thing) and thing <= terms


def _tells_place(known: str) -> bool:
    """Whether a statement tells where somebody is, which a move ends; not whence they come."""
    return any(one.regex.search(known) for one in (_LIVES, _ATTENDS, _STAYS, _USED))


def _is_of_the_user(thing: str, known: str) -> bool:
    """Whether a transition is the user's own, and the known statement is about the user.

    "We" may be a team, which moves to a phase or a tool: that counts where it says whence.
    """
    return _is_of_us(thing, known) and _WE.regex.match(thing) is None


def _is_of_us(thing: str, known: str) -> bool:
    """Whether both are about the user, alone or with others."""
    return bool(_SELF.regex.fullmatch(thing.strip()) and _ABOUT_SELF.regex.match(known))


def _is_enough(shared: set[str] | frozenset[str], text: str) -> bool:
    least = _LEAST_SHARED_ZH if is_cjk(text) else 1
    return len(shared) >= least


def _terms(text: str) -> frozenset[str]:
    """The words of a text, or the pairs of its Chinese characters."""
    found = query_terms(text)
    return frozenset(one for one in found if len(one) > 1 or not is_cjk(one))
