"""The plain statements that rules understand, each read as a whole clause, in both languages."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memoria.model.memory import MemoryType


@dataclass(frozen=True, slots=True)
class Draft:
    """What a clause says."""

    type: MemoryType
    content: str
    subject: str
    predicate: str


def english(text: str) -> Draft | None:
    """What an English sentence states, or None."""
    return _first(_ENGLISH, text)


def chinese(text: str) -> Draft | None:
    """What a Chinese sentence states, or None."""
    return _first(_CHINESE, text)


def english_note(text: str) -> Draft | None:
    """What somebody wants remembered, in their words; None if it points elsewhere."""
    if not _TELLING.match(text) or _POINTING_NOTE.match(text):
        return None
    return Draft(MemoryType.FACT, f'The user asks to remember: "{text}."', "user", "note")


def chinese_note(text: str) -> Draft | None:
    """The same in Chinese."""
    if not _TELLING_ZH.match(text) or _POINTING_ZH.match(text):
        return None
    return Draft(MemoryType.FACT, f"用户要求记住：“{text}。”", "用户", "备注")


@dataclass(frozen=True, slots=True)
class _Phrase:
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Draft | None]


def _first(rules: tuple[_Phrase, ...], text: str) -> Draft | None:
    """What the first phrase that fits makes of the text."""
    for phrase in rules:
        match = phrase.pattern.match(text)
        if match:
            return phrase.read(match)
    return None


# English

_LEAD = r"""(?:(?:please|pls|ok(?:ay)?|and|also|but|so|oh|hey|hi|hello|btw|by\sthe\sway|fyi|well|yes
    |no|actually|personally|honestly|in\sgeneral|generally|for\sthe\srecord|note)\b[\s,:;—-]*){0,3}"""
_END = r"(?P<rest>\s*(?:,|\s[-–—]\s|\b(?:because|since|but|so|though|although|and\si)\b).*)?$"
_ITEM = r"(?!(?:but|so|and|which|it|i|as)\b)[\w'’-]+(?:\s[\w'’-]+){0,3}"
_LIST = rf"(?:(?:,\s{_ITEM}){{1,8}},?\s(?:and|or)\s{_ITEM})?"
_OBJECT = rf"(?P<object>[^,;:!?()]{{2,100}}?{_LIST}){_END}"
_VERBS = {
    "prefer": "prefers",
    "like": "likes",
    "love": "loves",
    "hate": "hates",
    "dislike": "dislikes",
    "enjoy": "enjoys",
    "adore": "adores",
    "detest": "detests",
}
_PERSON = re.compile(r"(?i)\b(?:i|me|my|mine|myself|we|us|our|ours|you|your|yours)\b")
# What it points to stands elsewhere, or it holds for the moment.
_POINTING = re.compile(
    r"""(?xi)(?:it|this|that|these|those|them|they|him|her|he|she|you|your|yours|the|both|all|either
    |neither|some|one|how|what|when|where|why|who|seeing|hearing|to\s(?:see|hear|know|think|say|go\sthere)
    |being\s(?:there|here|able)|such|so|everything|anything|nothing|here|there)\b"""
)
_POINTING_NOTE = re.compile(
    r"(?i)(?:it|this|that|these|those|them|you|your|he|she|they|what|when|where|why|who|how)\b"
)
_PASSING = re.compile(
    r"(?i)\b(?:today|tonight|right now|at the moment|for now|this time|just now|ones?|either|if"
    r"|th[eo]se|unless|when|while|until)\b"
)
_ALSO = re.compile(r"(?i)\s(?:as\swell|too|also)$")
_TELLING = re.compile(r"[^\W\d_]\S*(?:\s+\S+){2,}")


def _plain(text: str | None) -> str | None:
    """An object that stands by itself, else None."""
    told = _ALSO.sub("", (text or "").strip(" '’\"“”."))
    return None if len(told) < 2 or _POINTING.match(told) or _PASSING.search(told) else told  # noqa: PLR2004 (a letter is no object)


def _said(kind: MemoryType, said: str, told: str, subject: str, predicate: str) -> Draft:
    """In the third person, or in the speaker's words where a pronoun would have to be turned."""
    content = f'The user says: "{said.strip()}."' if _PERSON.search(told) else f"The user {told}."
    return Draft(kind, content, subject, predicate)


def _likes(match: re.Match[str]) -> Draft | None:
    told = _plain(match["object"])
    if told is None or match["verb"].isupper():  # "I just LOVE early meetings"
        return None
    verb = match["verb"].lower()
    phrase = f"does not {verb} {told}" if match["not"] else f"{_VERBS[verb]} {told}"
    return _said(MemoryType.PREFERENCE, match[0], phrase, "user", "preference")


def _is(match: re.Match[str]) -> Draft | None:
    told = _plain(match["object"])
    if told is None:
        return None
    kind = "allergy" if match["what"].lower().endswith("allergic to") else "diet"
    return _said(MemoryType.FACT, match[0], f"is {match['what'].lower()} {told}", "user", kind)


def _diet(match: re.Match[str]) -> Draft:
    return Draft(MemoryType.PREFERENCE, f"The user is {match['what']}.", "user", "diet")


def _abstains(match: re.Match[str]) -> Draft | None:
    told = _plain(match["object"])
    if told is None:
        return None
    phrase = f"does not {match['verb'].lower()} {told}"
    return _said(MemoryType.PREFERENCE, match[0], phrase, "user", "diet")


def _name(match: re.Match[str]) -> Draft:
    return Draft(MemoryType.FACT, f"The user's name is {match['name']}.", "user", "name")


def _called(match: re.Match[str]) -> Draft:
    content = f"The user wants to be called {match['name']}."
    return Draft(MemoryType.RULE, content, "user", "form of address")


def _favourite(match: re.Match[str]) -> Draft | None:
    told, what = _plain(match["object"]), match["what"].lower()
    if told is None:
        return None
    phrase = f"The user's favourite {what} is {told}."
    content = f'The user says: "{match[0].strip()}."' if _PERSON.search(told) else phrase
    return Draft(MemoryType.PREFERENCE, content, "user", f"favourite {what}")


def _ordered(match: re.Match[str]) -> Draft | None:
    order = match["order"].strip()
    if _PASSING.search(order):
        return None
    predicate = "answer language" if _LANGUAGE.search(order) else "rule"
    return Draft(MemoryType.RULE, f'The user asks: "{order}."', "assistant", predicate)


_LANGUAGE = re.compile(
    r"""(?xi)\b(?:answer|reply|respond|write|speak|talk)\b(?:\sto)?(?:\sme)?(?:\sonly)?\s(?:in\s)?
    (?:english|german|french|spanish|italian|portuguese|dutch|russian|japanese|korean|chinese|mandarin)\b
    | (?:用|说|讲|写).{0,2}(?:中文|英文|英语|汉语|普通话|日语|日文|德语|法语|西班牙语|韩语)"""
)
_TO_DO = r"""(?:answer|reply|respond|use|write|call|address|ask|run|commit|push|format|explain
    |include|add|show|keep|cite|speak|talk|translate|make|suggest|mention|create|install|assume|wrap
    |put|start|end|test|check|delete|log|share|send|open|round|quote|indent)"""

REMEMBER = re.compile(
    rf"""(?xi){_LEAD}(?:remember|memori[sz]e|keep\sin\smind|bear\sin\smind|do\s?n[o'’]t\sforget|note
    |make\sa\snote|never\sforget)
    (?:\sthat\b|\s?:|,(?=.*\b(?:i|me|my|we|us|our)\b)|(?=\s(?:i['’]?m?|i['’]ve|my|we|our)\b))\s*"""
)
_ENGLISH = tuple(
    _Phrase(re.compile(rf"(?xi){_LEAD}{pattern}"), read)
    for pattern, read in (
        (
            rf"""i\s(?:(?:really|absolutely|generally|usually|always|also|truly|much|just|do|still)\s){{0,2}}
            (?P<not>)(?P<verb>prefer|like|love|hate|dislike|enjoy|adore|detest)\s{_OBJECT}""",
            _likes,
        ),
        (
            rf"""i\s(?P<not>do\s?n[o'’]t|do\snot)\s(?:really\s|much\s)?(?P<verb>like|enjoy)\s{_OBJECT}""",
            _likes,
        ),
        (rf"(?:i['’]?m|i\sam)\s(?:also\s)?(?P<what>(?:\w+ly\s)?allergic\sto)\s{_OBJECT}", _is),
        (rf"(?:i['’]?m|i\sam)\s(?:an?\s)?(?P<what>vegan|vegetarian|pescatarian){_END}", _diet),
        (
            rf"""i\s(?:do\s?n[o'’]t|do\snot|never)\s(?P<verb>eat|drink)\s{_OBJECT}""",
            _abstains,
        ),
        (
            r"""my\sname(?:\sis|['’]s)\s["“]?(?P<name>(?-i:[A-Z])[\w'’.-]{0,30}(?:\s(?-i:[A-Z])[\w'’.-]{0,30}){0,2})
            ["”]?(?=\s*(?:,|$|\band\b))""",
            _name,
        ),
        (
            r"""(?:you\scan\s|just\s|please\s){0,2}call\sme\s["“]?(?P<name>(?-i:[A-Z])[\w'’.-]{0,30})["”]?
            (?=\s*(?:,|$|\b(?:please|from|instead)\b))""",
            _called,
        ),
        (
            rf"my\s(?:all[ -]time\s)?favou?rite\s(?P<what>\w+(?:\s\w+)?)\sis\s{_OBJECT}",
            _favourite,
        ),
        (rf"(?P<order>(?:always|never)\s{_TO_DO}\s.{{3,200}})$", _ordered),
        (r"(?P<order>from\snow\son,?\s(?!i\b|we\b|he\b|she\b|they\b|it\b).{6,200})$", _ordered),
        (rf"(?P<order>{_TO_DO}\s.{{3,200}}\sfrom\snow\son)$", _ordered),
    )
)

# Chinese

_LEAD_ZH = (
    r"(?:(?:请|麻烦|对了|还有|另外|嗯|哦|好的?|其实|那|顺便说一下|说实话|总之)[，,、\s]*){0,3}"
)
_END_ZH = r"(?P<rest>[，,；;].*|(?:因为|所以|但是?|不过|可是).*)?$"
_OBJECT_ZH = rf"(?P<object>[^，,；;：:（）()\s]{{1,40}}?){_END_ZH}"
_PERSON_ZH = re.compile(r"[我你您咱俺]")
_POINTING_ZH = re.compile(r"[这那它他她]|你|您|什么|怎么|哪|谁|上面|下面|刚才|以上|一下|就是|看看")
_PASSING_ZH = re.compile(r"今天|今晚|现在|这次|暂时|刚刚|这会儿|此刻|[吗呢吧嘛啊呀]$|了$|过$")
_TELLING_ZH = re.compile(r".{4,}")


def _plain_zh(text: str | None) -> str | None:
    told = (text or "").strip(' ，。“”"')
    return None if not told or _POINTING_ZH.match(told) or _PASSING_ZH.search(told) else told


def _said_zh(kind: MemoryType, said: str, told: str, predicate: str) -> Draft:
    content = f"用户说：“{said.strip()}。”" if _PERSON_ZH.search(told) else f"用户{told}。"
    return Draft(kind, content, "用户", predicate)


def _stated_zh(kind: MemoryType, predicate: str) -> Callable[[re.Match[str]], Draft | None]:
    def read(match: re.Match[str]) -> Draft | None:
        told = _plain_zh(match["object"])
        if told is None:
            return None
        return _said_zh(kind, match[0], match["before"] + told + match["after"], predicate)

    return read


def _name_zh(match: re.Match[str]) -> Draft:
    return Draft(MemoryType.FACT, f"用户的名字是{match['name']}。", "用户", "姓名")


def _called_zh(match: re.Match[str]) -> Draft:
    return Draft(MemoryType.RULE, f"用户希望被称呼为{match['name']}。", "用户", "称呼")


def _ordered_zh(match: re.Match[str]) -> Draft | None:
    order = match["order"].strip()
    predicate = "回答语言" if _LANGUAGE.search(order) else "规则"
    if order.endswith(("吗", "呢", "了")):
        return None
    return Draft(MemoryType.RULE, f"用户要求：“{order}。”", "助手", predicate)


REMEMBER_ZH = re.compile(
    rf"""(?x){_LEAD_ZH}(?:你?(?:一定)?要)?(?:帮我)?(?:记住(?!了|啦|没)|记一下|记下(?!来了)|牢记|别忘了|不要忘了|别忘记|不要忘记
    |记得(?=我|：|:|，|,))[，,：:\s]*"""
)
_CHINESE = tuple(
    _Phrase(re.compile(rf"(?x){_LEAD_ZH}{pattern}"), read)
    for pattern, read in (
        (
            rf"""我(?:个人)?(?P<before>(?:一直|从小|最|很|特别|非常|比较|更|超级?|真的|也|都|就|挺|蛮|不太|不怎么|不){{0,2}}
            (?:喜欢|讨厌|偏爱|热爱|爱(?=[吃喝看听玩用穿])|受不了)){_OBJECT_ZH}(?P<after>)""",
            _stated_zh(MemoryType.PREFERENCE, "喜好"),
        ),
        (
            rf"""我(?P<before>对)(?P<object>[^，,；;：:（）()\s]{{1,20}}?)(?P<after>(?:也|都|很|严重)?过敏){_END_ZH}""",
            _stated_zh(MemoryType.FACT, "过敏"),
        ),
        (
            rf"我(?P<before>(?:从来|一直|也|都)?不[吃喝碰])(?![了饭下惯完到起过]){_OBJECT_ZH}(?P<after>)",
            _stated_zh(MemoryType.PREFERENCE, "饮食"),
        ),
        (
            rf"我(?:一直)?(?P<before>)(?P<object>吃素|吃斋|是素食(?:主义)?者?)(?P<after>)(?:的)?{_END_ZH}",
            _stated_zh(MemoryType.PREFERENCE, "饮食"),
        ),
        (
            r"""(?:我叫(?![他她你了做上住车外来醒苦停我它不个])|我的?名字(?:是|叫))[“"]?
            (?P<name>[一-鿿]{2,4}|[A-Z][A-Za-z]{1,20})[”"]?(?=[，,]|$)""",
            _name_zh,
        ),
        (
            r"""(?:以后|你|可以|都|就|直接){0,3}叫我(?![做去来回滚别不们把帮给先怎起])[“"]?
            (?P<name>[一-鿿]{1,4}?|[A-Z][A-Za-z]{1,20})[”"]?(?:就行|就好|就可以|即可|吧|好了)?(?=[，,]|$)""",
            _called_zh,
        ),
        (
            r"""(?P<order>(?:(?:从现在起|从现在开始|从今以后|今后)[，,]?(?!我|他|她|你会|它).{3,100}
            |以后(?:都|请|别|不要|只|统一|一律|每次|尽量|就?用|回答|回复|给我|写)(?!是|会|能|有|没).{2,100}))$""",
            _ordered_zh,
        ),
    )
)
