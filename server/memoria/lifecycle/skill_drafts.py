"""Drafts of skills: what a model proposes is checked against the record, and written as a SKILL.md.

A draft names three sessions at least, and each of them bears it out by a line. Whatever it quotes
stands in the lines of these sessions, but for placeholders. A pitfall that quotes what is not there
is left out; with such a step the whole draft is worth nothing.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.words.characters import is_cjk
from memoria.lifecycle.skill_sessions import SessionLine, SessionSheet, SkillMatter
from memoria.memories.validator import RejectedError
from memoria.model.skills import LEAST_SESSIONS, ProposedSkill, Skill, SkillPart

_MOST_PASSAGES = 60
_QUOTED_CHARS = 300
_SPAN = lazy_regex(r"(`+)(?P<words>.+?)\1")
_PLACEHOLDER = lazy_regex(r"<[^<>\n]{1,60}>")
_BLANKS = lazy_regex(r"\s+")
_ANYTHING = r".{0,300}?"
_STEPS, _PITFALLS = ("Steps", "步骤"), ("Pitfalls", "注意")


@dataclass(frozen=True, slots=True)
class SkillDraft:
    """A skill that its sessions bear out."""

    skill: Skill
    passages: tuple[tuple[str, str], ...]
    """Turns that it rests on, by id, with their words."""
    sessions: frozenset[str]


def check_proposal(proposed: ProposedSkill, matter: SkillMatter) -> SkillDraft:
    """Return a proposal as a draft.

    Raises:
        RejectedError: too few sessions bear it out, or it quotes what no line of them has.
    """
    named = {n for n in proposed.sessions if n <= len(matter.sheets)}
    sheets = [matter.sheets[n - 1] for n in sorted(named)]
    lines = [line for sheet in sheets for line in sheet.lines]
    if any(not _is_quoted_rightly(step, lines) for step in proposed.steps):
        raise RejectedError("it quotes what no session ran")
    steps = [found for step in proposed.steps for found in _find_lines(step, matter)]
    borne_out = {sheet.session_id for sheet, _ in steps if sheet in sheets}
    if len(borne_out) < LEAST_SESSIONS:
        raise RejectedError(f"fewer than {LEAST_SESSIONS} sessions bear it out")
    everything = [line for sheet in matter.sheets for line in sheet.lines]
    pitfalls = tuple(one for one in proposed.pitfalls if _is_quoted_rightly(one, everything))
    kept = proposed.model_copy(update={"pitfalls": pitfalls})
    skill = Skill(kept.name, " ".join(kept.description.split()), _write_body(kept, matter))
    sheets = [sheet for sheet in sheets if sheet.session_id in borne_out]
    return SkillDraft(skill, tuple(_list_passages(kept, sheets, matter)), frozenset(borne_out))


def _list_passages(
    proposed: ProposedSkill, sheets: Sequence[SessionSheet], matter: SkillMatter
) -> list[tuple[str, str]]:
    """List the turns of a draft: what was asked, what it quotes, and what the model cites."""
    parts = (*proposed.steps, *proposed.pitfalls)
    quoted = [_compile(words) for part in parts for words in list_quoted(part.text)]
    found = [next(line for line in sheet.lines if line.kind != "agent") for sheet in sheets]
    for sheet in sheets:
        told = (next((line for line in sheet.lines if one(line)), None) for one in quoted)
        found += filter(None, told)
    found += [line for part in parts for _, line in _find_lines(part, matter)]
    passages = {line.turn.id: line.words[:_QUOTED_CHARS] for line in found}
    return [*passages.items()][:_MOST_PASSAGES]


def _find_lines(part: SkillPart, matter: SkillMatter) -> list[tuple[SessionSheet, SessionLine]]:
    return [found for n in part.lines if (found := matter.find_line(n)) is not None]


def _is_quoted_rightly(part: SkillPart, lines: Sequence[SessionLine]) -> bool:
    """Check that all that a part quotes stands in some lines."""
    return all(any(map(_compile(words), lines)) for words in list_quoted(part.text))


def list_quoted(text: str) -> list[str]:
    """List what a text has between backticks, but for names of placeholders."""
    spans = (one["words"].strip() for one in _SPAN.finditer(text))
    return [one for one in spans if _PLACEHOLDER.sub("", one).strip()]


def _compile(words: str) -> Callable[[SessionLine], bool]:
    """Return a check whether a line has words, whatever is in the place of their placeholders."""
    pieces = (_BLANKS.sub(" ", one).strip() for one in _PLACEHOLDER.split(words))
    pattern = re.compile(_ANYTHING.join(re.escape(one) for one in pieces if one))
    return lambda line: pattern.search(_BLANKS.sub(" ", line.words)) is not None


def _write_body(proposed: ProposedSkill, matter: SkillMatter) -> str:
    other = int(is_cjk(proposed.steps[0].text))
    parts = [f"## {_STEPS[other]}", ""]
    parts += [f"{n}. {' '.join(one.text.split())}" for n, one in enumerate(proposed.steps, 1)]
    if proposed.pitfalls:
        parts += ["", f"## {_PITFALLS[other]}", ""]
        parts += [
            f"- {_date(one, matter)}: {' '.join(one.text.split())}" for one in proposed.pitfalls
        ]
    return "\n".join(parts)


def _date(part: SkillPart, matter: SkillMatter) -> str:
    """Return the day on which a pitfall was seen last."""
    return max((sheet.day for sheet, _ in _find_lines(part, matter)), default="")


def is_of_dropped(draft: SkillDraft, dropped: Sequence[Collection[str]]) -> bool:
    """Check whether most sessions of a draft are those of a skill that the user has dropped.

    Args:
        draft: the draft.
        dropped: of each dropped skill, the ids of its sessions.
    """
    return any(2 * len(draft.sessions & {*one}) > len(draft.sessions) for one in dropped)
