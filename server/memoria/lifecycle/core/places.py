"""Places of core files: three for what holds everywhere, and one for each project."""

from collections.abc import Iterable
from dataclasses import dataclass

from memoria.disk.folders import project_file
from memoria.disk.home_files import read_seed
from memoria.disk.interface import TenantFiles
from memoria.errors import UnusableFileError
from memoria.lifecycle.core.lines import render_text
from memoria.model.core import CORE_FILES, CoreFile
from memoria.store.rows.transaction import Transaction


@dataclass(frozen=True, slots=True)
class CorePlace:
    """A core file, and the project whose memories stand in it."""

    file: CoreFile
    project: str | None = None
    """Project of the memories that are seen there alone; None for what is seen everywhere."""

    @property
    def seed(self) -> str:
        """Text of the file before anything is kept."""
        if self.project is None:
            return read_seed(self.file)
        return f"# MEMORY.md\n\n{head_of(self.project)}\nNothing is kept here yet.\n"

    def read(self, files: TenantFiles) -> bytes | None:
        """Return the file as it stands; None where there is none, or no more than its seed.

        An unusable file, such as a link or a folder in its place, says nothing that can be read.
        """
        try:
            data = files.read(self.file)
        except UnusableFileError:  # `find_obstacle` says why, wherever the file is held back
            return b""
        return None if data == self.seed.encode() else data


HOME_PLACES = tuple(CorePlace(file) for file in CORE_FILES)


def head_of(project: str) -> str:
    """Return the line with which a project's file begins."""
    return f"What holds in the project {render_text(project)} alone."


def project_place(project: str) -> CorePlace:
    """Return the place of a project's file."""
    return CorePlace(project_file(project), project)


def list_places(tx: Transaction) -> list[CorePlace]:
    """List the places of all core files that a tenant has or may have, the home's first."""
    return [*HOME_PLACES, *map(project_place, tx.core.projects())]


def places_seen_from(project: str | None) -> Iterable[CorePlace]:
    """Return the places of the core files that are read in a project."""
    return HOME_PLACES if project is None else (*HOME_PLACES, project_place(project))
