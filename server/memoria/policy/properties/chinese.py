"""Reads Chinese clauses: what property of what subject they tell."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memoria.graph import lexicon
from memoria.policy.properties.base import Property
from memoria.policy.properties.keys import PEOPLE, USER, has_one_value, predicate_key, subject_key
from memoria.policy.properties.values import canonical_value, is_quantity
from memoria.text.pattern import LazyPattern

_CLAUSES = re.compile(
    r"[。;!?\n]+|[,、](?=\s*(?:但是?|不过|只|现在|用户|他|她|它|改|而且|并且|名叫|叫|是|在|对))|,"
)
_DENIED = LazyPattern(
    r"不再|再也不|已经不|已不|不怎么|不太|并不|不是很|没有|不|没|别|戒掉?了?|停用了?|停止了?|放弃了?|戒"
)
_CHANGE = LazyPattern(
    r"不再|再也不|已经不|已不|戒|停用|停止|放弃|现在|目前|如今|改|换成|换到|搬|又开始|开始|重新|推迟|提前|延期|跳槽|离职|辞职|不.{1,20}了$|了$"
)
_PAST = LazyPattern(
    r"以前|曾经?|过去|从前|小时候|之前|当年|那时|原来|原本|去年|上个?[周月]|昨天|前年|[去到来看读吃]过|(?:19|20)\d\d年(?![的底初])"
)
_TENTATIVE = LazyPattern(
    r"打算|计划(?!在|于|为|[是的])|想要?(?!念)|希望|可能|也许|或许|大概|听说|据说|考虑|准备|将要?|要是|如果|会不会|说不定|似乎|好像|以为|觉得|认为|[^用户我]{1,6}说(?!法|明|话|[^,]{0,4}[语文话])"
)
_FILLERS = re.compile(
    "[的了啊呀呢哦嘛很也都就挺蛮还]|非常|特别|一直|真的|比较|目前|现在|如今|今年|最近"
)
_MARKERS = re.compile(
    "不再|再也不|已经|不怎么|不太|又开始|重新|开始|戒掉|停止|停用|放弃|[不没别戒]|其实|又"
)
_SUBJECT = r"(?P<subject>用户(?:的(?:[^\s,的]{1,6}?)|(?:KIN))?|(?!用户)[^\s,]{1,12}?)?"
_ADVERBS = r"(?:现在|目前|如今|已经|一直|都|也|还|就|又|最近|今年|了|已)*"
_KIN = "|".join(sorted((word for word in PEOPLE if not word.isascii()), key=len, reverse=True))
_NOT = r"(?P<not>不再|再也不|已经不|已不|不怎么|不太|并不|不是|不|没有|没|从不)?"
_LIST = re.compile("和|及|以及|、|与|跟|还有|,")
_CITY = re.compile("(?:市|省|县|区|镇|村)$")


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern for a clause, and what property a match tells."""

    pattern: LazyPattern
    read: Callable[[re.Match[str], str], list[Property]]


def split_clauses(text: str) -> list[str]:
    """The clauses of a statement."""
    return [part for part in map(str.strip, _CLAUSES.split(text)) if part]


def read_clause(text: str, previous: tuple[Property, ...] = ()) -> tuple[Property, ...]:
    """The properties that a Chinese clause tells; empty if no rule reads it."""
    plain = text.strip(' 。.!?,;“”"')
    found: list[Property] = []
    for rule in _RULES:
        match = rule.pattern.regex.match(plain)
        if match:
            subject = _subject(match["subject"], previous)
            if subject is not None:
                found = rule.read(match, subject)
        if found:
            break
    change, past, tentative = (
        bool(pattern.regex.search(plain)) for pattern in (_CHANGE, _PAST, _TENTATIVE)
    )
    return tuple(
        replace(one, is_change=change, is_past=past, is_tentative=tentative) for one in found
    )


def plain_words(text: str) -> tuple[str, ...]:
    """The characters of a clause without fillers and without what denies or changes it."""
    return tuple(_MARKERS.sub("", _FILLERS.sub("", text)).replace(" ", ""))


def is_denied(text: str) -> bool:
    """Whether a clause denies what it speaks of."""
    return bool(_DENIED.regex.search(text))


def _subject(text: str | None, previous: Sequence[Property]) -> str | None:
    if not text:
        return previous[-1].subject if previous else USER
    return subject_key(text)


def _one(predicate: str, *, certain: bool = True) -> Callable[[re.Match[str], str], list[Property]]:
    def read(match: re.Match[str], subject: str) -> list[Property]:
        affirmed = not match.groupdict().get("not")
        value = canonical_value(match["value"])
        return [Property(subject, predicate, value, True, affirmed, is_certain=certain)]

    return read


def _many(family: str, *, affirmed: bool = True) -> Callable[[re.Match[str], str], list[Property]]:
    def read(match: re.Match[str], subject: str) -> list[Property]:
        stated = affirmed is not bool(match.groupdict().get("not"))
        name = match.groupdict().get("verb") or family
        items = [canonical_value(item) for item in _LIST.split(match["value"]) if item.strip()]
        name = {"会说": "speak", "说": "speak"}.get(name, name)
        return [Property(subject, f"{name}:{item}", item, False, stated) for item in items]

    return read


def _employer(match: re.Match[str], subject: str) -> list[Property]:
    value = canonical_value(match["value"])
    is_city = value in lexicon.CITIES_ZH or _CITY.search(value)
    predicate = "work city" if is_city else "employer"
    return [Property(subject, predicate, value, True, not match["not"], is_certain=not is_city)]


def _attribute(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "X的Y是Z"."""
    word = match["attribute"]
    attribute = predicate_key(word)
    of_many = word in PEOPLE and not has_one_value(attribute)
    return [
        Property(
            subject,
            attribute,
            canonical_value(match["value"]),
            True,
            not match["not"],
            is_certain=not of_many,
        )
    ]


def _when_or_where(match: re.Match[str], subject: str) -> list[Property]:
    value = match["value"]
    family = "when" if is_quantity(value) else "where"
    if family == "where" and subject == USER:
        family = "location"
    return [Property(subject, family, canonical_value(value), True)]


def _count(match: re.Match[str], subject: str) -> list[Property]:
    return [Property(subject, f"count:{match['what']}", match["value"], True, is_certain=False)]


def _marital(match: re.Match[str], subject: str) -> list[Property]:
    return [Property(subject, "marital_status", match["value"], True)]


def _role(match: re.Match[str], subject: str) -> list[Property]:
    return [Property(subject, f"用 {match['role']}", canonical_value(match["value"]), True)]


_END = r"(?:了|的|啊|呢|吧|过)*$"
_V = rf"(?P<value>[^,;]{{1,40}}?){_END}"
_RULES = tuple(
    _Rule(LazyPattern(rf"(?x)^{_SUBJECT.replace('KIN', _KIN)}{_ADVERBS}{pattern}"), read)
    for pattern, read in (
        (rf"{_NOT}(?:居住在|定居在?|家住|家在|住在|搬家?[到去回]了?|搬回了?|住){_V}", _one("home")),
        (rf"(?:的)?(?:名字|姓名)(?:是|叫做?|为|改成了?|改为){_V}", _one("name")),
        (rf"(?:希望)?(?:被称呼为|被叫做|被叫作){_V}", _one("form_of_address")),
        (rf"(?:名叫|叫做|叫)(?!用户|我){_V}", _one("name")),
        (rf"(?:的)?生日(?:是|在|为){_V}", _one("birthday")),
        (r"(?P<value>\d{1,3}|[一二三四五六七八九十]{1,3})岁了?$", _one("age")),
        (rf"{_NOT}在{_V[: -len(_END)]}(?:工作|上班|任职|就职){_END}", _employer),
        (rf"{_NOT}(?:就职于|任职于|入职了?|加入了?|跳槽到了?){_V}", _employer),
        (rf"(?:的)?(?:工作|职业|职位)是{_V}", _one("job")),
        (
            rf"""{_NOT}对{_V[: -len(_END)]}(?P<verb>)(?P<deny>不|没有|已经不|不再)?
            (?:也|都|很|严重)*过敏{_END}""",
            _many("allergy"),
        ),
        (r"(?:是)?(?P<value>单身|已婚|离异|结婚|离婚|订婚|丧偶)了?$", _marital),
        (
            rf"(?P<not>不再|已经不|不怎么|不太|并不|不|没)?(?:很|最|非常|特别|更|比较|挺|都|也)*(?:喜欢|偏爱|热爱|爱(?=[吃喝看听玩用穿])){_V}",
            _many("taste"),
        ),
        (
            rf"(?P<not>不再|已经不|不)?(?:很|最|非常|特别|更)*(?:讨厌|受不了|厌恶){_V}",
            _many("taste", affirmed=False),
        ),
        (
            r"(?:有|养了?)(?P<value>[一二三四五六七八九十两\d]+)[只个条匹位](?P<what>[^,]{1,10}?)了?$",
            _count,
        ),
        (
            rf"(?:改)?用(?P<value>[^,]{{1,20}}?)(?P<role>做|写|跑|管理|存|来|当|部署|测试)(?P<rest>[^,]{{1,20}}?){_END}",
            _role,
        ),
        (
            rf"的(?P<attribute>[^,的]{{1,10}}?)(?P<not>不)?(?:是|为|改为|改成|换成|变成|叫){_V}",
            _attribute,
        ),
        (
            rf"(?:改到|改在|定在|推迟到|提前到|安排在|延期到|移到|放在|改成|是|在(?![学做写看读用练])){_V}",
            _when_or_where,
        ),
    )
)
