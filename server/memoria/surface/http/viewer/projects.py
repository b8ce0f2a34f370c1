"""Projects: what each has on record, private time, and projects that are joined, parted, moved."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

from memoria.app.open_home import in_thread
from memoria.errors import InvalidInputError
from memoria.model.access import Access
from memoria.model.listing import KnownJoin, KnownProject
from memoria.model.privacy import PrivateTime
from memoria.surface.http.viewer.table import ROOT, Action, Area, Done, Filled, PageRow, Visit, Wish

PATH = f"{ROOT}/projects"


class ProjectsWish(Wish):
    """All projects."""


class JoinWish(Wish):
    """A project, and the one of which it is to become a part."""

    former: str = ""
    into: str = ""


class PartWish(Wish):
    """A project that was joined into another, by the name it had."""

    project: str = ""


class MoveWish(Wish):
    """A project, and the folder in which it is."""

    project: str = ""
    folder: str = ""


class PrivateWish(Wish):
    """Switch of private time: while it is on, nothing of a project's sessions is kept."""

    switch: Literal["on", "off"]
    project: str | None = None
    """None for sessions of no project."""


async def show_projects(visit: Visit, _wish: ProjectsWish) -> Filled:
    """List the projects, of which the owner of the home may join, part and move some."""
    table = visit.memory.projects
    is_owner = not await table.has_others()
    times = await visit.memory.private.list_times()
    return Filled(
        "projects.html",
        {
            "projects": await (table.list() if is_owner else table.list_own()),
            "joins": await table.list_joins() if is_owner else (),
            "is_owner": is_owner,
            "private": {one.workspace: one for one in times if one.ended_at is None},
            "ended": _count_ended(times),
        },
    )


def _count_ended(times: tuple[PrivateTime, ...]) -> int:
    return sum(one.ended_at is not None for one in times)


async def ask_join(visit: Visit, wish: JoinWish) -> Filled:
    """Show what a join would do, or why it can't be done."""

    async def check() -> dict[str, object]:
        former, into = await _find_two(visit, wish)
        await visit.memory.projects.check_join(former, into)
        return {"former": former, "into": into}

    return Filled("project_join.html", await _check(visit, check))


async def ask_part(visit: Visit, wish: PartWish) -> Filled:
    """Show what taking a join back would do, or why it can't be done."""

    async def check() -> dict[str, object]:
        return {"join": await _find_join(visit, wish.project)}

    return Filled("project_part.html", await _check(visit, check))


async def ask_move(visit: Visit, wish: MoveWish) -> Filled:
    """Show what a move would do, or why it can't be done."""

    async def check() -> dict[str, object]:
        former = await _find_moved(visit, wish)
        await visit.memory.projects.check_move(former, wish.folder)
        return {"former": former, "folder": wish.folder}

    return Filled("project_move.html", await _check(visit, check))


async def join(visit: Visit, wish: JoinWish) -> Done:
    """Have all that is on record of a project be another's."""
    await _require_owner(visit)
    former, into = await _find_two(visit, wish)
    await visit.memory.projects.join(former, into)
    return Done(
        PATH,
        "{former} and {into} remember as one. Take it back: below, under joined projects.",
        {"former": former.name, "into": into.name},
    )


async def part(visit: Visit, wish: PartWish) -> Done:
    """Take a join back."""
    await _require_owner(visit)
    found = await _find_join(visit, wish.project)
    await visit.memory.projects.part(found)
    return Done(
        PATH,
        "{project} remembers for itself. Take it back: join it again.",
        {"project": found.former},
    )


async def move(visit: Visit, wish: MoveWish) -> Done:
    """Note the folder in which a project is."""
    await _require_owner(visit)
    former = await _find_moved(visit, wish)
    await visit.memory.projects.move(former, wish.folder)
    return Done(
        PATH, "What was {project} is in {folder}.", {"project": former.name, "folder": wish.folder}
    )


async def _check(
    visit: Visit, check: Callable[[], Awaitable[dict[str, object]]]
) -> dict[str, object]:
    """Return what a page shows before something is done, or the reason why it can't be done."""
    try:
        await _require_owner(visit)
        return {**await check(), "reason": None}
    except InvalidInputError as error:
        return {"reason": str(error)}


async def _find_project(visit: Visit, name: str) -> KnownProject:
    """Find a project by the name that the page lists.

    Raises:
        InvalidInputError: there is none.
    """
    table = visit.memory.projects
    is_owner = not await table.has_others()
    listed = await (table.list() if is_owner else table.list_own())
    found = next((one for one in listed if one.name == name), None)
    if found is None:
        raise InvalidInputError("No project of this name is listed. Nothing was done.")
    return found


async def _find_two(visit: Visit, wish: JoinWish) -> tuple[KnownProject, KnownProject]:
    return await _find_project(visit, wish.former), await _find_project(visit, wish.into)


async def _find_join(visit: Visit, name: str) -> KnownJoin:
    table = visit.memory.projects
    if name not in {one.former for one in await table.list_joins()}:
        raise InvalidInputError("No join of this project is listed. Nothing was done.")
    return await table.find_join(name)


async def _find_moved(visit: Visit, wish: MoveWish) -> KnownProject:
    if not await in_thread(lambda: _is_folder(wish.folder)):
        raise InvalidInputError(
            "There is no such folder on the machine that has the memory: give its whole path."
        )
    return await _find_project(visit, wish.project)


async def set_private(visit: Visit, wish: PrivateWish) -> Done:
    """Begin or end private time in a project, or in sessions of none."""
    place = None if wish.project is None else (await _find_project(visit, wish.project)).name
    switch = visit.ask_from(place).private
    if wish.switch == "on":
        await switch.turn_on()
        return Done(
            PATH, "Private time is on: nothing of its sessions is kept until you switch it off."
        )
    await switch.turn_off()
    return Done(PATH, "Private time is off: what is said from here on is kept.")


async def _require_owner(visit: Visit) -> None:
    """Check that no other tenant's projects would change.

    Raises:
        InvalidInputError: the home has several tenants.
    """
    if await visit.memory.projects.has_others():
        raise InvalidInputError(
            "Several people have memories in this home, and projects are joined and moved for all "
            "of them. Nothing was done. Whoever runs the server does it there, in a shell: memoria "
            "workspace."
        )


def _is_folder(text: str) -> bool:
    """Return whether a text is the whole path of a folder."""
    path = Path(text)
    try:
        return path.is_absolute() and path.is_dir()
    except OSError:  # too long for any file
        return False


AREA = Area(
    pages=(
        PageRow(PATH, "projects", "Projects", ProjectsWish, show_projects, menu="more"),
        PageRow(f"{PATH}/join", "ask_join", "Join two projects", JoinWish, ask_join, Access.ADMIN),
        PageRow(f"{PATH}/part", "ask_part", "Part two projects", PartWish, ask_part, Access.ADMIN),
        PageRow(f"{PATH}/move", "ask_move", "Move a project", MoveWish, ask_move, Access.ADMIN),
    ),
    actions=(
        Action(f"{PATH}/join", "join_projects", JoinWish, join, Access.ADMIN),
        Action(f"{PATH}/part", "part_projects", PartWish, part, Access.ADMIN),
        Action(f"{PATH}/move", "move_project", MoveWish, move, Access.ADMIN),
        Action(
            f"{PATH}/private", "set_private", PrivateWish, set_private, example={"switch": "off"}
        ),
    ),
)
