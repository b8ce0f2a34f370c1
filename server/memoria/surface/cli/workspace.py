"""Commands on projects: their list, a move, two that become one, and private time."""

import os
import shlex
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memoria.language.reading.fences import join_lines
from memoria.model import to_iso
from memoria.model.base import write_document
from memoria.model.listing import KnownProject
from memoria.model.privacy import PrivateTime
from memoria.surface.cli.console import AsJson, ask_person, is_for_subcommand, show, with_memory
from memoria.surface.cli.times import moment
from memoria.surface.text import quantity, tell_place

if TYPE_CHECKING:
    from memoria.app import Memoria

_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
_Project = Annotated[
    str, typer.Argument(help="A folder, or its name where only one project is called so.")
]


app = typer.Typer()
group = typer.Typer(invoke_without_command=True)
app.add_typer(group, name="workspace")


@group.callback()
def list_unless_named(context: typer.Context, as_json: AsJson = False) -> None:
    """List the projects; say where one moved to; have two remember as one, or apart."""
    if not is_for_subcommand(context, has_options=as_json):
        list_projects(context, as_json=as_json)


@group.command("list")
def list_projects(context: typer.Context, as_json: AsJson = False) -> None:
    """List the projects: name, what is on record, whether private, and where the folder is."""
    projects = with_memory(context, lambda memory: memory.projects.list())
    show(write_document(projects=projects), _list_text(projects), as_json=as_json)


@group.command("move")
def move(
    context: typer.Context,
    project: _Project,
    folder: Annotated[str, typer.Argument(help="The folder in which it is now.")],
    yes: _Yes = False,
    as_json: AsJson = False,
) -> None:
    """Say in which folder a project is now, where Memoria could not tell by itself."""
    folder = os.path.realpath(folder)

    async def check(memory: "Memoria") -> KnownProject:
        former = await memory.projects.find_former(project, folder)
        await memory.projects.check_move(former, folder)
        return former

    former = with_memory(context, check)
    if not yes:
        ask_person(f"Is {folder} what the memory knows as {_describe(former)}?")
    with_memory(context, lambda memory: memory.projects.move(former, folder))
    said = f"What was {join_lines(former.name)} is in {folder} from now on."
    show(_write_joined(former, former.name), said, as_json=as_json)


@group.command("join")
def join(
    context: typer.Context,
    project: _Project,
    into: Annotated[str, typer.Argument(help="The project of which it becomes a part.")],
    yes: _Yes = False,
    as_json: AsJson = False,
) -> None:
    """Have all that is on record of a project, now and from now on, be another's."""

    async def check(memory: "Memoria") -> tuple[KnownProject, KnownProject]:
        former, other = await memory.projects.find(project), await memory.projects.find(into)
        await memory.projects.check_join(former, other)
        return former, other

    former, other = with_memory(context, check)
    if not yes:
        ask_person(
            f"All that is on record of {_describe(former)} becomes that of {_describe(other)}. "
            "Join them?"
        )
    with_memory(context, lambda memory: memory.projects.join(former, other))
    said = f"{_name(former.name)} and {_name(other.name)} remember as one from now on."
    undo = f"To take it back: memoria workspace part {shlex.quote(join_lines(former.name))}"
    show(_write_joined(former, other.name), f"{said}\n{undo}", as_json=as_json)


@group.command("part")
def part(
    context: typer.Context,
    project: Annotated[str, typer.Argument(help="What was joined into another, by its name then.")],
    yes: _Yes = False,
    as_json: AsJson = False,
) -> None:
    """Take a join back: what a project brought into another is its own again.

    What was drawn from its conversations since goes with it; what was said since stays.
    """
    joined = with_memory(context, lambda memory: memory.projects.find_join(project))
    if not yes:
        memories = quantity(joined.memories, "memory", "memories")
        sessions = quantity(joined.sessions, "conversation", "conversations")
        ask_person(
            f"{memories} and {sessions} that {_name(joined.into)} has of "
            f"{_name(joined.former)} become its own again; what was said since stays. "
            "Part them?"
        )
    with_memory(context, lambda memory: memory.projects.part(joined))
    said = f"{_name(joined.former)} remembers for itself from now on."
    show(joined, said, as_json=as_json)


def _write_joined(former: KnownProject, into: str) -> dict[str, object]:
    return {"former": former.name, "project": into, **former.to_json("memories", "turns")}


def _describe(project: KnownProject) -> str:
    return f"{_name(project.name)} ({_count(project)})"


def _name(project: str) -> str:
    """Return the present folder of a project, on one line."""
    return join_lines(tell_place(project))


def _count(project: KnownProject) -> str:
    if not project.memories and not project.turns:
        return "nothing on record"
    memories = quantity(project.memories, "memory", "memories")
    return f"{memories}, {quantity(project.turns, 'turn', 'turns')}"


def _list_text(projects: Sequence[KnownProject]) -> str:
    lines = [line for one in projects for line in (_name(one.name), f"    {_state(one)}")]
    gone = [one for one in projects if one.is_gone]
    if gone:
        lines += ["", "Where a folder that is gone was moved: memoria workspace move NAME FOLDER"]
    return "\n".join(lines or ["No project is on record."])


def _state(project: KnownProject) -> str:
    place = tell_place(project.name)
    others = [one for one in project.places if one != place]
    states = [
        _count(project),
        *([f"in {', '.join(map(join_lines, others))}"] if others else []),
        *([f"formerly {join_lines(project.name)}"] if place != project.name else []),
        *(["this one"] if project.is_here else []),
        *(["private"] if project.is_private else []),
        *(["its folder is gone"] if project.is_gone else []),
        *(["its drive is not mounted"] if project.is_unmounted else []),
    ]
    return " · ".join(states)


@app.command()
def private(
    context: typer.Context,
    switch: Annotated[
        Literal["on", "off"] | None,
        typer.Argument(help="Switch it on or off; without this, show where it is on."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Keep nothing of this project's sessions until it is switched off; searching works."""

    async def work(memory: "Memoria") -> tuple[tuple[PrivateTime, ...], str | None]:
        if switch == "on":
            await memory.private.turn_on()
        elif switch == "off":
            await memory.private.turn_off()
        return await memory.private.list_times(), memory.settings.workspace

    times, project = with_memory(context, work, begins_home=switch == "on")
    document = write_document(
        is_on=_is_on(times, project), project=project, times=list(map(_write_time, times))
    )
    show(document, _describe_times(times, project), as_json=as_json)


def describe_private(times: Iterable[PrivateTime]) -> str:
    """Return in which projects private time is on, and since when."""
    return ", ".join(
        f"{_name(one.workspace or 'no project')} since {moment(one.began_at)}" for one in times
    )


async def describe_kept(memory: "Memoria") -> list[str]:
    """Return a warning that a typed statement is kept in private time too; empty if that is off."""
    if not _is_on(await memory.private.list_times(), memory.settings.workspace):
        return []
    return [
        "private time is on here, and bears on sessions alone: what you state yourself is kept, "
        "and agents may read it"
    ]


def _is_on(times: Iterable[PrivateTime], project: str | None) -> bool:
    return any(one.ended_at is None and one.workspace == project for one in times)


def _write_time(time: PrivateTime) -> dict[str, object]:
    return write_document(
        project=time.workspace,
        since=to_iso(time.began_at),
        until=None if time.ended_at is None else to_iso(time.ended_at),
    )


def _describe_times(times: Collection[PrivateTime], project: str | None) -> str:
    running = [one for one in times if one.ended_at is None]
    here = "on: nothing of its sessions is kept until `memoria private off`"
    state = here if _is_on(times, project) else "off"
    lines = [f"Private time of {_name(project or 'sessions of no project')} is {state}."]
    lines += (
        f"It is on in {describe_private([one])}." for one in running if one.workspace != project
    )
    over = len(times) - len(running)
    if over:
        ended = quantity(over, "private time is", "private times are")
        lines.append(f"{ended} over; no import brings in what was said then.")
    return "\n".join(lines)
