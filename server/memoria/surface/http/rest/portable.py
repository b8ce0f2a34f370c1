"""Export and import: all that a tenant owns, as the command line writes and reads it."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

from memoria.app.exporting import export, list_gone_projects, merge_export
from memoria.app.open_home import in_thread
from memoria.bare.sealing import open_reader, open_writer
from memoria.errors import ExportError
from memoria.model.access import Access
from memoria.model.base import write_document
from memoria.model.parse import as_instant
from memoria.store.rows.portable.records import PortableSelection
from memoria.surface.documents import Document
from memoria.surface.http.rest.answers import RefusedCallError
from memoria.surface.http.rest.bounds import InstantText
from memoria.surface.http.rest.reading import require_type
from memoria.surface.http.rest.table import Order, RestCaller, RestRoute

LINES = "application/jsonl"
"""Media type of an export: one JSON document a line."""
MOST_IMPORT_BYTES = 1 << 30
_PART_BYTES = 1 << 18
_FILE = "export.jsonl"
_COUNTS = ("added", "changed", "known", "forgotten", "forgotten_here", "private", "redacted")
_MERGED = (*_COUNTS, "unchecked", "bad")


class ExportQuery(Order):
    """The part of a memory to export."""

    workspace: str | None = None
    """Only what belongs to this project; everything by default."""
    since: InstantText | None = None
    """Only what was said or held from then on, ISO 8601."""
    until: InstantText | None = None


class UnreadImportLine(BaseModel):
    """A line that can't be read."""

    line: int
    problem: str


class Merged(BaseModel):
    """Numbers of records that came in, by kind, and of those left out, by reason."""

    added: dict[str, int]
    changed: dict[str, int]
    known: dict[str, int]
    forgotten: int
    forgotten_here: int
    private: int
    redacted: int
    unchecked: int
    bad: int
    bad_lines: list[UnreadImportLine]
    gone_projects: list[str]


async def export_memory(caller: RestCaller, order: ExportQuery) -> Response:
    """Export what a tenant holds at one moment."""
    settings = caller.memory.settings
    selection = PortableSelection(
        workspace=order.workspace,
        since=as_instant("since", order.since, settings.zone),
        until=as_instant("until", order.until, settings.zone),
    )

    def write() -> IO[bytes]:
        """Return the export in a file that has no name, and so is gone with this process."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, _FILE)
            export(settings, path, selection, None, lambda *_: None)
            nameless = tempfile.TemporaryFile()  # noqa: SIM115  (whoever reads it closes it)
            with path.open("rb") as file:
                shutil.copyfileobj(file, nameless)
        nameless.seek(0)
        return open_reader(nameless)  # the disk has it sealed where the home is

    file = await in_thread(write)
    await caller.memory.note_action("export", "memory")
    return StreamingResponse(_read_parts(file), media_type=LINES)


async def _read_parts(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while part := await in_thread(lambda: file.read(_PART_BYTES)):
            yield part


async def import_memory(caller: RestCaller, _order: Order) -> Document:
    """Merge an export into a tenant's memory."""
    request, settings = caller.request, caller.memory.settings
    require_type(request, LINES)
    with tempfile.TemporaryDirectory() as folder:
        path, size = Path(folder, _FILE), 0
        raw = await in_thread(lambda: path.open("xb"))
        with raw, open_writer(str(settings.home_path), raw) as file:
            async for part in request.stream():
                size += len(part)
                if size > MOST_IMPORT_BYTES:
                    raise RefusedCallError(
                        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                        f"The export is larger than {MOST_IMPORT_BYTES:,} bytes. Nothing was done; "
                        "import it with `memoria import` in a shell.",
                    )
                await in_thread(partial(file.write, part))
        try:
            report = await in_thread(lambda: merge_export(settings, path, None, lambda *_: None))
        except ExportError as error:
            raise ExportError(str(error).replace(str(path), "The body")) from error
    return write_document(
        **{name: getattr(report, name) for name in _MERGED},
        bad_lines=[{"line": one.number, "problem": one.problem} for one in report.bad_lines],
        gone_projects=await in_thread(lambda: list_gone_projects(settings)),
    )


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "GET",
        "/memory/export",
        Access.ADMIN,
        "export_memory",
        "Export all that this memory holds, a JSON document a line; `/memory/import` and `memoria "
        "import` read it.",
        ExportQuery,
        export_memory,
        LINES,
    ),
    RestRoute(
        "POST",
        "/memory/import",
        Access.ADMIN,
        "import_memory",
        "Bring in an export. It may be sent again: what is here already is not doubled.",
        Order,
        import_memory,
        Merged,
        body_type=LINES,
        most_bytes=MOST_IMPORT_BYTES,
    ),
)
