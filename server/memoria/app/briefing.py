"""Briefing: what an agent is told at the start of a session, with core memory or of a new home.

A briefing says how to use the memory, what always matters, what the user asked for in their own
words, the tasks in hand, and what the last conversations in the project came to. A hook puts the
briefing before a model, and `app/kept.py` keeps it for hooks. The prompt of that name has no
budget, and shows the core files whole.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from memoria.bare.kept import OF_NO_PROJECT
from memoria.bare.projects import find_place
from memoria.config import Settings
from memoria.disk.tenant_files import TenantFiles
from memoria.inference import LazyEmbedder
from memoria.language.budget import estimate_tokens, take_fitting
from memoria.language.reading.fences import (
    escape_fences,
    fence,
    fence_lines,
    indent_lines,
    join_lines,
    show_invisible,
)
from memoria.lifecycle.core.current import CurrentCore, compose_core
from memoria.lifecycle.core.lines import head_of, places_seen_from
from memoria.lifecycle.core.told import HEADING, list_wishes, wish_lines
from memoria.memories.conditions import is_open
from memoria.memories.task_in_hand import list_told_tasks
from memoria.memories.times import date_of, date_of_memory
from memoria.model import Scratchpad, now_millis, to_iso
from memoria.model.core import PROJECT_FILE, CoreFile, CoreMemory, ToldLine, ToldText
from memoria.model.moments import Zone
from memoria.retrieval.answer.grounds import ReadGrounds
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MINUTE_MS = 60_000
"""Time for which a reading may be used again while nothing changes."""
_MOST_KNOWN = 8
_IN_ORDER: tuple[CoreFile, ...] = ("PERSONA.md", "USER.md", "MEMORY.md")


class CoreReader:
    """Reads what the core files say now, and reads again only after a change."""

    def __init__(
        self,
        settings: Settings,
        files: TenantFiles,
        embedder: LazyEmbedder | None,
        read_grounds: ReadGrounds | None = None,
    ) -> None:
        """Bind to a tenant's core files.

        Args:
            settings: of the home.
            files: the tenant's.
            embedder: finds what was said later by its vectors; without one nothing is found.
            read_grounds: reads how the files stand that carry memories; None for none.
        """
        self.read_grounds = read_grounds
        self._embedder = embedder
        self._files = files
        self._tokens = settings.core_file_tokens
        self.home = str(settings.home_path)
        """The data folder."""
        self._known: dict[Hashable, dict[CoreFile, CurrentCore]] = {}

    def read(self, tx: Transaction, project: str | None) -> dict[CoreFile, CurrentCore]:
        """Map each file to what it says in a project; a file that says nothing is missing."""
        at = now_millis()
        place = None if project is None else find_place(self.home, project)
        key = (project, place, at // _MINUTE_MS, tx.core.version(), self._read_files(project))
        known = self._known.get(key)
        if known is None:
            found = compose_core(tx, self._files, at, self._tokens, project, self._embedder)
            if place != project and PROJECT_FILE in found:
                found[PROJECT_FILE] = _name_place(found[PROJECT_FILE], project or "", place or "")
            known = {file: found[file] for file in _IN_ORDER if file in found}
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = known
        return known

    def _read_files(self, project: str | None) -> tuple[bytes | None, ...]:
        return tuple(place.read(self._files) for place in places_seen_from(project))


def _name_place(core: CurrentCore, project: str, place: str) -> CurrentCore:
    """Return a project's file with the folder in which the project is now in its head."""
    return replace(core, text=core.text.replace(head_of(project), head_of(place)))


def list_binding_lines(
    tx: Transaction, reader: CoreReader, project: str | None, room: int
) -> list[ToldLine]:
    """List lines of core memory for a reader who has asked for nothing yet, best first.

    These are rules and preferences, and whatever else the user has confirmed. What a client reports
    as stated by the user counts at once, and says that it is reported.

    Args:
        tx: sees the tenant's rows.
        reader: of the tenant's core files.
        project: the session's; None for none.
        room: how many characters all of them may have; a line more than fits is left out.
    """
    current = reader.read(tx, project)
    memories = [memory for core in current.values() for memory in core.memories]
    ranked = sorted((one for one in memories if one.verified or one.type.is_guide), key=_order)
    behind = {one: text for core in current.values() for one, text in core.behind.items()}
    lines = dict[str, ToldLine]()
    for memory in ranked:
        line = _line(memory, behind.get(memory.id, ""))
        lines.setdefault(line.text, line)
    marks = _list_moved(tx, reader, lines.values())
    return list(_fit(_mark_moved(lines.values(), marks), room))


def _order(memory: CoreMemory) -> tuple[bool, bool, int]:
    """Return a key that sorts confirmed rules first, then rules, then confirmed; newest first."""
    return (not memory.type.is_binding, not memory.verified, -memory.valid_from)


def _line(memory: CoreMemory, behind: str) -> ToldLine:
    reported = "" if memory.verified else " (reported)"
    text = f"- {' '.join(memory.content.split())}{reported}{behind}"
    return ToldLine(text, "core", memory.id or None)


def _fit(lines: Iterable[ToldLine], room: int) -> Iterator[ToldLine]:
    for line in lines:
        if len(line.text) < room:
            room -= len(line.text) + 1
            yield line


MOST_TOKENS = 2_300
"""Most estimated tokens of a briefing, of four characters at most each. Claude Code shows 10,000
characters of what a hook says, and of more only a preview."""
MOST_TASKS, _EPISODES = 3, 3
_TASK_TOKENS, _EPISODE_TOKENS = 300, 500
_BLANK = ToldLine("")
_WISH_TOKENS = 500
_HEADINGS = (*("# Core memory", f"# {HEADING}", "# Tasks"), "# Last conversations in this project")


@dataclass(frozen=True, slots=True)
class BriefingLines:
    """Lines that a briefing may show, by part."""

    core: Sequence[ToldLine]
    urgent: frozenset[str]
    """Lines of `core` that come before all others: rules, and what no file says yet."""
    wishes: Sequence[ToldLine]
    tasks: Sequence[ToldLine]
    episodes: Sequence[ToldLine]


def compose_briefing(
    tx: Transaction, reader: CoreReader, project: str | None, guide: str, most: int = MOST_TOKENS
) -> ToldText:
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
    marks = _list_moved(tx, reader, read.core)
    left = most - _size(fence(guide)) - sum(map(_size, _HEADINGS)) - len(_HEADINGS)
    left -= sum(map(_size, marks.values()))
    tasks = take_fitting(read.tasks, _size, min(_TASK_TOKENS, left))
    episodes = take_fitting(read.episodes, _size, min(_EPISODE_TOKENS, left))
    wishes = take_fitting(read.wishes, _size, min(_WISH_TOKENS, left))
    core = _fit_core(read, left - sum(map(_size, (*wishes, *tasks, *episodes))))
    headings = (*_HEADINGS[:-1], episodes_heading)
    blocks = zip(headings, (_mark_moved(core, marks), wishes, tasks, episodes), strict=True)
    shown = [ToldLine(guide.strip(), "guide")]
    for heading, lines in blocks:
        shown += [_BLANK, ToldLine(heading), *lines] if lines else []
    return ToldText(tuple(fence_lines(shown)))


def compose_core_file(
    tx: Transaction, reader: CoreReader, project: str | None, file: CoreFile
) -> ToldText:
    """Compose a core file as it is read in a project; without lines where it says nothing."""
    core = reader.read(tx, project).get(file)
    if core is None:
        return ToldText(())
    lines = core.text.split("\n")
    found = (ToldLine(line, "core", core.sources.get(line.rstrip("\r"))) for line in lines)
    return ToldText(tuple(found))


def _read_lines(tx: Transaction, reader: CoreReader, project: str | None) -> BriefingLines:
    core = reader.read(tx, project)
    pads = list_told_tasks(tx, project, now_millis(), MOST_TASKS)
    ids = tx.episodes.list_recent(now_millis(), project, _EPISODES)
    known = (memory for memory in map(tx.memories.get, ids) if memory is not None)
    episodes = (memory for memory in known if is_open(tx, memory))
    return BriefingLines(
        [line for one in core.values() for line in split_core(one)],
        frozenset(show_invisible(line) for one in core.values() for line in one.urgent),
        wish_lines(tx, list_wishes(tx, project), project, reader.home),
        [line for pad in pads for line in _task_lines(pad, tx.zone)],
        [
            ToldLine(
                f"- {date_of_memory(one, tx.zone)}: {indent_lines(one.current.content, '  ')}",
                "episode",
                one.id,
            )
            for one in episodes
        ],
    )


_ID_END = 8


def _list_moved(
    tx: Transaction, reader: CoreReader, lines: Iterable[ToldLine]
) -> Mapping[str, str]:
    """Map the ends of ids to marks, for the memories of lines whose files have changed or gone.

    What is unchanged has no mark: a briefing is kept, and may be read after the next commit.
    """
    ids = [line.record_id for line in lines if line.record_id]
    if reader.read_grounds is None or not ids:
        return {}
    marks = reader.read_grounds(tx, ids)
    moved = {one: mark.phrase for one, mark in marks.items() if mark.state in ("changed", "gone")}
    return {one[-_ID_END:]: f" ({phrase})" for one, phrase in moved.items()}


def _mark_moved(lines: Iterable[ToldLine], marks: Mapping[str, str]) -> list[ToldLine]:
    """Add its mark to each line whose files have changed."""
    return [
        replace(line, text=f"{line.text}{marks.get((line.record_id or '')[-_ID_END:], '')}")
        for line in lines
    ]


def split_core(core: CurrentCore) -> list[ToldLine]:
    """Split a core file into its lines as they are told; blank lines are left out."""
    sources = {show_invisible(line): record_id for line, record_id in core.sources.items()}
    lines = (line for line in show_invisible(core.text).splitlines() if line.strip())
    return [ToldLine(line, "core", sources.get(line)) for line in lines]


def _task_lines(pad: Scratchpad, zone: Zone) -> list[ToldLine]:
    """List tasks, each with its day, as a briefing may be read on a later one."""
    task, day = pad.current_focus, date_of(pad.updated_at, zone)
    now = [f"- last worked on {day}: {indent_lines(task, '  ')}"] if task else []
    done = [f"- until {to_iso(one.at)}: {indent_lines(one.task, '  ')}" for one in pad.completed]
    return [ToldLine(line, "task", pad.session_id) for line in (*now, *done)]


def _fit_core(read: BriefingLines, room: int) -> list[ToldLine]:
    """Choose the lines of core memory that fit, in their order; urgent ones are taken first."""
    lines = list(enumerate(read.core))
    by_urgency = sorted(lines, key=lambda each: each[1].text not in read.urgent)
    taken = []
    for place, line in by_urgency:
        if _size(line) <= room:
            room -= _size(line)
            taken.append((place, line))
    return [line for _, line in sorted(taken, key=lambda each: each[0])]


def _size(line: ToldLine | str) -> int:
    """Estimate the tokens of a line with its end, as it will be in the fence."""
    text = line if isinstance(line, str) else line.text
    return estimate_tokens(escape_fences(f"{text}\n"))


_MOST_TOKENS = 10
"""Longest project name that is shown, in tokens."""


def describe_new_home(tx: Transaction, settings: Settings, project: str | None) -> str:
    """Describe an empty home: what can be imported, and who reads; empty text for any other home.

    Args:
        tx: sees the tenant's rows.
        settings: of the home.
        project: the session's; None for none.
    """
    everything = Filters(everywhere=True, include_history=True, include_processed=True)
    if tx.documents.recent(("memory", "turn"), everything, 1):
        return ""
    where = f", in {_name(project)} or any other" if project else ""
    lines = (f"Nothing is on record yet{where}.", *_offers(settings))
    return "".join(f"- {line}\n" for line in lines)


def _name(project: str) -> str:
    name = join_lines(show_invisible(PurePath(project).name))
    return f"project {name}" if estimate_tokens(name) <= _MOST_TOKENS else "this project"


def _offers(settings: Settings) -> list[str]:
    past = _list_programs()
    offer = f"`memoria import --all` brings in the past of {', '.join(past)}."
    reader = (
        "A chat model will read what is said."
        if settings.has_chat_model
        else "No chat model reads it: keep what lasts with `remember`."
    )
    return [*([offer] if past else []), reader]


def _list_programs() -> list[str]:
    """List the programs of which transcripts are on this machine."""
    from memoria.connectors.sources.conversations import TRANSCRIPTS  # noqa: PLC0415  (only a new home pays for it)

    return [one.title for one in TRANSCRIPTS if any(map(_holds_files, one.list_places()))]


def _holds_files(place: Path) -> bool:
    return any(one.suffix in {".json", ".jsonl"} for one in place.rglob("*"))
