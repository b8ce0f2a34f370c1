"""A git repository: its commits, its tags, and what its people wrote down as decided.

A commit is a turn of its author's, in a session of its month: the author's own words, and a line
with the commit and the files that it changed. What it changed in them is left out. Nobody is taken
for the user. A robot's commit (`[bot]`) is a tool's turn, and a merge in which nobody says anything
is left out. A tag is a turn, too, and so are each record of a decision and each release of a
changelog, as HEAD has them, with the commit that wrote them.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from pathlib import Path

from memoria.connectors.sources.decisions import (
    is_changelog,
    is_decision_record,
    read_decisions,
    read_releases,
)
from memoria.connectors.sources.interface import ImportItem, ImportSource
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition, read_each
from memoria.connectors.transcripts.encoding import UnknownEncodingError, decode_text
from memoria.connectors.transcripts.files import Transcript
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine
from memoria.errors import InvalidInputError
from memoria.ground.history import CommitHistory, PastCommit, PastTag, Signature
from memoria.ground.repository import Repository, UnreadableRepositoryError, open_repository
from memoria.language.reading.commits import read_commit_message
from memoria.model import Role

_WHO = re.compile(r"\s*(.*?)\s*<([^>]*)>?")
_ROBOT = "[bot]"
_NAMED_FILES = 20
_MOST_NAME = 200
_SHORT = 7
_NOBODY = "unknown author"


@dataclass(frozen=True, slots=True)
class _Writing:
    """The last commit that wrote a document."""

    committed_at: int
    id: str
    author: Signature


def find_repositories(folders: Sequence[Path]) -> list[Transcript]:
    """Find the repositories that folders are in; without folders, that of the current one.

    Raises:
        InvalidInputError: a folder is in none; the message says what to do.
    """
    found: dict[Path, Transcript] = {}
    for folder in folders or [Path.cwd()]:
        repository = open_repository(folder) if folder.exists() else None
        if repository is None:
            raise InvalidInputError(
                f"{folder} is in no checkout of a git repository. Name a folder that is in one: "
                "memoria import git FOLDER"
            )
        with closing(repository):
            if repository.find_head() is None:
                raise InvalidInputError(
                    f"The repository {repository.folder} has no commit yet. Import it after the "
                    "first."
                )
            place = repository.folder
            found[place] = Transcript(place, place.name, _measure(repository))
    return [*found.values()]


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Read a repository, oldest commit first."""
    repository = open_repository(source.path)
    if repository is None:
        yield UnusableLine(None, "is in no git repository")
        return
    with closing(repository):
        try:
            history = CommitHistory(repository)
        except UnreadableRepositoryError as error:
            yield UnusableLine(None, f"can't be read: {error}")
            return
        yield from _HistoryReading(source, repository, history).read()


class _HistoryReading:
    """A pass over a repository."""

    def __init__(
        self, source: TranscriptSource, repository: Repository, history: CommitHistory
    ) -> None:
        self._source = source
        self._repository = repository
        self._history = history
        self._by_name = sorted(history.ids)
        self._size = _measure(repository)
        self._written: dict[str, _Writing] = {}
        """The last commits that wrote the documents of decisions."""
        self._tag_of: dict[str, PastTag] = {}
        """Tags by the versions that they name."""
        self._without_files = 0

    def read(self) -> Iterator[ImportItem]:
        """Yield the commits, then tags, documents and what is missing."""
        source, ids = self._source, self._history.ids
        for item in read_each(source, source.count(ids), self._read_commit):
            source.position = self._size * source.lines // len(ids)
            yield item
        yield from read_each(source, source.count(self._history.list_tags()), self._read_tag)
        paths = [*self._repository.list_paths(self._history.head)]
        for wanted, reader in (
            (is_decision_record, self._read_decisions),
            (is_changelog, self._read_changelog),
        ):
            of_kind = [path for path in paths if wanted(path)]
            yield from read_each(source, source.count(of_kind), reader)
        yield from self._name_missing()

    def _read_commit(self, name: str) -> Iterator[ImportItem]:
        commit = self._history.read_commit(name)
        message = read_commit_message(_decode(commit.message, commit.encoding))
        self._note_documents(commit)
        is_merge = len(commit.parents) > 1
        if is_merge and message.is_mere_merge:
            yield SkippedLine(self._source.lines)
            return
        reverts = map(self._name_reverted, message.reverted)
        words = [message.words, "\n".join([*reverts, self._name_files(commit)])]
        yield self._make_turn(commit.id, commit.author, "\n\n".join(filter(None, words)))

    def _name_files(self, commit: PastCommit) -> str:
        """Return a line with the commit and its files."""
        name, is_robot = _name_author(commit.author.who)
        head = f"Commit {commit.id[:_SHORT]}{f' by {name}' if is_robot else ''}"
        if commit.changes is None:
            self._without_files += 1
        if not commit.changes:
            return head
        named = [
            one.path if one.effect == "changed" else f"{one.path} ({one.effect})"
            for one in islice(commit.changes, _NAMED_FILES)
        ]
        others = len(commit.changes) - len(named)
        more = [f"and {others:,} more"] if others else []
        return f"{head}: {', '.join([*named, *more])}"

    def _name_reverted(self, name: str) -> str:
        """Return a line with a commit that another takes back."""
        head = f"Reverts {name[:_SHORT]}"
        place = bisect_left(self._by_name, name)
        if place == len(self._by_name) or not self._by_name[place].startswith(name):
            return f"{head}, which is not in this history"
        commit = self._history.read_commit(self._by_name[place])
        subject = read_commit_message(_decode(commit.message, commit.encoding)).subject
        return f'{head} "{subject}"'

    def _note_documents(self, commit: PastCommit) -> None:
        for one in commit.changes or ():
            if one.effect == "deleted" or not (
                is_decision_record(one.path) or is_changelog(one.path)
            ):
                continue
            before = self._written.get(one.path)
            if before is None or before.committed_at <= commit.committed_at:
                self._written[one.path] = _Writing(commit.committed_at, commit.id, commit.author)

    def _read_tag(self, tag: PastTag) -> Iterator[ImportItem]:
        self._tag_of[_bare_version(tag.name)] = tag
        commit = self._history.read_commit(tag.commit)
        subject = read_commit_message(_decode(commit.message, commit.encoding)).subject
        words = read_commit_message(_decode(tag.message.partition(b"-----BEGIN ")[0], None)).words
        on = f'Tag {tag.name} on {tag.commit[:_SHORT]} "{subject}"'
        signed = commit.author if tag.signed is None else tag.signed
        content = "\n\n".join(filter(None, [words, on]))
        yield self._make_turn(f"tag:{tag.name}", signed, content)

    def _read_decisions(self, path: str) -> Iterator[ImportItem]:
        commit, author = self._find_writing(path)
        for note in read_decisions(self._read_text(path)):
            status = f", status: {note.status}" if note.status else ""
            head = f"Decision record {path}{status}{commit}"
            own_id = f"{path}#{note.key}" if note.key else path
            yield self._make_turn(own_id, author, f"{head}\n\n{note.text}", "decisions")

    def _read_changelog(self, path: str) -> Iterator[ImportItem]:
        _, author = self._find_writing(path)
        for release in read_releases(self._read_text(path)):
            tag = self._tag_of.get(_bare_version(release.version))
            signed = author
            on = ""
            if tag is not None:
                signed = tag.signed or self._history.read_commit(tag.commit).author
                on = f", tag {tag.name}, commit {tag.commit[:_SHORT]}"
            at = None if release.at is None else datetime.fromtimestamp(release.at / 1000, UTC)
            content = f"{path}{on}\n\n{release.text}"
            own_id = f"{path}#{release.key}"
            yield self._make_turn(own_id, signed, content, "changelog", at)

    def _find_writing(self, path: str) -> tuple[str, Signature]:
        """Return words for the commit that wrote a document, and its author.

        Where no commit is known to have written it, that is HEAD's author, and the commit is not
        named: it would be another with every import.
        """
        found = self._written.get(path)
        if found is None:
            return "", self._history.read_commit(self._history.head).author
        return f", commit {found.id[:_SHORT]}", found.author

    def _read_text(self, path: str) -> str:
        found = self._repository.read(path, self._history.head)
        return "" if found is None else decode_text(found)[0]

    def _make_turn(
        self,
        own_id: str,
        signed: Signature,
        content: str,
        session: str | None = None,
        at: datetime | None = None,
    ) -> ImportItem:
        """Return a turn of whoever signed; of its month, unless a session is given."""
        zone = UTC if signed.utc_offset is None else timezone(timedelta(minutes=signed.utc_offset))
        when = datetime.fromtimestamp(signed.at, zone)
        source = self._source
        place = TranscriptPosition(
            line=source.lines,
            size=len(content),
            session_id=f"{session or f'{when:%Y-%m}'} {source.session}",
            message_id=own_id,
            at=at or when,
            cwd=str(source.path),
        )
        offset = None if at is not None else signed.utc_offset
        name, is_robot = _name_author(signed.who)
        if is_robot:
            return place.turn(Role.TOOL, content=content, utc_offset=offset)
        return place.turn(Role.ASSISTANT, content=content, utc_offset=offset, speaker=name)

    def _name_missing(self) -> Iterator[ImportItem]:
        missing = len(self._history.missing)
        if missing:
            first = self._history.read_commit(self._history.ids[0])
            since = datetime.fromtimestamp(first.author.at, UTC)
            yield UnusableLine(
                None,
                f"is a shallow clone, or damaged: what came before {since:%Y-%m-%d} is not here. "
                "Run git fetch --unshallow in it, and import it again",
            )
        if self._without_files > missing:
            yield UnusableLine(
                None,
                f"lacks the folders of {self._without_files:,} commits, as a partial clone does: "
                "they came in without the names of their files",
            )


def _name_author(who: bytes) -> tuple[str, bool]:
    """Return the name of an author, and whether it is a robot's."""
    text = _decode(who, None)
    found = _WHO.match(text)
    name, address = (found[1], found[2]) if found else (text.strip(), "")
    is_robot = _ROBOT in name or _ROBOT in address
    return (name or address.partition("@")[0] or _NOBODY)[:_MOST_NAME], is_robot


def _bare_version(name: str) -> str:
    """Return the version in the name of a tag: `1.2.0` of `v1.2.0` and `lexer-1.2.0`."""
    found = re.search(r"\d+\.\d+[\w.+-]*$", name)
    return found[0] if found else name


def _decode(data: bytes, encoding: str | None) -> str:
    """Return a text; what can't be read of it is marked."""
    if encoding is not None:
        try:
            return data.decode(encoding, "replace")
        except (LookupError, UnicodeError):  # no such encoding, or none of texts
            return data.decode("utf-8", "replace")
    try:
        return decode_text(data)[0]
    except UnknownEncodingError:
        return data.decode("utf-8", "replace")


def _measure(repository: Repository) -> int:
    """Return how many bytes a repository's packs have, for the progress bar."""
    packs = Path(repository.objects.pack_dir).glob("*.pack")
    return 1 + sum(pack.stat().st_size for pack in packs)


GIT = ImportSource(
    name="git",
    title="git",
    client="git",
    patterns=(),
    recognises=lambda _probe: False,
    read=read,
    find=find_repositories,
    is_of_project=True,
    unit="item",
    note="the folder you are in, unless you name another",
    is_personal=False,
)
