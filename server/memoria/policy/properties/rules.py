"""Rules for the assistant: one topic, one value.

"Always answer in English" and 以后都用中文回答 are two values of one topic. A rule that holds only
at a place or on a condition is about another topic, because what is left of its words is part of
the topic's key.
"""

from dataclasses import dataclass

from memoria.policy.properties.base import ON_CONDITION, Property
from memoria.policy.properties.keys import ASSISTANT, USER
from memoria.text.pattern import LazyPattern
from memoria.text.statement import canonical_form

_LANGUAGES = {
    "english": "英文|英语",
    "chinese": "中文|汉语|普通话|mandarin|华语",
    "german": "德文|德语",
    "french": "法文|法语",
    "spanish": "西班牙语|西班牙文|西语",
    "japanese": "日文|日语",
    "korean": "韩文|韩语",
    "russian": "俄文|俄语",
    "italian": "意大利语|意大利文",
    "portuguese": "葡萄牙语|葡语",
    "dutch": "荷兰语",
    "polish": "波兰语",
    "czech": "捷克语",
    "greek": "希腊语",
    "arabic": "阿拉伯语",
    "cantonese": "粤语|广东话",
    "hindi": "印地语",
    "hebrew": "希伯来语",
    "thai": "泰语|泰文",
}
_LANGUAGE_KEYS = {
    word: key for key, others in _LANGUAGES.items() for word in (key, *others.split("|"))
}
_LANGUAGE = (
    "|".join(sorted(_LANGUAGE_KEYS, key=len, reverse=True))
    + r"|(?-i:[A-Z][a-z]+(?:ish|ian|ese|ic))\b|(?![术成敬口母俚用])[一-鿿]{1,4}语"
)
_LENGTH = "long|short|brief|concise|terse|detailed|verbose|thorough"
_BRIEFLY = r"briefly|concisely|tersely|in\s(?:one|a)\s(?:single\s)?sentence|in\sshort"
_AT_LENGTH = r"in\s(?:great(?:er)?\s|full\s|more\s)?detail|at\slength|thoroughly|in\sdepth"
_TEST_RUNNER = "pytest|unittest|nose|jest|vitest|mocha|tox"
_PACKAGE_MANAGER = "npm|yarn|pnpm|bun|pip|uv|poetry|conda"
_TONE = "formal|informal|casual|friendly|polite|professional|direct"


@dataclass(frozen=True, slots=True)
class _Topic:
    """What a rule is about, and how its value is recognised."""

    name: str
    pattern: LazyPattern


_TOPICS = tuple(
    _Topic(name, LazyPattern(rf"(?xi){pattern}"))
    for name, pattern in (
        (
            "commit_language",
            rf"""(?:write\s)?commit\smessages?\s(?:are\s|must\sbe\s|should\sbe\s)?(?:written\s)?in\s
            (?P<value>{_LANGUAGE})
            |提交(?:信息|说明|记录)?用(?P<value2>{_LANGUAGE})写?""",
        ),
        (
            "comment_language",
            rf"""(?:write\s)?(?:code\s)?comments\s(?:are\s|must\sbe\s)?(?:written\s)?in\s
            (?P<value>{_LANGUAGE})
            |(?:代码)?注释用(?P<value2>{_LANGUAGE})写?""",
        ),
        (
            "answer_language",
            rf"""(?:answer|reply|respond|speak|talk|write|communicate)(?:\s(?:to\s|with\s)?(?:the\suser|me))?
            (?:\sonly)?\s(?:in\s)?(?P<value>{_LANGUAGE})
            |(?:answers|replies|responses)(?:\s(?:should|must)\sbe|\sare)?\sin\s(?P<value3>{_LANGUAGE})
            |(?:use|switch\sto)\s(?P<value4>{_LANGUAGE})(?=\s*$|\sfor\s(?:answers|replies))
            |[用说讲](?P<value2>{_LANGUAGE})(?:来?(?:回答|回复|交流|答复|沟通|写|说话))?""",
        ),
        (
            "answer_length",
            rf"""(?:answer|reply|respond|explain(?:\sthings)?)\s(?P<value3>{_BRIEFLY}|{_AT_LENGTH})\b
            |(?:(?:keep|make|give|write|prefer|want|be)\s)?(?:your\s|the\s|all\s)?
            (?:(?:answers?|replies|responses?|it)\s)?(?:should\sbe\s)?
            (?P<value>\b(?:{_LENGTH})\b(?:,?\s(?:and\s)?(?:{_LENGTH})\b)*)(?:\s(?:answers?|replies|responses?))?
            |(?:回答|回复|答复)?(?:要|得|请|应该?)?(?:尽量|更)?
            (?P<value2>简短|简洁|简单|短|详细|长|详尽)(?:一点|一些|些)?(?:的?(?:回答|回复))?""",
        ),
        (
            "form_of_address",
            r"""(?:call|address)\s(?:me|the\suser)\s(?:as\s)?(?P<value>[^,]+)
            |(?:以后)?(?:请|都|就)?(?:叫|称呼)(?:我|用户)(?:为)?(?P<value2>[^,就]+?)(?:就行|就好|吧)?$""",
        ),
        (
            "units",
            r"""use\s(?P<value>metric|imperial)(?:\s(?:units|system))?
            |用(?P<value2>公制|英制)(?:单位)?""",
        ),
        (
            "temperature",
            r"""use\s(?:degrees\s)?(?P<value>celsius|fahrenheit)
            |用(?P<value2>摄氏度?|华氏度?)""",
        ),
        (
            "date_format",
            r"""(?:(?:write|format|use)\s)?(?:the\s|all\s)?(?:dates?\s)?(?:(?:as|in|like)\s)?
            (?P<value>[DMY]{2,4}[-/.][DMY]{2}[-/.][DMY]{2,4})(?:\sfor\sdates)?
            |日期(?:写成|用|格式是?)(?P<value2>\S+)""",
        ),
        (
            "time_format",
            r"""use\s(?:the\s)?(?P<value>(?:12|24)[-\s]hour)(?:\s(?:clock|format|time))?
            |用(?P<value2>(?:12|24)小时制)""",
        ),
        (
            "indentation",
            r"""(?:use|indent\swith|prefer)\s(?P<value>tabs?|(?:\w+\s)?spaces?)
            (?:\s(?:for|to)\s(?:indentation|indenting|indent))?
            |用(?P<value2>制表符|tab|[\w一二三四两]*个?空格)(?:来?缩进)?|缩进用(?P<value3>\S+)""",
        ),
        (
            "quotes",
            r"""(?:use|prefer)\s(?P<value>single|double)\squotes(?:\sin\scode)?
            |用(?P<value2>单引号|双引号)""",
        ),
        (
            "test_runner",
            rf"""(?:use|run)\s(?P<value>{_TEST_RUNNER})
            (?:\s(?:to\srun|for|as)\s(?:the\s)?(?:unit\s)?(?:tests?|testing|test\srunner))?
            |用(?P<value2>{_TEST_RUNNER})(?:来?(?:跑|运行|做)?测试)?""",
        ),
        (
            "package_manager",
            rf"""use\s(?P<value>{_PACKAGE_MANAGER})
            (?:\s(?:as|for)\s(?:the\s)?(?:packages?|dependencies|package\smanager))?
            |用(?P<value2>{_PACKAGE_MANAGER})(?:管理依赖|装包)?""",
        ),
        (
            "answer_tone",
            rf"""(?:be|sound|use\san?|write\sin\san?|keep\san?)\s(?P<value>{_TONE})(?:\stone)?
            |(?:语气)?(?:要|用)?(?P<value2>正式|随意|轻松|友好|礼貌)(?:一点|些|的语气)""",
        ),
        ("spelling", r"(?:use|write)\s(?:in\s)?(?P<value>british|american)\s(?:english|spelling)"),
        (
            "theme",
            r"""use\s(?:the\s)?(?P<value>dark|light)\s(?:mode|theme)
            |用(?P<value2>深色|浅色)(?:模式|主题)""",
        ),
    )
)
_SHORT = LazyPattern(rf"(?xi)short|brief|concise|terse|{_BRIEFLY}|简短|简洁|简单|短")
_FOR_ALL_TIME = LazyPattern(
    r"""(?xi),?\s(?:instead\sof|rather\sthan|and\snot|not)\s\w+[.!]?$|,?(?:而不是|不用|不要用)\w+[。!]?$
    |[\s,]*\b(?:from\snow\son|in\s(?:the\s)?future|please|instead|again|any\s?more|always
    |you\s(?:may|can|should))\b
    |以后|从现在起|从现在开始|今后|从今以后|请"""
)
_FILLER = LazyPattern(
    r"""(?xi)\b(?:always|never|please|from\snow\son|do|not|the|a|an|all|your|to|me|only|every|use|just|now|instead
    |should|must|assistant|you|in\sthe\sfuture|everything|again|user|user's|of|answers?|replies|wants?|prefers?|any\s?more)\b
    |以后|从现在起|从现在开始|今后|从今以后|都|请|统一|一律|每次|只|就|要|一点|了|吧|回答|回复|时|改|现在|尽量|用户|希望|不要|别|不"""
)
_DENIED = LazyPattern(r"(?i)\b(?:not|never|no|stop|avoid|without)\b|不要|别(?!人)|不|停止|禁止")


def read_rule(text: str) -> tuple[Property, ...]:
    """The property of a rule whose topic is known; empty for any other."""
    plain = _FOR_ALL_TIME.regex.sub(" ", text)
    for topic in _TOPICS:
        match = topic.pattern.regex.search(plain)
        if match is None:
            continue
        value = next(found for found in match.groupdict().values() if found)
        left = plain[: match.start()] + " " + plain[match.end() :]
        restriction = _restriction(left)
        predicate = f"{topic.name}{ON_CONDITION}{restriction}" if restriction else topic.name
        subject = USER if topic.name == "form_of_address" else ASSISTANT
        affirmed = not _DENIED.regex.search(left)
        return (Property(subject, predicate, _plain_value(topic.name, value), True, affirmed),)
    return ()


def _restriction(left: str) -> str:
    """What is left of a rule beside topic and value: where, when or of what it holds."""
    rest = _FILLER.regex.sub(" ", left)
    return canonical_form(rest) if any(map(str.isalnum, rest)) else ""


def _plain_value(topic: str, value: str) -> str:
    plain = canonical_form(value)
    if topic == "answer_length":
        return "short" if _SHORT.regex.search(value) else "long"
    return _LANGUAGE_KEYS.get(plain.replace(" ", ""), plain)
