"""Current text of core files: the files as they stand, and new statements since they were written.

Nothing is written, and no edit is taken over: nightly runs do that. A reader is shown what the next
run would write, with the user's own lines and edits as they stand.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memoria.bare.lazy_regex import lazy_regex
from memoria.disk.home_files import strip_marks
from memoria.disk.tenant_files import TenantFiles
from memoria.inference import LazyEmbedder
from memoria.language.secrets.redact import redact
from memoria.language.statements.lasting import REDACTED
from memoria.lifecycle.core.cycle import CoreSource, read_sources, render_marked, state_of_file
from memoria.lifecycle.core.document import Line, compare_lines, lines_by_mark, parse
from memoria.lifecycle.core.edits import ArchiveMemory, find_edits
from memoria.lifecycle.core.lines import places_seen_from
from memoria.lifecycle.core.render import Rendering
from memoria.lifecycle.core.told import BesideSearch
from memoria.model.core import CORE_FILES, PROJECT_FILE, SAID_LATER, CoreFile, CoreMemory
from memoria.model.memory_types import MemoryType
from memoria.policy.core import conclude_group, end_for_every_session, groups_in
from memoria.store.rows.transaction import Transaction

_MARK_AT_END = lazy_regex(r"<!-- ([mcdq]:[0-9a-f]+)(?: [0-9a-f]{8})? -->\s*$")
_QUOTE_CHARS = 8
"""Number of last characters of a turn's id in the mark of a quote."""


@dataclass(frozen=True, slots=True)
class CurrentCore:
    """Current text of a core file, and the memories in it."""

    text: str
    """Text without marks, as it is shown to a reader."""
    urgent: frozenset[str]
    """Lines that an excerpt must not leave out: rules, and memories that no file has yet."""
    memories: tuple[CoreMemory, ...]
    """Memories of these lines, the most important first."""
    behind: Mapping[str, str]
    """Text behind the words of a memory, by its id: what contradicts it, what was said later."""
    sources: Mapping[str, str]
    """Id of the memory or turn that a line rests on, by the line."""


def compose_core(
    tx: Transaction,
    files: TenantFiles,
    at: int,
    tokens: int,
    project: str | None,
    embedder: LazyEmbedder | None = None,
) -> dict[CoreFile, CurrentCore]:
    """Compose the core files at a moment for a reader in a project.

    Memories of the project stand below those for everywhere, in MEMORY.md. A file in which nothing
    stands is missing.

    Args:
        tx: sees the tenant's rows.
        files: the tenant's.
        at: UTC epoch milliseconds.
        tokens: how many each file may cost, beside what somebody wrote there.
        project: whose facts and rules are shown as well; None for no project.
        embedder: whose vectors tell what was said later; without one nothing does.
    """
    seen = BesideSearch(tx, project, embedder)
    places = tuple(places_seen_from(project))
    memories = tx.core.present(at, project, [place.file for place in places])
    sources = read_sources(tx, files, places, memories, at)
    over = {one for source in sources for one in _find_deleted(tx, source)}
    if over:
        left = [memory for memory in memories if memory.id not in over]
        sources = read_sources(tx, files, places, left, at)
    fresh = _find_fresh(memories, sources)
    found: dict[CoreFile, CurrentCore] = {}
    for source in sources:
        current = _compose(replace(source, rows=replace(source.rows, fresh=fresh)), seen, tokens)
        if current is not None:
            name = source.place.file if source.place.file in CORE_FILES else PROJECT_FILE
            found[name] = _join(found[name], current) if name in found else current
    return found


def find_next_change(tx: Transaction, at: int, project: str | None) -> int | None:
    """Return when the core files may next change by time alone, UTC epoch ms; None for never.

    They change when a memory ends, or stops applying to every session.
    """
    places = [place.file for place in places_seen_from(project)]
    ends = [end_for_every_session(one, tx.zone) for one in tx.core.present(at, project, places)]
    return min((end for end in (tx.core.next_end(at), *ends) if end and end > at), default=None)


def _find_deleted(tx: Transaction, source: CoreSource) -> Iterator[str]:
    """Yield the memories whose lines the user has deleted since the file was written."""
    if source.before is None or source.document is None:
        return
    for action in find_edits(source.document, state_of_file(tx, source.place.file)):
        if isinstance(action, ArchiveMemory):
            yield action.memory_id


def _list_added(source: CoreSource) -> Sequence[Line]:
    """List the lines that the user has written since the file was written."""
    if source.before is None or source.document is None:
        return ()
    return compare_lines(source.rows.base, source.document).added


def _find_fresh(memories: Sequence[CoreMemory], sources: Sequence[CoreSource]) -> frozenset[str]:
    """Return the preferences whose wording is newer than every memory in the files."""
    written = max((one.version_n for source in sources for one in source.rows.base), default=None)
    return frozenset(
        memory.id
        for memory in memories
        if written is not None
        and memory.version_n > written
        and memory.type is MemoryType.PREFERENCE
    )


def _compose(source: CoreSource, seen: BesideSearch, tokens: int) -> CurrentCore | None:
    standing = _find_standing(source)
    share = 1 / (len(standing) + 1)

    def strength(memory: CoreMemory) -> float:
        """Return a memory's rank: the file's memories in their order, then others by importance."""
        place = standing.get(memory.id)
        return memory.importance if place is None else 2 - place * share

    done = render_marked(source, seen, tokens, strength)
    if not done.lines and source.before is None:
        return None
    shown = _pick_memories(done, source)
    urgent = {one.id for one in shown if one.type.is_binding or one.id not in standing}
    sources = _find_sources(done, source)
    return CurrentCore(
        _without_secrets(strip_marks(done.text)),
        frozenset(line for line, memory_id in sources.items() if memory_id in urgent),
        (*shown, *_not_taken_over(source)),
        done.behind,
        sources,
    )


def _not_taken_over(source: CoreSource) -> Iterator[CoreMemory]:
    """Yield the user's new lines as the memories that the next run will make of them."""
    file = source.place.file
    for line in _list_added(source):
        own = (group for group in groups_in(file) if group.heading == line.group)
        group = next(own, None) or conclude_group(line.statement, line.heading, file)
        if _without_secrets(line.statement):
            yield CoreMemory(
                "", group.type, line.statement, 0, 0, verified=True, subject=group.subject
            )


def _without_secrets(text: str) -> str:
    """Return the text without lines that hold a secret, or in which one was redacted."""
    plain = redact(text).text
    if REDACTED not in plain:
        return text
    return "".join(line for line in plain.splitlines(keepends=True) if REDACTED not in line)


def _find_standing(source: CoreSource) -> dict[str, int]:
    """Map the memories with a line in the file to the order of their lines."""
    if source.before is None or source.document is None:
        return {}
    marks = lines_by_mark(source.rows.base, source.document)
    order = {mark: i for i, mark in enumerate(marks)}
    return {one.memory_id: order[one.mark] for one in source.rows.base if one.mark in order}


def _pick_memories(done: Rendering, source: CoreSource) -> list[CoreMemory]:
    """Return the memories whose lines are shown, in the words of their lines."""
    by_id = {memory.id: memory for memory in source.rows.memories}
    lines = parse(done.text, source.place.file).lines
    said = {line.mark: line.statement for line in lines if line.mark is not None}
    shown = (
        (by_id[one.memory_id], said.get(one.mark)) for one in done.lines if one.memory_id in by_id
    )
    return [
        memory if words in (None, memory.content) else replace(memory, content=words)
        for memory, words in shown
    ]


def _find_sources(done: Rendering, source: CoreSource) -> dict[str, str]:
    """Map lines, as they are shown to a reader, to the memory or turn that each rests on."""
    ids = {line.mark: line.memory_id for line in done.lines}
    ids |= {f"q:{quote.id[-_QUOTE_CHARS:]}": quote.id for quote in source.rows.quotes}
    lines = [*done.text.splitlines(), ""]
    marks = ((i, _MARK_AT_END.search(line)) for i, line in enumerate(lines))
    return {
        strip_marks(_with_later(*lines[i : i + 2])): ids[found[1]]
        for i, found in marks
        if found is not None and found[1] in ids
    }


def _with_later(line: str, below: str) -> str:
    """Return a line, with the line below if that one has what was said later."""
    return f"{line}\n{below}" if below.startswith(f"  {SAID_LATER}") else line


def _join(above: CurrentCore, below: CurrentCore) -> CurrentCore:
    return CurrentCore(
        f"{above.text.rstrip()}\n\n{below.text}",
        above.urgent | below.urgent,
        above.memories + below.memories,
        {**above.behind, **below.behind},
        {**above.sources, **below.sources},
    )
