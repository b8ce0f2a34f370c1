"""Projects as a person reads them: by the folder in which they are now, wherever they were."""

from contextvars import ContextVar

from memoria.bare.projects import find_place

_HOME: ContextVar[str | None] = ContextVar("home whose projects are told", default=None)


def show_places_in(home: str) -> None:
    """Let the command that runs tell where the projects of a home are now."""
    _HOME.set(home)


def tell_place(project: str) -> str:
    """Return the folder of a project, or its name."""
    home = _HOME.get()
    return project if home is None else find_place(home, project)
