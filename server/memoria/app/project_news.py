"""News of the project at hand: that it was moved, may be one of two, or has a former place."""

import os
import shlex
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Literal

from memoria.bare.home import find_home, make_folder
from memoria.bare.project_registry import (
    Project,
    Projects,
    RegistryError,
    change_projects,
    read_projects,
)
from memoria.bare.projects import AWAY, CLONE, COPY, MOVED, REPLACED, find_place, is_away
from memoria.config import Settings
from memoria.store.engine import Store


def propose_former(
    store: Store, settings: Settings, among: Collection[str] | None = None
) -> str | None:
    """Return a sentence that names the present project's likely former one, with the command.

    The former project is the only one whose folder is gone and had the same name, or else lay in
    the same folder; it must be among those given. Private projects are never named, and nothing is
    proposed to them.
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


Listener = Literal["agent", "person"]
_TOLD = {
    MOVED: "{place} is the project that was in {other}: it was moved, and its memories with it.",
    COPY: "{place} is a copy of {other}, and remembers for itself. To have both remember as one:"
    " {command}",
    AWAY: "{place} was known as {other}, whose drive is not mounted now: it may be a copy, and"
    " remembers for itself. If it is that project, or both are to remember as one: {command}",
    CLONE: "{place} seems to be another clone of {other}, and remembers for itself. To have both"
    " remember as one: {command}",
    REPLACED: "{place} is another repository than the one before it, which the memory knows as"
    " {other}. To have both remember as one: {command}",
}


def begin_home(given: str | None, tenant: str | None = None) -> None:
    """Make the home's folder, so that the project at hand can be noted in it.

    Where it can't be made, whoever opens it says so.
    """
    home = find_home(given, tenant)
    with suppress(OSError):
        make_folder(home, home)


def take_news(settings: Settings, listener: Listener) -> str | None:
    """Return a sentence of news that the listener has not been told; it counts as told.

    Another private project is not named, and to a private one none is proposed.
    """
    home = str(settings.home_path)
    name, private = settings.workspace, {*(settings.private_workspaces or ())}
    told: list[str] = []

    def take(projects: Projects) -> bool:
        new = [one for one in projects.values() if one.name == name and listener not in one.told]
        new = [one for one in new if one.news and _may_tell(one, private)]
        told[:] = [_describe(one, home) for one in new]
        for one in new:
            one.told = [*one.told, listener]
        return bool(new)

    return " ".join(told) if change_projects(home, take) else None


def _may_tell(project: Project, private: set[str]) -> bool:
    kind, other = project.news
    return kind == MOVED or private.isdisjoint({project.name, other})


def _describe(project: Project, home: str) -> str:
    kind, other = project.news
    if kind == CLONE:
        other = find_place(home, other)  # it may have been moved since
    command = (
        f"memoria workspace join {shlex.quote(project.place or project.name)} {shlex.quote(other)}"
    )
    return _TOLD[kind].format(place=project.place, other=other, command=command)
