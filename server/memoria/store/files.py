"""What lies in a home, by name; and the core memory files with the seeds they grow from.

Reading never writes: a home without a core file is shown the seed.
"""

from importlib import resources
from pathlib import Path
from typing import Literal, get_args

CoreFile = Literal["MEMORY.md", "USER.md", "PERSONA.md"]

DATABASE = "memoria.db"
CORE: tuple[CoreFile, ...] = get_args(CoreFile)
KEY = "tombstone.key"
"""What the tombstones of forgotten statements are signed with."""


def read_core(home: Path, name: CoreFile) -> str:
    """The file as it stands in the home, else its seed."""
    live = home / name
    return live.read_text("utf-8") if live.is_file() else _seed(name)


def _seed(name: CoreFile) -> str:
    """The seed: in the wheel it lies in the package, in a checkout at the top of the tree."""
    package = resources.files("memoria")
    installed = package.joinpath("identity", name)
    if installed.is_file():
        return installed.read_text("utf-8")
    return (Path(str(package)).parent.parent / "identity" / name).read_text("utf-8")
