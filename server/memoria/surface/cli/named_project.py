"""Projects that are named on the command line: by their name, or by that of their folder."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memoria.app.meant_project import MeantProject, choose_meant
from memoria.app.projects import name_meant
from memoria.surface.cli.console import without_steering

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.config import Settings


def name_in_settings(settings: "Settings", *, begins: bool) -> "Settings":
    """Return the settings in the project that their own one means.

    Args:
        settings: with what was typed as the project.
        begins: whether a project begins that is not there.
    """
    if settings.workspace is None:
        return settings
    meant = name_meant(settings, settings.workspace)
    _tell_unknown(meant, begins=begins)
    return settings.model_copy(update={"workspace": meant.name})


async def name_in_query(memory: "Memoria", query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a query with the project that is meant, where one is named."""
    given = query.get("workspace")
    if given is None:
        return {**query}
    meant = choose_meant(await memory.projects.list(), given)
    _tell_unknown(meant, begins=False)
    return {**query, "workspace": meant.name}


def _tell_unknown(meant: MeantProject, *, begins: bool) -> None:
    """Say on standard error that there is no such project, where there are others."""
    if meant.is_known or not meant.others:
        return
    begun = " It begins with this." if begins else ""
    near = f" Did you mean {meant.near}?" if meant.near else ""
    told = f"no project is called {meant.name} yet.{begun}{near} See: memoria workspace list"
    sys.stderr.write(f"note: {without_steering(told)}\n")
