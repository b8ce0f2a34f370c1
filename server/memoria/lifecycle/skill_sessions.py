"""Sessions of a project as a model is shown them to find skills: what was asked, run and edited.

Every line has a number, by which the model cites it. A line is a turn of the record, shortened.
Turns that were told in confidence or are not to be kept are left out.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.calls.command import shell_text
from memoria.language.calls.error import telling_line
from memoria.language.calls.files import list_files
from memoria.language.calls.outcome import Outcome
from memoria.language.calls.output import read_output
from memoria.language.calls.texts import walk_texts
from memoria.language.reading.fences import join_lines
from memoria.language.reading.pasted import own_part
from memoria.lifecycle.interface import StepContext
from memoria.memories.conditions import conditions_of_turns
from memoria.model import Role, StoredTurn
from memoria.model.skills import LEAST_SESSIONS
from memoria.store.rows.listings import ListedSession, ListedSpan
from memoria.store.rows.tool_calls import CallRow
from memoria.store.rows.transaction import Transaction

MOST_SESSIONS = 15
_MOST_LINES = 60
"""Most lines of a session; of more, those in the middle are left out."""
_MOST_CHARS = 48_000
"""Most characters of all sessions; of more, the oldest are left out."""
_MOST_TURNS = 400
_LISTED = 60
_COMMAND_CHARS, _WORDS_CHARS, _SHORT_CHARS, _ERROR_CHARS = 400, 300, 160, 240
_SAID = ("user", "agent")
_MS_PER_MINUTE = 60_000
_SKILL_FILE = lazy_regex(r"skills[/\\]+(?P<name>[a-z0-9-]+)[/\\]+SKILL\.md", flags=2)  # IGNORECASE
_EDIT_FIELDS = ("new_string", "content", "new_str", "newString", "file_text")


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A turn as a line."""

    turn: StoredTurn
    kind: str
    """`user`, `agent`, `ran`, `FAILED`, `edited` or `skill`."""
    text: str
    words: str
    """Words of the turn, whole, in one line: what may be quoted of it."""


@dataclass(frozen=True, slots=True)
class SessionSheet:
    """A session with its lines, which are numbered from `first` on."""

    session_id: str
    day: str
    first: int
    lines: tuple[SessionLine, ...]
    used: frozenset[str]
    """Names of the skills that were loaded in it."""

    def write(self, number: int, known: Iterable[str]) -> str:
        """Write it for a model, with the skills of these names that it used."""
        used = sorted(self.used & {*known})
        head = f"Session {number}, {self.day}" + (f", used {', '.join(used)}" if used else "")
        body = (f"{n} {one.kind}: {one.text}" for n, one in enumerate(self.lines, self.first))
        return "\n".join([head, *body])


@dataclass(frozen=True, slots=True)
class SkillMatter:
    """The sessions of a project that a model is shown."""

    project: str
    sheets: tuple[SessionSheet, ...]
    """Oldest first; a session's number is its place, from 1."""
    looked_until: int
    """Time of the last turn of the newest session, UTC epoch ms."""

    def find_line(self, number: int) -> tuple[SessionSheet, SessionLine] | None:
        """Return the line of a number with its session; None if there is none."""
        for sheet in self.sheets:
            if sheet.first <= number < sheet.first + len(sheet.lines):
                return sheet, sheet.lines[number - sheet.first]
        return None

    def write(self, known: Sequence[str]) -> str:
        """Write all sessions for a model."""
        return "\n\n".join(one.write(n, known) for n, one in enumerate(self.sheets, 1))


def read_matter(context: StepContext, project: str, looked_until: int) -> SkillMatter | None:
    """Read the newest sessions of a project; None if too few are new, or too few did anything."""
    with context.store.read(context.tenant) as tx:
        idle_ms = round(context.settings.segment_idle_minutes * _MS_PER_MINUTE)
        found = _list_sessions(tx, project, context.at - idle_ms)
        if sum(one.last_at > looked_until for one in found) < LEAST_SESSIONS:
            return None
        shown = [*islice(_read_sessions(tx, found, project), MOST_SESSIONS)]
    sizes = accumulate(sum(len(line.text) for line in some) for _, some, _ in shown)
    fitting = sum(size <= _MOST_CHARS for size in sizes)
    sheets, first = list[SessionSheet](), 1
    for session, some, used in reversed(shown[:fitting]):
        day = f"{context.store.zone.date_of(session.first_at):%Y-%m-%d}"
        sheets.append(SessionSheet(session.session_id, day, first, tuple(some), used))
        first += len(some)
    newest = max(one.last_at for one in found)
    return SkillMatter(project, tuple(sheets), newest) if len(sheets) >= LEAST_SESSIONS else None


def _list_sessions(tx: Transaction, project: str, until: int) -> list[ListedSession]:
    """List the newest sessions of a project that ended before a moment, newest first."""
    page = tx.listings.list_sessions(None, ListedSpan(0, _LISTED, workspace=project, until=until))
    return [one for one in page.items if one.workspace == project]


def _read_sessions(
    tx: Transaction, sessions: Iterable[ListedSession], project: str
) -> Iterator[tuple[ListedSession, list[SessionLine], frozenset[str]]]:
    """Yield the sessions in which something was run or edited, with their lines."""
    for session in sessions:
        lines, used = _read_lines(tx, session.session_id, project)
        if any(line.kind not in _SAID for line in lines):
            yield session, lines, used


def _read_lines(
    tx: Transaction, session_id: str, project: str
) -> tuple[list[SessionLine], frozenset[str]]:
    turns = [
        one
        for one in tx.conversations.session_turns(session_id, 0, _MOST_TURNS)
        if not one.suppressed
    ]
    conditions = conditions_of_turns(tx, turns) if turns else {}
    turns = [one for one in turns if conditions[one.n] is None]
    rows = defaultdict[int, list[CallRow]](list)
    for row in tx.tool_calls.list_of_turns([one.n for one in turns]):
        rows[row.turn_n].append(row)
    last = max((one.n for one in turns if one.role is Role.ASSISTANT), default=0)
    lines = [line for turn in turns for line in _to_lines(turn, rows[turn.n], last, project)]
    used = frozenset(name for turn in turns for name in list_used_skills(turn))
    return _shorten(lines), used


def _to_lines(
    turn: StoredTurn, rows: Sequence[CallRow], last: int, project: str
) -> Iterator[SessionLine]:
    """Yield the line of a turn, if it has one."""
    if turn.role is Role.USER:
        words = join_lines(own_part(turn.content)).strip()
        if words:
            yield SessionLine(turn, "user", words[:_WORDS_CHARS], join_lines(turn.content))
    elif turn.tool_name is not None:
        yield from _describe_call(turn, rows, project)
    elif turn.n == last and turn.content.strip():
        words = join_lines(turn.content).strip()
        yield SessionLine(turn, "agent", words[:_WORDS_CHARS], words)


def _describe_call(
    turn: StoredTurn, rows: Sequence[CallRow], project: str
) -> Iterator[SessionLine]:
    if names := list_used_skills(turn):
        yield SessionLine(turn, "skill", ", ".join(names), ", ".join(names))
        return
    command = shell_text(turn.tool_name, turn.tool_args)
    if command is None and not any(row.is_edit for row in rows):
        return
    kind = "edited" if command is None else "ran"
    if command is not None:
        text = words = join_lines(command)
        text = text[:_COMMAND_CHARS]
    else:
        path = next(iter(list_files(turn.tool_args, (), None)), "")
        text = f"{path}: {_find_new_text(turn)[:_SHORT_CHARS]}"
        words = " ".join(map(join_lines, walk_texts(turn.tool_args)))
    if any(row.outcome is Outcome.FAILED for row in rows):
        kind, output = "FAILED", read_output(turn.tool_result).text
        text += f" → {join_lines(_shorten_output(output))}"
        words += f" {join_lines(output)}"
    yield SessionLine(turn, kind, text.replace(f"{project}/", ""), words)


def _shorten_output(output: str) -> str:
    """Return an output, or of a long one the line that names the error, or else its end."""
    if len(output) <= _ERROR_CHARS:
        return output.strip()
    return (telling_line(output) or output[-_ERROR_CHARS:])[:_ERROR_CHARS]


def _find_new_text(turn: StoredTurn) -> str:
    """Return what an edit writes, in one line; empty where nobody knows."""
    args = turn.tool_args if isinstance(turn.tool_args, dict) else {}
    texts = (args.get(name) for name in _EDIT_FIELDS)
    return next((join_lines(one) for one in texts if isinstance(one, str)), "")


def list_used_skills(turn: StoredTurn) -> list[str]:
    """List the names of the skills that a turn loads: by a tool for it, or by reading its file."""
    if turn.tool_name is None or not turn.tool_args:
        return []
    args = turn.tool_args
    if turn.tool_name.lower() == "skill" and isinstance(args, dict):
        named = (args.get(key) for key in ("skill", "name", "command"))
        return [one.rsplit(":", 1)[-1].lstrip("/") for one in named if isinstance(one, str)][:1]
    told = json.dumps(args, ensure_ascii=False)
    return [*dict.fromkeys(one["name"] for one in _SKILL_FILE.finditer(told))]


def _shorten(lines: list[SessionLine]) -> list[SessionLine]:
    """Leave out lines in the middle of a long session, but no word of its user."""
    surplus = len(lines) - _MOST_LINES
    if surplus <= 0:
        return lines
    middle = [i for i in range(_MOST_LINES // 2, len(lines)) if lines[i].kind not in _SAID]
    gone = {*middle[:surplus]}
    return [one for i, one in enumerate(lines) if i not in gone]
