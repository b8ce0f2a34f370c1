"""Lead-ins: the words by which a speaker hands over a text, and takes up the talk again after it.

"Please reply to this email:", "Here's the doc:", "Can you proofread this?", 帮我回复这封邮件：.
A line that announces what its speaker says themselves is none, whatever it ends with: "Some things
about me:", "From now on, follow these rules:", 请记住以下几点：.
"""

import re
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import SmallPattern, has_any, small_letters

_LONGEST_REST = 800


def find_lead_in(line: str) -> int | None:
    """Return where the text that a line hands over begins; the line's length for the next line.

    None where the line hands over nothing, such as a line without a letter.
    """
    if not any(map(str.isalpha, line)):
        return None
    match = _find_handing_over(line)
    if match is not None:
        return None if _LASTING.search(line[: match.end()]) else match.end()
    match = _find_presenting(line) if _has_colon(line) else None
    return None if match is None or _is_ones_own(line[: match.end()]) else match.end()


def _find_presenting(line: str) -> re.Match[str] | None:
    """Match the words that present a text as another's, or the next lines as a thing.

    A thing that is named before a colon presents nothing that follows on its own line: "Commit
    messages: imperative mood" is a rule, and no message.
    """
    told = _TELLS.search(line)
    named = _PRESENTS.search(line) if told is None else None
    return told if named is None or line[named.end() :].strip() else named


def is_of_ones_own(line: str) -> bool:
    """Check whether a line announces something that its speaker says or asks for themselves."""
    return bool(_LASTING.search(line) or _SPEAKS.search(line))


def _is_ones_own(line: str) -> bool:
    return bool(_LASTING.search(line) or _OF_ONES_OWN.search(line))


def points_above(line: str) -> bool:
    """Check whether a line asks for something to be done with the text above it."""
    return has_any(line.lower(), _ABOVE_WORDS) and bool(_ABOVE.search(line))


def _has_colon(line: str) -> bool:
    """Check quickly whether a line can present a text."""
    return ":" in line or "：" in line


def _find_handing_over(line: str) -> re.Match[str] | None:
    """Match the first words of a line that hand over a text.

    Each form searches the whole line, so it is tried only where the line has its words.
    """
    small, is_ascii = small_letters(line), line.isascii()
    known = _SIGNS if is_ascii else _SIGNS | _SIGNS_ZH
    signs = {name for name, words in known.items() if has_any(small, words)}
    matches = (
        form.pattern.search(line)
        for form in (_HANDS_OVER if is_ascii else _HANDS_OVER + _HANDS_OVER_ZH)
        if form.signs <= signs
    )
    return min(filter(None, matches), key=re.Match.start, default=None)


def takes_up_again(text: str, start: int) -> bool:
    """Check whether a text from `start` on, after a pasted part, is its speaker's again."""
    return len(text) - start <= _LONGEST_REST and bool(_AGAIN.match(text, start))


def may_present(text: str) -> bool:
    """Check whether a text may hand anything over: several lines, or signs of a lead-in."""
    return "\n" in text or bool(_HINT.search(text))


_HINT = lazy_regex(r"(?i)[:：]|[?？.!][ \t]*\S.{40}")
_DO = r"""(?:translat|proof-?read|rewrit|rephras|paraphras|summari[sz]|(?:edit|correct)(?=(?:ing|s)?\s)|improv|polish|shorten
  |simplif|condens|continu|complet|extract|classif|convert|transcrib|transform|annotat|outlin|critiqu|rat|judg|scor)
  (?:e|y|ies|ing|s|es)?"""  # noqa: E501
_LOOK = r"""(?:review|check|explain|analy[sz]e|read|look\s(?:at|over|through)|go\sthrough|help\s(?:me\s)?with|fix|catch\sme\sup\son
  |debug|refactor|compare|assess|evaluate|interpret|comment\son|draft|answer(?:\sto)?|reply\sto|respond\sto|write\sback\sto
  |thoughts\son|think\sof|make\s(?:of|sense\sof)|make\s[^.!?:\n]{1,30}\s(?:of|from|out\sof)|feedback\son|wrong\swith)"""  # noqa: E501
_TEXT = r"""(?:e-?mails?|mails?|messages?|letters?|texts?|doc(?:ument)?s?|articles?|paragraphs?|passages?|excerpts?|extracts?
  |essays?|stor(?:y|ies)|poems?|haikus?|lyrics|songs?|posts?|tweets?|threads?|reviews?|bio|profiles?|cvs?|r[ée]sum[ée]s?|quotes?
  |(?:cover\s)?letters?|contracts?|clauses?|polic(?:y|ies)|transcripts?|chats?(?:\slogs?)?|conversations?|dialogues?|interviews?
  |logs?|notes|minutes|reports?|abstracts?|summary|speech(?:es)?|scripts?|prompts?|tickets?|ads?|adverts?|advertisements?|job\s\w+
  |web\s?(?:sites?|pages?)|pages?|blogs?|recipes?|code|functions?|snippets?|invitations?|complaints?|offers?|notices?
  |config\w*|files?|sentences?|press\srelease|newsletters?|announcements?|drafts?|captions?|manuals?|readme|sections?|chapters?
  |scenes?|entr(?:y|ies)|statements?|comments?|descriptions?|feedback|testimonials?|definitions?|quotations?|jokes?|riddles?)"""  # noqa: E501
_THIS = r"(?:this|these|the\sfollowing|below|attached|following)"
_ABOVE_WORDS = ("above", "上面", "以上", "上述", "前面")
"""Words; every line that `_ABOVE` finds has one of them."""
_GAP = r"[^.!?:：\n]"
_DO_ZH = (
    r"(?:翻译|翻成|译成|润色|改写|校对|总结|概括|提炼|缩写|扩写|仿写|续写|改一?改|修改|改一下|优化|回复|回一下"
    r"|答复|分析|解释|看一?看|看一?下|读一?[读下]|整理|归纳|点评|评价|检查|提取|审一?下|审阅|纠错|处理一下)"
)
_TEXT_ZH = (
    r"(?:邮件|来信|信件|[这那]封信|文章|文字|文本|文案|段落|[段句番]话|原文|正文|内容|代码|聊天记录|对话|简历|合同|条款|通知"
    r"|报告|作文|日记|歌词|故事|小说|公告|帖子|新闻|网页|说明书|纪要|笔记|工单|评论|短信|脚本|配置|论文|草稿|提示词|诗|简介"
    r"|招聘|职位|启事|广告|留言|消息|邀请函?|台词|题目|段子|朋友圈|采访|演讲稿?|发言|投诉|说明|声明|协议|菜谱|文档)"
)
_GAP_ZH = r"[^。！？!?：:\n]"
_TIMES = r"(?:week|weekend|month|year|morning|afternoon|evening|time|summer|winter|way|is|are|was)"
_END = r"[.?!]?\s*$"
_DOING = (
    *"translat proof rewrit rephras paraphras summari edit correct improv polish shorten".split(),
    *"simplif condens continu complet extract classif convert transcrib transform annotat".split(),
    *"outlin critiqu rat judg scor".split(),
)
_LOOKING = (
    *"review check explain analy read look go help with fix catch debug refactor compar".split(),
    *"assess evaluat interpret comment draft answer reply respond write thought think make".split(),
    *"feedback wrong".split(),
)
_POINTING = ("this", "these", "following", "below", "attached")
_SIGNS = {
    "colon": (":", "："),
    "end": (".", "?", "!"),
    "question": ("?", "？"),
    "near": ("this", "these"),
    "below": ("below",),
    "pointing": _POINTING,
    "here": (*_POINTING, "here"),
    "reply": ("reply", "respond", "answer"),
    "doing": _DOING,
    "handling": _DOING + _LOOKING,
}
_SIGNS_ZH = {
    "doing_zh": tuple("翻润改校总概提缩扩仿续优回答分解看读整归点评检审纠处译"),
    "pointing_zh": ("这", "下面", "以下", "下列", "下文"),
    "sent_zh": ("发来", "发了", "写了", "收到", "看到", "找到", "贴了", "转了"),
    "meaning_zh": ("什么意思",),
}
"""Groups of words, one of which is in every line of a form that needs the group."""


class _Form(NamedTuple):
    """Pattern of words that hand over a text; a line that matches has a word of each group."""

    signs: frozenset[str]
    pattern: SmallPattern


def _form(signs: str, pattern: str) -> _Form:
    return _Form(frozenset(signs.split()), SmallPattern(f"(?x){pattern}"))


_HANDS_OVER = (
    _form("colon doing", pattern=rf"\b{_DO}\b{_GAP}{{0,80}}[:：]\s?"),
    _form(
        "handling here",
        pattern=rf"""\b(?:{_DO}|{_LOOK})\s{_GAP}{{0,40}}?
        (?:\b{_THIS}\b{_GAP}{{0,60}}|\b{_TEXT}\b{_GAP}{{0,40}}?\b(?:below|here|attached)\b)(?:[:：]\s?|{_END})""",
    ),
    _form(
        "handling pointing end",
        pattern=rf"""\b{_LOOK}\s{_GAP}{{0,40}}?\b{_THIS}\s(?:\w+\s){{0,3}}?{_TEXT}\b
        {_GAP}{{0,40}}[.?!]\s""",
    ),
    _form("below end", pattern=rf"\b{_TEXT}\sbelow\b{_GAP}{{0,40}}[.?!]\s"),
    _form("doing", pattern=rf"(?:^\W*|\b(?:please|you)\s){_DO}\s{_GAP}{{0,40}}?\b{_TEXT}{_END}"),
    _form(
        "pointing question",
        pattern=rf"\b(?:this|these|the\sfollowing)\s(?:\w+\s){{0,2}}?{_TEXT}\b{_GAP}{{0,60}}[?？]\s*$",
    ),
    _form(
        "near question",
        pattern=rf"""\b(?:does|do|is|are|what|how)\b{_GAP}{{0,30}}\b(?:this|these)\s(?!{_TIMES})\w+\s
        {_GAP}{{0,60}}[?？]\s*$""",
    ),
    _form("near question", pattern=r"\bwhat\s(?:does|do)\s(?:this|these)\smean\s?[?？]\s*$"),
    _form(
        "near",
        pattern=rf"""\b(?:accept|sign|read|got|received|found|saw|posted|sent\sme|wrote)\s(?:this|these)\b
        {_GAP}{{0,30}}{_END}""",
    ),
    _form(
        "colon reply",
        pattern=rf"""\b(?:reply|respond|answer)\b{_GAP}{{0,30}}\b(?:e-?mail|mail|message|letter|text)\b
        {_GAP}{{0,40}}[:：]\s?""",
    ),
    _form(
        "colon here",
        pattern=rf"""\b(?:here(?:['’]s|\s(?:is|are))|(?:below|this|these|following)\s(?:is|are))\s{_GAP}{{0,40}}?
        \b(?:{_TEXT}|what\s(?:\w+\s){{1,3}}(?:wrote|said|sent|posted|says?))\b{_GAP}{{0,60}}[:：]\s?""",
    ),
)
"""Asks for something to be done with a text that follows, or says which text it is."""
_HANDS_OVER_ZH = (
    _form("meaning_zh question", pattern=r"这(?:句话?|段话?)?(?:是|到底是)?什么意思[？?]\s*$"),
    _form("colon doing_zh", pattern=rf"{_DO_ZH}{_GAP_ZH}{{0,30}}[：:]\s?"),
    _form(
        "doing_zh pointing_zh",
        pattern=rf"{_DO_ZH}{_GAP_ZH}{{0,12}}(?:这|下面|以下|下列|下文){_GAP_ZH}{{0,16}}[。？?！!]?\s*$",
    ),
    _form("doing_zh", pattern=rf"{_DO_ZH}{_GAP_ZH}{{0,16}}{_TEXT_ZH}[。？?！!]?\s*$"),
    _form(
        "pointing_zh",
        pattern=rf"""(?:这|下面|以下|下列)[封段篇个份条则些首句]?{_GAP_ZH}{{0,10}}{_TEXT_ZH}{_GAP_ZH}{{0,20}}
        (?:[：:]\s?|[。？?！!]?\s*$)""",
    ),
    _form(
        "sent_zh",
        pattern=rf"""(?:发来|发了|写了|收到|看到|找到|贴了|转了)(?:一|这|几)?[段封篇条份首则句]{_GAP_ZH}{{0,24}}
        (?:[：:]\s?|[。？?！!]?\s*$)""",
    ),
)
_TELLS = SmallPattern(
    rf"""(?x)
      \b(?:says?|said|reads?|wrote|writes?|states?|stated|goes|posted|sent|texted|messaged|e-?mailed|told|asked|answered|claims?|replied)
        (?:\s(?:this|that|as\sfollows|the\sfollowing|back|to|me|us)){{0,3}}[:：](?:\s|$)
    | \b(?:as\sfollows|the\sfollowing|see\sbelow|copied\sbelow|pasted(?:\sbelow)?|fyi)\s?[:：](?:\s|$)
    | (?:以下|下面|下列|如下){_GAP_ZH}{{0,12}}[：:]\s?
    | (?:他|她|他们|对方|老板|领导|客户|同事|老师|朋友|网上|网站上?|群里|有人|[一-鿿]{{1,4}})
      {_GAP_ZH}{{0,8}}(?:说|说道|写道|写着|写的|回复|发来|发的|留言)(?:的是)?[：:]\s?
    """  # noqa: E501
)
"""Tells another speaker's words."""
_PRESENTS = SmallPattern(
    rf"""(?x)
      \b{_TEXT}\b{_GAP}{{0,50}}[:：](?:\s|$)
    | {_TEXT_ZH}{_GAP_ZH}{{0,12}}[：:]\s?
    | ^[^:：\n]{{1,60}}[:：]\s*$
    """
)
"""Presents the text behind it; at its most general, a line that ends with a colon."""
_LASTING = SmallPattern(
    r"""(?x)\b(?:from\snow\son|going\sforward|always|never|whenever|every\stime|when(?:ever)?\s(?:you|i)\b
      |remember|keep\sin\smind|bear\sin\smind|take\snote|follow\s(?:these|the)|rules?\sfor\syou)\b
    | 以后|今后|从现在|每次|记住|记一?下|牢记|请?遵守|注意"""
)
"""Says that something is to be kept: it is the speaker's own, though it speaks of texts."""
_OF_ONES_OWN = SmallPattern(
    r"""(?x)\b(?:about\s(?:me|myself|us)|(?:my|our)\s(?:\w+\s){0,2}(?:preferences?|rules?|goals?|situation|background
      |details|plans?|habits?|allerg\w+|needs|requirements?|instructions?|questions?|stack|setup|schedule|routine|profile
      |facts?|info\w*|answer|problem|idea|family|diet)|i['’](?:m|d|ve|ll)\b
      |i\s(?:am|like|want|prefer|need|have|use|work|live|love|hate|think|mean|would|will|also)\b)
    | 关于我|我的(?:一些)?(?:基本)?(?:情况|偏好|要求|规则|习惯|目标|信息|背景|计划|喜好|需求|安排|问题|想法)|自我介绍|介绍一?下(?:我|自己)
    | 我(?:是|喜欢|想|要|有|在|叫|住|希望|觉得)"""  # noqa: E501
)
_SPEAKS = lazy_regex(r"(?i)\b(?:i|my|me|we|our|us|you|your|please)\b|[我你您咱请]")
_ABOVE = SmallPattern(
    rf"""(?x)\b(?:{_DO}|{_LOOK})\b{_GAP}{{0,40}}\b(?:the\s(?:text\s)?above|above\s{_TEXT}|{_TEXT}\sabove)\b
    | (?:上面|以上|上述|前面){_GAP_ZH}{{0,12}}{_DO_ZH} | {_DO_ZH}{_GAP_ZH}{{0,6}}(?:上面|以上|上述)"""  # noqa: E501
)
_AGAIN = lazy_regex(
    r"""(?xi)\W*(?:(?:and|oh|ok(?:ay)?|so|well)\b[\s,]*){0,2}(?:by\sthe\sway|btw|anyway|also|besides|that\ssaid|one\smore\sthing
      |what\s(?:do|should|would)|how\s(?:do|should|would)|can\syou|could\syou|would\syou|please|thanks|thank\syou|as\sfor\s(?:me|you))\b
    | \W*(?:对了|另外|顺便|顺带|还有|话说|补充|请问|请你|请帮|帮我|你觉得|我想问|谢谢|麻烦)"""
)
