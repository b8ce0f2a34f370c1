"""Former projects: where the one at hand may have been, if nothing of it is known here."""

import os
import shlex
from collections.abc import Collection, Iterable
from pathlib import PurePath, PurePosixPath, PureWindowsPath

from memoria.bare.project_registry import RegistryError, read_projects
from memoria.bare.projects import is_away
from memoria.config import Settings
from memoria.store.engine import Store


def propose_former(
    store: Store, settings: Settings, among: Collection[str] | None = None
) -> str | None:
    """Return a sentence on the project that the one at hand seems to have been, and the command.

    That is one of the same name, or else in the same folder, if it is the only one there and its
    own folder is gone, and if it is among those that are given. No private project is named, and
    to none is any other proposed.
    """
    here, private = settings.workspace, {*(settings.private_workspaces or ())}
    if here is None or here in private:
        return None
    with store.read(settings.tenant) as tx:
        held = {*tx.projects.list_used()}
    try:
        known = [*read_projects(str(settings.home_path)).values()]
    except RegistryError:
        return None
    noted = {one.name: one.place for one in known}
    away = {one.name for one in known if is_away(one)}
    place = _read_path(noted.get(here, here))
    if place is None or not os.path.lexists(place):
        return None
    gone = {name: noted.get(name, name) for name in held - private - away - {here}}
    former = _choose(place, {name: one for name, one in gone.items() if _is_gone(one)})
    if former is None or (among is not None and former not in among):
        return None
    verb = "join" if here in held else "move"
    command = f"memoria workspace {verb} {shlex.quote(former)} {shlex.quote(here)}"
    return f"the folder of {former} is gone; if this project was there before: {command}"


def _choose(place: PurePath, gone: dict[str, str]) -> str | None:
    paths = {name: _read_path(one) for name, one in gone.items()}
    named = [name for name, path in paths.items() if path and path.name == place.name]
    beside = [name for name, path in paths.items() if path and path.parent == place.parent]
    return _only(named) or (None if named else _only(beside))


def _only(names: Iterable[str]) -> str | None:
    listed = [*names]
    return listed[0] if len(listed) == 1 else None


def _is_gone(place: str) -> bool:
    return _read_path(place) is not None and not os.path.lexists(place)


def _read_path(name: str) -> PurePath | None:
    """Read a name as a path, of whichever system; None where it is none."""
    kinds = (PurePosixPath(name), PureWindowsPath(name))
    return next((path for path in kinds if path.is_absolute()), None)
