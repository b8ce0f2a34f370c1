"""Plain statements in Chinese."""

import re
from collections.abc import Callable

from memoria.bare.lazy_regex import lazy_regex
from memoria.model.memory_types import MemoryType
from memoria.policy.phrases.base import Language, ParsedStatement, Phrase, of_many
from memoria.policy.phrases.moment import is_outlook
from memoria.text.pattern import LazyPattern

_LANGUAGE = lazy_regex(
    r"[用说讲写].{0,2}(?:中文|英[文语]|汉语|普通话|日[语文]|[德法]语|西班牙语|韩语)"
)
_LEAD = r"(?:(?:请|麻烦|对了|还有|另外|嗯|哦|好的?|其实|那|顺便说一下|说实话|总之)[，,、\s]*){0,3}"
_END = r"(?P<rest>[，,；;].*|(?:因为|所以|但是?|不过|可是).*)?$"
_OBJECT = rf"(?P<object>[^，,；;：:（）()\s]{{1,40}}?){_END}"
_PERSON = lazy_regex(r"[我你您咱俺]")
_POINTING = lazy_regex(r"[这那它他她]|你|您|什么|怎么|哪|谁|上面|下面|刚才|以上|一下|就是|看看")
_PASSING = lazy_regex(r"今天|今晚|现在|这次|暂时|刚刚|这会儿|此刻|[吗呢吧嘛啊呀]$|了$|过$")
_TELLING = lazy_regex(r".{4,}")


def _plain(text: str | None) -> str | None:
    clause = (text or "").strip(' ，。“”"')
    return None if not clause or _POINTING.match(clause) or _PASSING.search(clause) else clause


def _statement(kind: MemoryType, words: str, clause: str, predicate: str) -> ParsedStatement:
    content = f"用户说：“{words.strip()}。”" if _PERSON.search(clause) else f"用户{clause}。"
    return ParsedStatement(kind, content, "用户", predicate)


def _statement_reader(
    kind: MemoryType, predicate: str
) -> Callable[[re.Match[str]], ParsedStatement | None]:
    def read(match: re.Match[str]) -> ParsedStatement | None:
        clause = _plain(match["object"])
        if clause is None:
            return None
        return _statement(
            kind, match[0], match["before"] + clause + match["after"], of_many(predicate, clause)
        )

    return read


def _name(match: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(MemoryType.FACT, f"用户的名字是{match['name']}。", "用户", "姓名")


def _form_of_address(match: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(MemoryType.RULE, f"用户希望被称呼为{match['name']}。", "用户", "称呼")


def _home(match: re.Match[str]) -> ParsedStatement | None:
    clause = _plain(match["object"])
    if clause is None:
        return None
    return _statement(MemoryType.FACT, match[0], f"住在{clause}", "居住地")


def _workplace(match: re.Match[str]) -> ParsedStatement | None:
    clause = _plain(match["object"])
    if clause is None:
        return None
    phrase = f"在{clause}{match['works']}"
    return _statement(MemoryType.FACT, match[0], phrase, "工作")


def _comparison(match: re.Match[str]) -> ParsedStatement | None:
    more, less = _plain(match["object"]), _plain(match["less"])
    if more is None or less is None:
        return None
    phrase = f"更喜欢{more}而不是{less}"
    return _statement(MemoryType.PREFERENCE, match[0], phrase, of_many("喜好", more))


def _order(match: re.Match[str]) -> ParsedStatement | None:
    order = match["order"].strip()
    predicate = "回答语言" if _LANGUAGE.search(order) else of_many("规则", order)
    if order.endswith(("吗", "呢", "了")) or is_outlook(order):
        return None
    return ParsedStatement(MemoryType.RULE, f"用户要求：“{order}。”", "助手", predicate)


_REMEMBER = LazyPattern(
    rf"""(?x){_LEAD}(?:你?(?:一定)?要)?(?:帮我)?(?:记住(?!了|啦|没)|记一下|记下(?!来了)|牢记|别忘了|不要忘了|别忘记|不要忘记
    |记得(?=我|：|:|，|,))[，,：:\s]*"""
)
_ANYTHING = LazyPattern("")
_PHRASES = tuple(
    Phrase(LazyPattern(rf"(?x){_LEAD}{pattern}"), read)
    for pattern, read in (
        (
            rf"""我(?:个人)?(?P<before>(?:一直|从小|最|很|特别|非常|比较|更|超级?|真的|也|都|就|挺|蛮|不太|不怎么|不){{0,2}}
            (?:喜欢|讨厌|偏爱|热爱|爱(?=[吃喝看听玩用穿])|受不了)){_OBJECT}(?P<after>)""",
            _statement_reader(MemoryType.PREFERENCE, "喜好"),
        ),
        (
            rf"""我(?P<before>对)(?P<object>[^，,；;：:（）()\s]{{1,20}}?)(?P<after>(?:也|都|很|严重|不)?过敏){_END}""",
            _statement_reader(MemoryType.FACT, "过敏"),
        ),
        (
            rf"我(?P<before>(?:从来|一直|也|都)?不[吃喝碰])(?![了饭下惯完到起过]){_OBJECT}(?P<after>)",
            _statement_reader(MemoryType.PREFERENCE, "饮食"),
        ),
        (
            rf"我(?:一直)?(?P<before>)(?P<object>不?吃素|不?吃斋|不?是素食(?:主义)?者?)(?P<after>)(?:的)?{_END}",
            _statement_reader(MemoryType.PREFERENCE, "饮食"),
        ),
        (
            rf"""我(?:现在|目前|已经|还是?|一直|就){{0,2}}住在(?P<object>[^，,；;：:（）()\s]{{2,20}}?)了?{_END}""",
            _home,
        ),
        (
            rf"""我(?:现在|目前)?在(?!家|努力|认真|拼命|加班|外面|外地|[这那哪]|好好)
            (?P<object>[^，,；;：:（）()\s]{{2,16}}?)(?P<works>上班|工作|任职)了?{_END}""",
            _workplace,
        ),
        (
            rf"""(?:比起|相比)(?P<less>[^，,；;：:（）()\s]{{1,20}}?)[，,]?我(?:还是)?更(?:喜欢|偏爱){_OBJECT}""",
            _comparison,
        ),
        (
            r"""(?:我叫(?!什么|啥|[他她你了做上住车外来醒苦停我它不个])|我的?名字(?:是|叫))[“"]?
            (?P<name>[一-鿿]{2,4}|[A-Z][A-Za-z]{1,20})[”"]?(?=[，,]|$)""",
            _name,
        ),
        (
            r"""(?:以后|你|可以|都|就|直接){0,3}叫我(?![做去来回滚别不们把帮给先怎起])[“"]?
            (?P<name>[一-鿿]{1,4}?|[A-Z][A-Za-z]{1,20})[”"]?(?:就行|就好|就可以|即可|吧|好了)?(?=[，,]|$)""",
            _form_of_address,
        ),
        (
            r"""(?P<order>(?:(?:从现在起|从现在开始|从今以后|今后)[，,]?(?!我|他|她|你会|它|会).{3,100}
            |以后(?:都|请|别|不要|只|统一|一律|每次|尽量|就?用|回答|回复|给我|写)(?!是|会|能|有|没).{2,100}))$""",
            _order,
        ),
    )
)


def _note(text: str) -> ParsedStatement | None:
    if not _TELLING.match(text) or _POINTING.match(text):
        return None
    return ParsedStatement(
        MemoryType.FACT, f"用户要求记住：“{text}。”", "用户", of_many("备注", text)
    )


CHINESE = Language(_REMEMBER, _ANYTHING, _PHRASES, _note)
