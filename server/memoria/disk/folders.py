"""The folders of a home: where generated files lie, and how folders are made safe on disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from memoria.bare.home import slug
from memoria.bare.home import tenant_folder as find_tenant_folder
from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import StoreUnavailableError
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
    """Return the folder of a tenant's files: the home itself, or one apart from all others'."""
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
