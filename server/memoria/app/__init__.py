"""The composition root: `open_memoria` puts the parts together, `Memoria` is what they make.

Only `compose` chooses engines; only `memory` is called by the faces. `workspace` finds out which
project a folder belongs to.
"""

from memoria.app.compose import DATABASE, open_memoria
from memoria.app.memory import Memoria
from memoria.app.workspace import find_workspace, workspace_of

__all__ = ["DATABASE", "Memoria", "find_workspace", "open_memoria", "workspace_of"]
