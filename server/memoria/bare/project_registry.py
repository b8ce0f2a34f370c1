"""The projects that a home knows: by which name, and where each was seen last.

They are in a small file of the home, which hooks read without opening the database. A name stays as
it was when the project was first seen, wherever it moves: what is on record is under that name.

A project's ids are in a file of its git common directory, and move along with the folder. Each home
gives a project an id of its own, at random, and knows the project by that alone: no archive can
claim a project, and homes beside each other don't get into each other's way.
"""

import os
import stat
import sys
import time

from memoria.bare.home import (
    NotRegularError,
    is_link,
    open_new,
    open_to_append,
    read_regular,
    try_lock,
    write_all,
)
from memoria.bare.plain_json import read_json, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ID_FILE = "memoria-project"
_DIGITS = 32
_MOST_IDS = 120
_MOST_ID_BYTES = 1 << 12
REGISTRY, LOCK = "projects.json", "projects.lock"
MOST_PROJECTS = 1_000
NOWHERE = ""
"""The place of a project that is not where it was seen last."""
_MOST_BYTES = 1 << 21
_MOST_FORMER, _MOST_FACTS = 8, 16
_FORMAT = 1
_PATIENCE_S, _PAUSE_S = 0.25, 0.01


class RegistryError(Exception):
    """The file of projects can't be read. It is left as it is."""


class Project:
    """A project that a home knows."""

    __slots__ = ("facts", "former", "mount", "name", "names", "news", "place", "told")

    def __init__(
        self,
        name: str,
        place: str,
        former: list[str] | None = None,
        facts: list[str] | None = None,
        news: list[str] | None = None,
        told: list[str] | None = None,
        names: list[str] | None = None,
    ) -> None:
        self.name = name
        """Name in the memory."""
        self.place = place
        """Place where it was seen last; `NOWHERE` once another is there."""
        self.former = former or []
        """Places where it was before, the latest first."""
        self.facts = facts or []
        """Facts by which another clone of it is recognised."""
        self.news = news or []
        """News of the project to be told: a kind, and the name of another project."""
        self.told = told or []
        """Listeners that have been told the news."""
        self.names = names or []
        """Names that it had before it became part of another, the latest last."""
        self.mount = ""
        """Mount point of the drive that it lies on, if that is not always there."""

    def move(self, place: str) -> None:
        """Note a new place of the project."""
        before = [self.place, *self.former]
        self.former = [one for one in dict.fromkeys(before) if one not in (place, NOWHERE)]
        self.former = self.former[:_MOST_FORMER]
        self.place = place


Projects = dict[str, Project]
"""Projects by their ids; the one noted last comes last."""


def read_projects(home: str) -> Projects:
    """Read the projects that a home knows; none where it has no file of them.

    Raises:
        RegistryError: there is a file, and it can't be read.
    """
    path = os.path.join(home, REGISTRY)
    try:
        content = read_regular(path, _MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    except OSError as error:
        raise RegistryError(f"{path} can't be read: {error}") from error
    try:
        return _parse(content)
    except (ValueError, TypeError, KeyError) as error:
        raise RegistryError(f"{path} is damaged; Memoria wrote no such file") from error


class Ledger:
    """Projects of a home, locked so that nobody else changes them."""

    def __init__(self, home: str, descriptor: int) -> None:
        """Read the projects anew.

        Raises:
            RegistryError: they can't be read.
        """
        self._home = home
        self._descriptor = descriptor
        self.projects = read_projects(home)

    def save(self) -> None:
        """Write the projects into the home.

        Raises:
            OSError: they can't be written.
        """
        path = os.path.join(self._home, REGISTRY)
        draft = os.path.join(self._home, f".{REGISTRY}.{os.urandom(8).hex()}")
        descriptor = open_new(draft)
        try:
            try:
                write_all(descriptor, _write(self.projects).encode("ascii"))
            finally:
                os.close(descriptor)
            os.replace(draft, path)
        except BaseException:
            os.unlink(draft)
            raise

    def close(self) -> None:
        """Unlock the projects."""
        os.close(self._descriptor)


def open_ledger(home: str) -> Ledger | None:
    """Lock the projects of a home for a change; None if there is no home, or others hold the lock.

    Raises:
        OSError: the home can't be written in.
        RegistryError: the projects can't be read.
    """
    if not os.path.isdir(home):
        return None
    descriptor = open_to_append(os.path.join(home, LOCK))
    ledger = None
    try:
        ledger = Ledger(home, descriptor) if _wait_for_lock(descriptor) else None
    finally:
        if ledger is None:
            os.close(descriptor)
    return ledger


def change_projects(home: str, change: "Callable[[Projects], bool]") -> bool:
    """Change the projects of a home if that is possible now; return True if they were changed.

    Args:
        home: the data folder.
        change: changes the projects and returns True if it has. Called twice, first without lock.
    """
    try:
        if not change(read_projects(home)):
            return False
        ledger = open_ledger(home)
        if ledger is None:
            return False
        try:
            is_changed = change(ledger.projects)
            if is_changed:
                ledger.save()
            return is_changed
        finally:
            ledger.close()
    except (OSError, RegistryError):
        return False


def _wait_for_lock(descriptor: int) -> bool:
    deadline = time.monotonic() + _PATIENCE_S
    while not try_lock(descriptor, 0, 1):
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_S)
    return True


def _parse(content: bytes) -> Projects:
    document = read_json(content.decode())
    if not isinstance(document, dict) or document["v"] != _FORMAT:
        raise ValueError("it has another format")
    listed = document["projects"]
    if not isinstance(listed, dict) or not all(map(is_id, listed)):
        raise TypeError("its projects have no ids")
    return {one: _parse_project(fields) for one, fields in listed.items()}


def _parse_project(fields: object) -> Project:
    if not isinstance(fields, dict):
        raise TypeError("a project is an object")
    texts = [fields["name"], fields["place"]]
    lists = [fields.get(name, []) for name in ("former", "facts", "news", "told", "names")]
    mount = fields.get("mount", "")
    if not all(isinstance(each, list) for each in lists):
        raise TypeError("a field that is a list")
    if not all(
        isinstance(text, str) for text in (*texts, mount, *(one for each in lists for one in each))
    ):
        raise TypeError("a field that is a text")
    if len(lists[2]) not in {0, 2}:
        raise ValueError("news that say nothing")
    project = Project(*texts, *lists)
    project.mount = mount
    return project


def _write(projects: Projects) -> str:
    listed = {one: _describe(project) for one, project in _choose(projects).items()}
    return write_json({"v": _FORMAT, "projects": listed}) + "\n"


def _choose(projects: Projects) -> Projects:
    """Drop the oldest unmoved projects where there are too many.

    Nothing is lost with them: seen again in their place, they have the same name.
    """
    surplus = len(projects) - MOST_PROJECTS
    unmoved = [one for one, project in projects.items() if project.name == project.place]
    gone = {*(unmoved + [one for one in projects if one not in {*unmoved}])[: max(surplus, 0)]}
    return {one: project for one, project in projects.items() if one not in gone}


def _describe(project: Project) -> dict[str, object]:
    fields: dict[str, object] = {"name": project.name, "place": project.place}
    lists = {
        "former": project.former,
        "facts": project.facts[:_MOST_FACTS],
        "news": project.news,
        "told": project.told,
        "names": project.names,
        "mount": project.mount,
    }
    return fields | {name: one for name, one in lists.items() if one}


def new_id() -> str:
    """Make an id that nobody can guess."""
    return os.urandom(_DIGITS // 2).hex()


def read_ids(common: str) -> list[str]:
    """Read the ids that a git common directory holds, of whichever home.

    Raises:
        NotRegularError: the directory or its file is a link, or something else.
        OSError: it can't be read.
    """
    _check_directory(common)
    try:
        content = read_regular(os.path.join(common, ID_FILE), _MOST_ID_BYTES)
    except FileNotFoundError:
        return []
    return [line for line in content.decode("ascii", "replace").split() if is_id(line)]


def is_id(text: str) -> bool:
    """Check whether a text is written as an id."""
    return len(text) == _DIGITS and not text.strip("0123456789abcdef")


def write_ids(common: str, ids: list[str]) -> None:
    """Write ids into a git common directory; of too many, only the last ones.

    Raises:
        NotRegularError: the directory is a link, or something else.
        OSError: it can't be written.
    """
    owner = _check_directory(common).st_uid
    if sys.platform != "win32" and owner != os.geteuid():
        raise PermissionError(f"{common} is somebody else's: they could not read the file")
    path = os.path.join(common, ID_FILE)
    draft = f"{path}.{os.urandom(8).hex()}"
    descriptor = open_new(draft)
    try:
        try:
            write_all(descriptor, "".join(f"{one}\n" for one in ids[-_MOST_IDS:]).encode())
        finally:
            os.close(descriptor)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def holds_id(place: str, one: str) -> bool:
    """Check whether a repository with an id is in a place; True if nobody may look."""
    if not place:
        return False
    try:
        return any(one in _read_at(common) for common in (os.path.join(place, ".git"), place))
    except PermissionError:
        return True


def _read_at(common: str) -> list[str]:
    try:
        return read_ids(common)
    except PermissionError:
        raise
    except OSError:
        return []


def _check_directory(common: str) -> os.stat_result:
    found = os.lstat(common)
    if is_link(found) or not stat.S_ISDIR(found.st_mode):
        raise NotRegularError(f"{common} is no directory, or a link to one")
    return found
