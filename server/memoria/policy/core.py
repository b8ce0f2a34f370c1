"""Core files: which memories stand in which file and group, in what order, and how many fit."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from memoria.model.core import USER_EDIT_NAME, CoreFile, CoreMemory
from memoria.model.memory_types import CoreHeading, MemoryType
from memoria.policy.conflict import USER, has_one_value

ASSISTANT = "assistant"
"""The subject of rules on how the agent behaves towards this user."""
HABIT = "habit"
"""The predicate of a user's habit."""
CONFLICTS = "Conflicts"
_AGENT_WORDS = frozenset("assistant agent you persona 助手 助理 你".split())
_OF_THE_USER = re.compile(r"(?:the user|user|i|i['’]m|my)\b|用户|我(?!们)", re.IGNORECASE)
_LEAST_IMPORTANCE = 0.45
"""A little less than the importance of a statement that names none."""
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Group:
    """A heading of a core file, and the memory that a line added below it becomes."""

    file: CoreFile
    heading: CoreHeading
    type: MemoryType
    subject: str | None = None
    predicate: str | None = None


GROUPS: tuple[Group, ...] = (
    _IDENTITY := Group("USER.md", "Identity", MemoryType.FACT, USER),
    Group("USER.md", "Preferences", MemoryType.PREFERENCE, USER),
    _HABITS := Group("USER.md", "Habits", MemoryType.FACT, USER, HABIT),
    _GOALS := Group("USER.md", "Goals", MemoryType.GOAL, USER),
    Group("MEMORY.md", "Rules", MemoryType.RULE),
    Group("MEMORY.md", "Decisions and goals", MemoryType.GOAL),
    _PEOPLE := Group("MEMORY.md", "People", MemoryType.RELATIONSHIP),
    Group("MEMORY.md", "Lessons", MemoryType.SKILL),
    Group("MEMORY.md", "Facts and concepts", MemoryType.FACT),
    _PERSONA := Group("PERSONA.md", "Rules for the assistant", MemoryType.RULE, ASSISTANT),
)
"""In the order of their headings."""

_BY_HEADING = {group.heading: group for group in GROUPS}


def groups_in(file: CoreFile) -> list[Group]:
    """The groups of a file in their order."""
    return [group for group in GROUPS if group.file == file]


def group_for(memory: CoreMemory) -> Group | None:
    """The group that a memory stands in; None if it belongs into no core file."""
    if _is_minor(memory):
        return None
    is_about_user = memory.subject == USER or _is_about_the_user(memory)
    match memory.type:
        case MemoryType.FACT if is_about_user:
            return _HABITS if memory.predicate == HABIT else _IDENTITY
        case MemoryType.GOAL if is_about_user:
            return _GOALS
        case MemoryType.RULE if memory.subject in _AGENT_WORDS:
            return _PERSONA
        case MemoryType.PREFERENCE if memory.subject not in (None, USER):
            return _PEOPLE
        case _:
            heading = memory.type.row.core_heading
            return None if heading is None else _BY_HEADING[heading]


def _is_minor(memory: CoreMemory) -> bool:
    """Whether a memory matters too little for a line; a search still finds it."""
    is_fixed = memory.pinned or memory.verified or memory.channel == USER_EDIT_NAME
    return memory.importance < _LEAST_IMPORTANCE and not is_fixed and memory.predicate != HABIT


def _is_about_the_user(memory: CoreMemory) -> bool:
    """Whether a statement without a subject begins with the user.

    A line that the user wrote stays below the heading it was written below, whatever it says.
    """
    has_no_subject = memory.subject is None and memory.channel != USER_EDIT_NAME
    return has_no_subject and _OF_THE_USER.match(memory.content) is not None


def rank_for_core(
    memories: Iterable[CoreMemory], strength: Callable[[CoreMemory], float] | None = None
) -> list[CoreMemory]:
    """Sort memories, the most important for a core file first.

    First come those that the user pinned, then those that the user wrote into the file, rules,
    those that the user confirmed, those that can have only one value (a name, a home), and the
    rest, each by strength; of equals the newest is first.

    Args:
        memories: the memories to sort.
        strength: gives the strength of a memory; its importance by default.
    """

    def rank_key(memory: CoreMemory) -> tuple[bool, bool, bool, bool, bool, float, int, str]:
        user_edit = memory.channel == USER_EDIT_NAME
        is_only_one = memory.subject == USER and has_one_value(memory.predicate or "")
        strength_left = memory.importance if strength is None else strength(memory)
        binding = memory.type.is_binding
        flags = (memory.pinned, user_edit, binding, memory.verified, is_only_one)
        return (*flags, strength_left, memory.valid_from, memory.id)

    return sorted(memories, key=rank_key, reverse=True)


def take_within_budget(
    items: Sequence[_Item], cost: Callable[[_Item], int], budget: int
) -> list[_Item]:
    """The items that fit into a budget, in their order; one that is too large is left out."""
    chosen: list[_Item] = []
    for item in items:
        price = cost(item)
        if price <= budget:
            budget -= price
            chosen.append(item)
    return chosen
