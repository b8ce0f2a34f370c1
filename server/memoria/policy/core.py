"""Core files: the memories that stand in each file and group, their order, and how many fit."""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.names.keys import USER, has_one_value
from memoria.language.statements.classifier import guess_type
from memoria.language.statements.lasting import REDACTED, lasting_end
from memoria.model.core import CORE_FILES, USER_EDIT_NAME, CoreFile, CoreMemory
from memoria.model.memory_types import CoreHeading, MemoryType
from memoria.model.moments import Zone
from memoria.model.skills import read_skill

ASSISTANT = "assistant"
"""The subject of rules on how the agent behaves towards this user."""
HABIT = "habit"
"""The predicate of a user's habit."""
CONFLICTS = "Conflicts"
SAID = "Said, not decided"
"""Heading of the quotes: requests of the user of which no memory was made."""
_AGENT_WORDS = frozenset("assistant agent you persona 助手 助理 你".split())
_OF_THE_USER = lazy_regex(r"(?:the user|user|i|i['’]m|my)\b|用户|我(?!们)", re.IGNORECASE)
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
"""All groups, in the order of their headings."""
_BY_HEADING = {group.heading: group for group in GROUPS}
_PROJECT_GROUPS = (
    *(group for group in GROUPS if group.file == "MEMORY.md"),
    replace(_BY_HEADING["Preferences"], file="MEMORY.md", subject=None),
)
"""The groups of a project's file, which has no other file beside it."""


def groups_in(file: CoreFile) -> list[Group]:
    """List the groups of a file in their order."""
    if file not in CORE_FILES:
        return list(_PROJECT_GROUPS)
    return [group for group in GROUPS if group.file == file]


def is_for_every_session(memory: CoreMemory, now: int, zone: Zone) -> bool:
    """Check whether a memory is meant for every session, not just for one session or one day.

    What the user pinned or wrote into a core file stands there as long as they let it. A memory
    with a redacted secret never does: there is nothing to read. Nor does a skill in the form of a
    file, which clients load by themselves.
    """
    is_file = memory.type is MemoryType.SKILL and read_skill(memory.content) is not None
    if is_file or REDACTED in memory.content:
        return False
    end = end_for_every_session(memory, zone)
    return end is None or now < end


def end_for_every_session(memory: CoreMemory, zone: Zone) -> int | None:
    """Return until when a memory is for every session, UTC epoch ms; None for always."""
    if memory.pinned or memory.channel == USER_EDIT_NAME:
        return None
    said_in = zone.at_offset(memory.valid_from, memory.utc_offset)
    return lasting_end(memory.content, memory.type, memory.valid_from, said_in)


def group_in(memory: CoreMemory, file: CoreFile, placed: CoreFile | None = None) -> Group | None:
    """Return the group of a file that a memory stands in; None if the file has no place for it.

    Args:
        memory: one that is seen where the file is read.
        file: which file is asked about.
        placed: the file in which the user wrote its line. There it stays, whatever it says.
    """
    group = group_for(memory)
    if file in CORE_FILES and (placed or (group and group.file)) != file:
        return None
    if group is None and placed != file:
        return None
    if group is not None and group.file == file:
        return group
    return group_in_file(memory.type, file)


def group_in_file(kind: MemoryType, file: CoreFile) -> Group:
    """Return the group of a file for a type without a group of its own in the file."""
    groups = groups_in(file)
    heading = kind.row.core_heading
    by_heading = (group for group in groups if group.heading == heading)
    by_type = (group for group in groups if group.type is kind)
    return next(by_heading, None) or next(by_type, groups[0])


def group_for(memory: CoreMemory) -> Group | None:
    """Return the group that a memory stands in, in one of the home's files, or None."""
    if _is_minor(memory):
        return None
    is_about_user = memory.subject == USER or _begins_with_the_user(memory)
    match memory.type:
        case MemoryType.FACT if is_about_user:
            return _HABITS if memory.predicate == HABIT else _IDENTITY
        case MemoryType.GOAL if is_about_user:
            return _GOALS
        case MemoryType.RULE if memory.subject in _AGENT_WORDS:
            return _PERSONA
        case MemoryType.PREFERENCE if memory.subject not in (None, USER, *_AGENT_WORDS):
            return _PEOPLE
        case _:
            heading = memory.type.row.core_heading
            return None if heading is None else _BY_HEADING[heading]


def _is_minor(memory: CoreMemory) -> bool:
    """Check whether a memory matters too little for a line; a search still finds it."""
    is_fixed = memory.pinned or memory.verified or memory.channel == USER_EDIT_NAME
    return memory.importance < _LEAST_IMPORTANCE and not is_fixed and memory.predicate != HABIT


def _begins_with_the_user(memory: CoreMemory) -> bool:
    """Check whether a statement without a recorded subject begins with words for the user.

    A line that the user wrote stays below the heading it was written below, whatever it says.
    """
    has_no_subject = memory.subject is None and memory.channel != USER_EDIT_NAME
    return has_no_subject and is_about_the_user(memory.content)


def is_about_the_user(text: str) -> bool:
    """Check whether a statement begins with the user."""
    return _OF_THE_USER.match(text) is not None


def rank_for_core(
    memories: Iterable[CoreMemory],
    strength: Callable[[CoreMemory], float] | None = None,
    fresh: Collection[str] = (),
) -> list[CoreMemory]:
    """Sort memories, the most important for a core file first.

    First come those that the user pinned, then those that the user wrote into the file, rules,
    those stated since the file was written, those that the user confirmed, those that can have
    only one value (a name, a home), and the rest, each by strength; of equals the newest is first.

    Args:
        memories: the memories to sort.
        strength: gives the strength of a memory; its importance by default.
        fresh: the ids of those stated since the file was written, where it is read between nights.
    """

    def rank_key(memory: CoreMemory) -> tuple[bool, bool, bool, bool, bool, bool, float, int, str]:
        user_edit = memory.channel == USER_EDIT_NAME
        is_only_one = memory.subject == USER and has_one_value(memory.predicate or "")
        strength_left = memory.importance if strength is None else strength(memory)
        binding = memory.type.is_binding
        is_fresh = memory.id in fresh
        flags = (memory.pinned, user_edit, binding, is_fresh, memory.verified, is_only_one)
        return (*flags, strength_left, memory.valid_from, memory.id)

    return sorted(memories, key=rank_key, reverse=True)


def take_within_budget(
    items: Iterable[_Item], cost: Callable[[_Item], int], budget: int, least: int = 0
) -> list[_Item]:
    """Take the items that fit into a budget, in their order; one that is too large is left out.

    Args:
        items: they are asked for only as long as one may fit.
        cost: what an item costs.
        budget: what all of them may cost.
        least: what the cheapest possible item costs.
    """
    chosen: list[_Item] = []
    for item in items:
        if budget < least:
            break
        price = cost(item)
        if price <= budget:
            budget -= price
            chosen.append(item)
    return chosen


_TYPE_OF_HEADING = {
    MemoryType.RULE: lazy_regex(
        r"(?i)\b(?:rules?|conventions?|guidelines?|instructions?|do(?:s|['’]s)?\sand\sdon|policy)"
        r"|规则|规矩|约定|规范|守则|要求"
    ),
    MemoryType.PREFERENCE: lazy_regex(
        r"(?i)\b(?:preferences?|likes?|dislikes?|tastes?)\b|偏好|喜好|喜欢"
    ),
    MemoryType.GOAL: lazy_regex(
        r"(?i)\b(?:goals?|plans?|decisions?|to-?dos?|next\ssteps)\b|目标|计划|打算|决定|待办"
    ),
    MemoryType.RELATIONSHIP: lazy_regex(
        r"(?i)\b(?:people|team|family|friends|contacts|colleagues)\b|人物|家人|朋友|同事|团队|联系人"
    ),
    MemoryType.SKILL: lazy_regex(
        r"(?i)\b(?:lessons?|how-?tos?|skills?|tips|experience)\b|经验|教训|技巧|心得"
    ),
}


def conclude_group(text: str, heading: str, file: CoreFile) -> Group:
    """Conclude the memory that a bullet becomes: its file, type and subject.

    Args:
        text: what it says.
        heading: the user's heading above it.
        file: where it stands.
    """
    if file == "PERSONA.md":
        return Group(file, "Rules for the assistant", MemoryType.RULE, ASSISTANT)
    kind = guess_type(text)
    if kind is MemoryType.FACT:
        kind = _type_by_heading(heading) or kind
    base = group_in_file(kind, file)
    is_users = file == "USER.md" or is_about_the_user(text)
    subject = USER if is_users and kind is not MemoryType.RULE else None
    return Group(file, base.heading, kind, subject)


def _type_by_heading(heading: str) -> MemoryType | None:
    found = (kind for kind, words in _TYPE_OF_HEADING.items() if words.search(heading))
    return next(found, None)
