"""The project that is meant by what somebody typed: by its name, or by its folder's."""

from difflib import get_close_matches
from pathlib import PurePath

from memoria.config import NO_WORKSPACE
from memoria.errors import InvalidInputError
from memoria.model.base import Value
from memoria.model.project import KnownProject
from memoria.retrieval.query.plan import EVERYWHERE


class MeantProject(Value):
    """The project that is meant."""

    name: str
    is_known: bool = True
    near: str | None = None
    """Known project that an unknown name may be a misspelling of."""
    others: int = 0
    """Number of known projects."""


def choose_meant(known: tuple[KnownProject, ...], given: str) -> MeantProject:
    """Choose the project of this name, else the only one in a folder of this name.

    Raises:
        InvalidInputError: several projects are in folders of that name.
    """
    is_special = given in (NO_WORKSPACE, EVERYWHERE)
    if is_special or any(given in (one.name, *one.places) for one in known):
        return MeantProject(name=given)
    by_folder = {one.name: _list_folders(one) for one in known}
    named = [name for name, folders in by_folder.items() if given in folders]
    if len(named) > 1:
        raise InvalidInputError(
            f"{len(named)} projects are in folders called {given}: {', '.join(named)}. Name one by "
            "its path."
        )
    if named:
        return MeantProject(name=named[0])
    words = {*by_folder, *(folder for folders in by_folder.values() for folder in folders)}
    near = get_close_matches(given, sorted(words), 1)
    return MeantProject(
        name=given, is_known=False, near=near[0] if near else None, others=len(known)
    )


def _list_folders(project: KnownProject) -> set[str]:
    paths = map(PurePath, (project.name, *project.places))
    return {path.name for path in paths if path.is_absolute()}
