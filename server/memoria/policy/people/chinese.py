"""Whom a Chinese text speaks of: 我妈, 我老婆的妹妹, 小王的孩子, 用户家的狗, 女儿.

The text is read as a row of persons, pronouns and relations. What stands between two of them tells
whether the second belongs to the first: nothing, 的, 家, 家的. What one says or asks (我说过…,
提醒我…) is about somebody else.
"""

import re
from functools import cache

from memoria.bare.lazy_regex import lazy_regex
from memoria.graph import lexicon as known
from memoria.policy.people.kinship import Relation, chinese_words, is_kin_or_pet
from memoria.policy.people.persons import USER, People, Person
from memoria.text.name import name_key

_HAN = "一-鿿"
_NO_GIVEN = (
    "的家对在是和跟与叫说吃喝有住养开也都不没会要想去了着过什怎几哪今每最喜讨爱只很就又常从给把被"
)
_GIVEN = f"(?:(?![{_NO_GIVEN}])[{_HAN}])"
_NAME_ENDS = rf"(?=[{_NO_GIVEN}做当学读写买卖教打玩跑，。、？！；：,.!?;:（()）\s]|$)"
_FOREIGN = (
    "安娜玛丽约翰汤姆杰克莎鲍勃艾米亚伦迈尔露西苏珊卡罗琳黛薇尼可菲利普大卫彼得保马修"
    "卢斯蒂芬德温蕾妮索伯特理查弗兰凯瑟伊芙简珍洛奥托本诺拉"
)
"""Characters that foreign names are written with."""
_LINK = lazy_regex(
    r"(?:们)?(?:养了?|有了?|家里?|身边){0,2}的?(?:那|这|一|两|什么|哪|几)?(?:个|只|条|位|匹)?(?:最?好的|亲)?"
)
_NO_PERSON = known.NAMELESS | known.CITIES | known.NO_PLACES | known.PRODUCTS
_AND = lazy_regex(r"[和与跟、及]|以及|还有")
_ELDER = {"大": "elder", "老": None, "小": "younger", "二": "younger", "三": None}
_PAIRS = frozenset(
    {("mother", "father"), ("brother", "sister"), ("son", "daughter"), ("wife", "husband")}
    | {("grandfather", "grandmother"), ("uncle", "aunt"), ("mother-in-law", "father-in-law")}
)


@cache
def _pattern() -> re.Pattern[str]:
    """One expression for all that is looked for; the longest relation first."""
    relations = "|".join(sorted(chinese_words(), key=lambda word: (-len(word), word)))
    surname = f"(?:{'|'.join(known.COMPOUND_SURNAMES_ZH)}|[{known.SURNAMES_ZH}])"
    kin = (word for word, found in chinese_words().items() if is_kin_or_pet(found.relation.name))
    ends = rf"(?:{_NAME_ENDS}|(?={'|'.join(word for word in kin if len(word) > 1)}))"
    han_name = rf"(?:[小老阿]{_GIVEN}|{surname}{_GIVEN}{{1,2}}?|[{_FOREIGN}]{{2,4}}){ends}"
    return re.compile(
        r"(?P<skip>母亲节|父亲节|小朋友|老板娘|老师傅|热狗|熊猫|小孩子气|家长|兄弟们|[狗猫][粮窝砂绳咖]"
        r"|女儿国|儿童|动物园)"
        r"|(?P<speech>我(?:[跟和对]你|之前|以前|曾经?|有没有|是不是|好像|已经|刚才|上次|想|要|也|不|是"
        r"|都|还|跟|和|怎么){0,3}(?:说|讲|提[过到起]|告诉|记得|记住|觉得|认为|以为|知道|听[说到]|忘|问"
        r"|猜|怀疑)|(?:告诉|提醒)我|(?:[跟和]|帮|给)我(?:说|讲|看|查|回忆|想想))"
        r"|(?P<joint>家里?人|全家|大家|所有人|亲戚|谁家|家里谁|我们?家谁|我们谁|谁[对在会的]|我们家谁|哪些人)"
        r"|(?P<deed>预订|订了|预约|安排|寄了|送[给了]|带我|陪我|推荐|邀请|约了|开了|喂|给.{1,4}[买看洗打]|带.{1,4}[去看])"
        r"|(?P<me>我们|咱们|我|俺|咱|本人)|(?P<user>用户)|(?P<you>你们|你|您)"
        r"|(?P<third>[他她它]们?)"
        rf"|(?P<which>[大小二三老])??(?P<relation>{relations})(?!节)"
        rf"|(?:(?<![{_HAN}])|(?<=[和跟与给问找叫是请帮]))(?P<name>{han_name})"
        r"|(?<![A-Za-z])(?P<latin>[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?)(?![A-Za-z])"
    )


_IS_MINE = lazy_regex(r"是(?:我|用户)们?家?的?$")
_CALLED = lazy_regex(rf"(?:的名字)?(?:叫做?|名叫|是)?\s?(?P<name>[小老阿]{_GIVEN}|[A-Z][a-z]+|"
                     rf"[{known.SURNAMES_ZH}]{_GIVEN}{{1,2}}){_NAME_ENDS}")  # fmt: skip
_INTRODUCED = lazy_regex(
    rf"(?:的名字)?(?:叫做?|名叫|是叫)\s?(?P<name>{_GIVEN}{{2,3}}|[A-Z][a-z]+){_NAME_ENDS}"
)


def read_chinese(text: str, speaker: str | None, listener: str | None) -> People:
    """Whom a Chinese text speaks of. For its arguments see `read_english`."""
    return _ChineseReader(text, speaker, listener).read()


class _ChineseReader:
    """Reads one text."""

    def __init__(self, text: str, speaker: str | None, listener: str | None) -> None:
        self._text = text
        self._speaker, self._listener = speaker, listener
        self._persons: list[Person] = []
        self._is_open = self._is_joint = False
        self._last: Person | None = None
        """The one who may own what follows; not yet taken down."""
        self._before: Person | None = None
        """Whose relative was taken down last, for 我妈和我爸 and 我的儿子和女儿."""
        self._end = 0

    def read(self) -> People:
        """Read all that is found."""
        for match in _pattern().finditer(self._text):
            kind = match.lastgroup
            if kind in ("skip", "speech"):
                self._close()
            elif kind == "joint":
                self._is_joint = True
            elif kind == "deed":
                self._is_open = True
            elif kind == "relation":
                self._read_relation(match)
            else:
                self._close()
                self._last = self._read_person(match)
                self._end = match.end()
        self._close()
        return People(tuple(dict.fromkeys(self._persons)), self._is_open, self._is_joint)

    def _close(self) -> None:
        """Take down whoever has been read to the end."""
        if self._last is not None:
            self._persons.append(self._last)
        self._last = None

    def _read_person(self, match: re.Match[str]) -> Person | None:
        """A pronoun or a name."""
        kind, words = match.lastgroup, match[0]
        if kind == "third":
            return self._antecedent("m" if words[0] == "他" else "f")
        if kind in ("name", "latin"):
            return None if _is_no_name(words) else Person(name_key(words))
        root = {"me": self._speaker, "user": USER, "you": self._listener}[str(kind)]
        if root is None:
            return None
        introduced = _INTRODUCED.match(self._text, match.end())
        called = name_key(introduced["name"]) if introduced and kind != "you" else None
        return Person(root, (), called)

    def _antecedent(self, wanted: str) -> Person | None:
        for person in reversed(self._persons):
            if person.gender in ("-", wanted) and (person.path or person.root != self._speaker):
                return person
        self._is_open = True
        return None

    def _read_relation(self, match: re.Match[str]) -> None:
        found = chinese_words()[match["relation"]]
        which = found.relation.which or _ELDER.get(match["which"] or "")
        relation = Relation(found.relation.name, which)
        owner = self._owner(match, relation)
        follows = self._text[match.end() : match.end() + 1]
        is_own = not found.needs_owner or (follows == "家" and not is_kin_or_pet(relation.name))
        if owner is None and is_own and self._speaker is not None:
            owner = Person(self._speaker)
        if owner is None:
            return
        named = self._name_before(match)
        if self._last is not None and self._last != owner:
            self._close()
        person = owner.relative(relation)
        beside = _CALLED.match(self._text, match.end())
        if beside is not None and not _is_no_name(beside["name"]):
            person = Person(person.root, person.path, name_key(beside["name"]))
        if named is not None:
            person = Person(person.root, person.path, named)
        self._last, self._before, self._end = person, owner, match.end()

    def _name_before(self, match: re.Match[str]) -> str | None:
        """The name of whom the text says that they are this relative: 小明是我弟弟."""
        is_told = _IS_MINE.search(self._text[: match.start()])
        if is_told is None or not self._persons or self._persons[-1].name is None:
            return None
        return self._persons.pop().name

    def _owner(self, match: re.Match[str], relation: Relation) -> Person | None:
        """Whose relative it is, by what stands before it."""
        gap = self._text[self._end : match.start()]
        if self._last is None:
            return None
        if _AND.fullmatch(gap):
            return self._before
        if not _LINK.fullmatch(gap):
            return None
        if not gap and self._last.path:
            pair = (self._last.path[-1].name, relation.name)
            if pair in _PAIRS or pair[::-1] in _PAIRS:
                return self._before  # 爸爸妈妈
        return self._last


def _is_no_name(words: str) -> bool:
    is_common = words[:2] in known.NO_NAMES_ZH or words in known.CITIES_ZH
    return is_common or words.split(maxsplit=1)[0] in _NO_PERSON
