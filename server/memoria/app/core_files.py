"""Core files in a person's hands: read as they stand, and replaced as an editor would do it.

All functions block. What is written is taken over as any edit of a file by hand: by the nightly
step `core`, which runs at once, alone, and can be undone.
"""

import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple

from memoria.app.engine import open_store
from memoria.app.nightly import list_runs, run_nightly
from memoria.config import Settings
from memoria.disk.tenant_files import TenantFiles
from memoria.errors import InvalidInputError, LeaseLostError, NotFoundError, quote_value
from memoria.lifecycle.core.document import BOM, decode_text, parse
from memoria.lifecycle.core.lines import CorePlace, list_places
from memoria.lifecycle.core.render import new_document
from memoria.model.core import CoreFile
from memoria.model.nightly import NightlyRun

_STEP = "core"
_UNREADABLE = (
    "A core file can't be empty, nor have NUL characters or conflict markers of git in it. "
    "Nothing was written; your text is below."
)


class CoreText(NamedTuple):
    """A core file as it stands."""

    file: CoreFile
    project: str | None
    """The only project that it is for; None for all."""
    text: str
    """Its text; where there is no file, the first text of a new one."""
    digest: str
    """Digest of the file, by which a change of it is seen; empty where there is none."""
    obstacle: str | None
    """Reason why it can't be read, and what helps; None if it can."""


class CoreEdit(NamedTuple):
    """A core file that was replaced."""

    run: NightlyRun | None
    """The run that has taken the edit over; None if the run under way, or the next, will."""


class CoreConflict(NamedTuple):
    """A core file that somebody else has changed meanwhile; nothing was written."""

    present: CoreText


def list_core_files(settings: Settings) -> list[CoreText]:
    """List the core files that a tenant has or may have, the home's first.

    Files of projects are listed where they exist.
    """
    with _open(settings) as (files, places):
        found = [_read(files, place) for place in places]
    return [one for one in found if one.project is None or one.digest or one.obstacle]


def read_core_file(settings: Settings, file: CoreFile) -> CoreText:
    """Return a core file as it stands.

    Raises:
        NotFoundError: the tenant has no such file.
    """
    with _open(settings) as (files, places):
        return _read(files, _find_place(places, file))


def replace_core_file(
    settings: Settings, file: CoreFile, text: str, digest: str
) -> CoreEdit | CoreConflict:
    """Replace a core file, unless it is another than was read, and take the edits over.

    Args:
        settings: whose home and tenant.
        file: the file.
        text: what is to stand there.
        digest: digest of the file that was read.

    Raises:
        InvalidInputError: the text can't be a core file.
        NotFoundError: the tenant has no such file.
        UnusableFileError: the file can't be written.
    """
    with _open(settings) as (files, places):
        place, before = _find_place(places, file), files.read(file)
        if _digest(before) != digest:
            return CoreConflict(_read(files, place))
        content = _write_like(before, text, file)
        if decode_text(content) is None:
            raise InvalidInputError(_UNREADABLE)
        if content != before and not files.write(file, content, lambda: files.read(file) == before):
            return CoreConflict(_read(files, place))
    return CoreEdit(_take_over(settings))


def _take_over(settings: Settings) -> NightlyRun | None:
    """Run the step that takes edits over, unless a run is under way."""
    if any(run.state in ("running", "undoing") for run in list_runs(settings, 1)):
        return None
    try:
        return run_nightly(settings, [_STEP])
    except LeaseLostError:
        return None


@contextmanager
def _open(settings: Settings) -> Iterator[tuple[TenantFiles, list[CorePlace]]]:
    """Open the store, and yield the tenant's files and the places of the core files in them."""
    with closing(open_store(settings)) as store:
        with store.read(settings.tenant) as tx:
            places = list_places(tx)
        yield store.files.of(settings.tenant), places


def _find_place(places: list[CorePlace], file: CoreFile) -> CorePlace:
    for place in places:
        if place.file == file:
            return place
    raise NotFoundError(f"There is no core file {quote_value(file)}.")


def _read(files: TenantFiles, place: CorePlace) -> CoreText:
    obstacle = files.find_obstacle(place.file)
    data = None if obstacle else files.read(place.file)
    text = None if data is None or data == place.seed.encode() else decode_text(data)
    if data is not None and decode_text(data) is None:
        obstacle = f"{place.file} is empty, not UTF-8, or has conflict markers of git in it."
    first = new_document(place.file, place.seed).text
    return CoreText(
        place.file, place.project, first if text is None else text, _digest(data), obstacle
    )


def _write_like(before: bytes | None, text: str, file: CoreFile) -> bytes:
    """Write a text with the line ends and the byte order mark that the file had."""
    had = parse(decode_text(before or b"") or "", file)
    body = text.replace("\r\n", "\n").removeprefix(BOM).replace("\n", had.end)
    return f"{BOM * had.bom}{body}".encode()


def _digest(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
