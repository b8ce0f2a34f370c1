"""The composition root: `open_memoria` puts the parts together, `Memoria` is what they make.

Only `compose` and `upkeep` choose engines; only `memory` and `upkeep` are called by the faces.
"""

from memoria.app.compose import open_memoria
from memoria.app.memory import Memoria
from memoria.store.files import DATABASE

__all__ = ["DATABASE", "Memoria", "open_memoria"]
