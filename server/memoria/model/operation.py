"""Answers of a chat model: operations on memories, rulings, checks and summaries of episodes.

The names and their meaning are the design's; a store never sees an operation before `policy` and
`ingest/resolve` have checked it.
"""

import math
import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from memoria.model.base import Loosely, Value
from memoria.model.memory_types import PROPOSABLE_TYPES, ProposableType

_LONGEST_DAYS = 36_500
_HOURS, _MOST_DIGITS = 24, 9
_DAYS = {"h": 1 / _HOURS, "d": 1, "w": 7, "m": 30, "q": 90, "y": 365}
_CHINESE_UNITS = {"时": "h", "天": "d", "日": "d", "周": "w", "星": "w", "月": "m", "年": "y"}
_ISO = re.compile(r"p(\d{1,5})([dwmy])")
_SPAN = re.compile(
    r"(?<![\d.])(\d{1,5}(?:\.\d{1,3})?)\s*-?(?:个|个?小(?=时))?\s*"
    r"([hdwmqy](?![a-z])|(?:h(?:ou)?r|day|week|wk|month|mo|quarter|year|yr)s?(?![a-z])|[时天日周星月年])"
)
_COUNTS = {word: at for at, word in enumerate("one two three four five six seven eight".split(), 1)}
_COUNTS |= {word: at for at, word in enumerate("一二三四五六七八九十", 1)}
_COUNTS |= {"a": 1, "an": 1, "nine": 9, "ten": 10, "twelve": 12, "两": 2}
_COUNTED = re.compile(
    r"\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
    r"(?=[\s-](?:hour|day|week|month|quarter|year))"
    r"|(?<![一二三四五六七八九十百])[一二两三四五六七八九十](?=个|小时|天|日|周|星|月|年)"
)
_NAMED = re.compile(r"\b(permanent|session)\b")


def _read_duration(given: Any) -> Any:  # noqa: ANN401  (whatever a model wrote)
    """Write a duration in its own form where it was given in another: `2 weeks`, `P14D`, 14."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return _in_days(given)
    if not isinstance(given, str):
        return given
    plain = _COUNTED.sub(lambda found: str(_COUNTS[found[0]]), given.strip().lower())
    if plain.isdecimal():
        return _in_days(float(plain[:_MOST_DIGITS]))
    if named := _NAMED.search(plain):
        return named[1]
    found = _ISO.fullmatch(plain) or _SPAN.search(plain)
    if found is None:
        return plain
    unit = _CHINESE_UNITS.get(found[2], found[2][0])
    return _in_days(float(found[1]) * _DAYS[unit]) if unit in _DAYS else plain


def _in_days(days: float) -> str:
    if not 0 < days <= _LONGEST_DAYS:
        return "permanent"
    return f"{math.ceil(days)}d" if days > 1 else f"{math.ceil(days * _HOURS)}h"


Duration = Annotated[
    str,
    BeforeValidator(_read_duration),
    Field(pattern=r"^(permanent|session|\d{1,5}[dh])$"),
    WithJsonSchema({"type": "string"}),
]
"""Likely time that a conclusion holds: `permanent`, `session`, or a number with `d` or `h`."""
EntityKind = Literal["person", "organisation", "place", "product", "event", "other"]
SemanticRole = Literal[
    "agent",
    "patient",
    "location",
    "time",
    "manner",
    "instrument",
    "recipient",
    "cause",
    "beneficiary",
]
Modality = Literal["actual", "planned", "wished", "possible", "hearsay", "joking"]
"""Way in which something is meant: as it is, or not simply so."""
LinkType = Literal["ABOUT", "CAUSES", "SUPPORTS", "CONTRADICTS", "REFERS_TO", "SIMILAR_TO"]
"""Edges that a model may propose; the others follow from what is stored."""
_Share = Annotated[float, Field(ge=0, le=1)]
_Line = Annotated[str, Field(min_length=1, max_length=500)]
_Until = Annotated[str, Field(max_length=100)] | None
"""End, as the speaker put it, or as a date: `until Friday`, 到周五. It counts before the
duration."""
_Name = Annotated[str, Field(min_length=1, max_length=100)]
_Content = Annotated[
    _Line,
    Loosely(
        (
            *("text", "statement", "sentence", "fact", "memory", "value", "conclusion", "claim"),
            *("new_content", "updated_content", "new_value", "内容", "文本", "陈述", "记忆"),
        )
    ),
]
_Quote = Annotated[
    str,
    Field(min_length=1, max_length=400),
    Loosely(
        (
            *("evidence", "source_quote", "exact_quote", "source", "words", "citation"),
            *("excerpt", "verbatim", "snippet", "span", "original_text", "supporting_quote"),
            *("引文", "引用", "引语", "原文", "原话", "依据", "证据"),
        ),
        between=" … ",
    ),
]
_TurnNumber = Annotated[
    int,
    Field(ge=1),
    Loosely(
        (
            *("turn_number", "turn_id", "turn_no", "turn_num", "turn_index", "source_turn"),
            *("message", "message_id", "message_index"),
            *("轮次", "轮", "回合", "话轮"),
        ),
        otherwise=1,
    ),
]
"""Number of a turn in the prompt. One that is missing is found by the quote."""
_Op = Loosely(
    ("operation", "op_type", "operation_type", "action", "method", "操作", "操作类型", "动作"),
    words={
        "ADD": ("create", "insert", "new", "store", "save", "新增", "添加", "增加", "新建"),
        "UPDATE": ("modify", "edit", "revise", "replace", "更新", "修改", "替换"),
        "BOOST": ("reinforce", "强化", "加强"),
        "DELETE": ("remove", "forget", "retract", "drop", "删除", "移除"),
        "LINK": ("connect", "relate", "链接", "关联", "连接"),
        "SKIP": ("noop", "pass", "ignore", "跳过", "忽略"),
    },
)
_SCOPE = Loosely(
    ("范围",), words={"everywhere": ("global", "all", "全局", "所有"), "project": ("local", "项目")}
)
_MODALITY = Loosely(
    ("情态",),
    words={
        "actual": ("事实", "实际"),
        "planned": ("计划", "打算"),
        "wished": ("希望", "愿望"),
        "possible": ("可能",),
        "hearsay": ("听说", "转述"),
        "joking": ("玩笑",),
    },
)
_REASON = Loosely(
    ("原因", "理由"),
    words={
        "correction": ("更正", "纠正"),
        "change": ("变化", "变更", "改变"),
        "detail": ("细节", "补充"),
    },
)
_MemoryId = Annotated[
    _Name, Loosely(("memory_id", "target", "target_id", "known_id", "编号", "记忆编号"))
]
_EventTime = (
    Annotated[
        str,
        Field(max_length=100),
        Loosely(("event_date", "time", "date", "when", "事件时间", "时间", "日期")),
    ]
    | None
)


class Mention(Value):
    """A named thing that a conclusion speaks of, and the part it plays there."""

    name: _Name
    kind: EntityKind = "other"
    role: SkipJsonSchema[SemanticRole | None] = None
    """Part it plays. Models are not asked for it; one that is given is kept."""
    aliases: Annotated[tuple[_Name, ...], Field(max_length=5)] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Name and aliases."""
        return (self.name, *self.aliases)


class Add(Value):
    """A new conclusion."""

    op: Annotated[Literal["ADD"], _Op] = "ADD"
    type: Annotated[
        ProposableType,
        Loosely(
            ("kind", "category", "memory_type", "类型", "种类", "类别"),
            otherwise="fact",
            words={one.value: one.row.other_words for one in PROPOSABLE_TYPES},
        ),
    ]
    content: _Content
    """One sentence that stands by itself, in the language of its source."""
    quote: _Quote
    """Words it rests on, exactly as they stand in the turn."""
    turn: _TurnNumber
    subject: Annotated[
        _Name,
        Loosely(("about", "who", "entity", "person", "主体", "主语", "对象"), otherwise="user"),
    ]
    """Person or thing it speaks of."""
    predicate: Annotated[
        str,
        Field(max_length=100),
        Loosely(("property", "attribute", "relation", "key", "属性", "谓词", "谓语"), otherwise=""),
    ]
    """Property of the subject: `home`, `editor`, `allergy`. The same property has the same name."""
    importance: _Share = 0.5
    confidence: SkipJsonSchema[_Share] = 0.7
    """Certainty. Models are not asked for it: they know nothing of how sure they are."""
    duration: Duration = "permanent"
    until: _Until = None
    entities: Annotated[tuple[Mention, ...], Field(max_length=8)] = ()
    event_time: _EventTime = None
    """Time of the event, as the speaker put it: `last Friday`, `上周三`."""
    task: _Name | None = None
    """Task it belongs to, where it holds for one alone."""
    scope: Annotated[Literal["everywhere", "project"], _SCOPE] | None = None
    """Projects in which it is to be seen; None leaves it to the words."""
    negated: bool = False
    modality: Annotated[Modality, _MODALITY] = "actual"


class Update(Value):
    """A known memory, in other words or with another content."""

    op: Annotated[Literal["UPDATE"], _Op] = "UPDATE"
    id: _MemoryId
    content: _Content
    quote: _Quote
    turn: _TurnNumber
    reason: Annotated[Literal["correction", "change", "detail"], _REASON] = "change"
    """Its former content was wrong, was right and has changed, or was less than is known now."""
    type: Annotated[ProposableType, WithJsonSchema({"type": "string"})] | None = None
    """New type, where it is another one now: a goal that is reached is a fact."""
    predicate: _Name | None = None
    """New name of its property, where that is another one now."""
    event_time: _EventTime = None
    duration: Duration = "permanent"
    """Time the new wording is likely to hold; the former one's end is over with it."""
    until: _Until = None


class Boost(Value):
    """A known memory that shaped the reply."""

    op: Annotated[Literal["BOOST"], _Op] = "BOOST"
    id: _MemoryId


class Delete(Value):
    """A known memory that the user took back."""

    op: Annotated[Literal["DELETE"], _Op] = "DELETE"
    id: _MemoryId
    quote: _Quote
    turn: _TurnNumber


class Link(Value):
    """A relation between two known memories."""

    op: Annotated[Literal["LINK"], _Op] = "LINK"
    src: Annotated[_Name, Loosely(("source", "source_id", "src_id", "from", "from_id"))]
    type: Annotated[LinkType, Loosely(("relation", "kind", "link_type"))]
    dst: Annotated[_Name, Loosely(("target", "target_id", "dst_id", "to", "to_id"))]


class Skip(Value):
    """Decision that nothing here is worth keeping."""

    op: Annotated[Literal["SKIP"], _Op] = "SKIP"
    reason: SkipJsonSchema[Annotated[str, Field(max_length=200)]] = ""


class Focus(Value):
    """Present task of the user."""

    task: Annotated[str, Field(min_length=1, max_length=120)]
    quote: _Quote
    """Words of the user that say so."""
    turn: _TurnNumber


Operation = Add | Update | Boost | Delete | Link | Skip
Relation = Literal["same", "replaces", "contradicts", "different"]
"""Relation of a new statement to a known one."""
SupportVerdict = Literal["yes", "no", "unclear"]
"""Verdict on whether a statement follows from the words it rests on."""
_Number = Annotated[int, Field(ge=1)]


class Ruling(Value):
    """Relation of a pair's new statement to the known one."""

    pair: _Number
    """Number of the pair in the prompt."""
    relation: Relation


class Rulings(Value):
    """Rulings, one for each pair if the model kept to the question."""

    rulings: Annotated[tuple[Ruling, ...], Field(max_length=40)]


class Check(Value):
    """Verdict on whether a statement is borne out."""

    statement: _Number
    """Number in the prompt."""
    supported: SupportVerdict
    content: str | None = None
    """Part that is borne out, as a sentence, where it is only a part."""


class Checks(Value):
    """Checks, one for each statement if the model kept to the question."""

    checks: Annotated[tuple[Check, ...], Field(max_length=40)]


_Sentence = Annotated[str, Field(min_length=1, max_length=300)]


class TurnQuote(Value):
    """Words of a turn, by its number in the prompt."""

    turn: Annotated[int, Field(ge=1)]
    quote: Annotated[str, Field(min_length=1, max_length=300)]


class TurnRange(Value):
    """The turns of a session that an episode sums up, from one place to another."""

    session_id: str
    source: str
    first_index: int
    last_index: int


class EpisodeSummary(Value):
    """The summary of a segment; empty where there is nothing to sum up."""

    goal: _Sentence | None = None
    """The user's aim, in a phrase."""
    summary: Annotated[str, Field(max_length=1200)] = ""
    """Account of the conversation, in two to five sentences."""
    outcome: _Sentence | None = None
    """Result, if it had one."""
    importance: Annotated[float, Field(ge=0, le=1)] = 0.4
    entities: Annotated[tuple[Mention, ...], Field(max_length=8)] = ()
    quotes: Annotated[tuple[TurnQuote, ...], Field(max_length=6)] = ()
    """Words it rests on above all."""


class PatchedSentence(Value):
    """A sentence of a summary in other words, by its number in the prompt; empty: left out."""

    number: Annotated[int, Field(ge=1)]
    text: Annotated[str, Field(max_length=600)] = ""


class SummaryPatch(Value):
    """Sentences of a summary that needed a change, with their new text."""

    sentences: Annotated[tuple[PatchedSentence, ...], Field(max_length=20)]
