"""The table of memory types: the meaning, the origin and the rules of each.

To add a type, add a member to `MemoryType` and its row to `MEMORY_TYPES`. The choices of the
command line and of the tools, the JSON schema that a chat model answers in, the rows of the
retention table and the lists in SQL statements are all made from this table; no other file has a
list of types.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Strict, WithJsonSchema

from memoria.errors import quote_value

Origin = Literal["statement", "conversation", "memories"]
"""Origin of a type's memories: somebody says it; a model sums up a conversation; the nightly
maintenance sums up several memories."""

CoreHeading = Literal[
    "Identity",
    "Preferences",
    "Habits",
    "Goals",
    "Rules",
    "Decisions and goals",
    "People",
    "Lessons",
    "Facts and concepts",
    "Rules for the assistant",
]
"""The headings of the core files."""


@dataclass(frozen=True, slots=True)
class FadingCurve:
    """Loss of strength of the memories of one type. Times are days."""

    tau: float | None
    """Days after which e times less is left above the floor; None: it does not fade."""
    floor: float = 0.0
    """Strength that is left whatever its age. From 0.1 on age alone archives nothing."""
    archive: float = 0.1
    """Strength under which it is archived."""
    ttl: float | None = None
    """Days after which it expires, where the table sets an end and not who concluded it."""


class MemoryType(StrEnum):
    """Kinds of conclusion."""

    FACT = "fact"
    PREFERENCE = "preference"
    RULE = "rule"
    SKILL = "skill"
    ERROR = "error"
    GOAL = "goal"
    RELATIONSHIP = "relationship"
    TASK_OUTCOME = "task_outcome"
    TOOL_EXPERIENCE = "tool_experience"
    EPISODE = "episode"
    CONCEPT = "concept"

    @property
    def row(self) -> "MemoryTypeRow":
        """Row of the table."""
        return MEMORY_TYPES[self]

    @property
    def is_derived(self) -> bool:
        """True if memories of the type are derived from others, never stated or proposed."""
        return self.row.origin != "statement"

    @property
    def may_be_proposed(self) -> bool:
        """True if a model that reads a conversation may propose a memory of the type."""
        return self.row.may_be_proposed and not self.is_derived

    @property
    def sums_up_conversation(self) -> bool:
        """True if a memory of the type sums up a segment of conversation."""
        return self.row.origin == "conversation"

    @property
    def is_personal(self) -> bool:
        """True if a memory of the type is seen in every project, unless its words say otherwise."""
        return self.row.is_personal

    @property
    def is_guide(self) -> bool:
        """True for instructions; an instruction with a task holds for that task alone."""
        return self.row.is_guide

    @property
    def is_binding(self) -> bool:
        """True if a memory of the type binds the assistant until the user takes it back."""
        return self.row.is_binding


@dataclass(frozen=True, slots=True)
class MemoryTypeRow:
    """A row of the table."""

    meaning: str
    """One line for help and docs."""
    fading: FadingCurve
    """Row of the retention table."""
    recency_tau_days: float | None = None
    """Time constant by which a search prefers newer memories; None if age has no weight."""
    core_heading: CoreHeading | None = None
    """Heading in the core files; None for a type that no core file shows."""
    origin: Origin = "statement"
    may_be_proposed: bool = True
    """True if a model that reads a conversation may propose a memory; ignored if derived."""
    is_personal: bool = False
    """True if a memory is seen in every project, unless its words say otherwise."""
    leans_to_person: int = 0
    """Weight of the type for a memory about the person, if the words suit person and work alike;
    below zero for a memory about the work."""
    is_binding: bool = False
    """True if a memory binds the assistant until the user takes it back: it never fades or makes
    room for others, and comes first in the core files."""
    is_guide: bool = False
    """True for instructions. An instruction with a task holds for that task alone; other memories
    were learnt at their task, and last."""
    archive_order: int | None = None
    """Place among the types that are archived first when there are too many memories, because the
    verbatim record has the same; None for other types."""
    other_words: tuple[str, ...] = ()
    """Other names of the type in answers of models."""
    instead: str = ""
    """Advice for a caller who states a derived type."""


MEMORY_TYPES: Mapping[MemoryType, MemoryTypeRow] = MappingProxyType(
    {
        MemoryType.FACT: MemoryTypeRow(
            meaning="what is so",
            other_words=("事实",),
            fading=FadingCurve(90, 0.1),
            recency_tau_days=180,
            core_heading="Facts and concepts",
        ),
        MemoryType.PREFERENCE: MemoryTypeRow(
            meaning="what somebody likes or wants",
            other_words=("偏好", "喜好"),
            fading=FadingCurve(180, 0.1),  # slower than a fact, never gone by age
            core_heading="Preferences",
            is_personal=True,
            leans_to_person=1,
            is_guide=True,
        ),
        MemoryType.RULE: MemoryTypeRow(
            meaning="what the assistant is to do or to leave",
            other_words=("规则", "要求"),
            fading=FadingCurve(None),
            core_heading="Rules",
            is_personal=True,
            leans_to_person=1,
            is_binding=True,
            is_guide=True,
        ),
        MemoryType.SKILL: MemoryTypeRow(
            meaning="how something is done",
            other_words=("技能",),
            fading=FadingCurve(180, 0.1),
            core_heading="Lessons",
            leans_to_person=-1,
        ),
        MemoryType.ERROR: MemoryTypeRow(
            meaning="what went wrong and why",
            other_words=("错误", "问题"),
            fading=FadingCurve(30),  # a lesson of last month is worth more than its date
            recency_tau_days=90,
            core_heading="Lessons",
            leans_to_person=-1,
            archive_order=3,
        ),
        MemoryType.GOAL: MemoryTypeRow(
            meaning="what somebody is after, or has promised",
            other_words=("plan", "目标", "计划"),
            fading=FadingCurve(90, 0.1),  # as a fact; it often has a date of its own
            recency_tau_days=90,
            core_heading="Decisions and goals",
        ),
        MemoryType.RELATIONSHIP: MemoryTypeRow(
            meaning="who somebody is to somebody else",
            other_words=("关系", "人际关系"),
            fading=FadingCurve(180, 0.1),
            core_heading="People",
            is_personal=True,
            leans_to_person=2,
        ),
        MemoryType.TASK_OUTCOME: MemoryTypeRow(
            meaning="how a piece of work ended",
            other_words=("outcome", "任务结果"),
            fading=FadingCurve(90),
            recency_tau_days=90,
            leans_to_person=-1,
            archive_order=2,
        ),
        MemoryType.TOOL_EXPERIENCE: MemoryTypeRow(
            meaning="what using a tool has taught",
            other_words=("工具经验",),
            fading=FadingCurve(90),
            recency_tau_days=90,
            leans_to_person=-1,
            archive_order=1,
        ),
        MemoryType.EPISODE: MemoryTypeRow(
            meaning="what a segment of conversation came to; written by a model",
            fading=FadingCurve(14),
            recency_tau_days=14,
            origin="conversation",
            archive_order=0,
            instead="An episode is what a model makes of a recorded conversation: record it with "
            "record_conversation. To hand in your own, name the turns or the session it sums up "
            "(covers). To keep how a piece of work ended, use task_outcome.",
        ),
        MemoryType.CONCEPT: MemoryTypeRow(
            meaning="what several memories come to together; written by a model",
            fading=FadingCurve(180, 0.1),
            recency_tau_days=180,
            core_heading="Facts and concepts",
            origin="memories",
            instead="Nightly maintenance derives a concept from several memories. To keep a "
            "conclusion of your own, use fact.",
        ),
    }
)
"""Rows of the table, in the order of every list of types that a person sees."""


_FORGOTTEN = set(MemoryType) - MEMORY_TYPES.keys()
if _FORGOTTEN:
    raise TypeError(f"memory_types.py: MEMORY_TYPES has no row for {', '.join(_FORGOTTEN)}")


def types_that(hold: Callable[[MemoryType], bool]) -> tuple[MemoryType, ...]:
    """List the types that meet a condition, in the order of the table."""
    return tuple(filter(hold, MemoryType))


DERIVED_TYPES = frozenset(types_that(lambda one: one.is_derived))
"""Types that sum up other words and are never stated."""
CONVERSATION_SUMMARIES = frozenset(types_that(lambda one: one.sums_up_conversation))
BINDING_TYPES = frozenset(types_that(lambda one: one.is_binding))
GUIDING_TYPES = frozenset(types_that(lambda one: one.is_guide))
"""Types whose memories hold for their task alone, if they have a task."""
PERSONAL_TYPES = frozenset(types_that(lambda one: one.is_personal))
STATABLE_TYPES = types_that(lambda one: not one.is_derived)
"""Types that a user, an agent or a program may state."""
PROPOSABLE_TYPES = types_that(lambda one: one.may_be_proposed)
"""Types that a model that reads a conversation may propose."""
ARCHIVED_FIRST = tuple(
    sorted(
        types_that(lambda one: one.row.archive_order is not None),
        key=lambda one: one.row.archive_order or 0,
    )
)
"""Types that are archived first when there are too many memories, in order."""


def _json_choices(types: tuple[MemoryType, ...]) -> WithJsonSchema:
    return WithJsonSchema({"enum": [one.value for one in types], "type": "string"})


def refuse_derived(kind: MemoryType) -> MemoryType:
    """Return the type, if it may be stated.

    Raises:
        ValueError: the type may not be stated; the error says what to do instead.
    """
    if kind.is_derived:
        raise ValueError(kind.row.instead)
    return kind


def _refuse_unknown(value: object) -> object:
    """Return the value, or raise ValueError for a text that names no type."""
    if isinstance(value, str) and value not in list(MemoryType):
        choices = ", ".join(STATABLE_TYPES)
        raise ValueError(f"{quote_value(value)} is not one of {choices}")
    return value


AnyType = Annotated[MemoryType, Strict(strict=False), _json_choices(tuple(MemoryType))]
"""Type to search for or to list."""
StatableType = Annotated[
    MemoryType,
    BeforeValidator(_refuse_unknown),
    AfterValidator(refuse_derived),
    _json_choices(STATABLE_TYPES),
]
"""Type to state."""
ProposableType = Annotated[MemoryType, _json_choices(PROPOSABLE_TYPES)]
"""Type to propose, as the schema for a model lists the choices. The choice is checked operation by
operation, so that a bad proposal does not take other proposals along."""

SQL_TYPE_LISTS = {
    "derived_types": DERIVED_TYPES,
    "conversation_summaries": CONVERSATION_SUMMARIES,
    "binding_types": BINDING_TYPES,
    "guiding_types": GUIDING_TYPES,
    "personal_types": PERSONAL_TYPES,
}
"""Lists that SQL statements name in braces: `m.type NOT IN {derived_types}`."""
