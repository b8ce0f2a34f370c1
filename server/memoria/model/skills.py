"""Skills: texts in the form of a SKILL.md, and a model's reading of sessions for such skills.

A memory of the type skill whose text begins with name and description, as the Agent Skills format
has them, is a skill that a client can load. Any other memory of the type is a plain sentence.
"""

import json
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, StringConstraints

from memoria.bare.lazy_regex import lazy_regex
from memoria.model.base import Value
from memoria.model.memory import Memory, Validity
from memoria.model.memory_types import MemoryType

LEAST_SESSIONS = 3
"""Sessions in which a task must have been done before it is proposed as a skill."""
FAILURES = 2
"""Failures after which a kept skill is withdrawn."""
FLAG = "skill"
"""Reason for which a draft waits for the user's word."""
NAME_FORM = r"[a-z0-9]+(?:-[a-z0-9]+)*"
MOST_NAME_CHARS, MOST_DESCRIPTION_CHARS = 64, 1024
_FORM = lazy_regex(r"---\n(?P<front>.*?)\n---\n+(?P<body>\S.*)", flags=16)  # DOTALL
_FIELD = lazy_regex(r"(?m)^(?P<name>[a-z-]+): *(?P<value>\S.*?) *$")
_NAME = lazy_regex(NAME_FORM)

SkillState = Literal["draft", "kept", "withdrawn", "dropped"]


class Skill(NamedTuple):
    """The parts of a SKILL.md."""

    name: str
    description: str
    body: str

    def write(self, more: str = "") -> str:
        """Write it as a file, with further lines of front matter."""
        description = json.dumps(self.description, ensure_ascii=False)
        head = f"name: {self.name}\ndescription: {description}\n{more}"
        return f"---\n{head}---\n\n{self.body}\n"


def read_skill(text: str) -> Skill | None:
    """Read the text of a SKILL.md; None for a text of another form."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        return None
    fields = {one["name"]: _unquote(one["value"]) for one in _FIELD.finditer(found["front"])}
    name, description = fields.get("name", ""), fields.get("description", "")
    is_name = len(name) <= MOST_NAME_CHARS and _NAME.fullmatch(name)
    if not is_name or not 0 < len(description) <= MOST_DESCRIPTION_CHARS:
        return None
    return Skill(name, description, found["body"].strip())


def _unquote(value: str) -> str:
    if value[0] == value[-1] == "'" and len(value) > 1:
        return value[1:-1].replace("''", "'")
    try:
        read = json.loads(value)
    except ValueError:
        return value
    return read if isinstance(read, str) else value


def skill_of(memory: Memory) -> Skill | None:
    """Return the skill that a memory is; None for any other memory."""
    return read_skill(memory.content) if memory.type is MemoryType.SKILL else None


def state_of(memory: Memory) -> SkillState:
    """Return how a skill stands: only the user drops one, and only failures withdraw one."""
    match memory.validity:
        case Validity.PENDING_CONFIRMATION:
            return "draft"
        case Validity.ACTIVE:
            return "kept"
        case Validity.ARCHIVED:
            return "dropped"
        case _:
            return "withdrawn"


_Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
_Number = Annotated[int, Field(ge=1)]
_Seen = Annotated[tuple[_Number, ...], Field(min_length=1, max_length=20)]
_SkillName = Annotated[str, StringConstraints(pattern=f"^{NAME_FORM}$", max_length=MOST_NAME_CHARS)]


class SkillPart(Value):
    """A step or a pitfall, and the lines of the record that it rests on."""

    text: _Line
    """A sentence; whatever is quoted stands between backticks, with <placeholders>."""
    lines: _Seen


class ProposedSkill(Value):
    """A task that was done again and again, as a model describes it."""

    name: _SkillName
    description: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_DESCRIPTION_CHARS),
    ]
    sessions: Annotated[tuple[_Number, ...], Field(max_length=30)]
    """Numbers of the sessions in which it was done and held."""
    steps: Annotated[tuple[SkillPart, ...], Field(min_length=1, max_length=20)]
    pitfalls: Annotated[tuple[SkillPart, ...], Field(max_length=10)] = ()


class SkillFailure(Value):
    """A session in which a kept skill was used and its way no longer worked."""

    skill: _SkillName
    session: _Number
    lines: _Seen


class SkillReading(Value):
    """Skills and failures that a model found in the sessions of a project."""

    skills: Annotated[tuple[ProposedSkill, ...], Field(max_length=5)] = ()
    failures: Annotated[tuple[SkillFailure, ...], Field(max_length=10)] = ()
