"""Lines people wrote into core files: those that no memory stands behind, without secrets.

Our own lines are not exported: the next nightly run writes them from the memories.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from memoria.bare.home import TENANTS
from memoria.bare.lazy_regex import lazy_regex
from memoria.disk.folders import PROJECTS
from memoria.disk.home_files import is_core_path, read_seed
from memoria.disk.interface import TenantFiles
from memoria.language.secrets.redact import redact
from memoria.model.core import CORE_FILES, OWN_COMMENT, PROJECT_FILE

_OURS = lazy_regex(r"<!--[ \t]*(?:[mcd]:[0-9a-f]{4,32}|q:[0-9a-f]{8} [0-9a-f]{8}|memoria)[ \t]*-->")


def read_own_text(files: TenantFiles) -> Iterator[tuple[str, str]]:
    """Yield every core file of a tenant by its place, as far as somebody wrote it."""
    projects = (f"{PROJECTS}/{name}/{PROJECT_FILE}" for name in files.list_folders(PROJECTS))
    for place in (*CORE_FILES, *projects):
        data = files.read(place) if files.exists(place) else None
        text = "" if data is None else _leave_out_ours(data.decode("utf-8", "replace"))
        text = redact(text).text
        if text.strip():
            yield place, text


def add_own_text(files: TenantFiles, place: str, lines: list[str]) -> bool:
    """Add to a core file the lines that it lacks. Return whether it lacked any.

    Raises:
        ValueError: no core file may stand there.
    """
    if not is_core_path(place) or place.startswith(TENANTS):  # of this tenant, that is
        raise ValueError(f"{place!r} is no core file")
    data = files.read(place) if files.exists(place) else None
    if data is None:
        return files.write(place, ("\n".join(lines) + "\n").encode())
    text = data.decode("utf-8", "replace")
    known = {line.strip() for line in (*text.splitlines(), *_read_seed(place).splitlines())}
    missing = [
        line for line in lines if line.strip() not in known and not line.lstrip().startswith("#")
    ]
    if not missing:
        return False
    joined = text.rstrip("\n") + "\n\n" + "\n".join(missing) + "\n"
    return files.write(place, joined.encode(), lambda: files.read(place) == data)


def _leave_out_ours(text: str) -> str:
    lines = text.removeprefix("\ufeff").splitlines()
    own = [line for line in lines if not _OURS.search(line) and not line.endswith(OWN_COMMENT)]
    return "\n".join(own).strip("\n")


def _read_seed(place: str) -> str:
    name = PurePosixPath(place).name
    return next((read_seed(file) for file in CORE_FILES if file == name), "")
