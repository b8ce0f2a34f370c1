"""Whether the lines of files that a turn shows, or speaks of, still stand there."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memoria.ground.anchors import list_names, list_shown, list_terms, list_texts, pack
from memoria.ground.repository import Repository
from memoria.ground.values import GroundState
from memoria.language.calls.files import files_of_call, is_edit
from memoria.model.grounds import GroundMark
from memoria.model.search import ToolCall

_PATH = re.compile(r"(?<![\w@.+~/-])[\w@.+~/-]*\w\.[A-Za-z]\w{0,9}\b")
_MOST_PATHS = 24
_MOST_READ = 40_000


class TurnMatter(NamedTuple):
    """Files and lines that a turn shows or speaks of."""

    paths: tuple[str, ...]
    """Possible paths of files, below the repository's folder."""
    lines: frozenset[str] = frozenset()
    """Lines that a call showed, without white space."""
    said: str | None = None
    """Words of whoever spoke; None of a call, whose lines count."""


def names_files(said: str, call: ToolCall | None) -> bool:
    """Check whether a turn may have anything of files."""
    texts = [said] if call is None else [*list_texts(call.args), *list_texts(call.result)]
    return any(_PATH.search(text) for text in texts)


def read_matter(said: str, call: ToolCall | None, folder: str) -> TurnMatter:
    """Return what a turn has of files; of a call that changes files, nothing.

    Args:
        said: the words of a turn without a call.
        call: the call of a turn.
        folder: the repository's folder.
    """
    if call is None:
        return TurnMatter(_list_paths([said], (), folder), said=said)
    if is_edit(call.name, call.args):
        return TurnMatter(())
    shown = [text[:_MOST_READ] for text in list_texts(call.result)]
    (lines,) = list_shown([call])
    return TurnMatter(_list_paths(shown, files_of_call(call.name, call.args), folder), lines)


def _list_paths(texts: Sequence[str], named: Sequence[str], folder: str) -> tuple[str, ...]:
    """List what may be paths below a folder, those that a call names first."""
    prefix = folder.rstrip("/") + "/"
    found: dict[str, None] = {}
    for word in (*named, *(word for text in texts for word in _PATH.findall(text))):
        path = os.path.normpath(word.removeprefix(prefix))
        if not path.startswith(("/", "~", "..")):
            found[path] = None
    return tuple(found)[:_MOST_PATHS]


def look(matter: TurnMatter, repository: Repository, commit: str) -> GroundMark | None:
    """Return how the files stand of which a turn shows lines, or speaks; None if of none.

    A file counts if a line of it stood there at a commit that the turn shows, or that has names or
    numbers of what it says. Of what is said nothing is told but that such a line is there no more.

    Args:
        matter: what the turn has of files.
        repository: the repository that its session was in.
        commit: the commit of its time.

    Raises:
        UnreadableRepositoryError: its objects can't be read.
    """
    found = dict(_look_at_all(matter, repository, commit))
    moved = [path for path, state in found.items() if state is not GroundState.UNCHANGED]
    if not moved:
        return GroundMark(state="unchanged") if found and matter.said is None else None
    is_gone = all(state is GroundState.GONE for state in found.values())
    commits = max(repository.find_changes(path, commit).commits for path in moved)
    return GroundMark(state="gone" if is_gone else "changed", commits=commits)


def _look_at_all(
    matter: TurnMatter, repository: Repository, commit: str
) -> Iterator[tuple[str, GroundState]]:
    """Yield (path, state) of each file of which a turn has lines."""
    for path in matter.paths:
        then, now = repository.read_at(path, commit), repository.read(path)
        if then is None:
            continue
        if now is None:
            moved = repository.find_changes(path, commit).path
            now = None if moved is None else repository.read(moved)
        before, left = _pack_lines(then), _pack_lines(now or b"")
        if matter.said is None:
            lines = {*(matter.lines & before.keys())}
        else:
            lines = _list_told(matter.said, {one: before[one] for one in before if one not in left})
        if now is None and (lines or matter.said is not None):
            yield path, GroundState.GONE
        elif lines:
            is_changed = not lines <= left.keys()
            yield path, GroundState.CHANGED if is_changed else GroundState.UNCHANGED


def _list_told(said: str, lines: Mapping[str, str]) -> set[str]:
    """List the lines that have a name of what is said, or a number of it with another word."""
    terms, names = list_terms(said), {*list_names(said)}
    found = {one: list_terms(line) & (terms | names) for one, line in lines.items()}
    return {
        one
        for one, shared in found.items()
        if any(term[0] == "=" or term in names for term in shared)
        or (len(shared) > 1 and any(term[0] == "#" for term in shared))
    }


def _pack_lines(content: bytes) -> dict[str, str]:
    """Map the lines of a file without white space to themselves."""
    text = content.decode("utf-8", "replace")
    return {pack(line): line for line in text.split("\n")}
