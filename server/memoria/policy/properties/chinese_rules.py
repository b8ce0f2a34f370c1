"""The rules by which Chinese clauses are read: what each form of words tells."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memoria.graph import lexicon
from memoria.policy.properties import chinese_words as vocabulary
from memoria.policy.properties.base import MOVED_HOUSE, Property
from memoria.policy.properties.keys import USER, may_be_several, people, predicate_key, subject_key
from memoria.policy.properties.values import canonical_value
from memoria.text.pattern import LazyPattern

USER_SIGN = "吾"
"""Stands for 用户 while a clause is read, because 用 is a verb."""
_LONGEST_NAME = 4
_TIME = LazyPattern(vocabulary.TIME)
_Reader = Callable[[re.Match[str], str], list[Property]]


@dataclass(frozen=True, slots=True)
class ClauseRule:
    """A pattern for a clause, and what property a match tells."""

    signs: tuple[str, ...]
    """One of them is in every clause that it matches: to look for them is much faster."""
    pattern: LazyPattern
    read: _Reader


def _is_person(subject: str) -> bool:
    """Whether a subject is the user, somebody of theirs, or has a person's name."""
    if subject == USER:
        return True
    somebody = subject.removeprefix(f"{USER}'s ")
    return somebody in people().values() if somebody != subject else _is_name(subject)


def _one(predicate: str, *, certain: bool = True) -> _Reader:
    def read(match: re.Match[str], subject: str) -> list[Property]:
        affirmed = not match.groupdict().get("not")
        value = canonical_value(match["value"])
        return [Property(subject, predicate, value, True, affirmed, is_certain=certain)]

    return read


def _many(family: str, *, affirmed: bool = True) -> _Reader:
    """A reader that makes a property of each thing in a list."""

    def read(match: re.Match[str], subject: str) -> list[Property]:
        stated = affirmed is not bool(match.groupdict().get("not"))
        verb = match.groupdict().get("verb")
        name = _VERB_KEYS.get(verb, verb) if verb else family
        when = match.groupdict().get("when")
        name = f"{name} {when}" if when else name
        items = vocabulary.LIST.regex.split(match["value"])
        plain = (vocabulary.MEASURE.regex.sub("", item) for item in items)
        values = [canonical_value(item) for item in plain if item.strip()]
        return [Property(subject, f"{name}:{value}", value, False, stated) for value in values]

    return read


def _home(match: re.Match[str], subject: str) -> list[Property]:
    """Where somebody lives; a thing that was moved is somewhere."""
    owner, predicate = (subject, "home") if _is_person(subject) else _split_owner(subject, "where")
    value = canonical_value(match["value"])
    return [Property(owner, predicate, value, True, not match["not"])]


def _employer(match: re.Match[str], subject: str) -> list[Property]:
    value = canonical_value(match["value"])
    is_city = _is_city(match["value"])
    predicate = "work city" if is_city else "employer"
    return [Property(subject, predicate, value, True, not match["not"], is_certain=not is_city)]


def _is_city(text: str) -> bool:
    return text in lexicon.CITIES_ZH or text.endswith(("市", "省", "县", "区", "镇", "村"))


def _is_name(text: str) -> bool:
    """Whether it reads like a person's name."""
    is_short = 1 < len(text) <= _LONGEST_NAME
    return text.isascii() or (is_short and text.startswith((*lexicon.SURNAMES_ZH, *"小老阿")))


def _attribute(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "X的Y是Z"."""
    word, value = match["attribute"], match["value"]
    attribute = predicate_key(word)
    of_many = may_be_several(word)
    is_known = re.fullmatch(vocabulary.ATTRIBUTES, word) or attribute != word
    is_kind = word in people() or (not is_known and vocabulary.KIND.regex.search(value))
    is_kind = is_kind and not _is_name(value)
    if is_kind or word in vocabulary.MANY or vocabulary.STATE.regex.search(value):
        return [Property(subject, f"{attribute}:{value}", value, False, not match["not"])]
    affirmed = not match["not"]
    plain = canonical_value(value)
    if not match["subject"] and subject == USER:  # "截止日期是6月1日": of the thing itself
        subject = word
        attribute = "when" if _TIME.regex.match(value) else attribute
    return [Property(subject, attribute, plain, True, affirmed, is_certain=not of_many)]


def _identity(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "王静是我的表姐"."""
    return [Property(subject, f"be {match['value']}", match["value"], False)]


def _when(match: re.Match[str], subject: str) -> list[Property]:
    owner, predicate = _split_owner(subject, "when")
    return [Property(owner, predicate, canonical_value(match["value"]), True)]


def _split_owner(subject: str, family: str) -> tuple[str, str]:
    """Whose property it is when or where something is, and which: that of the owner, if named."""
    separator = "'s " if subject.startswith(f"{USER}'s ") else "的"
    owner, apart, attribute = subject.rpartition(separator)
    if not apart:
        return subject, family
    key = predicate_key(attribute)
    return subject_key(owner), key if family == "when" else f"{family} {key}"


def _where(match: re.Match[str], subject: str) -> list[Property]:
    value = canonical_value(match["value"])
    if not _is_person(subject):
        owner, predicate = _split_owner(subject, "where")
        return [Property(owner, predicate, value, True)]
    return [Property(subject, "location", value, True)] if _is_city(match["value"]) else []


def _count(match: re.Match[str], subject: str) -> list[Property]:
    what = canonical_value(match["what"])
    return [Property(subject, f"count:{what}", match["value"], True, is_certain=False)]


def _favourite(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "最喜欢的茶是龙井"."""
    predicate = predicate_key(f"最喜欢的{match['attribute']}")
    return [Property(subject, predicate, canonical_value(match["value"]), True, not match["not"])]


def _preference(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "喜欢茶胜过咖啡"."""
    one, other = canonical_value(match["value"]), canonical_value(match["other"])
    pair = "|".join(sorted((one, other)))
    return [Property(subject, f"preference:{pair}", one, True)]


def _diet(match: re.Match[str], subject: str) -> list[Property]:
    value = "meat" if match["value"] in ("吃肉", "吃荤") else "vegetarian"
    return [Property(subject, "diet", value, True, not match["not"])]


def _quitting(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "戒烟了": what is smoked, drunk or eaten no more."""
    what = match["value"]
    verb = "smoke" if what == "烟" else "drink" if what in "酒咖啡奶茶" else "eat"
    return [Property(subject, f"{verb}:{what}", what, False, affirmed=False)]


def _moving(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "搬家了", which says nothing of where to."""
    del match
    return [Property(subject, MOVED_HOUSE, "搬家", False)]


def _leaving(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "离开腾讯了"."""
    return [Property(subject, "employer", canonical_value(match["value"]), True, affirmed=False)]


def _swap(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "从MySQL换成了Postgres"."""
    old, new = canonical_value(match["old"]), canonical_value(match["value"])
    return [
        Property(subject, f"use:{old}", old, False, affirmed=False),
        Property(subject, f"use:{new}", new, False),
    ]


def _equality(match: re.Match[str], subject: str) -> list[Property]:
    """Such as "默认分支是main"; a person may be several things at a time."""
    if _is_person(subject):
        return []
    return [Property(subject, "be", canonical_value(match["value"]), True, not match["not"])]


def _role(match: re.Match[str], subject: str) -> list[Property]:
    role = f"用 {match['role']}{match['rest']}"
    return [Property(subject, role, canonical_value(match["value"]), True)]


_VERB_KEYS = {re.sub(r"\(.*?\)", "", pattern): key for pattern, key in vocabulary.VERBS.items()}
_SHORT_KIN = frozenset("妈爸哥姐弟妹狗猫")
"""Words of one character that mean somebody also where they begin a longer word."""
KIN = "|".join(
    sorted(
        (w for w in people() if not w.isascii() and (len(w) > 1 or w in _SHORT_KIN)),
        key=len,
        reverse=True,
    )
)
_NOUN = rf"(?!{vocabulary.NO_SUBJECT})[^\s,;{USER_SIGN}]{{1,12}}?"
_SUBJECT = rf"""(?P<subject>[其它他她](?:的(?=.{{1,6}}[是为]))?
    |{USER_SIGN}(?:们|的?(?:{KIN})|的[^\s,的]{{1,6}}?)?|{_NOUN})?"""
_ADVERBS = r"(?:现在|目前|如今|已经|一直|都|也|还|就|又|最近|今年|了|已|改(?=用))*"
_NOT = r"(?P<not>不再|再也不|已经不|已不|不怎么|不太|并不|不是|不|没有|没|从不|从来不|戒掉?了?)?"
_VERY = "(?:很|特|最|非常|特别|更|比较|挺|蛮|都|也|超级?|真的)*"
_END = "(?:了|的|啊|呢|吧)*$"
_THING = r"(?P<value>[^,;]{1,40}?)"
_VALUE = _THING + _END
_BECOMES = "(?:是|为|改为|改成|换成|变成|叫做?|现在是)"
RULES = tuple(
    ClauseRule(tuple(signs.split()), LazyPattern(rf"(?x)^{_SUBJECT}{_ADVERBS}{pattern}"), read)
    for signs, pattern, read in (
        ("是吾", r"是(?P<value>吾的?[^,的]{1,8})$", _identity),
        (
            "住 定居 家在 搬",
            rf"{_NOT}(?:居住在|定居在?|家住|家在|住在|搬家?[到去回]了?|搬回了?|住){_VALUE}",
            _home,
        ),
        ("名字 姓名", rf"的?(?:名字|姓名)(?:是|叫做?|为|改成了?|改为){_VALUE}", _one("name")),
        ("被", rf"(?:希望)?被(?:称呼?为|叫做|叫作|叫){_VALUE}", _one("form_of_address")),
        ("叫", rf"(?:名叫|叫做|叫)(?!吾|我){_VALUE}", _one("name")),
        ("生日", rf"的?生日(?:是在|是|在|为){_VALUE}", _one("birthday")),
        ("岁", r"(?:有|是)?(?P<value>\d{1,3}|[一二三四五六七八九十]{1,3})岁了?$", _one("age")),
        (
            "读 上 念",
            rf"在?[读上念](?P<value>{vocabulary.GRADE}){_END}",
            _one("grade"),
        ),
        (
            "工作 上班 任职 就职",
            rf"{_NOT}(?<![现正实存])在{_THING}(?:工作|上班|任职|就职){_END}",
            _employer,
        ),
        (
            "就职 任职 入职 加入 跳槽 供职",
            rf"{_NOT}(?:就职于|任职于|入职了?|加入了?|跳槽到了?|供职于){_VALUE}",
            _employer,
        ),
        (
            "过敏",
            rf"""(?:对{_THING}(?P<not>不再|已经不|不|没有)?(?:也|都|很|严重)*过敏{_END})""",
            _many("allergy"),
        ),
        (
            "过敏",
            rf"(?P<not>不再|已经不|不|没有)对{_THING}(?:也|都|很|严重)*过敏{_END}",
            _many("allergy"),
        ),
        (
            "单身 已婚 未婚 离异 结婚 离婚 订婚 丧偶",
            r"(?:是)?(?P<value>单身|已婚|未婚|离异|结婚|离婚|订婚|丧偶)了?$",
            _one("marital_status"),
        ),
        (
            "最喜欢的",
            rf"最喜欢的(?P<attribute>[^,的]{{1,8}}?)(?P<not>不)?{_BECOMES}{_VALUE}",
            _favourite,
        ),
        (
            "胜过 多过 超过 而不是",
            rf"(?:更|比较)?喜欢{_THING}(?:胜过|多过|超过|而不是)(?P<other>[^,]{{1,20}}?){_END}",
            _preference,
        ),
        (
            "比起",
            rf"比起(?P<other>[^,]{{1,20}}?),?{USER_SIGN}(?:更|比较)喜欢{_VALUE}",
            _preference,
        ),
        ("比起", rf"比起(?P<other>[^,]{{1,20}}?),?(?:更|比较)喜欢{_VALUE}", _preference),
        (
            "喜欢 爱",
            rf"""(?P<not>不再|再也不|已经不|不怎么|不太|并不|不|没)?{_VERY}
            (?:喜欢|偏爱|热爱|爱(?!人|情|心|护|国|称|的|好[是有])){_VALUE}""",
            _many("taste"),
        ),
        (
            "讨厌 受不了 厌恶",
            rf"(?P<not>不再|已经不|不)?{_VERY}(?:讨厌|受不了|厌恶){_VALUE}",
            _many("taste", affirmed=False),
        ),
        (
            "有 养",
            rf"(?:有|养了?)(?P<value>{vocabulary.COUNT})[只个条匹位](?P<what>[^,]{{1,10}}?)了?$",
            _count,
        ),
        (
            "素食 吃素 吃斋 吃肉 吃荤",
            rf"(?P<not>不再|已经不|不)?(?:又?开始|又|是)*(?P<value>素食|吃素|吃斋|吃肉|吃荤)(?:主义者|者)?{_END}",
            _diet,
        ),
        ("戒", r"(?:已经|把)?戒掉?了?(?P<value>烟|酒|糖|咖啡|奶茶|茶|赌|游戏)了?$", _quitting),
        ("搬", r"(?<!刚)(?<!又)(?<!已经)(?:刚刚?|已经|又)*搬(?:了新?家|新?家)了?$", _moving),
        (
            "离开 从",
            r"(?:已经)?(?:离开|从(?=.+[离辞]职))(?P<value>[^,]{1,15}?)(?:离职|辞职)?了?$",
            _leaving,
        ),
        (
            "从",
            r"""(?:已经)?从(?P<old>[^,]{1,15}?)(?:换|改|切换|迁移|转)[成到用为]了?
            (?P<value>[^,]{1,15}?)了?$""",
            _swap,
        ),
        (
            "用",
            rf"""{_NOT}(?:改)?用(?P<value>[^,]{{1,20}}?)(?P<role>做|写|跑|管理|存|当|部署|测试)
            (?P<rest>[^,]{{1,20}}?){_END}""",
            _role,
        ),
        (
            " ".join(_VERB_KEYS),
            rf"(?:每天|每周|平时|经常|都|习惯)*(?P<when>{vocabulary.PART_OF_DAY})?(?:都|也)*{_NOT}"
            rf"(?:在|会|能|又?开始|又|每天|经常)*(?P<verb>{'|'.join(vocabulary.VERBS)})(?!的){_VALUE}",
            _many("do"),
        ),
        (
            "是 为 成 叫",
            rf"的?(?P<attribute>{vocabulary.ATTRIBUTES})(?P<not>不)?{_BECOMES}{_VALUE}",
            _attribute,
        ),
        (
            "身高 体重",
            rf"的?(?P<attribute>身高|体重)(?P<not>)(?:有|才|是|大概)*(?P<value>\d[^,]*?){_END}",
            _attribute,
        ),
        (
            "老家 家乡 工作地",
            rf"的?(?P<attribute>老家|家乡|工作地)(?P<not>不)?在{_VALUE}",
            _attribute,
        ),
        (
            "是 为 成 叫",
            rf"的(?P<attribute>[^,的]{{1,8}}?)(?P<not>不)?{_BECOMES}{_VALUE}",
            _attribute,
        ),
        (
            "改 定 到 在 是",
            rf"""(?:改到|改在|改成|定在|定于|推迟到|提前到|安排在|延期到|移到|是在|是|(?<![现正实存])在)了?
            (?P<value>{vocabulary.TIME}[^,;楼层]{{0,16}}?){_END}""",
            _when,
        ),
        ("取消", r"(?:已经)?(?:被)?(?P<value>取消)了?$", _when),
        (
            "到 至 成 为",
            rf"的?(?P<attribute>{vocabulary.ATTRIBUTES})(?P<not>不)?[从]?[^,;到至]{{0,8}}?"
            rf"(?:涨|升|降|增加|减少|提高|上调|下调|调整|跌|改|变)[到至成为]了?{_VALUE}",
            _attribute,
        ),
        (
            "是 改",
            rf"(?P<not>不)?(?:是|改成|改为)了?(?P<value>[A-Za-z0-9][^,;的]{{0,20}}?){_END}",
            _equality,
        ),
        (
            "到 在",
            rf"(?:放在|移到|搬到|挪到|(?<![现正实存])在)了?(?P<value>[^,;]{{1,8}}?){_END}",
            _where,
        ),
    )
)
