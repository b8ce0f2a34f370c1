"""Projects that folders belong to, as a home knows them: also after a move.

A repository is known by an id that Memoria has put into its git directory. Where it can't be put
there, or a home doesn't know it, a project is the path of its repository (`bare/workspace`).
"""

import os

from memoria.bare.foreign_files import is_inside, may_be_path
from memoria.bare.project_registry import (
    NOWHERE,
    Project,
    Projects,
    RegistryError,
    change_projects,
    holds_id,
    new_id,
    open_ledger,
    read_ids,
    read_projects,
    write_ids,
)
from memoria.bare.workspace import find_common, place_of

MOVED, COPY, CLONE, REPLACED, AWAY = "moved", "copy", "clone", "replaced", "away"
"""Kinds of news of a project: it was moved here; it is a copy of another, perhaps a
clone of one, lies where another was, or has the id of one whose drive is not mounted."""


class _Recognised:
    """Outcome of recognising a repository."""

    __slots__ = ("ids", "own", "project")

    def __init__(self, own: str, project: Project, ids: list[str]) -> None:
        self.own = own
        """Its id."""
        self.project = project
        self.ids = ids
        """Ids that its git directory is to hold."""


def find_project(home: str, folder: str | os.PathLike[str]) -> str | None:
    """Find the name by which a home knows a folder's project; None outside of any project.

    A project that is seen for the first time, or in a new place, is noted, as far as the home is
    there and both can be written.
    """
    common = find_common(folder)
    try:
        projects = read_projects(home)
    except RegistryError:
        return None if common is None else place_of(common)
    gone = _find_gone(projects, os.fspath(folder), common)
    if gone is not None or common is None:
        return gone
    place = place_of(common)
    try:
        ids = read_ids(common)
    except OSError:
        return _name_without_id(projects, place)
    here = _find_here(projects, ids, place)
    return here.name if here is not None else _settle(home, projects, common)


def note_project(home: str, folder: str | os.PathLike[str]) -> str | None:
    """Find a folder's project, and note the facts by which its clones are recognised.

    That takes a moment. Where the facts are another project's as well, that becomes news.
    """
    name, common = find_project(home, folder), find_common(folder)
    if common is not None:
        place = place_of(common)
        facts = _read_all_facts(home, common, place)
        change_projects(home, lambda projects: _add_facts(projects, place, facts))
    return name


def _read_all_facts(home: str, common: str, place: str) -> list[str]:
    """Read the facts by which clones are recognised, and the first commit if not yet known."""
    from memoria.bare.project_facts import FIRST, read_facts, read_first_fact

    try:
        here = _find_at(read_projects(home), place)
    except RegistryError:
        return []
    is_known = here is None or any(one.startswith(FIRST) for one in here.facts)
    first = None if is_known else read_first_fact(common)
    return [*([] if first is None else [first]), *read_facts(common, place)]


def _add_facts(projects: Projects, place: str, facts: list[str]) -> bool:
    """Note the facts by which clones of a project are recognised; return True if any is new."""
    from memoria.bare.project_facts import FIRST

    here = _find_at(projects, place)
    if here is None:
        return False
    new = [one for one in facts if one not in here.facts]
    mount = _find_mount(place)
    is_elsewhere, here.mount = mount != here.mount, mount
    here.facts = [*new, *here.facts]
    here.facts.sort(key=lambda one: not one.startswith(FIRST))  # it is not to be crowded out
    other = None if here.news else _find_alike(projects, here)
    here.news = here.news if other is None else [CLONE, other]
    return bool(new) or other is not None or is_elsewhere


def _find_alike(projects: Projects, here: Project) -> str | None:
    """Find the last project noted before another that is a clone of the same repository."""
    listed = [*projects.values()]
    before = listed[: listed.index(here)]
    alike = [one.name for one in before if one.name != here.name and _is_alike(here, one)]
    return alike[-1] if alike else None


def _is_alike(one: Project, other: Project) -> bool:
    """Check whether both seem to be clones of one repository, or one of the other."""
    from memoria.bare.project_facts import FIRST, fact_of_place

    facts, others = (
        {*each.facts, *([fact_of_place(each.place)] if each.place else [])} - {FIRST}
        for each in (one, other)
    )
    return bool(facts & others)


def project_of(home: str, folder: str) -> str:
    """Return the project of the folder a session was held in, `none` if it was in none.

    A folder that is gone, with whatever repository it was in, was a project of its own.
    """
    found = find_project(home, folder)
    if found is not None:
        return found
    return "none" if os.path.isdir(folder) or not may_be_path(folder) else folder


def name_given(home: str, given: str) -> str:
    """Return a project's name, given the name or the project's present folder."""
    if not os.path.isabs(given):
        return given
    try:
        projects = read_projects(home)
    except RegistryError:
        return given
    here = _find_at(projects, os.path.realpath(given)) if may_be_path(given) else None
    is_name = any(project.name == given for project in projects.values())
    return given if here is None or is_name else here.name


def find_place(home: str, name: str) -> str:
    """Return the present folder of a project that is named by a folder it has left.

    The name is returned if the project has not moved, or nobody knows where to.
    """
    if not os.path.isabs(name):
        return name
    try:
        projects = read_projects(home).values()
    except RegistryError:
        return name
    own = [one for one in projects if one.name == name and not one.names]  # none that joined it
    places = [one.place for one in own if one.place]
    return places[0] if len(places) == 1 else name


def name_here(home: str, given: str | None) -> str | None:
    """Return the name of the given project, else of the project in this process's folder."""
    return name_given(home, given) if given else note_project(home, os.curdir)


def add_moved(home: str, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return names and places of projects, with the names of the projects in these places.

    A project in a place that a named project has left is included.

    Raises:
        RegistryError: the projects of the home can't be read.
    """
    meant = [
        project.name
        for project in read_projects(home).values()
        if project.place in named or _name_of_place(project) in named
    ]
    return tuple(dict.fromkeys([*named, *meant]))


def adopt(home: str, name: str, folder: str) -> bool:
    """Note a folder as the present place of a project; return False if that is not possible."""
    common = find_common(folder)
    place = "" if common is None else place_of(common)

    def take(projects: Projects) -> bool:
        here = _find_at(projects, place)
        if here is None:
            return False
        for one in [one for one, project in projects.items() if project.name == name]:
            gone = projects.pop(one)
            here.former = [gone.place, *gone.former]
        here.name, here.news = name, []
        return True

    return change_projects(home, take)


def rename(home: str, name: str, into: str) -> bool:
    """Note that a project is part of another from now on; return False if that is not possible."""

    def take(projects: Projects) -> bool:
        meant = [project for project in projects.values() if project.name == name]
        if not meant and os.path.isabs(name):
            projects[new_id()] = Project(into, name, names=[name])
        for project in meant:
            project.names = [*project.names, project.name]
            project.name, project.news = into, []
        return True

    return change_projects(home, take)


def name_again(home: str, name: str, joined: str) -> bool:
    """Note that a project is no part of another any more; return False if that is not possible."""

    def take(projects: Projects) -> bool:
        meant = [
            one for one in projects.values() if one.name == joined and one.names[-1:] == [name]
        ]
        for project in meant:
            project.names, project.name = project.names[:-1], name
        return True

    return change_projects(home, take)


def is_away(project: Project) -> bool:
    """Check whether the drive that a project lies on is not mounted now."""
    return bool(project.mount) and not os.path.ismount(project.mount)


def _find_mount(place: str) -> str:
    """Return the mount point of a folder's drive; empty for the drive that is always there.

    A project that is a mount itself is a container's view of a folder, and no drive.
    """
    above = os.path.dirname(place)
    while not os.path.ismount(above):
        above = os.path.dirname(above)
    return "" if os.path.dirname(above) == above or os.path.ismount(place) else above


def _find_at(projects: Projects, place: str) -> Project | None:
    return next((project for project in projects.values() if project.place == place), None)


def _find_here(projects: Projects, ids: list[str], place: str) -> Project | None:
    known = [projects[one] for one in ids if one in projects]
    return next((project for project in known if project.place == place), None)


def _find_gone(projects: Projects, folder: str, common: str | None) -> str | None:
    """Find the project that was seen in a folder that is gone, or above it."""
    place = os.path.expanduser(folder)
    if not may_be_path(place) or os.path.lexists(place):
        return None
    place = os.path.realpath(place)
    least = "" if common is None else place_of(common)
    seen = [(one.place, True, one.name) for one in projects.values()]
    seen += [(each, False, one.name) for one in projects.values() for each in one.former]
    above = [each for each in seen if len(each[0]) > len(least) and is_inside(place, each[0])]
    return max(above, key=lambda each: (len(each[0]), each[1]))[2] if above else None


def _settle(home: str, projects: Projects, common: str) -> str:
    """Recognise a repository that has moved or is new, note it, and return its name."""
    try:
        ledger = open_ledger(home)
    except (OSError, RegistryError):
        ledger = None
    if ledger is None:
        return _tell(projects, common)
    try:
        ids = read_ids(common)  # anew: another process may have noted it meanwhile
        found = _examine(ledger.projects, common, ids)
        if found.ids != ids:
            write_ids(common, found.ids)
        _put(ledger.projects, found)
        ledger.save()
    except OSError:
        return _tell(projects, common)
    finally:
        ledger.close()
    return found.project.name


def _put(projects: Projects, found: _Recognised) -> None:
    """Note a recognised repository, and that no other project is in its place."""
    projects.pop(found.own, None)
    for other in projects.values():
        if other.place == found.project.place:
            other.move(NOWHERE)
    projects[found.own] = found.project
    found.project.mount = _find_mount(found.project.place)


def _tell(projects: Projects, common: str) -> str:
    """Return the name of a repository of which nothing can be noted."""
    try:
        ids = read_ids(common)
        found = _examine(projects, common, ids)
    except OSError:
        return _name_without_id(projects, place_of(common))
    is_known = found.ids == ids
    return found.project.name if is_known else _name_without_id(projects, place_of(common))


def _examine(projects: Projects, common: str, ids: list[str]) -> _Recognised:
    """Recognise a repository: as known in its place, as moved, as a copy, or as new."""
    place = place_of(common)
    known = [one for one in ids if one in projects]
    if not known:
        return _meet(projects, common, ids)
    own = next((one for one in known if projects[one].place == place), known[0])
    project = projects[own]
    if _is_same_folder(project.place, place):
        project.place = place
    elif holds_id(project.place, own) or is_away(project):
        left = [one for one in ids if one not in projects]
        kind = AWAY if is_away(project) else COPY
        return _begin(projects, common, left, [kind, project.name])
    else:
        if place not in project.former:
            before = [project.place, *project.former]
            project.news, project.told = [MOVED, next(filter(None, before), "")], []
        project.move(place)
    return _Recognised(own, project, ids)


def _meet(projects: Projects, common: str, ids: list[str]) -> _Recognised:
    """Recognise a repository that has no id this home knows."""
    from memoria.bare.project_facts import FIRST, read_facts, read_first_fact

    place = place_of(common)
    here = next((one for one, project in projects.items() if project.place == place), None)
    if here is None:
        return _begin(projects, common, ids, [])
    facts = {*read_facts(common, place), read_first_fact(common)} - {FIRST}
    if facts & {*projects[here].facts}:
        return _Recognised(here, projects[here], [*ids, here])
    return _begin(projects, common, ids, [REPLACED, projects[here].name])


def _begin(projects: Projects, common: str, ids: list[str], news: list[str]) -> _Recognised:
    from memoria.bare.project_facts import read_facts

    own, place = new_id(), place_of(common)
    name = _find_free_name(projects, place)
    facts = read_facts(common, place)
    return _Recognised(own, Project(name, place, facts=facts, news=news), [*ids, own])


def _find_free_name(projects: Projects, place: str) -> str:
    """Return a path, with a number where a project of that name has moved elsewhere."""
    taken = {project.name for project in projects.values()}
    number, name = 1, place
    while name in taken:
        number += 1
        name = f"{place} ({number})"
    return name


def _name_of_place(project: Project) -> str:
    """Return the path by which a project was named, also where another had that name already."""
    path, _, number = project.name.rpartition(" (")
    return path if number.removesuffix(")").isdigit() else project.name


def _name_without_id(projects: Projects, place: str) -> str:
    """Return the name of a repository that can't bear an id."""
    here = _find_at(projects, place)
    return _find_free_name(projects, place) if here is None else here.name


def _is_same_folder(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
