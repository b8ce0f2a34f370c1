"""Doctor: checks whether a home is sound, and names what mends it, even if it can't be opened."""

import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.metadata import version
from itertools import islice
from pathlib import Path

from memoria.admin.backup import find_abandoned, list_backups
from memoria.admin.findings import check_chat_model, check_hooks
from memoria.admin.mend import check_backups, check_privacy
from memoria.bare.kept import count_kept
from memoria.bare.project_registry import RegistryError, read_projects
from memoria.bare.sealing import VARIABLE, EncryptionKeyError, has_mark, key_of
from memoria.bare.settings_file import settings_path
from memoria.config import NO_WORKSPACE, Settings
from memoria.disk.folders import describe_former
from memoria.disk.home_files import DATABASE, list_obstacles
from memoria.disk.tenant_files import TenantFiles, list_core_places
from memoria.erasure.verify import MEMORY_KINDS, verify
from memoria.errors import (
    EmbedderError,
    StoreDamagedError,
    StoreError,
    StoreTooNewError,
    StoreUnavailableError,
)
from memoria.inference import LazyEmbedder
from memoria.model import FIX, RESTORE, BacklogStatus, Finding, Health, to_iso
from memoria.model.core import NOT_REMEMBERED
from memoria.settings_file import list_problems
from memoria.store.engine import Store

_LITTLE_DISK_BYTES = 500_000_000
_MOST_NAMED = 20
_RESTORE_DATABASE = (
    "Restore the database from a backup of PostgreSQL's: pg_restore, or whoever runs the server."
)


def examine(
    store: Store,
    settings: Settings,
    embedder: LazyEmbedder | None,
    backlog: Callable[[], BacklogStatus] | None,
    *,
    deep: bool,
) -> Health:
    """Examine the home, the database, its indexes, the embedder and the backlog."""
    looks: tuple[tuple[str, Callable[[], Finding]], ...] = (
        ("model", lambda: _check_embedder(store, embedder, deep=deep)),
        ("backlog", lambda: _check_backlog(backlog)),
        ("chat model", lambda: check_chat_model(store, settings)),
        ("queue", lambda: _check_queue(store, settings)),
        ("private time", lambda: _check_private_time(store, settings)),
        ("sources", lambda: _check_sources(store)),
        ("tenants' folders", lambda: _check_tenants_folders(store, settings)),
    )
    found = [*store.examine(deep=deep), *(_run_check(*look) for look in looks)]
    return _add_home_checks(settings, found, store.files.of(settings.tenant))


def examine_quickly(
    store: Store, settings: Settings, embedder: LazyEmbedder | None, *, own: bool
) -> Health:
    """Examine what can be told at once, however much a home holds.

    Args:
        store: of the home.
        settings: whose home and tenant.
        embedder: which is not tried out.
        own: True for what is this tenant's own, without a word on others or on the machine.
    """
    looks: list[tuple[str, Callable[[], Finding]]] = [
        ("queue", lambda: _check_queue(store, settings)),
        ("private time", lambda: _check_private_time(store, settings)),
    ]
    if own:
        first: Iterable[Finding] = (_check_core_files(store.files.of(settings.tenant)),)
    else:
        first = (
            _check_versions(),
            *_check_home(settings, store.files.of(settings.tenant), walks=False),
        )
        looks += [
            ("model", lambda: _check_embedder(store, embedder, deep=False)),
            ("chat model", lambda: check_chat_model(store, settings)),
        ]
    return Health(findings=(*first, *(_run_check(*look) for look in looks)))


def examine_unopened(settings: Settings, error: StoreError) -> Health:
    """Return findings about a home whose database can't be opened, the error among them."""
    match error:
        case StoreTooNewError():
            cure = "pip install -U memoria-server"
        case StoreDamagedError():
            cure = RESTORE
        case _:
            cure = f"Mend what is said here; {_name_database(settings)}."
    return _add_home_checks(
        settings, [Finding(check="database", state="error", detail=str(error), cure=cure)]
    )


def _name_database(settings: Settings) -> str:
    kept = settings.shown_database
    return f"the file is {settings.home_path / DATABASE}" if kept is None else f"it is {kept}"


def _add_home_checks(
    settings: Settings, of_the_store: Iterable[Finding], files: TenantFiles | None = None
) -> Health:
    findings = (_check_versions(), *_check_home(settings, files), *of_the_store)
    return name_newest_backup(Health(findings=findings), settings)


def name_newest_backup(health: Health, settings: Settings) -> Health:
    """Put the path of the newest backup into each cure that asks for a backup."""
    return Health(findings=tuple(_name_backup(finding, settings) for finding in health.findings))


def _check_home(
    settings: Settings, files: TenantFiles | None, *, walks: bool = True
) -> Iterable[Finding]:
    """Yield findings on the home's files; on each of them only if it `walks` through all."""
    home = settings.home_path
    if home.is_dir():
        yield _check_disk(home)
        yield check_privacy(home)
        if has_mark(str(home)):
            yield _check_encryption(home)
    if os.access(home, os.R_OK | os.X_OK):
        yield _check_leftovers(home)
        if walks:
            yield _check_files(home)
        if files is not None:
            yield _check_core_files(files)
        yield _check_kept(settings)
        yield check_backups(settings)
        yield _check_settings(settings)
        yield _check_projects(settings)
        yield from check_hooks(settings)


def _check_encryption(home: Path) -> Finding:
    try:
        key_of(str(home))
    except EncryptionKeyError as error:
        return Finding(
            check="encryption",
            state="error",
            detail=str(error),
            cure=f"Set {VARIABLE} for this program and for every client.",
        )
    return _report("encryption", "on: without its key nobody can read the home")


def _run_check(check: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except StoreError as error:
        return Finding(check=check, state="error", detail=str(error), cure=RESTORE)


def _name_backup(finding: Finding, settings: Settings) -> Finding:
    if finding.cure != RESTORE:
        return finding
    if settings.database_url is not None:
        return finding.model_copy(update={"cure": _RESTORE_DATABASE})
    held = [info for info in list_backups(settings.home_path) if info.path.suffix == ".zip"]
    if held:
        cure = f"memoria restore {shlex.quote(str(held[-1].path))}"
    else:
        cure = (
            f"{RESTORE}. There is none in the home's backups folder; without one, keep "
            f"{DATABASE} and begin anew in another home: much of it may still be readable."
        )
    return finding.model_copy(update={"cure": cure})


def _report(check: str, detail: str) -> Finding:
    return Finding(check=check, state="ok", detail=detail)


def _warn(check: str, detail: str, cure: str) -> Finding:
    return Finding(check=check, state="warning", detail=detail, cure=cure)


def _check_versions() -> Finding:
    python = ".".join(map(str, sys.version_info[:3]))
    return _report(
        "version",
        f"memoria-server {version('memoria-server')}, Python {python}, mcp {version('mcp')}",
    )


def _check_disk(home: Path) -> Finding:
    free = shutil.disk_usage(home).free
    detail = f"{free / 1e9:.1f} GB free at {home}"
    if free < _LITTLE_DISK_BYTES:
        return _warn("disk", detail, "Free some disk space.")
    return _report("disk", detail)


def _check_leftovers(home: Path) -> Finding:
    left = find_abandoned(home)
    if left:
        detail = f"a backup, restore or export was broken off and left {', '.join(map(str, left))}"
        return _warn("leftovers", detail, FIX)
    return _report("leftovers", "no work was broken off")


def _check_files(home: Path) -> Finding:
    """Check for files that Memoria refuses to use, such as links."""
    try:
        obstacles = list(islice(list_obstacles(home), _MOST_NAMED))
    except OSError as error:
        obstacles = [str(StoreUnavailableError.from_system(error))]
    if obstacles:
        return _warn(
            "files",
            " ".join(obstacles),
            "Until then Memoria leaves it as it is, and does the rest.",
        )
    return _report("files", "every file is a regular file of the home")


def _check_projects(settings: Settings) -> Finding:
    """Check whether the registry of projects can be read: it tells where moved projects are."""
    try:
        noted = read_projects(str(settings.home_path))
    except RegistryError as error:
        cure = "Move it away, and say by `memoria workspace move` where moved projects are."
        return Finding(check="projects", state="error", detail=str(error), cure=cure)
    detail = f"{len(noted)} known by where they are"
    return _report("projects", detail)


def _check_kept(settings: Settings) -> Finding:
    """Count the kept answers for the next session; half-written answers are a warning."""
    try:
        holding, outdated, half = count_kept(str(settings.home_path), settings.tenant)
    except OSError as error:
        detail = str(StoreUnavailableError.from_system(error))
        return _warn("kept answers", detail, FIX)
    if half:
        detail = f"whoever wrote {half} of them was stopped before it was done"
        return _warn("kept answers", detail, FIX)
    detail = f"{holding} for the next session, {outdated} outdated"
    return _report("kept answers", detail)


def _check_core_files(files: TenantFiles) -> Finding:
    """Check for lines that the user wrote into core files and that are not remembered."""
    counts = {place: _count_refusals(files, place) for place in list_core_places(files)}
    refused = [f"{count} in {place}" for place, count in counts.items() if count]
    if refused:
        detail = f"lines written by hand are not remembered: {', '.join(refused)}"
        cure = "The file says below each of them why; change or delete the line."
        return _warn("core files", detail, cure)
    return _report("core files", "no line written by hand is refused")


def _count_refusals(files: TenantFiles, place: str) -> int:
    usable = files.find_obstacle(place) is None
    text = (files.read(place) or b"").decode("utf-8", "replace") if usable else ""
    return sum(line.startswith(NOT_REMEMBERED) for line in text.splitlines())


def _check_tenants_folders(store: Store, settings: Settings) -> Finding:
    """Check for folders of earlier versions that could not be given to one tenant."""
    left = describe_former(settings.home_path, store.tenants)
    check = "tenants' folders"
    if left:
        cure = (
            "Look through each, move what belongs to somebody into the folder that is named for "
            "them, and delete the rest."
        )
        return _warn(check, "; ".join(left), cure)
    return _report(check, "each tenant has one of its own")


def _check_settings(settings: Settings) -> Finding:
    """Check every line of the settings file, and what the environment sets."""
    path = settings_path(str(settings.home_path))
    problems = list_problems(str(settings.home_path), Settings)
    if problems:
        return _warn(
            "settings",
            " ".join(problems),
            "Mend the lines, in an editor or with memoria config set and unset; and take away "
            "variables that are no settings.",
        )
    detail = f"every line of {path} holds" if os.path.lexists(path) else f"there is no {path}"
    return _report("settings", detail)


def _check_embedder(store: Store, embedder: LazyEmbedder | None, *, deep: bool) -> Finding:
    if embedder is None:
        return _warn(
            "model",
            "vectors are switched off; search is by text alone",
            "Unset MEMORIA_EMBEDDER, or set it to bundled or endpoint.",
        )
    with store.backlog(write=False) as backlog:
        chosen = backlog.current_model()
    if chosen not in (None, embedder.name):
        return _warn(
            "model",
            f"the home was embedded with {chosen}, this process uses {embedder.name}",
            "Give every client the same MEMORIA_EMBEDDER settings.",
        )
    failure = _find_failure(embedder, deep=deep)
    if failure is not None:
        return Finding(
            check="model",
            state="error",
            detail=f"{embedder.name}: {failure}",
            cure="Mend the endpoint, or reinstall memoria-server, or set MEMORIA_EMBEDDER=off.",
        )
    return _report("model", f"{embedder.name}, {embedder.state}")


def _find_failure(embedder: LazyEmbedder, *, deep: bool) -> str | None:
    """Return why the embedder makes no vector; None if it works. A deep check tries it out."""
    try:
        if deep:
            embedder.embed_query("ping", wait_ms=None)
    except EmbedderError as error:
        return str(error)
    return embedder.state if embedder.state.startswith("failed") else None


def _check_sources(store: Store) -> Finding:
    """Check for memories and other records that are left although all their sources were erased."""
    orphans = [one for found in verify(store).values() for one in found]
    if not orphans:
        return _report("sources", "whatever rests on a source still has one")
    counts = Counter(orphan.kind for orphan in orphans)
    named = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(counts.items()))
    memories = [orphan.id for orphan in orphans if orphan.kind in MEMORY_KINDS]
    return _warn(
        "sources",
        f"everything these came from was erased, but they were left: {named}",
        f"memoria forget {' '.join(memories[:_MOST_NAMED])}" if memories else FIX,
    )


def _check_queue(store: Store, settings: Settings) -> Finding:
    with store.read(settings.tenant) as tx:
        status = tx.queue.status()
    detail = f"{status.waiting} segments wait to be read, {status.done} are read"
    if not status.dead:
        return _report("queue", detail)
    return _warn(
        "queue",
        f"{detail}, {status.dead} were given up: {status.last_error}",
        "memoria model queue list --state dead, then memoria model queue retry --all",
    )


def _check_private_time(store: Store, settings: Settings) -> Finding:
    """Warn of projects in private time: the user may have forgotten to switch it off."""
    with store.read(settings.tenant) as tx:
        on = [one for one in tx.private_times.all() if one.ended_at is None]
    if not on:
        return _report("private time", "it is on nowhere")
    places = ", ".join(
        f"{one.workspace or 'no project'} since {to_iso(one.began_at)}" for one in on
    )
    place = shlex.quote(on[0].workspace or NO_WORKSPACE)
    return _warn(
        "private time",
        f"nothing is kept of sessions in {places}",
        f"If that is no longer wanted: memoria --workspace {place} private off",
    )


def _check_backlog(look: Callable[[], BacklogStatus] | None) -> Finding:
    if look is None:
        return _report("backlog", "no vectors are wanted")
    status = look()
    if status.failed:
        return _warn(
            "backlog", f"{status.failed} documents were given up: {status.last_error}", FIX
        )
    if status.last_error is not None:
        return _warn(
            "backlog",
            f"{status.pending} wait for a vector: {status.last_error}",
            "Text search works meanwhile. Mend the embedder; the rest follows by itself.",
        )
    return _report("backlog", f"{status.pending} wait for a vector")
