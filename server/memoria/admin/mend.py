"""Repairs of doctor: file modes, old backups, and what can be mended without recorded data."""

import os
import shlex
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from memoria.admin.backup import (
    ASIDE,
    NOTES,
    STAGING,
    delete_abandoned,
    delete_expired,
    list_backups,
)
from memoria.bare.ask import SOCKETS
from memoria.bare.home import TENANTS, name_memory
from memoria.bare.kept import KEPT, delete_kept
from memoria.bare.project_registry import LOCK, REGISTRY
from memoria.config import Settings
from memoria.disk.folders import DERIVED, PROJECTS, SCHEDULED_JOB, explain_system_errors
from memoria.disk.regular_files import is_folder, walk
from memoria.erasure.verify import repair_orphans
from memoria.errors import StoreError
from memoria.model import FIX, RESTORE, Finding, Health, Repair, now_millis, to_iso
from memoria.store.engine import Store

_FILE, _FOLDER, _OTHERS = 0o600, 0o700, 0o077
_OURS = (
    "memoria.db*",
    "*.md",
    "tombstone.key",
    SCHEDULED_JOB,
    REGISTRY,
    LOCK,
    f".{REGISTRY}.*",
    "backups",
    "before-restore-*",
    *DERIVED,
    PROJECTS,
    TENANTS,
    KEPT,
    SOCKETS,
    NOTES,
    f"{STAGING}*",
)
"""Names of what Memoria makes in a home, with all that lies below."""
_FEW = 3
_BACKUPS = "backups"
_BACKUPS_ELSEWHERE = (
    "of the database they are PostgreSQL's (pg_dump, or whoever runs the server), where Memoria "
    "sees none; memoria export writes one tenant's memory into a file"
)
_ROOT = 0
_POSIX = os.name == "posix"
Progress = Callable[[int, int], None]


def check_privacy(home: Path) -> Finding:
    """Check whether only this user can read the home, and this user can write it."""
    ours = _home_files(home)
    strangers = [one.path for one in ours if one.owner != os.geteuid()]
    if strangers:
        return Finding(
            check="privacy",
            state="warning" if os.geteuid() == _ROOT else "error",
            detail=f"another user owns {_list_paths(strangers)}",
            cure="Run Memoria as that user only, or give the home to this one with chown -R.",
        )
    closed = [one.path for one in ours if one.mode & one.wanted != one.wanted]
    if closed:
        return Finding(
            check="privacy",
            state="error",
            detail=f"{_list_paths(closed)} can't be written",
            cure=FIX,
        )
    exposed = [one.path for one in ours if one.mode & ~one.wanted & _OTHERS]
    if exposed:
        detail = f"other users may read {_list_paths(exposed)}"
        return Finding(check="privacy", state="warning", detail=detail, cure=FIX)
    return Finding(check="privacy", state="ok", detail="only this user can read the home")


def check_backups(settings: Settings) -> Finding:
    """Report the backups of a home; those of a server's database are not seen from here."""
    if settings.database_url is not None:
        return Finding(check=_BACKUPS, state="ok", detail=_BACKUPS_ELSEWHERE)
    held = list_backups(settings.home_path, settings.backup_keep_days)
    now = now_millis()
    expired = [info for info in held if (info.kept_until or now) < now]
    if expired:
        detail = f"{len(expired)} of {len(held)} are older than {settings.backup_keep_days:g} days"
        return Finding(check=_BACKUPS, state="warning", detail=detail, cure=FIX)
    aside = [info.path for info in held if info.path.name.startswith(ASIDE)]
    if aside:
        detail = f"a restore set the former home aside in {', '.join(map(str, aside))}"
        cure = _describe_restored(aside[-1], settings.tenant)
        return Finding(check=_BACKUPS, state="warning", detail=detail, cure=cure)
    newest = f", the newest of {to_iso(held[-1].made_at)}" if held else ""
    return Finding(check=_BACKUPS, state="ok", detail=f"{len(held)} in the home{newest}")


def _describe_restored(folder: Path, tenant: str) -> str:
    """Return advice on a home that was set aside: it alone has what was said after the backup."""
    export = shlex.join(("memoria", *name_memory(tenant, str(folder)), "export", "later.jsonl"))
    return (
        f"To have what was said after the backup as well: {export}, then memoria import "
        "later.jsonl. Delete the folder once memoria list shows what you expect."
    )


def make_private(home: Path) -> None:
    """Set every file that Memoria made to its proper mode.

    Raises:
        OSError: one belongs to somebody else.
    """
    home.chmod(_FOLDER)  # first: what lies in a closed folder can't be seen
    for one in _home_files(home):
        if one.mode != one.wanted:
            with suppress(FileNotFoundError):
                one.path.chmod(one.wanted)


@dataclass(frozen=True, slots=True)
class _HomeFile:
    """File or folder in a home, with its mode and the mode that it should have."""

    path: Path
    owner: int
    mode: int
    wanted: int


def _home_files(home: Path) -> list[_HomeFile]:
    """List the home and what Memoria made in it, without links: those may lead anywhere."""
    if not (_POSIX and home.is_dir()):
        return []
    ours = ((path, found) for path, found in walk(home, skips_closed=True) if _is_ours(home, path))
    return [
        _HomeFile(path, found.st_uid, stat.S_IMODE(found.st_mode), wanted)
        for path, found in ((home, home.stat()), *ours)
        if (wanted := _mode_for(found)) is not None
    ]


def _is_ours(home: Path, path: Path) -> bool:
    name = path.relative_to(home).parts[0]
    return any(fnmatchcase(name, pattern) for pattern in _OURS)


def _mode_for(found: os.stat_result) -> int | None:
    """Return the mode to be set; None for what is neither a file nor a folder."""
    if is_folder(found):
        return _FOLDER
    return _FILE if stat.S_ISREG(found.st_mode) else None


def _list_paths(paths: list[Path]) -> str:
    more = len(paths) - _FEW
    return ", ".join(map(str, paths[:_FEW])) + (f" and {more} more" if more > 0 else "")


def mend_home(settings: Settings, health: Health) -> None:
    """Mend the files around the database before it is opened, which may let it open again."""
    home = settings.home_path
    menders: Mapping[str, Callable[[], object]] = {
        "privacy": lambda: make_private(home),
        "leftovers": lambda: delete_abandoned(home),
        "kept answers": lambda: delete_kept(str(home), settings.tenant),
        "backups": lambda: delete_expired(home, settings.backup_keep_days),
    }
    with explain_system_errors():
        for finding in _curable(health):
            menders.get(finding.check, bool)()


def mend_store(
    store: Store, settings: Settings, health: Health, progress: Progress
) -> dict[str, str]:
    """Rebuild what the database derives from its records; return why repairs failed, by check."""
    failures = {}
    for finding in _curable(health):
        try:
            if finding.check == "sources":
                repair_orphans(store, settings.home_path)
            else:
                store.mend(finding.check, progress)
        except StoreError as error:
            failures[finding.check] = str(error)
    return failures


def report_failures(health: Health, failures: Mapping[str, str]) -> Health:
    """Return the findings with failed repairs marked: only restoring a backup helps there."""
    return Health(
        findings=tuple(
            finding.model_copy(update={"detail": failures[finding.check], "cure": RESTORE})
            if finding.cure == FIX and finding.check in failures
            else finding
            for finding in health.findings
        )
    )


def report_repairs(
    before: Health, after: Health, failures: Mapping[str, str]
) -> tuple[Repair, ...]:
    """List what became of each finding that could be mended."""
    now = {finding.check: finding for finding in after.findings}
    became = {
        was: failures.get(was.check) or (now[was.check].detail if was.check in now else "mended")
        for was in _curable(before)
    }
    return tuple(
        Repair(check=was.check, before=was.detail, after=said)
        for was, said in became.items()
        if said != was.detail
    )


def _curable(health: Health) -> list[Finding]:
    return [finding for finding in health.findings if finding.cure == FIX]
