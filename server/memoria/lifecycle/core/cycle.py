"""Cycle of a tenant's core files, from the user's edits to new files: a function for each phase.

A file is written in three steps: what is about to be written is noted, the file is replaced, and
what it says is noted. A process that was stopped between two steps finds out by digests where it
was.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memoria.disk.tenant_files import TenantFiles
from memoria.inference import LazyEmbedder
from memoria.language.statements.lasting import REDACTED
from memoria.lifecycle.core.document import (
    Document,
    compare_lines,
    digest,
    parse,
    parse_file,
    place_lines,
)
from memoria.lifecycle.core.edits import (
    ArchiveMemory,
    AskFirst,
    Edit,
    MoveLine,
    RememberLine,
    StoredState,
    find_edits,
)
from memoria.lifecycle.core.lines import CorePlace, list_places, render_text
from memoria.lifecycle.core.render import (
    Rendering,
    Rows,
    available_tokens,
    new_document,
    render_file,
)
from memoria.lifecycle.core.told import BesideSearch, list_quotes, list_tellable
from memoria.model.core import CoreFile, CoreLine, CoreMemory
from memoria.policy.core import group_for, is_for_every_session
from memoria.store.rows.transaction import Transaction

FindRefusal = Callable[[str | None, str], str | None]
"""Returns why a text written for a project (None: everywhere) is not remembered; None if it is."""

UNREADABLE = (
    "it is empty, not UTF-8, or still has conflict markers of git in it, so nothing was read from "
    "it nor written to it. Mend it, or delete it to have it written anew."
)


@dataclass(frozen=True, slots=True)
class CoreDraft:
    """A core file as it is to be written."""

    place: CorePlace
    before: bytes | None
    """Content of the file that the draft was made from; None without a file."""
    content: bytes
    lines: tuple[CoreLine, ...]

    @property
    def file(self) -> CoreFile:
        """Name of the core file."""
        return self.place.file

    @property
    def has_changes(self) -> bool:
        """True if the draft differs from the file."""
        return self.content != self.before

    @property
    def digest(self) -> bytes:
        """Digest of what is to be written."""
        return digest_file(self.content)


def recover_core(tx: Transaction, files: TenantFiles, at: int) -> list[CoreFile]:
    """Note the lines of files whose writer died right after writing; return these files."""
    return [place.file for place in list_places(tx) if _recover(tx, files, place, at)]


def read_core_edits(tx: Transaction, files: TenantFiles) -> tuple[list[Edit], list[CoreFile]]:
    """Return the user's edits since the files were last written, and the files that can't be read.

    Nothing is written. Call `recover_core` before.
    """
    edits: list[Edit] = []
    held: list[CoreFile] = []
    for place in list_places(tx):
        data = place.read(files)
        if data is None:
            continue
        document = parse_file(data, place.file)
        if document is None:
            held.append(place.file)
        else:
            edits += [
                Edit(file=place.file, project=place.project, action=action)
                for action in find_edits(document, state_of_file(tx, place.file))
            ]
    return _join_moves(tx, edits), held


def _join_moves(tx: Transaction, edits: Sequence[Edit]) -> list[Edit]:
    """Join a line deleted in one file and written in another into one edit that moves it."""
    gone = {
        edit.action.memory_id: edit
        for edit in edits
        if isinstance(edit.action, ArchiveMemory | AskFirst)
    }
    standing = tx.core.statuses(list(gone))
    by_text = {digest(render_text(one.memory.content)): key for key, one in standing.items()}
    joined: list[Edit] = []
    moved: set[str] = set()
    for edit in edits:
        action = edit.action
        memory_id = by_text.get(digest(action.text)) if isinstance(action, RememberLine) else None
        origin = gone.get(memory_id or "")
        if memory_id is None or origin is None or origin.file == edit.file or memory_id in moved:
            joined.append(edit)
            continue
        moved.add(memory_id)
        text = standing[memory_id].memory.content
        move = MoveLine(memory_id=memory_id, text=text, origin=origin.file)
        joined.append(edit.model_copy(update={"action": move}))
    left = [gone[memory_id] for memory_id in moved]
    return [edit for edit in joined if edit not in left]


def plan_core(
    tx: Transaction,
    files: TenantFiles,
    at: int,
    tokens: int,
    strength: Callable[[CoreMemory], float] | None = None,
    find_refusal: FindRefusal | None = None,
    only: CoreFile | None = None,
    embedder: LazyEmbedder | None = None,
    home: str | None = None,
) -> list[CoreDraft]:
    """Draft the core files as they are to be written; a file with nothing in it is left out.

    Args:
        tx: sees the tenant's rows; nothing is written.
        files: the tenant's.
        at: UTC epoch milliseconds; what has expired by then is left out.
        tokens: how many each file may cost, beside what somebody wrote there and conflicts.
        strength: what is left of a memory's importance; all of it by default.
        find_refusal: says why a line of the user's is no memory. Below it the file says so.
        only: the one file that is asked for; None for all. Rendering a large one takes a while.
        embedder: whose vectors tell what was said later; without one nothing does.
        home: which knows the folders in which projects are now; None for those they were in.
    """
    drafts: list[CoreDraft] = []
    for source in read_sources(tx, files, list_places(tx), tx.core.memories(at), at):
        if source.document is None or only not in (None, source.place.file):
            continue
        refused = _list_refusals(source, find_refusal)
        quotes = list_quotes(tx, source.place, home)
        explained = replace(source, rows=replace(source.rows, refused=refused, quotes=quotes))
        seen = BesideSearch(tx, source.place.project, embedder)
        done = render_marked(explained, seen, tokens, strength)
        if done.lines or quotes or source.before is not None or source.rows.base:
            content = done.text.encode()
            drafts.append(CoreDraft(source.place, source.before, content, done.lines))
    return drafts


def _list_refusals(source: "CoreSource", find_refusal: FindRefusal | None) -> dict[bytes, str]:
    """Map digests of the user's new or changed lines to the reasons why they are no memories."""
    if find_refusal is None or source.document is None:
        return {}
    edits = compare_lines(source.rows.base, source.document)
    lines = (*edits.added, *(line for _, line in edits.changed))
    reasons = ((line.digest, find_refusal(source.place.project, line.statement)) for line in lines)
    return {line_digest: reason for line_digest, reason in reasons if reason is not None}


@dataclass(frozen=True, slots=True)
class CoreSource:
    """All that a core file is rendered from."""

    place: CorePlace
    before: bytes | None
    """The file as it stands; None where there is none."""
    document: Document | None
    """The parsed file; None if it can't be read."""
    rows: Rows


def read_sources(
    tx: Transaction,
    files: TenantFiles,
    places: Iterable[CorePlace],
    memories: Sequence[CoreMemory],
    at: int,
) -> list[CoreSource]:
    """Read what core files are rendered from at a moment.

    Args:
        tx: sees the tenant's rows.
        files: the tenant's.
        places: of the files.
        memories: those that may stand in them.
        at: UTC epoch milliseconds; an errand whose day is over by then stands nowhere, nor what
            may not be told unasked.
    """
    outdated = _find_outdated(tx, memories)
    lasting = [
        memory
        for memory in memories
        if is_for_every_session(memory, at, tx.zone) and memory.id not in outdated
    ]
    told = list_tellable(tx, lasting)
    redacted = {memory.id: memory.content for memory in memories if REDACTED in memory.content}
    disputes = tx.core.disputes()
    read = [(place, place.read(files), tx.core.lines(place.file)) for place in places]
    documents = {place.file: _document_of(place, before) for place, before, _ in read}
    placed = _find_places((place, documents[place.file], base) for place, _, base in read)
    own = _sort_by_place(told, placed)
    return [
        CoreSource(
            place,
            before,
            documents[place.file],
            Rows(
                own.get((place.project, "" if place.project else place.file), []),
                [pair for pair in disputes if pair.against.project == place.project],
                base,
                placed,
                redacted=redacted,
            ),
        )
        for place, before, base in read
    ]


def _sort_by_place(
    memories: Iterable[CoreMemory], placed: Mapping[str, CoreFile]
) -> dict[tuple[str | None, CoreFile], list[CoreMemory]]:
    """Group memories by project; memories of no project, by the file in which they stand."""
    found: dict[tuple[str | None, CoreFile], list[CoreMemory]] = {}
    for memory in memories:
        group = group_for(memory) if memory.project is None else None
        file = placed.get(memory.id, "" if group is None else group.file)
        found.setdefault((memory.project, "" if memory.project else file), []).append(memory)
    return found


def _find_outdated(tx: Transaction, memories: Iterable[CoreMemory]) -> set[str]:
    """Return ids of concepts whose support has changed, unless the user stands for them."""
    concepts = [
        memory.id
        for memory in memories
        if memory.type.is_derived and not (memory.pinned or memory.verified)
    ]
    changes = tx.derivations.list_changed(concepts) if concepts else ()
    return {change.derived_id for change in changes}


def _find_places(
    read: Iterable[tuple[CorePlace, Document | None, Sequence[CoreLine]]],
) -> dict[str, CoreFile]:
    """Map memories to the file with their line, preferably below a heading of the user's own."""
    anywhere: dict[str, CoreFile] = {}
    below_own: dict[str, CoreFile] = {}
    for place, document, base in read:
        for memory_id, is_own in () if document is None else place_lines(base, document):
            (below_own if is_own else anywhere).setdefault(memory_id, place.file)
    return anywhere | below_own


def render_source(
    source: CoreSource, tokens: int, strength: Callable[[CoreMemory], float] | None = None
) -> Rendering:
    """Render a core file from its source."""
    place = source.place
    document = source.document or new_document(place.file, place.seed)
    room = available_tokens(tokens, place.seed)
    return render_file(document, place.file, source.rows, room, strength)


def render_marked(
    source: CoreSource,
    seen: BesideSearch,
    tokens: int,
    strength: Callable[[CoreMemory], float] | None = None,
) -> Rendering:
    """Render a core file whose lines say what contradicts them and what was said later."""
    done = render_source(source, tokens, strength)
    marked = replace(source, rows=seen.add_to(source.rows, done.lines))
    return done if marked == source else render_source(marked, tokens, strength)


def _document_of(place: CorePlace, data: bytes | None) -> Document | None:
    """Parse a core file, or the text of a new one; return None if the file can't be read."""
    if data is None:
        return new_document(place.file, place.seed)
    return parse_file(data, place.file)


def replace_core(files: TenantFiles, draft: CoreDraft) -> bool:
    """Replace the file, unless somebody has changed it since it was read.

    Args:
        files: the tenant's.
        draft: the file as it is to be.

    Raises:
        UnusableFileError: the file can't be written.
    """

    def is_current() -> bool:
        return draft.place.read(files) == draft.before

    return files.write(draft.file, draft.content, is_current) if draft.has_changes else is_current()


def note_core_written(tx: Transaction, draft: CoreDraft) -> None:
    """Note the lines of a file that was just written, and its digest."""
    note_lines(tx, draft.file, draft.lines)
    tx.core.confirm_write(draft.file, draft.digest)


def state_of_file(tx: Transaction, file: CoreFile) -> StoredState:
    """Return the stored state of a file's lines."""
    base = tx.core.lines(file)
    return StoredState(
        base, tx.core.statuses([line.memory_id for line in base]), tx.core.disputes()
    )


def note_lines(tx: Transaction, file: CoreFile, lines: Sequence[CoreLine]) -> None:
    """Store the notes of a file's lines; rows that are right already are not touched."""
    before = {line.memory_id: line for line in tx.core.lines(file)}
    for memory_id in sorted(before.keys() - {line.memory_id for line in lines}):
        tx.core.drop_line(file, memory_id)
    known = tx.core.statuses([line.memory_id for line in lines])
    for line in sorted(lines, key=lambda line: line.memory_id):  # however they were found out
        if line.memory_id in known and before.get(line.memory_id) != line:
            tx.core.set_line(file, line)


def _recover(tx: Transaction, files: TenantFiles, place: CorePlace, at: int) -> bool:
    file = place.file
    pending, data = tx.core.file_state(file).pending, place.read(files)
    if pending is None or data is None or digest_file(data) != pending:
        return False
    note_lines(tx, file, list(_lines_in_file(tx, file, parse(data.decode(), file), at)))
    tx.core.confirm_write(file, pending)
    return True


def _lines_in_file(
    tx: Transaction, file: CoreFile, document: Document, at: int
) -> Iterator[CoreLine]:
    """Yield the notes of a file's lines, after its writer died before noting them.

    A line that says none of its memory's wordings is the user's own: its former note stays.
    """
    base = {line.memory_id: line for line in tx.core.lines(file)}
    disputed = [one.id for pair in tx.core.disputes() for one in (pair.user_edit, pair.against)]
    known = {*base, *disputed, *(memory.id for memory in tx.core.memories(at))}
    seen = set[str]()
    for line in document.lines:
        end = "" if line.mark is None or line.kind == "quote" else line.mark[2:]
        of = [one for one in known if end and one.replace("-", "").endswith(end)]
        if line.mark is None or len(of) != 1 or of[0] in seen:
            continue
        seen.add(of[0])
        wording = _wordings(tx, of[0]).get(line.digest)
        if wording is not None:
            yield CoreLine(of[0], line.mark, line.digest, wording)
        elif of[0] in base:
            yield base[of[0]]


def _wordings(tx: Transaction, memory_id: str) -> dict[bytes, int]:
    """Map digests of a memory's wordings, as lines, to their numbers; of equal ones the newest."""
    memory = tx.memories.get(memory_id)
    versions = () if memory is None else memory.versions
    return {digest(render_text(one.content)): one.n for one in reversed(versions)}


def digest_file(data: bytes) -> bytes:
    """Return the digest by which the content of a file is recognised."""
    return hashlib.sha256(data).digest()
