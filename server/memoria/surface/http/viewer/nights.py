"""Nights: runs of nightly maintenance, what each step changed, undo, and a run at once."""

from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field

import memoria.app.nightly as nights
from memoria.app.open_home import in_thread
from memoria.errors import ConflictError
from memoria.model.access import Access
from memoria.model.nightly import NightlyRun, StepOutcome, StepReport
from memoria.surface.http.rest.table import EXAMPLE_IDS
from memoria.surface.http.viewer.differences import compare_words
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

_ON_PAGE = 20
_ROWS_ON_PAGE = 500
"""Changed rows that a page looks at: a merged memory takes a dozen of them."""
PATH = f"{ROOT}/nights"
_STEPS = {
    "core": sentence("Core files"),
    "quotes": sentence("Conclusions by rules archived"),
    "mark_turns": sentence("Requests found in conversations"),
    "process_queue": sentence("Conversations read"),
    "bind_files": sentence("Memories bound to files"),
    "backfill": sentence("Older conversations queued"),
    "refresh_episodes": sentence("Conversations summed up again"),
    "merge": sentence("Memories merged"),
    "weigh": sentence("Memories weighed by their evidence"),
    "graph": sentence("Links moved to merged memories"),
    "propose_joins": sentence("Names that may be one"),
    "consolidate": sentence("Concepts drawn from memories"),
    "skills": sentence("Skills proposed or withdrawn"),
    "review": sentence("Memories reviewed"),
    "decay": sentence("Memories faded"),
    "promote": sentence("Memories promoted"),
    "archive_expired": sentence("Memories over their date archived"),
    "delete_expired": sentence("Archived memories deleted for good"),
    "history": sentence("Conversations written into files"),
    "daily": sentence("Pages of days"),
    "metrics": sentence("Measurements"),
}
"""Titles of the steps; a step that is not here is shown by its name."""
_STATES = {
    "running": sentence("under way"),
    "finished": sentence("done"),
    "stopped": sentence("out of time; the next run does the rest"),
    "undoing": sentence("half undone"),
    "undone": sentence("undone"),
}
_OUTCOMES = {
    StepOutcome.DONE: sentence("{n} done"),
    StepOutcome.UNCHANGED: sentence("{n} unchanged"),
    StepOutcome.KEPT: sentence("{n} left as they are"),
    StepOutcome.QUEUED: sentence("{n} put into the queue"),
    StepOutcome.PUT_OFF: sentence("{n} put off, to be tried again"),
    StepOutcome.GIVEN_UP: sentence("{n} given up; the queue says why"),
    StepOutcome.FAILED: sentence("{n} not done, for an error; the log of the server says which"),
    StepOutcome.REFUSED: sentence("{n} not taken; the core file says why"),
    StepOutcome.CHANGED_SINCE: sentence("{n} left alone, as somebody changed them meanwhile"),
}
_FIELDS = {
    "validity": sentence("validity"),
    "importance": sentence("importance"),
    "tier": sentence("tier"),
    "type": sentence("type"),
    "scope": sentence("scope"),
    "flag": sentence("flag"),
    "pinned": sentence("pinned"),
    "expires_at": sentence("expires"),
}

_VALUES = {
    "short": sentence("short"),
    "mid": sentence("mid"),
    "long": sentence("long"),
    "core": sentence("core"),
    "active": sentence("active"),
    "superseded": sentence("superseded"),
    "contradicted": sentence("contradicted"),
    "archived": sentence("archived"),
}
"""Words for tiers and validities; another value is shown as it is."""


class NightsWish(Wish):
    """The newest runs, or those before one of them."""

    before: str | None = None


class NightWish(Wish):
    """A run, and the changed row behind which its changes are shown."""

    run_id: Annotated[str, Field(min_length=1)]
    after: Annotated[int, Field(ge=0)] = 0


class UndoWish(Wish):
    """A run, by its id or the end of it."""

    run_id: Annotated[str, Field(min_length=1)]


class BeginWish(Wish):
    """The steps of a run, by name; all of them by default."""

    steps: list[str] = Field(default_factory=list)


async def show_nights(visit: Visit, wish: NightsWish) -> Filled:
    """Show the runs, newest first."""
    settings = visit.memory.settings
    runs = await in_thread(lambda: nights.list_runs(settings, _ON_PAGE, wish.before))
    last = runs[-1].id if len(runs) == _ON_PAGE else None
    return Filled(
        "nights.html",
        {
            "runs": [(run, _count_done(run)) for run in runs],
            "states": _STATES,
            "path": PATH,
            "next": last and f"{PATH}?{urlencode({'before': last})}",
            "is_first": wish.before is None,
        },
    )


async def show_night(visit: Visit, wish: NightWish) -> Filled:
    """Show what a run did step by step, what it changed, and what an undo takes back."""
    settings = visit.memory.settings
    run, changes, more = await in_thread(
        lambda: nights.list_changed_memories(settings, wish.run_id, wish.after, _ROWS_ON_PAGE)
    )
    undone, obstacle = await _find_undone(visit, run)
    steps = [(name_step(step.name), step, _list_outcomes(step)) for step in run.steps]
    return Filled(
        "night.html",
        {
            "run": run,
            "state": _STATES[run.state],
            "steps": steps,
            "idle": sum(not (outcomes or step.tokens) for _, step, outcomes in steps),
            "changes": [(name_step(one.step), one) for one in changes],
            "compare": compare_words,
            "fields": _FIELDS,
            "values": _VALUES,
            "undone": undone,
            "obstacle": obstacle,
            "path": PATH,
            "is_first": wish.after == 0,
            "next": more and f"{PATH}/{run.id}?{urlencode({'after': more})}",
        },
    )


async def undo_night(visit: Visit, wish: UndoWish) -> Done:
    """Undo a run and all later ones."""
    settings = visit.memory.settings
    undone = await in_thread(lambda: nights.undo_nightly(settings, wish.run_id, lambda _: None))
    await visit.memory.note_action("undo night", undone.run_ids[-1])
    return Done(
        f"{PATH}/{undone.run_ids[-1]}",
        "Undone. Runs taken back: {runs}. Rows as before: {restored}, files: {files}. Changed "
        "since and left so: {kept}. Forgotten since and left so: {forgotten}. Core files that the "
        "night wrote are as before it, too: what was corrected before it stands in them again "
        "after a new run, which does again what is still to be done.",
        {
            "runs": str(len(undone.run_ids)),
            "restored": str(undone.restored),
            "files": str(undone.files),
            "kept": str(undone.kept + undone.files_kept),
            "forgotten": str(undone.forgotten),
        },
    )


async def begin_night(visit: Visit, wish: BeginWish) -> Done:
    """Begin a run, or finish the one that was begun; it goes on by itself."""
    settings = visit.memory.settings
    run = await in_thread(lambda: nights.begin_nightly(settings, wish.steps))
    await visit.memory.note_action("begin night", run.id)
    return Done(
        f"{PATH}/{run.id}",
        "Begun. It goes on by itself. Take it back: undo on this page, once it is done.",
    )


def name_step(name: str) -> str:
    """Return the English title of a step; its name where it has none."""
    return _STEPS.get(name, name)


async def _find_undone(visit: Visit, run: NightlyRun) -> tuple[list[NightlyRun], str]:
    """Return the runs that an undo takes back; or none, and why."""
    settings = visit.memory.settings
    try:
        return await in_thread(lambda: nights.plan_undo(settings, run.id)), ""
    except ConflictError as error:
        return [], str(error)


def _count_done(run: NightlyRun) -> int:
    return sum(step.outcomes.get(StepOutcome.DONE, 0) for step in run.steps)


def _list_outcomes(step: StepReport) -> list[tuple[str, int]]:
    """List sentences on what became of a step's items, with the number of each."""
    return [
        (_OUTCOMES[StepOutcome(what)], many)
        for what, many in step.outcomes.items()
        if what in _OUTCOMES
    ]


AREA = Area(
    (
        PageRow(PATH, "nights", "Nights", NightsWish, show_nights, Access.ADMIN, "first"),
        PageRow(
            f"{PATH}/{{run_id}}",
            "night",
            "Night",
            NightWish,
            show_night,
            Access.ADMIN,
            example={"run_id": EXAMPLE_IDS["night"]},
        ),
    ),
    (
        Action(
            f"{PATH}/begin",
            "begin night",
            BeginWish,
            begin_night,
            Access.ADMIN,
            {"steps": "metrics"},
        ),
        Action(
            f"{PATH}/{{run_id}}/undo",
            "undo night",
            UndoWish,
            undo_night,
            Access.ADMIN,
            {"run_id": EXAMPLE_IDS["night"]},
        ),
    ),
)
