"""Doctor: checks whether a home is sound and says what mends it, even if it can't be opened."""

import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.metadata import version
from itertools import islice
from pathlib import Path

from memoria.admin.backup import ASIDE, find_abandoned, list_backups
from memoria.admin.findings import check_chat_model, check_hooks
from memoria.admin.mend import check_privacy
from memoria.bare.home import TENANTS
from memoria.bare.kept import count_kept
from memoria.bare.project_registry import RegistryError, read_projects
from memoria.bare.settings_file import settings_path
from memoria.config import NO_WORKSPACE, Settings
from memoria.disk.folders import describe_former, tenant_folder
from memoria.disk.home_files import DATABASE, core_files, list_obstacles
from memoria.disk.home_folder import TenantFiles, open_home_files
from memoria.erasure.verify import MEMORY_KINDS, verify
from memoria.errors import (
    EmbedderError,
    StoreDamagedError,
    StoreError,
    StoreTooNewError,
    StoreUnavailableError,
)
from memoria.inference import LazyEmbedder
from memoria.model import FIX, RESTORE, BacklogStatus, Finding, Health, now_millis, to_iso
from memoria.model.core import NOT_REMEMBERED
from memoria.settings_file import list_problems
from memoria.store.engine import Store

_LITTLE_DISK_BYTES = 500_000_000
_MOST_NAMED = 20


def examine(
    store: Store,
    settings: Settings,
    embedder: LazyEmbedder | None,
    backlog: Callable[[], BacklogStatus] | None,
    *,
    deep: bool,
) -> Health:
    """Look at the home, the file, its indexes, the model and the backlog."""
    looks: tuple[tuple[str, Callable[[], Finding]], ...] = (
        ("model", lambda: _check_embedder(store, embedder, deep=deep)),
        ("backlog", lambda: _check_backlog(backlog)),
        ("chat model", lambda: check_chat_model(store, settings)),
        ("queue", lambda: _check_queue(store, settings)),
        ("private time", lambda: _check_private_time(store, settings)),
        ("sources", lambda: _check_sources(store, settings)),
        ("tenants' folders", lambda: _check_tenants_folders(store, settings)),
    )
    return _add_home_checks(
        settings, [*store.examine(deep=deep), *(_run_check(*look) for look in looks)]
    )


def examine_unopened(settings: Settings, error: StoreError) -> Health:
    """Return findings about a home whose database can't be opened, and why it can't."""
    match error:
        case StoreTooNewError():
            cure = "pip install -U memoria-server"
        case StoreDamagedError():
            cure = RESTORE
        case _:
            cure = f"Mend what is said here; the file is {settings.home_path / DATABASE}."
    return _add_home_checks(
        settings, [Finding(check="database", state="error", detail=str(error), cure=cure)]
    )


def _add_home_checks(settings: Settings, of_the_store: Iterable[Finding]) -> Health:
    findings = (_check_versions(), *_check_home(settings), *of_the_store)
    return name_newest_backup(Health(findings=findings), settings)


def name_newest_backup(health: Health, settings: Settings) -> Health:
    """Name the newest backup in the cures that want one."""
    return Health(findings=tuple(_name_backup(finding, settings) for finding in health.findings))


def _check_home(settings: Settings) -> Iterable[Finding]:
    home = settings.home_path
    if home.is_dir():
        yield _check_disk(home)
        yield check_privacy(home)
    if os.access(home, os.R_OK | os.X_OK):
        yield _check_leftovers(home)
        yield _check_files(home)
        yield _check_core_files(settings)
        yield _check_kept(settings)
        yield _check_backups(settings)
        yield _check_settings(settings)
        yield _check_projects(settings)
        yield from check_hooks(settings)


def _run_check(check: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except StoreError as error:
        return Finding(check=check, state="error", detail=str(error), cure=RESTORE)


def _name_backup(finding: Finding, settings: Settings) -> Finding:
    if finding.cure != RESTORE:
        return finding
    held = [info for info in list_backups(settings.home_path) if info.path.suffix == ".zip"]
    if held:
        cure = f"memoria restore {shlex.quote(str(held[-1].path))}"
    else:
        cure = (
            f"{RESTORE}. There is none in the home's backups folder; without one, keep "
            f"{DATABASE} and begin anew in another home: much of it may still be readable."
        )
    return finding.model_copy(update={"cure": cure})


def _check_versions() -> Finding:
    python = ".".join(map(str, sys.version_info[:3]))
    return Finding(
        check="version",
        state="ok",
        detail=f"memoria-server {version('memoria-server')}, Python {python}, mcp {version('mcp')}",
    )


def _check_disk(home: Path) -> Finding:
    free = shutil.disk_usage(home).free
    detail = f"{free / 1e9:.1f} GB free at {home}"
    if free < _LITTLE_DISK_BYTES:
        return Finding(check="disk", state="warning", detail=detail, cure="Free some disk space.")
    return Finding(check="disk", state="ok", detail=detail)


def _check_leftovers(home: Path) -> Finding:
    left = find_abandoned(home)
    if left:
        detail = f"a backup, restore or export was broken off and left {', '.join(map(str, left))}"
        return Finding(check="leftovers", state="warning", detail=detail, cure=FIX)
    return Finding(check="leftovers", state="ok", detail="no work was broken off")


def _check_files(home: Path) -> Finding:
    """Look for anything in the home that Memoria does not touch."""
    try:
        obstacles = list(islice(list_obstacles(home), _MOST_NAMED))
    except OSError as error:
        obstacles = [str(StoreUnavailableError.from_system(error))]
    if obstacles:
        return Finding(
            check="files",
            state="warning",
            detail=" ".join(obstacles),
            cure="Until then Memoria leaves it as it is, and does the rest.",
        )
    return Finding(check="files", state="ok", detail="every file is a regular file of the home")


def _check_projects(settings: Settings) -> Finding:
    """Check whether it can be told where projects are that were moved."""
    try:
        noted = read_projects(str(settings.home_path))
    except RegistryError as error:
        cure = "Move it away, and say by `memoria workspace move` where moved projects are."
        return Finding(check="projects", state="error", detail=str(error), cure=cure)
    detail = f"{len(noted)} known by where they are"
    return Finding(check="projects", state="ok", detail=detail)


def _check_kept(settings: Settings) -> Finding:
    """Count what is laid ready for the next session; an outdated answer is given to nobody."""
    try:
        holding, outdated, half = count_kept(str(settings.home_path), settings.tenant)
    except OSError as error:
        detail = str(StoreUnavailableError.from_system(error))
        return Finding(check="kept answers", state="warning", detail=detail, cure=FIX)
    if half:
        detail = f"whoever wrote {half} of them was stopped before it was done"
        return Finding(check="kept answers", state="warning", detail=detail, cure=FIX)
    detail = f"{holding} for the next session, {outdated} outdated"
    return Finding(check="kept answers", state="ok", detail=detail)


def _check_core_files(settings: Settings) -> Finding:
    """Look for lines of the user's in core files that are not remembered."""
    folder = tenant_folder(settings.home_path, settings.tenant)
    own = [place for place in core_files(folder) if not place.startswith(f"{TENANTS}/")]
    files = open_home_files(settings).of(settings.tenant)
    counts = {place: _count_refusals(files, place) for place in own}
    refused = [f"{count} in {place}" for place, count in counts.items() if count]
    if refused:
        detail = f"lines written by hand are not remembered: {', '.join(refused)}"
        cure = "The file says below each of them why; change or delete the line."
        return Finding(check="core files", state="warning", detail=detail, cure=cure)
    return Finding(check="core files", state="ok", detail="no line written by hand is refused")


def _count_refusals(files: TenantFiles, place: str) -> int:
    usable = files.find_obstacle(place) is None
    text = (files.read(place) or b"").decode("utf-8", "replace") if usable else ""
    return sum(line.startswith(NOT_REMEMBERED) for line in text.splitlines())


def _check_tenants_folders(store: Store, settings: Settings) -> Finding:
    """Check whether each tenant has the folder of its own that an earlier version gave it."""
    left = describe_former(settings.home_path, store.tenants)
    check = "tenants' folders"
    if left:
        cure = (
            "Look through each, move what belongs to somebody into the folder that is named for "
            "them, and delete the rest."
        )
        return Finding(check=check, state="warning", detail="; ".join(left), cure=cure)
    return Finding(check=check, state="ok", detail="each tenant has one of its own")


def _check_settings(settings: Settings) -> Finding:
    """Check every line of the settings file, and what the environment sets."""
    path = settings_path(str(settings.home_path))
    problems = list_problems(str(settings.home_path), Settings)
    if problems:
        return Finding(
            check="settings",
            state="warning",
            detail=" ".join(problems),
            cure="Mend the lines, in an editor or with memoria config set and unset; and take away "
            "variables that are no settings.",
        )
    detail = f"every line of {path} holds" if os.path.lexists(path) else f"there is no {path}"
    return Finding(check="settings", state="ok", detail=detail)


def _check_backups(settings: Settings) -> Finding:
    held = list_backups(settings.home_path, settings.backup_keep_days)
    now = now_millis()
    expired = [info for info in held if (info.kept_until or now) < now]
    if expired:
        detail = f"{len(expired)} of {len(held)} are older than {settings.backup_keep_days:g} days"
        return Finding(check="backups", state="warning", detail=detail, cure=FIX)
    aside = [info.path for info in held if info.path.name.startswith(ASIDE)]
    if aside:
        detail = f"a restore set the former home aside in {', '.join(map(str, aside))}"
        return Finding(
            check="backups", state="warning", detail=detail, cure=_describe_aside(aside[-1])
        )
    newest = f", the newest of {to_iso(held[-1].made_at)}" if held else ""
    return Finding(check="backups", state="ok", detail=f"{len(held)} in the home{newest}")


def _describe_aside(folder: Path) -> str:
    """Say what to do with a home that was set aside, which alone has what came after the backup."""
    export = f"memoria --home {shlex.quote(str(folder))} export later.jsonl"
    return (
        f"To have what was said after the backup as well: {export}, then memoria import "
        "later.jsonl. Delete the folder once memoria list shows what you expect."
    )


def _check_embedder(store: Store, embedder: LazyEmbedder | None, *, deep: bool) -> Finding:
    if embedder is None:
        return Finding(
            check="model",
            state="warning",
            detail="vectors are switched off; search is by text alone",
            cure="Unset MEMORIA_EMBEDDER, or set it to bundled or endpoint.",
        )
    with store.backlog(write=False) as backlog:
        chosen = backlog.current_model()
    if chosen not in (None, embedder.name):
        return Finding(
            check="model",
            state="warning",
            detail=f"the home was embedded with {chosen}, this process uses {embedder.name}",
            cure="Give every client the same MEMORIA_EMBEDDER settings.",
        )
    failure = _find_failure(embedder, deep=deep)
    if failure is not None:
        return Finding(
            check="model",
            state="error",
            detail=f"{embedder.name}: {failure}",
            cure="Mend the endpoint, or reinstall memoria-server, or set MEMORIA_EMBEDDER=off.",
        )
    return Finding(check="model", state="ok", detail=f"{embedder.name}, {embedder.state}")


def _find_failure(embedder: LazyEmbedder, *, deep: bool) -> str | None:
    """Say why the embedder makes no vector; None if it does. A deep check tries it."""
    try:
        if deep:
            embedder.embed_query("ping", wait_ms=None)
    except EmbedderError as error:
        return str(error)
    return embedder.state if embedder.state.startswith("failed") else None


def _check_sources(store: Store, settings: Settings) -> Finding:
    """Look for what is left although every source of it was erased."""
    orphans = [one for found in verify(store, settings.home_path).values() for one in found]
    if not orphans:
        return Finding(
            check="sources", state="ok", detail="whatever rests on a source still has one"
        )
    counts = Counter(orphan.kind for orphan in orphans)
    named = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(counts.items()))
    memories = [orphan.id for orphan in orphans if orphan.kind in MEMORY_KINDS]
    return Finding(
        check="sources",
        state="warning",
        detail=f"everything these came from was erased, but they were left: {named}",
        cure=f"memoria forget {' '.join(memories[:_MOST_NAMED])}" if memories else FIX,
    )


def _check_queue(store: Store, settings: Settings) -> Finding:
    with store.read(settings.tenant) as tx:
        status = tx.queue.status()
    detail = f"{status.waiting} segments wait to be read, {status.done} are read"
    if not status.dead:
        return Finding(check="queue", state="ok", detail=detail)
    return Finding(
        check="queue",
        state="warning",
        detail=f"{detail}, {status.dead} were given up: {status.last_error}",
        cure="memoria model queue list --state dead, then memoria model queue retry --all",
    )


def _check_private_time(store: Store, settings: Settings) -> Finding:
    """List where nothing is kept, because the user switched that on and may have forgotten it."""
    with store.read(settings.tenant) as tx:
        on = [one for one in tx.private_times.all() if one.ended_at is None]
    if not on:
        return Finding(check="private time", state="ok", detail="it is on nowhere")
    places = ", ".join(
        f"{one.workspace or 'no project'} since {to_iso(one.began_at)}" for one in on
    )
    place = shlex.quote(on[0].workspace or NO_WORKSPACE)
    return Finding(
        check="private time",
        state="warning",
        detail=f"nothing is kept of sessions in {places}",
        cure=f"If that is no longer wanted: memoria --workspace {place} private off",
    )


def _check_backlog(look: Callable[[], BacklogStatus] | None) -> Finding:
    if look is None:
        return Finding(check="backlog", state="ok", detail="no vectors are wanted")
    status = look()
    if status.failed:
        return Finding(
            check="backlog",
            state="warning",
            detail=f"{status.failed} documents were given up: {status.last_error}",
            cure=FIX,
        )
    if status.last_error is not None:
        return Finding(
            check="backlog",
            state="warning",
            detail=f"{status.pending} wait for a vector: {status.last_error}",
            cure="Text search works meanwhile. Mend the embedder; the rest follows by itself.",
        )
    return Finding(check="backlog", state="ok", detail=f"{status.pending} wait for a vector")
