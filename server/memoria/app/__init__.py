"""The composition root: `open_memoria` puts the parts together, `Memoria` is what they make.

Only `engine` names a database engine; the faces call `memory` (with its `queue`) and `upkeep`.
"""

from memoria.app.compose import open_memoria
from memoria.app.memory import Memoria
from memoria.bare.projects import find_project, project_of
from memoria.disk.home_files import DATABASE

__all__ = ["DATABASE", "Memoria", "find_project", "open_memoria", "project_of"]
