"""Own lines: the memory that a bullet becomes below a heading of the user's own.

Its wording says most: a rule, a preference, a plan. Where it says nothing of that, the heading may,
and else the file: what stands in USER.md is about the user.
"""

from memoria.language.names.keys import USER
from memoria.language.pattern import LazyPattern
from memoria.language.statements.kinds import guess_type
from memoria.model.core import CoreFile
from memoria.model.memory_types import MemoryType
from memoria.policy.core import ASSISTANT, Group, group_in_file, is_about_the_user

_TYPE_OF_HEADING = {
    MemoryType.RULE: LazyPattern(
        r"(?i)\b(?:rules?|conventions?|guidelines?|instructions?|do(?:s|['’]s)?\sand\sdon|policy)"
        r"|规则|规矩|约定|规范|守则|要求"
    ),
    MemoryType.PREFERENCE: LazyPattern(
        r"(?i)\b(?:preferences?|likes?|dislikes?|tastes?)\b|偏好|喜好|喜欢"
    ),
    MemoryType.GOAL: LazyPattern(
        r"(?i)\b(?:goals?|plans?|decisions?|to-?dos?|next\ssteps)\b|目标|计划|打算|决定|待办"
    ),
    MemoryType.RELATIONSHIP: LazyPattern(
        r"(?i)\b(?:people|team|family|friends|contacts|colleagues)\b|人物|家人|朋友|同事|团队|联系人"
    ),
    MemoryType.SKILL: LazyPattern(
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
    found = (kind for kind, words in _TYPE_OF_HEADING.items() if words.regex.search(heading))
    return next(found, None)
