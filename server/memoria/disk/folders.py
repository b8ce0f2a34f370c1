"""Folders of a home: their places, how they are made, and renaming those of earlier versions."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

from memoria.bare.ask import SOCKETS
from memoria.bare.home import (
    DEFAULT_TENANT,
    OWNER_FILE,
    TENANTS,
    name_owner,
    open_new,
    read_regular,
    slug,
    write_all,
)
from memoria.bare.home import tenant_folder as find_tenant_folder
from memoria.bare.kept import KEPT
from memoria.bare.lazy_regex import lazy_regex
from memoria.bare.spool import HOOKS
from memoria.disk.regular_files import is_folder, refuse_links
from memoria.errors import StoreUnavailableError, UnusableFileError, quote_value
from memoria.model.core import PROJECT_FILE

HISTORY = "conversation_history"
DAILY = "daily_summaries"
BEFORE_IMAGES = "night"
"""Former contents of files that a run wrote: a folder for each run, until it can't be undone."""
WRITTEN = (HISTORY, DAILY)
DERIVED = (*WRITTEN, BEFORE_IMAGES)
"""Folders whose files are written anew from rows if they are missing."""
PROJECTS = "projects"
"""The folder with a folder for each project that has a core file."""
SCHEDULED_JOB = "nightly-job.json"
"""Record of what `memoria nightly schedule install` has installed for a tenant."""
DRAFT = lazy_regex(r"\.(.+)\.[0-9a-f]{16}")
"""The name of a file that is just being written, or was when the machine stopped."""
_SEPARATOR = lazy_regex(r"[/\\]")
_OWNER_ONLY = 0o700


def tenant_folder(home: Path, tenant: str) -> Path:
    """Return the folder of a tenant's files: the home itself, or a folder of the tenant's own."""
    return Path(find_tenant_folder(str(home), tenant))


def history_path(source: str, session_id: str) -> str:
    """Return the path of a conversation's file, below the tenant's folder."""
    identity = f"{source}\x00{session_id}"
    return f"{HISTORY}/{slug(session_id, identity)}.jsonl"


def daily_path(day: date) -> str:
    """Return the path of a day's file, below the tenant's folder.

    >>> daily_path(date(2026, 11, 22))
    'daily_summaries/2026-11-22.md'
    """
    return f"{DAILY}/{day.isoformat()}.md"


def project_file(project: str) -> str:
    """Return the path of a project's core file, always below the tenant's folder."""
    name = _SEPARATOR.split(project.rstrip("/\\"))[-1]
    return f"{PROJECTS}/{slug(name, project)}/{PROJECT_FILE}"


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents, for their owner alone."""
    for each in (*reversed(folder.parents), folder):
        each.mkdir(mode=_OWNER_ONLY, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Sync a folder to disk, so that the names in it survive a crash; Windows has no such call."""
    if os.name != "nt":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def explain_system_errors() -> Iterator[None]:
    """Turn errors of the operating system into a StoreUnavailableError."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailableError.from_system(error) from error


_FORMER = lazy_regex(r".+-[0-9a-f]{8}")
_REMADE = (KEPT, HOOKS, SOCKETS)
"""Folders whose files are made again whenever they are missing."""
_OUTDATED = (OWNER_FILE, ".lock", SCHEDULED_JOB)
"""Files whose former version is dropped if the new folder has one as well."""
_MOST_NAME_BYTES = 1 << 14


def adopt_folders(home: Path, tenant: str, list_tenants: Callable[[], Iterable[str]]) -> None:
    """Rename folders of earlier versions whose tenant is clear.

    Args:
        home: the data folder.
        tenant: who opens it.
        list_tenants: gives every tenant of the database.

    Raises:
        StoreUnavailableError: this tenant's folder can't be renamed, or is another's.
    """
    former = find_former(home, lambda: {*list_tenants(), tenant})
    for name, claimants in former.items():
        if len(claimants) == 1:
            try:
                _adopt(home, name, claimants[0])
            except OSError as error:
                if claimants[0] == tenant:
                    raise StoreUnavailableError.from_system(error) from error
    _check_owner(home, tenant)


def find_former(home: Path, list_tenants: Callable[[], Iterable[str]]) -> Mapping[str, list[str]]:
    """Find the folders of earlier versions that are left, and the tenants that may own each."""
    try:
        names = sorted(one.name for one in _list_folders(home) if _FORMER.fullmatch(one.name))
    except OSError:
        return {}  # there are none, or whoever wants one is told that it can't be read
    owners: dict[str, list[str]] = {name: [] for name in names}
    for one in sorted({*list_tenants()} - {DEFAULT_TENANT}) if names else ():
        if slug(one) in owners:
            owners[slug(one)].append(one)
    return owners


def remove_signposts(home: Path) -> None:
    """Remove the notes that stand in place of renamed folders: a backup may bring the folders back.

    Raises:
        OSError: a note can't be removed.
    """
    with suppress(FileNotFoundError):
        for one in os.scandir(home / TENANTS):
            if one.is_file(follow_symlinks=False) and _FORMER.fullmatch(one.name):
                Path(one.path).unlink(missing_ok=True)


def former_folder(home: Path, tenant: str) -> Path:
    """Return the folder in which earlier versions had a tenant's files."""
    return home if tenant == DEFAULT_TENANT else home / TENANTS / slug(tenant)


def _list_folders(home: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(home / TENANTS) as found:
        yield from (one for one in found if is_folder(one.stat(follow_symlinks=False)))


def _adopt(home: Path, name: str, tenant: str) -> None:
    former, folder = home / TENANTS / name, tenant_folder(home, tenant)
    refuse_links(home, folder.relative_to(home))
    with suppress(FileNotFoundError):  # another process was faster
        try:
            former.rename(folder)
        except OSError:
            if not os.path.lexists(folder):
                raise
            _merge(former, folder)
    name_owner(str(folder), tenant)
    if not os.path.lexists(former):
        _put_signpost(former, folder.name)


def _merge(former: Path, folder: Path) -> None:
    """Move files that the new folder lacks; a hook may have made the new folder already."""
    for one in sorted(former.iterdir()):
        there = folder / one.name
        if not os.path.lexists(there):
            one.rename(there)
        elif is_folder(one.lstat()) and is_folder(there.lstat()):
            _merge(one, there)
        elif one.name in _OUTDATED or former.name in _REMADE:
            one.unlink(missing_ok=True)
    with suppress(OSError):  # something is in both, as doctor says
        former.rmdir()


def _put_signpost(former: Path, name: str) -> None:
    with suppress(FileExistsError):  # an earlier version was faster: what it began is moved later
        descriptor = open_new(str(former))
        try:
            write_all(descriptor, f"This folder is {name} now.\n".encode())
        finally:
            os.close(descriptor)


def _check_owner(home: Path, tenant: str) -> None:
    """Check that no other tenant's name stands in a tenant's folder.

    Raises:
        StoreUnavailableError: one does.
        UnusableFileError: the file with the name can't be read.
    """
    file = tenant_folder(home, tenant) / OWNER_FILE
    if tenant == DEFAULT_TENANT or not os.path.lexists(file):
        return
    try:
        owner = read_regular(str(file), _MOST_NAME_BYTES).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UnusableFileError(f"{file} can't be read: {error}. Mend or delete it.") from error
    if owner != tenant:
        raise StoreUnavailableError(
            f"The folder {file.parent} says in its file {OWNER_FILE} that it is of the tenant "
            f"{quote_value(owner)}, and not of {quote_value(tenant)}. Move it away if it was "
            "copied; if it is of the right one, delete that file."
        )


def describe_former(home: Path, list_tenants: Callable[[], Iterable[str]]) -> list[str]:
    """Describe each folder of earlier versions that could not be taken over, and what to do."""
    return [_describe(home, *one) for one in find_former(home, list_tenants).items()]


def _describe(home: Path, name: str, claimants: list[str]) -> str:
    former = home / TENANTS / name
    if not claimants:
        return f"{former} is of no tenant that is known here"
    places = " or ".join(str(tenant_folder(home, one)) for one in claimants)
    names = " and ".join(map(quote_value, claimants))
    if len(claimants) == 1:
        return f"{former} of {names} has files that stand in {places} as well"
    return (
        f"{former} may be of {names}, so neither was given it; what is theirs belongs to {places}"
    )
