"""Extraction rules: a table of patterns that say when a sentence is worth extracting at once.

The patterns are for English and Chinese, and rather miss a sentence than match a wrong one: a
missed turn is still read with its segment, while a wrong match costs a call of the model.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from memoria.bare.lazy_regex import lazy_regex
from memoria.policy.own_words import Sentence
from memoria.text.pattern import LazyPattern


class ExtractionReason(StrEnum):
    """Why a sentence is worth extracting, the most urgent first."""

    REMEMBER = "remember"
    CORRECTION = "correction"
    RULE = "rule"
    PREFERENCE = "preference"
    GOAL = "goal"
    RELATIONSHIP = "relationship"
    IDENTITY = "identity"


@dataclass(frozen=True, slots=True)
class ExtractionRule:
    """A pattern over a sentence in lower case, and the reason to extract it."""

    reason: ExtractionReason
    required_words: frozenset[str]
    """One of these words or Chinese pieces occurs in every sentence that the pattern matches."""
    pattern: LazyPattern
    counts_in_question: bool = False


def applicable_rules(text: str) -> tuple[ExtractionRule, ...]:
    """The rules that may match a sentence of a text, found by their required words alone."""
    words = frozenset(_WORD.findall(text.lower()))
    applicable = [rule for rule in RULES if not words.isdisjoint(rule.required_words)]
    if not text.isascii():
        applicable += [
            rule for rule in RULES_ZH if any(map(text.__contains__, rule.required_words))
        ]
    return tuple(applicable)


def extraction_reasons(
    sentence: Sentence, rules: Sequence[ExtractionRule] | None = None
) -> frozenset[ExtractionReason]:
    """The reasons to extract a sentence; hearsay, conditions and jokes have none.

    Args:
        sentence: in the speaker's own words.
        rules: the applicable ones; all by default.
    """
    text = sentence.text.lower()
    rules = (*RULES, *RULES_ZH) if rules is None else rules
    matching = [rule for rule in rules if rule.pattern.regex.search(text)]
    # Few sentences get so far, so the slower check for hearsay comes last.
    if not matching or sentence.is_doubtful:
        return frozenset()
    counts_in_question = sentence.is_question
    return frozenset(
        rule.reason for rule in matching if rule.counts_in_question or not counts_in_question
    )


def _rule(
    reason: ExtractionReason, required_words: str, pattern: str, *, counts_in_question: bool = False
) -> ExtractionRule:
    return ExtractionRule(
        reason,
        frozenset(required_words.split()),
        LazyPattern(pattern, re.VERBOSE),
        counts_in_question,
    )


_WORD = lazy_regex("[a-z]+")
_LEAD = r"""^\W*(?:(?:please|pls|ok(?:ay)?|and|also|but|so|just|oh|hey|hi|btw|by\sthe\sway
    |one\smore\sthing|sorry|well|yes|no|alright|important|fyi|(?:for|in)\s(?:the\s)?future)
    \b[\s,:;—-]*){0,4}"""
_LEAD_ZH = r"""^\W*(?:(?:请|麻烦|帮我|你|一定|要|也|那么?|嗯|好的?|对了|还有|另外|务必|拜托)
    [，,\s]*){0,4}"""
_VERY = r"""(?:(?:really|absolutely|actually|generally|usually|always|also|truly|particularly|do
    |just|much|still)\s){0,2}"""
# "I love it!" is an answer and states nothing that lasts.
_LASTING = r"""(?!\s(?:it|that|this|these|those|them|yours?|how|to\s(?:hear|see|know)
    |the\s(?:way|idea|look|sound|structure|theme|first|second|last|one|design|concept|suggestion)
    |hearing|seeing)\b)"""
_KIN = r"""(?:wife|husband|girlfriend|boyfriend|partner|fianc[eé]e?|son|daughter|mother|father|mom
    |mum|dad|brother|sister|boss|manager|(?:best\s)?friend|roommate|dog|cat
    |grand(?:ma|pa|mother|father))"""
_NOSTALGIA = r"""(?!\s(?:when|how|the\s(?:time|days?)|that\s(?:time|day|night|one\stime)|last
    |those|me|him|her)\b)"""
_NO_ORDER = r"""(?!(?:mind|worry|know|be\s(?:sorry|afraid|silly)|heard|really|think|have|been|had
    |thought|get\sme\swrong|you|i|it|an?|the|here|happy|on|there|good|nice|glad|ready|up|open|saw
    |seen|knew|give\sup|feel|let|\w+ing)\b)"""

_REMEMBER = (
    _rule(
        ExtractionReason.REMEMBER,
        "remember memorize memorise mind forget note write save know",
        rf"""{_LEAD}(?:remember|memori[sz]e|keep\sin\smind|bear\sin\smind|do\s?n[o'’]t\sforget
        |never\sforget|(?:make|take)\sa\s(?:mental\s)?note|note\sdown|note(?:\sthat\b|:)
        |write\s(?:this|that|it)\sdown|save\sthis
        |i(?:\swant|\sneed|['’]?d\slike)\syou\sto\s(?:remember|forget|know))\b{_NOSTALGIA}""",
    ),
    _rule(
        ExtractionReason.REMEMBER,
        "remember mind note",
        r"""\b(?:can|could|would|will)\syou\s(?:please\s)?
        (?:remember|keep\sin\smind|make\sa\snote|note)\s(?:that|to|i|my|this)\b""",
        counts_in_question=True,
    ),
    _rule(
        ExtractionReason.REMEMBER,
        "forget",
        rf"{_LEAD}forget\s(?:what\si|that\si|about\s(?:the|my)|my|everything|all)\b",
    ),
    _rule(
        ExtractionReason.REMEMBER,
        "记 忘 备注",
        rf"""{_LEAD_ZH}(?:记住|记得(?!上次|那|以前|小时候|当时|第一次|去年|你|他|她|我们)
        |记下|记一下|记好|别忘|不要忘|勿忘|牢记|备注一下)""",
    ),
    _rule(
        ExtractionReason.REMEMBER, "记", r"(?:你要|帮我|请你?|给我)(?:记住|记得|记下|记一下|记着)"
    ),
    _rule(
        ExtractionReason.REMEMBER,
        "记",
        r"(?:能不能|能|可以|可不可以)(?:请你?|帮我)?(?:记住|记一下|记下)(?!了?吗)",
        counts_in_question=True,
    ),
    _rule(
        ExtractionReason.REMEMBER,
        "忘 记",
        r"忘掉|忘了吧|别记(?!错|得)|不要记(?!错|得)|请忘记|删掉.{0,10}记忆",
    ),
)
_CORRECTION = (
    _rule(
        ExtractionReason.CORRECTION,
        """correction scratch meant misspoke mistyped mistake wrong right true correct incorrect
        mistaken mixed""",
        rf"""{_LEAD}(?:correction\b|scratch\sthat\b
        |i\s(?:meant|misspoke|mistyped|was\swrong|made\sa\smistake)\b
        |(?:that|this|it|you)(?:['’]s|['’]re|\sis|\sare)\s
          (?:wrong|not\s(?:right|true|correct)|incorrect|mistaken)\b
        |you(?:['’]ve)?\s(?:got|have|misunderstood|mixed)\b.{{0,40}}\b(?:wrong|mixed\sup)\b)""",
    ),
    _rule(
        ExtractionReason.CORRECTION,
        "no nope wait sorry actually hang quite",
        r"""^\W*(?:(?:no|nope)\s?[,.;:—-]|(?:wait|sorry|actually|hang\son|not\squite)\b)[\s,.;:—-]{0,4}.{0,40}
        \b(?:it|that|he|she|they|name|i)
        (?:['’]s|\sis|\swas|['’]re|\sare|['’]m|\sam|\smeant|\slive|\swork)\b""",
    ),
    _rule(
        ExtractionReason.CORRECTION,
        "not wrong longer more anymore moved switched gone",
        r"""\b(?:it|that|he|she|name|they|i)(?:['’]s|\sis|\swas|['’]m|['’]re)\s[^,]{1,40},\snot\s\w
        |\bi\stold\syou\s(?:something\s|it\s)?wrong\b|\b(?:is|am|are|do|does)\sno\slonger\b
        |\bi\sno\slonger\b|\bi\s(?:do\s?n[o'’]t|am\snot|['’]m\snot)\b.{1,40}\bany\s?more\b
        |(?<!since\s)\b(?:i|we)(?:['’]?ve|\shave)?\s(?:just\s)?(?:moved|switched|gone\sover)\s(?:to|from|over)\b""",
    ),
    _rule(
        ExtractionReason.CORRECTION,
        "不对 不是 错 更正 纠正 口误 应该是 其实 早就不 已经不 不再 换成 改成 改用",
        r"""^\W*(?:不对|不是(?:的|啊|吧)?[，,]|错了|你(?:记|搞|弄|说)错|更正|纠正)
        |(?:说|记|打|写|搞|弄)错了|打错字|口误|^\W*应该是[^不]|其实(?:是|不是|我)
        |不是[^，,。]{1,20}[，,]\s?(?:而?是|应该)|早就不|我?已经不|我(?:现在)?不再|(?:换成|改成|改用)了?""",
    ),
)
_RULE = (
    _rule(
        ExtractionReason.RULE,
        """now forward always never stop don do donot avoid refrain keep make answer reply respond
        write speak use address""",
        rf"""\bfrom\snow\son\b|\bgoing\sforward\b
        |{_LEAD}(?:always|never|stop|do\s?n[o'’]t(?:\sever)?|avoid|refrain\sfrom)\s{_NO_ORDER}\w
        |{_LEAD}(?:keep|make|answer|reply|respond|write|speak|use|address)\s
          (?:(?:your|the|all|every|each|me|everything|only)\b|in\s[a-z]).{{0,80}}
          \b(?:always|every|all|answers?|repl(?:y|ies)|responses?|messages?|short|brief|concise
          |english|chinese|german|french|spanish|japanese|instead)\b""",
    ),
    _rule(
        ExtractionReason.RULE,
        """call name go pronouns allergic allergy want eat drink whenever time""",
        r"""\bcall\sme\s(?!back|later|when|if|at|on|tomorrow|crazy|old|an?\b)|\bmy\sname(?:['’]s|\sis)\b
        |\bi\sgo\sby\b|\bmy\spronouns\b|\ballergic\sto\b|\ballergy\sto\b
        |\bi\sdo\s?n[o'’]t\swant\syou\sto\b|\bi\s(?:do\s?n[o'’]t|ca\s?n[o'’]?t|never)\s(?:eat|drink)\b
        |\b(?:whenever|each\stime|every\stime)\syou\s
          (?:answer|reply|write|use|show|explain|change|commit|suggest|make|add)\b""",
    ),
    _rule(
        ExtractionReason.RULE,
        "以后 从现在 今起 今开始 今后 往后 每次 一律 永远 始终 必须 务必 禁止 不许 不准 绝 不要 别",
        r"""以后(?:都|请|别|不要|叫|用|就|给|回|写|只|不|统一|每|也|尽量|我的)
        |(?:从现在|从今|今)(?:起|开始|以?后|往后)|往后(?:都|请|别)
        |^\W*(?:你|请)?(?:每次|一律|永远|始终|必须|务必|禁止|不许|不准|绝对?不[要能]).{2}
        |^\W*(?:请|你)?(?:不要再|别再|不要|别)
          (?!说了|急|担心|难过|怕|客气|这么|那么|闹|逗|生气|忘|记|的).{2}""",
    ),
    _rule(
        ExtractionReason.RULE,
        "叫 名字是 过敏 不吃 不喝 不碰 吃素 吃斋 回答 回复",
        r"""叫我(?!做|去|来|回|滚|别|不|们|把|帮|给|先|怎|起)|我(?:的名字)?叫(?!他|她|你|了|做|上|住|车|外|来|醒|苦|停)
        |我的?名字是|对[^，。]{1,12}?(?:也|很|都)?过敏|我(?:从来|一直)?不(?:吃|喝|碰)(?!了|饭|下|惯|完|到|起)
        |我(?:只)?吃(?:素|斋)|(?:回答|回复)我?(?:要|请|尽量|用)""",
    ),
)
_PREFERENCE = (
    _rule(
        ExtractionReason.PREFERENCE,
        """prefer like love hate dislike enjoy adore loathe detest stand bear care favourite
        favourites favorite favorites rather vegan vegetarian owl person usually normally always fan
        into fond""",
        rf"""\bi\s{_VERY}(?:prefer|like|love|hate|dislike|enjoy|adore|loathe|detest)\b{_LASTING}
        |\bi\s(?:do\s?n[o'’]t|ca\s?n[o'’]?t|cannot)\s(?:really\s|much\s)?
          (?:like|stand|bear|enjoy|care\sfor)\b{_LASTING}
        |\bmy\s(?:all[ -]time\s)?favou?rites?\b|\bi['’]?d\s(?:much\s)?rather\b
        |\bi['’]?m\s(?:a\s)?(?:vegan|vegetarian|night\sowl|morning\sperson)\b
        |\bi\s(?:usually|normally|always)\s
          (?:use|drink|eat|go|start|write|work|listen|read|wear|buy|take)\b
        |\bi['’]?m\s(?:a\s(?:big|huge)\sfan\sof|into|(?:very\s|so\s|really\s)?fond\sof)\b{_LASTING}""",
    ),
    _rule(
        ExtractionReason.PREFERENCE,
        "喜欢 讨厌 偏爱 偏好 钟爱 热爱 爱吃 爱喝 爱看 爱听 爱玩 爱用 爱穿 受不了 倾向 习惯 "
        "最爱 爱好 平时 一般 通常",
        r"""我(?:个人|其实|一般|平时|还是|从小|一直|最|很|特别|非常|比较|更|超级?|真的|就|也|都|挺|蛮
          |不太|不怎么|不|可){0,3}(?:喜欢|讨厌|偏爱|偏好|钟爱|热爱|爱(?=[吃喝看听玩用穿])|受不了|接受不了|倾向|习惯)
          (?!你|上你|这个?说法|死)
        |我的?(?:最爱|爱好|偏好|习惯)|我(?:平时|一般|通常)(?:都|会|只)?(?:用|喝|吃|看|听|在|去)""",
    ),
)
_GOAL = (
    _rule(
        ExtractionReason.GOAL,
        """goal goals aim aims aiming dream dreams ambition ambitions plan plans planning resolution
        resolutions deadline deadlines decided committed promise promised resolved signed enrolled
        intend saving training studying working want""",
        r"""\bmy\s(?:\w+\s){0,2}(?:goal|aim|dream|ambition|plan|resolution|deadline)s?\b
          (?:\s\w+){0,4}\s?(?:is\b|are\b|:)
        |\b(?:i|we)(?:['’]?ve|\shave)?\s(?:just\s|finally\s)?
          (?:decided|committed|promised?(?=\s(?:to|that))|resolved|signed\sup|enrolled)\b
        |\b(?:i|we)(?:['’]m|['’]re|\sam|\sare)?\s(?:also\s|still\s)?
          (?:plan|planning|aim|aiming|intend|saving\sup|training|studying|working\stowards?)\s(?:to|for|on)\b
        |\bi\swant\sto\s(?:become|learn|be\sable|start|open|build|write|quit|lose|get\sinto|study)\b
        |\bthe\sdeadline\sis\b""",
    ),
    _rule(
        ExtractionReason.GOAL,
        "目标 计划 梦想 理想 打算 决定 准备 承诺 发誓 立志 立了 我想 们想 要在 会在 截止 报名 报了",
        r"""我们?(?:的|今年|明年|这学期|这个月|长期|短期|下一步){0,2}
          (?:目标|计划|梦想|理想|打算|决定|准备(?=[考学换买搬辞开创结生减戒])|承诺|发誓|立志|立了)
        |我们?想要?(?:成为|学会|学|考|攒|减|戒|转行|创业|开一?家)|我们?[要会]在.{1,12}[前内年]
        |截止(?:日期|时间)?(?:是|延|改|到)|我们?(?:报名|报了)""",
    ),
)
_RELATIONSHIP = (
    _rule(
        ExtractionReason.RELATIONSHIP,
        """broke split engaged married divorced together dating pregnant single separated expecting
        passed died left had fell proposed my gave""",
        rf"""\b(?:we|i|my\s{_KIN})\b.{{0,30}}\b(?:broke\sup|split\sup
          |got\s(?:engaged|married|divorced|back\stogether)
          |(?:are|am|is|['’]m|['’]re)\s(?:now\s)?(?:engaged|married|divorced|dating|pregnant|single
            |separated|expecting)
          |passed\saway|died|left\sme|had\sa\s(?:baby|son|daughter)|fell\sout|proposed)\b
        |\bmy\s(?:new|ex-?)\s?{_KIN}\b|\bgave\sbirth\b""",
    ),
    _rule(
        ExtractionReason.RELATIONSHIP,
        "分手 离婚 结婚 订婚 领证 怀孕 去世 过世 在一起了 复合 闹翻 绝交 生了 恋爱了 脱单 "
        "求婚 确定关系 搬出去 和好",
        r"""(?:我|爸|妈|哥|姐|弟|妹|爷|奶|儿子|女儿|老公|老婆|男朋友|女朋友|闺蜜).{0,14}
          (?:分手|离婚|结婚|订婚|领证|怀孕|去世|过世|在一起了|复合|闹翻|绝交|生了(?:个|一个|二胎|孩子)
          |恋爱了|脱单|求婚|确定关系|搬出去|和好)""",
    ),
)
_IDENTITY = (
    _rule(
        ExtractionReason.IDENTITY,
        "live living work working moved",
        rf"""{_LEAD}(?:i\s(?:(?:now|currently|still|also)\s){{0,2}}(?:live\sin|work\s(?:at|for|as))
        |i['’]?m\s(?:(?:now|currently|still)\s)?(?:living\sin|working\s(?:at|for|as))
        |(?:i|we)(?:['’]?ve|\shave)?\s(?:(?:just|now|recently)\s)?moved\s(?:back\s)?(?:to|from))
        \s(?!(?:it|this|that|home|the\snext)\b)\w""",
    ),
    _rule(
        ExtractionReason.IDENTITY,
        "住在 上班 工作 任职 比起 相比",
        r"""我(?:现在|目前|已经|还是?|一直|就){0,2}住在(?![这那哪])
        |我(?:现在|目前)?在(?!家|努力|认真|拼命|加班|外面|[这那哪]|好好)[^，,。]{2,16}?(?:上班|工作|任职)
        |(?:比起|相比)[^，,。]{1,20}[，,]?我(?:还是)?更(?:喜欢|偏爱)""",
    ),
)

_ALL = (*_REMEMBER, *_CORRECTION, *_RULE, *_PREFERENCE, *_GOAL, *_RELATIONSHIP, *_IDENTITY)
_HAN = lazy_regex("[一-鿿]")
RULES = tuple(rule for rule in _ALL if not _HAN.search(rule.pattern.source))
RULES_ZH = tuple(rule for rule in _ALL if _HAN.search(rule.pattern.source))
