"""News of the project at hand, told once: that it was moved, or may be one of two."""

import shlex
from contextlib import suppress
from typing import Literal

from memoria.bare.home import find_home, make_folder
from memoria.bare.project_registry import Project, Projects, change_projects
from memoria.bare.projects import AWAY, CLONE, COPY, MOVED, REPLACED, find_place
from memoria.config import Settings

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


def begin_home(given: str | None) -> None:
    """Make the home's folder, so that the project at hand can be noted in it.

    Where it can't be made, whoever opens it says so.
    """
    home = find_home(given)
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
