"""Doctor: is everything sound, and if not, what mends it."""

import shutil
import sys
from importlib.metadata import version

from memoria.config import Settings
from memoria.inference import LazyEmbedder
from memoria.model import BacklogStatus, Finding, Health
from memoria.store.base import Store

_LITTLE_DISK_BYTES = 500_000_000


def examine(
    store: Store,
    settings: Settings,
    embedder: LazyEmbedder | None,
    backlog: BacklogStatus | None,
    *,
    deep: bool,
) -> Health:
    """Look at the home, the file, its indexes, the model and the backlog."""
    return Health(
        findings=(
            _versions(),
            _disk(settings),
            *store.examine(deep=deep),
            _embedder(store, embedder),
            _backlog(backlog),
        )
    )


def _versions() -> Finding:
    python = ".".join(map(str, sys.version_info[:3]))
    return Finding(
        check="version",
        state="ok",
        detail=f"memoria-server {version('memoria-server')}, Python {python}, mcp {version('mcp')}",
    )


def _disk(settings: Settings) -> Finding:
    free = shutil.disk_usage(settings.home_path).free
    detail = f"{free / 1e9:.1f} GB free at {settings.home_path}"
    if free < _LITTLE_DISK_BYTES:
        return Finding(check="disk", state="warning", detail=detail, cure="Free some disk space.")
    return Finding(check="disk", state="ok", detail=detail)


def _embedder(store: Store, embedder: LazyEmbedder | None) -> Finding:
    if embedder is None:
        return Finding(
            check="model",
            state="warning",
            detail="vectors are switched off; search is by text alone",
            cure="Unset MEMORIA_EMBEDDER, or set it to bundled or endpoint.",
        )
    with store.backlog(write=False) as backlog:
        chosen = backlog.chosen_model()
    if chosen not in (None, embedder.name):
        return Finding(
            check="model",
            state="warning",
            detail=f"the home was embedded with {chosen}, this process uses {embedder.name}",
            cure="Give every client the same MEMORIA_EMBEDDER settings.",
        )
    if embedder.state.startswith("failed"):
        return Finding(
            check="model",
            state="error",
            detail=f"{embedder.name}: {embedder.state}",
            cure="Reinstall memoria-server, or set MEMORIA_EMBEDDER=off.",
        )
    return Finding(check="model", state="ok", detail=f"{embedder.name}, {embedder.state}")


def _backlog(status: BacklogStatus | None) -> Finding:
    if status is None:
        return Finding(check="backlog", state="ok", detail="no vectors are wanted")
    if status.failed:
        return Finding(
            check="backlog",
            state="warning",
            detail=f"{status.failed} documents were given up: {status.last_error}",
            cure="Mend the embedder, then run: memoria doctor --rebuild",
        )
    if status.last_error is not None:
        return Finding(
            check="backlog",
            state="warning",
            detail=f"{status.pending} wait for a vector: {status.last_error}",
            cure="Text search works meanwhile. Mend the embedder; the rest follows by itself.",
        )
    return Finding(check="backlog", state="ok", detail=f"{status.pending} wait for a vector")
