"""Clauses: the parts of a labelled sentence that state something, apart from those that ask.

"I prefer tea, can you suggest a shop?" states that its speaker prefers tea, and asks for a shop. A
sentence is divided only where a new clause begins with a subject of its own, so that each part can
be read alone.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import compress

from memoria.policy.own_words import Sentence
from memoria.text.pattern import LazyPattern, SmallPattern, has_any, small_letters
from memoria.text.script import reads_chinese


@dataclass(frozen=True, slots=True)
class StatingClause:
    """A part of a sentence that asks nothing."""

    start: int
    """Its position in the sentence."""
    text: str


def split_clauses(sentence: Sentence) -> tuple[StatingClause, ...]:
    """The parts of a sentence that state something; none of a sentence that only asks."""
    text = sentence.text
    in_chinese = reads_chinese(text)
    spans = list(_spans(text, in_chinese=in_chinese))
    asks = _asks_in_chinese if in_chinese else _asks
    asking = [asks(text[start:end]) for start, end in spans]
    is_question = "?" in sentence.end or "？" in sentence.end
    if is_question and (len(spans) == 1 or _TAG.regex.match(text, spans[-1][0])):
        return ()  # "I live here?", "I'm allergic to nuts, right?"
    if is_question:
        asking[-1] = True
    if in_chinese:
        spans, asking = _join_chinese(spans, asking)
    return tuple(
        StatingClause(start, text[start:end])
        for (start, end), asks_something in zip(spans, asking, strict=True)
        if not asks_something
    )


def _asks(text: str) -> bool:
    """Whether a clause asks for something, or greets."""
    return bool(_ASKS.match(text)) or (not text.isascii() and bool(_GREETING_ZH.regex.match(text)))


def _asks_in_chinese(text: str) -> bool:
    return bool(_ASKS_ZH.regex.search(text) or _GREETING_ZH.regex.match(text))


def _spans(text: str, *, in_chinese: bool) -> Iterator[tuple[int, int]]:
    """The clauses of a sentence, without the words that join them."""
    start = 0
    for match in _JOINT_ZH.regex.finditer(text) if in_chinese else _find_joints(text):
        if _belongs_together(text[start : match.start()], text[match.end() :]):
            continue
        if match.start() > start:
            yield from _cut_frame(text, start, match.start())
            start = match.end()
    if start < len(text):
        yield from _cut_frame(text, start, len(text))


def _find_joints(text: str) -> Iterable[re.Match[str]]:
    """Where English clauses may be joined: in each of the ways of which a text has the words."""
    small = small_letters(text)
    words = {*small.split()}
    may_be = (
        "," in small or ";" in small,
        not words.isdisjoint(_JOINING),
        not words.isdisjoint(_JOINING[:3]),
        has_any(small, _DASHES) or "-" in words or "--" in words,
        "you" in small and not words.isdisjoint(_ASKING),
    )
    return _joint(may_be).finditer(text) if any(may_be) else ()


@cache
def _joint(may_be: tuple[bool, ...]) -> SmallPattern:
    return SmallPattern("|".join(compress(_JOINTS, may_be)))


def _cut_frame(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A clause in one piece, or a feeling and what it is about: "I'm worried that" "I'm 45"."""
    frame = _FRAME.regex.match(text, start, end)
    if frame and frame.end() < end:
        yield start, frame.end()
        start = frame.end()
    yield start, end


def _belongs_together(before: str, after: str) -> bool:
    """Whether a part is what a condition asks for: "When I ask for a book, tell me who wrote it"."""  # noqa: E501
    return bool(_CONDITION.regex.match(before) and _TO_DO.regex.match(after))


def _join_chinese(
    spans: list[tuple[int, int]], asking: list[bool]
) -> tuple[list[tuple[int, int]], list[bool]]:
    """Join neighbouring parts of a kind: in Chinese a comma divides what is one statement."""
    joined: list[tuple[int, int]] = []
    kinds: list[bool] = []
    for (start, end), asks_something in zip(spans, asking, strict=True):
        if kinds and kinds[-1] == asks_something:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
            kinds.append(asks_something)
    return joined, kinds


_SUBJECT = r"(?:i|i['’](?:m|ve|d|ll)|im|ive|my|we|we['’](?:re|ve|d|ll)|our)\b"
_ASK_WORD = (
    r"(?:can|could|would|will|do|does|did|is|are|should|shall|what|what['’]s|how|where|when|which|why|who"
    r"|any|please|pls|plz|help|give|tell|show|suggest|recommend|explain|write|draft|make|let['’]?s"
    r"|considering|given|taking|nice\sto\smeet|pleased\sto\smeet)\b"
)
_JOINING = ("and", "but", "so", "because", "since")
_ASKING = ("can", "could", "would", "will")
_DASHES = ("—", "–", "…", "...")
_JOINTS = (
    rf"\s*[,;]\s*(?:(?:and|but|so|because|since|as|though|although|while|also|plus|then|now|yet|or)\s+){{0,2}}(?=(?:{_SUBJECT}|{_ASK_WORD}))",
    rf"\s+(?:and|but|so|because|since)\s+(?:(?:also|now|then|so)\s+)?(?={_SUBJECT})",
    r"\s+(?:and|but|so)\s+(?:(?:also|now|then|so)\s+)?(?=(?:can|could|would|will)\s(?:you|i|we)\b|please\b|how\s(?:do|can|should)\b|what\b)",
    r"\s*(?:—|–|\s-{1,2}\s|\.\.\.|…)\s*",
    r"(?<!how)(?<!what)(?<!where)(?<!when)(?<!why)(?<!which)(?<!who)\s+(?=(?:can|could|would|will)\syou\b)",
)
"""The ways in which English clauses are joined; where two fit, the first one counts."""
_FRAME = LazyPattern(
    rf"""(?xi)\s*(?:(?:and|but|so)\s)?I(?:['’]m|\sam|\sfeel|['’]m\sfeeling)(?:\s[\w']+){{0,2}}?
      \s(?:worried|concerned|nervous|anxious|afraid|scared|stressed|glad|happy|proud|excited|thrilled
        |pleased|relieved|sad|upset)\s(?:that|because|since|about(?=\smy\b|\sour\b))\s+(?={_SUBJECT})"""
)
"""What its speaker feels about what they state next."""
_ASKS = SmallPattern(
    r"""(?x)^\W*(?:(?:and|but|so|or|hey|well|also|ok|okay|then|now)\b[\s,]*){0,2}(?:
      (?:do|does|did|have|has|are|is|was|were|can|could|would|will|should|shall|may|am|don['’]?t|isn['’]?t|aren['’]?t|can['’]?t)(?:n['’]?t)?
        \s(?:you|u|i|we|he|she|they|it|my|the|there|this|that|your|these|those|any|somebody|someone)\b
    | (?:what|who|whom|whose|which|where|why|how)\b(?!\s(?:i|we)\s(?:enjoy|like|love|hate|prefer|want)\b)
    | when(?:['’]s|\s(?:do|does|did|is|are|was|were|can|could|should|would|will)\b)
    | (?:any\s(?:idea|advice|tip|suggestion|thought|recommendation|good|recipe|chance|way)s?)\b
    | (?:please|pls|plz)\s(?:help|give|tell|show|suggest|recommend|write|draft|fix|list|find|check|explain)\b(?!.*\b(?:always|every|each|never|whenever|when\si|from\snow)\b)
    | (?:nice|pleased|glad)\sto\smeet\b
    | (?:right|correct|yes|no|ok|okay|huh|eh)$
    )"""  # noqa: E501
)
_CONDITION = LazyPattern(
    r"(?i)\W*(?:and |but |so |also |please )?(?:when|whenever|if|every time|each time|any ?time|once|as soon as|unless|before|after|while|for|in|on|at|during|from|until|going|henceforth|next time|the moment|wherever|where|should I|across|regardless|no matter|as)\b"  # noqa: E501
)
_TO_DO = LazyPattern(
    r"(?i)(?:please|pls|plz|give|tell|show|suggest|recommend|explain|write|draft|make|help|let|don['’]?t|do not|never|always|what|which)\b"  # noqa: E501
)
_TAG = LazyPattern(
    r"(?i)\W*(?:right|correct|yes|no|ok|okay|huh|eh|yeah|(?:is|are|do|does|did|have|has|was|am|were|would|can)n['’]?t\s(?:i|it|he|she|they|you|we)|don['’]?t you (?:think|remember|know)|remember|you know|对吧|是吧|对吗|是吗|对不对|是不是|好吗)\W*$"  # noqa: E501
)
_GREETING_ZH = LazyPattern(
    r"^\W*(?:你好|您好|大家好|嗨|哈喽|早上好|早|晚上好|下午好|好的?|嗯+|是的|对的?|没错|哈哈+|很高兴(?:认识|见到)你|初次见面|请多关照)\W*$"
)
_JOINT_ZH = LazyPattern(r"[，,；;：—…~～\s]+(?=\S)")
_ASKS_ZH = LazyPattern(
    r"""(?x)[吗嗎么]\W*$ | 是不是|有没有|记不记得|知不知道|能不能|可不可以|要不要|会不会|该不该|好不好|行不行|可以[吗么]
    | ^\W*(?:那|所以|但是?|请问)?(?:为什么|怎么|什么|谁|哪|几|多少|请问|如何|有什么|有哪|有啥|咋)
    | (?:怎么|如何|怎样|咋)(?:办|做|弄|写|选|练|学|说|走|安排|处理|准备|比较|才能|样|看|回|搭|改|开)
    | (?:推荐|介绍|建议|帮我|给我|帮忙|教我|替我)(?:一下|下|点|几|个|一|些|看|挑|选|写|想|找|列|做|查|算|分析|规划|安排|推荐|讲|制定|设计|出|改|翻译|起|润色)
    | 什么.{0,8}(?:好|合适|比较好|呀|啊)?$ | 哪(?:里|些|个|种|家|款|儿|本|条|类) | 多少 | 几[点个家款天] | 吗$
    """  # noqa: E501
)
