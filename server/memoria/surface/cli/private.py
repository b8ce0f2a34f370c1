"""The command that switches private time on and off."""

from collections.abc import Collection, Iterable
from typing import Annotated, Literal

import typer

from memoria.app import Memoria
from memoria.model import to_iso
from memoria.model.base import write_document
from memoria.model.privacy import PrivateTime
from memoria.surface.cli.console import AsJson, show, with_memory
from memoria.surface.cli.times import moment
from memoria.surface.text import quantity, tell_place


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
    document = write_document(
        is_on=_is_on(times, project), project=project, times=list(map(_write_time, times))
    )
    show(document, _describe_times(times, project), as_json=as_json)


def describe_private(times: Iterable[PrivateTime]) -> str:
    """Say where private time is on, and since when."""
    return ", ".join(
        f"{_name(one.workspace, 'no project')} since {moment(one.began_at)}" for one in times
    )


def _name(project: str | None, none: str) -> str:
    return tell_place(project) if project else none


async def describe_kept(memory: Memoria) -> list[str]:
    """Warn that what somebody types is kept although private time is on; empty where it is off."""
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
    lines = [f"Private time of {_name(project, 'sessions of no project')} is {state}."]
    lines += (
        f"It is on in {describe_private([one])}." for one in running if one.workspace != project
    )
    over = len(times) - len(running)
    if over:
        ended = quantity(over, "private time is", "private times are")
        lines.append(f"{ended} over; no import brings in what was said then.")
    return "\n".join(lines)
