"""The command that switches private time on and off."""

from collections.abc import Collection, Iterable
from typing import Annotated, Literal

import typer

from memoria.app import Memoria
from memoria.model import to_iso
from memoria.model.base import Value
from memoria.model.privacy import PrivateTime, find_open
from memoria.surface.cli.console import AsJson, show, with_memory
from memoria.surface.cli.times import moment
from memoria.surface.text import quantity, tell_place


class WirePrivateTime(Value):
    """A private time."""

    project: str | None = None
    since: str
    until: str | None = None


class WirePrivate(Value):
    """State of private time here, and every private time there was."""

    is_on: bool
    project: str | None = None
    times: list[WirePrivateTime]


def add_commands(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(private)


def private(
    context: typer.Context,
    switch: Annotated[
        Literal["on", "off"] | None,
        typer.Argument(help="Switch it on or off; without this, show where it is on."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Keep nothing of this project's sessions until it is switched off; searching works."""

    async def work(memory: Memoria) -> tuple[tuple[PrivateTime, ...], str | None]:
        if switch == "on":
            await memory.private.turn_on()
        elif switch == "off":
            await memory.private.turn_off()
        return await memory.private.list_times(), memory.settings.workspace

    times, project = with_memory(context, work, begins_home=switch == "on")
    show(_wire(times, project), _text(times, project), as_json=as_json)


def describe_private(times: Iterable[PrivateTime]) -> str:
    """Say where private time is on, and since when."""
    return ", ".join(
        f"{_name(one.workspace, 'no project')} since {moment(one.began_at)}" for one in times
    )


def _name(project: str | None, none: str) -> str:
    return tell_place(project) if project else none


async def describe_kept(memory: Memoria) -> list[str]:
    """Warn that what somebody types is kept although private time is on; empty where it is off."""
    times, project = await memory.private.list_times(), memory.settings.workspace
    if find_open(one for one in times if one.workspace == project) is None:
        return []
    return [
        "private time is on here, and bears on sessions alone: what you state yourself is kept, "
        "and agents may read it"
    ]


def _wire(times: Iterable[PrivateTime], workspace: str | None) -> WirePrivate:
    listed = [
        WirePrivateTime(
            project=one.workspace,
            since=to_iso(one.began_at),
            until=None if one.ended_at is None else to_iso(one.ended_at),
        )
        for one in times
    ]
    on = any(one.until is None and one.project == workspace for one in listed)
    return WirePrivate(is_on=on, project=workspace, times=listed)


def _text(times: Collection[PrivateTime], project: str | None) -> str:
    running = [one for one in times if one.ended_at is None]
    is_on = any(one.workspace == project for one in running)
    state = "on: nothing of its sessions is kept until `memoria private off`" if is_on else "off"
    lines = [f"Private time of {_name(project, 'sessions of no project')} is {state}."]
    lines += (
        f"It is on in {describe_private([one])}." for one in running if one.workspace != project
    )
    over = len(times) - len(running)
    if over:
        ended = quantity(over, "private time is", "private times are")
        lines.append(f"{ended} over; no import brings in what was said then.")
    return "\n".join(lines)
