"""Briefing: what an agent is told at the start of a session, before it has asked for anything.

It is how to use the memory, what always matters, what the user asked for in their own words, the
tasks in hand, and what the last conversations in this project came to: what a hook puts before a
model, and what is kept for hooks (`app/kept.py`). The prompt of that name is not held to a budget,
and shows the files whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memoria.app.core_excerpt import CoreReader
from memoria.bare.kept import OF_NO_PROJECT
from memoria.language.budget import estimate_tokens, take_fitting
from memoria.language.reading.invisible import show_invisible
from memoria.language.reading.lines import indent_lines
from memoria.language.reading.strip import escape_fences, fence
from memoria.lifecycle.core.wishes import HEADING, list_wishes, wish_lines
from memoria.memories.conditions import is_open
from memoria.memories.days import date_of, date_of_memory
from memoria.memories.task_in_hand import list_told_tasks
from memoria.model import Scratchpad, now_millis, to_iso
from memoria.model.zone import Zone
from memoria.store.rows.transaction import Transaction

MOST_TOKENS = 2_300
"""Estimated; no text has more than four characters for each. Claude Code shows 10,000 characters of
what a hook says, and of more only a preview."""
MOST_TASKS, _EPISODES = 3, 3
_TASK_TOKENS, _EPISODE_TOKENS = 300, 500
_WISH_TOKENS = 500
_HEADINGS = (
    *("# Core memory", f"# {HEADING}", "# Tasks"),
    "# Last conversations in this project",
)


@dataclass(frozen=True, slots=True)
class BriefingLines:
    """Lines that a briefing may show, by part."""

    core: Sequence[str]
    urgent: frozenset[str]
    """Lines of `core` that come before all others: rules, and what no file says yet."""
    wishes: Sequence[str]
    tasks: Sequence[str]
    episodes: Sequence[str]


def compose_briefing(
    tx: Transaction, reader: CoreReader, project: str | None, guide: str, most: int = MOST_TOKENS
) -> str:
    """Compose the briefing for a session in a project, as one block of data.

    Args:
        tx: sees the tenant's rows.
        reader: of the tenant's core files.
        project: the session's; None for none.
        guide: how to use the memory, which comes first and whole.
        most: how many estimated tokens it may have.
    """
    read = _read_lines(tx, reader, project)
    episodes_heading = _HEADINGS[-1] if project else OF_NO_PROJECT
    left = most - _size(fence(guide)) - sum(map(_size, _HEADINGS)) - len(_HEADINGS)
    tasks = take_fitting(read.tasks, _size, min(_TASK_TOKENS, left))
    episodes = take_fitting(read.episodes, _size, min(_EPISODE_TOKENS, left))
    wishes = take_fitting(read.wishes, _size, min(_WISH_TOKENS, left))
    core = _fit_core(read, left - sum(map(_size, (*wishes, *tasks, *episodes))))
    headings = (*_HEADINGS[:-1], episodes_heading)
    blocks = zip(headings, (core, wishes, tasks, episodes), strict=True)
    shown = ["\n".join((heading, *lines)) for heading, lines in blocks if lines]
    return fence("\n\n".join((guide.strip(), *shown)))


def _read_lines(tx: Transaction, reader: CoreReader, project: str | None) -> BriefingLines:
    core = reader.read(tx, project)
    pads = list_told_tasks(tx, project, now_millis(), MOST_TASKS)
    ids = tx.episodes.list_recent(now_millis(), project, _EPISODES)
    known = (memory for memory in map(tx.memories.get, ids) if memory is not None)
    episodes = (memory for memory in known if is_open(tx, memory))
    return BriefingLines(
        [line for one in core.values() for line in _split(one.text)],
        frozenset(show_invisible(line) for one in core.values() for line in one.urgent),
        wish_lines(tx, list_wishes(tx, project), project, reader.home),
        [line for pad in pads for line in _task_lines(pad, tx.zone)],
        [
            f"- {date_of_memory(one, tx.zone)}: {indent_lines(one.current.content, '  ')}"
            for one in episodes
        ],
    )


def _split(text: str) -> list[str]:
    return [line for line in show_invisible(text).splitlines() if line.strip()]


def _task_lines(pad: Scratchpad, zone: Zone) -> list[str]:
    """List tasks, each with its day, as a briefing may be read on a later one."""
    task, day = pad.current_focus, date_of(pad.updated_at, zone)
    now = [f"- last worked on {day}: {indent_lines(task, '  ')}"] if task else []
    done = [f"- until {to_iso(one.at)}: {indent_lines(one.task, '  ')}" for one in pad.completed]
    return [*now, *done]


def _fit_core(read: BriefingLines, room: int) -> list[str]:
    """Choose the lines of core memory that fit, in their order; urgent ones are taken first."""
    lines = list(enumerate(read.core))
    by_urgency = sorted(lines, key=lambda each: each[1] not in read.urgent)
    taken = []
    for place, line in by_urgency:
        if _size(line) <= room:
            room -= _size(line)
            taken.append((place, line))
    return [line for _, line in sorted(taken)]


def _size(line: str) -> int:
    """Estimate the tokens of a line with its end, as it will be in the fence."""
    return estimate_tokens(escape_fences(f"{line}\n"))
