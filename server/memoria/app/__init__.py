"""The composition root: `open_memoria` puts the parts together, `Memoria` is what they make.

Only `compose` chooses engines; only `memory` is called by the faces.
"""

from memoria.app.compose import DATABASE, open_memoria
from memoria.app.memory import Memoria

__all__ = ["DATABASE", "Memoria", "open_memoria"]
