"""Projects: what each has on record, private time, and projects that are joined, parted, moved."""

from typing import Literal

from memoria.errors import InvalidInputError
from memoria.model.access import Access
from memoria.model.privacy import PrivateTime
from memoria.surface.http.viewer.table import ROOT, Action, Area, Done, Page, Shown, Visit, Wish

PATH = f"{ROOT}/projects"


class ProjectsWish(Wish):
    """All projects."""


class JoinWish(Wish):
    """A project, and the one of which it is to become a part."""

    former: str
    into: str


class PartWish(Wish):
    """A project that was joined into another, by the name it had."""

    project: str


class MoveWish(Wish):
    """A project, and the folder in which it is."""

    project: str
    folder: str


class PrivateWish(Wish):
    """Whether a project's sessions are to be kept."""

    switch: Literal["on", "off"]
    project: str | None = None
    """None for sessions of no project."""


async def show_projects(visit: Visit, _wish: ProjectsWish) -> Shown:
    """List the projects, of which the owner of the home may join, part and move some."""
    table = visit.memory.projects
    is_owner = not await table.has_others()
    times = await visit.memory.private.list_times()
    return Shown(
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


async def check_join(visit: Visit, wish: JoinWish) -> Shown:
    """Show what a join would do, once it was checked that it may be."""
    await _require_owner(visit)
    table = visit.memory.projects
    former, into = await table.find(wish.former), await table.find(wish.into)
    await table.check_join(former, into)
    return Shown("project_join.html", {"former": former, "into": into})


async def check_part(visit: Visit, wish: PartWish) -> Shown:
    """Show what taking a join back would do, once it was checked that it may be."""
    await _require_owner(visit)
    return Shown("project_part.html", {"join": await visit.memory.projects.find_join(wish.project)})


async def check_move(visit: Visit, wish: MoveWish) -> Shown:
    """Show what a move would do, once it was checked that it may be."""
    await _require_owner(visit)
    table = visit.memory.projects
    former = await table.find_former(wish.project, wish.folder)
    await table.check_move(former, wish.folder)
    return Shown("project_move.html", {"former": former, "folder": wish.folder})


async def join(visit: Visit, wish: JoinWish) -> Done:
    """Have all that is on record of a project be another's."""
    await _require_owner(visit)
    table = visit.memory.projects
    former, into = await table.find(wish.former), await table.find(wish.into)
    await table.join(former, into)
    return Done(
        PATH,
        "{former} and {into} remember as one. Take it back: below, under joined projects.",
        {"former": former.name, "into": into.name},
    )


async def part(visit: Visit, wish: PartWish) -> Done:
    """Take a join back."""
    await _require_owner(visit)
    table = visit.memory.projects
    found = await table.find_join(wish.project)
    await table.part(found)
    return Done(
        PATH,
        "{project} remembers for itself. Take it back: join it again.",
        {"project": found.former},
    )


async def move(visit: Visit, wish: MoveWish) -> Done:
    """Note the folder in which a project is."""
    await _require_owner(visit)
    table = visit.memory.projects
    former = await table.find_former(wish.project, wish.folder)
    await table.move(former, wish.folder)
    return Done(
        PATH, "What was {project} is in {folder}.", {"project": former.name, "folder": wish.folder}
    )


async def set_private(visit: Visit, wish: PrivateWish) -> Done:
    """Begin or end private time in a project, or in sessions of none."""
    switch = visit.ask_from(wish.project).private
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


AREA = Area(
    pages=(
        Page(PATH, "projects", "Projects", ProjectsWish, show_projects, menu="more"),
        Page(f"{PATH}/join", "check_join", "Join two projects", JoinWish, check_join, Access.ADMIN),
        Page(f"{PATH}/part", "check_part", "Part two projects", PartWish, check_part, Access.ADMIN),
        Page(f"{PATH}/move", "check_move", "Move a project", MoveWish, check_move, Access.ADMIN),
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
