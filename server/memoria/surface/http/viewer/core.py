"""Core files: as they stand, and an editor that sees what others changed meanwhile."""

import os
from typing import Annotated
from urllib.parse import urlencode

from markupsafe import Markup, escape
from pydantic import Field

import memoria.app.core_files as core
import memoria.app.nightly as nights
from memoria.app.open_home import in_thread
from memoria.errors import NotFoundError
from memoria.language.reading.fences import show_invisible
from memoria.model.access import Access
from memoria.model.nightly import NightlyRun, StepOutcome
from memoria.surface.http.viewer.differences import compare_lines
from memoria.surface.http.viewer.table import (
    ROOT,
    Action,
    Area,
    Done,
    Filled,
    PageRow,
    Visit,
    Wish,
    sentence,
)

PATH = f"{ROOT}/core"
_FIRST = "MEMORY.md"
_EFFECTS = {
    "corrected": sentence("The memory says this now."),
    "archived": sentence("The line is gone, so its memory is archived."),
    "remembered": sentence("A new memory."),
    "conflict": sentence("It was changed in a conversation too: the file shows both; keep one."),
    "asked": sentence("Many lines were taken out at once: the file asks once more."),
    "kept": sentence("It stays."),
    "settled": sentence("The conflict is settled: the memory says this."),
    "dismissed": sentence("The conflict is settled: your wording is withdrawn."),
    "moved": sentence("It is seen where this file is read."),
    "changed": sentence("It was changed meanwhile; the next night looks at the line anew."),
}
"""Sentences on what became of a line, by the effect that the run's report names."""


class CoreWish(Wish):
    """A core file, and the run that has taken an edit of it over."""

    file: str = _FIRST
    run: str | None = None


class CoreEditWish(Wish):
    """A core file's new text."""

    file: Annotated[str, Field(min_length=1)]
    text: str = ""
    digest: str = ""


async def show_core(visit: Visit, wish: CoreWish) -> Filled:
    """Show a core file in an editor, and what became of the lines of the last edit."""
    settings = visit.memory.settings
    files = await in_thread(lambda: core.list_core_files(settings))
    present = next((one for one in files if one.file == wish.file), None)
    if present is None:
        present = await in_thread(lambda: core.read_core_file(settings, wish.file))
    return Filled(
        "core.html",
        {
            "files": files,
            "present": present,
            "obstacle": (present.obstacle or "").replace(f"{settings.home_path}{os.sep}", ""),
            "raw": _write_raw(present.text),
            "has_invisible": show_invisible(present.text) != present.text,
            "told": await _tell_lines(visit, wish.run),
            "effects": _EFFECTS,
            "run": wish.run,
            "may_write": visit.access.includes(Access.WRITE),
            "may_begin": visit.access.includes(Access.ADMIN),
            "path": PATH,
        },
    )


async def edit_core(visit: Visit, wish: CoreEditWish) -> Done | Filled:
    """Replace a core file and take the edits over, unless somebody changed it meanwhile."""
    settings = visit.memory.settings
    done = await in_thread(
        lambda: core.replace_core_file(settings, wish.file, wish.text, wish.digest)
    )
    if isinstance(done, core.CoreConflict):
        return Filled(
            "core_conflict.html",
            {
                "present": done.present,
                "raw": _write_raw(wish.text),
                "parts_of": compare_lines(done.present.text, wish.text.replace("\r\n", "\n")),
                "path": PATH,
            },
            409,
        )
    place = f"{PATH}?{urlencode({'file': wish.file})}"
    if done.run is None:
        return Done(
            place,
            "Saved. A night is under way: it or the next one takes your lines over. Take it back: "
            "edit the file again.",
        )
    return Done(
        f"{place}&{urlencode({'run': done.run.id})}",
        "Saved. What became of each line stands below. Take it back: edit it again, or undo the "
        "night that took it over.",
    )


async def _tell_lines(
    visit: Visit, run_id: str | None
) -> tuple[list[tuple[str, str, str]], dict[StepOutcome, int]] | None:
    """Return (memory's id, its words, effect) of the lines that a run took over, and numbers."""
    if run_id is None:
        return None
    settings = visit.memory.settings

    def read() -> tuple[NightlyRun, dict[str, str]] | None:
        try:
            run, _ = nights.list_changes(settings, run_id, 1)
        except NotFoundError:
            return None
        return run, nights.read_wordings(settings, run)

    found = await in_thread(read)
    if found is None:
        return None
    run, words = found
    step = next((one for one in run.steps if one.name == "core"), None)
    if step is None:
        return None
    lines = [
        (key, words.get(key, ""), why.partition(" by hand")[0]) for key, why in step.reasons.items()
    ]
    return lines, {StepOutcome(what): many for what, many in step.outcomes.items()}


def _write_raw(text: str) -> Markup:
    """Return a text for an editor, which must give back every character that the file has."""
    return Markup("\n") + escape(text)  # the line end behind `<textarea>` is no part of its text


AREA = Area(
    (PageRow(PATH, "core", "Core files", CoreWish, show_core, menu="more"),),
    (
        Action(
            f"{PATH}/edit",
            "edit core",
            CoreEditWish,
            edit_core,
            example={"file": "USER.md", "text": "# USER.md\n\n## Facts\n\n- Lives in Bern."},
        ),
    ),
)
