"""Upkeep: what the memory holds, what waits, and nightly maintenance."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, WithJsonSchema

import memoria.app.nightly as nights
from memoria.app.open_home import in_thread
from memoria.lifecycle.steps import BY_NAME
from memoria.model import QueueEntry, QueueState, QueueStatus, Statistics
from memoria.model.access import Access
from memoria.model.base import write_document
from memoria.model.nightly import NightlyRun, RowChange, UndoResult
from memoria.model.parse import as_instant
from memoria.model.provenance import LoggedAction
from memoria.surface.documents import Document
from memoria.surface.http.rest.bounds import InstantText
from memoria.surface.http.rest.shown import build_shown_model
from memoria.surface.http.rest.table import EXAMPLE_IDS, Order, RestCaller, RestRoute

_Step = Annotated[str, WithJsonSchema({"type": "string", "enum": list(BY_NAME)})]
_Limit = Annotated[int, Field(ge=1, le=1_000)]
ShownRun = build_shown_model(NightlyRun)


class QueueOrder(Order):
    """Segments of conversation in the queue."""

    state: Literal["waiting", "done", "dead", "dropped"] | None = None
    limit: Annotated[int, Field(ge=1, le=10_000)] = 50


class LogOrder(Order):
    """The newest lines of the audit log."""

    limit: Annotated[int, Field(ge=1, le=10_000)] = 100
    since: InstantText | None = None
    """Only what was done from then on, ISO 8601."""


class NightOrder(Order):
    """The extent of a run of nightly maintenance."""

    steps: list[_Step] = Field(default_factory=list)
    """The steps, by name; all of them by default."""
    since: InstantText | None = None
    """Only what was changed from then on, ISO 8601."""


class NightsOrder(Order):
    """The newest runs."""

    limit: _Limit = 20


class NightId(Order):
    """A run, by its id or the end of it."""

    run_id: Annotated[str, Field(min_length=1)]


class NightChanges(NightId):
    """A run, and what it changed."""

    limit: Annotated[int, Field(ge=0, le=100_000)] = 1_000
    """Changes at most."""


class QueueAnswer(BaseModel):
    """The extraction queue."""

    status: build_shown_model(QueueStatus)  # type: ignore[valid-type]  # made of a value
    entries: list[build_shown_model(QueueEntry)]  # type: ignore[valid-type]


class Log(BaseModel):
    """Lines of the audit log, newest first."""

    actions: list[build_shown_model(LoggedAction)]  # type: ignore[valid-type]


class Nights(BaseModel):
    """Runs, newest first."""

    runs: list[ShownRun]  # type: ignore[valid-type]


class Night(BaseModel):
    """A run, and the rows that it changed, in order."""

    run: ShownRun  # type: ignore[valid-type]
    changes: list[build_shown_model(RowChange)]  # type: ignore[valid-type]


_FIGURES = tuple(name for name in Statistics.model_fields if name != "database_bytes")
"""Figures of one tenant: the size of the database tells of all tenants of the home."""


async def tell_status(caller: RestCaller, _order: Order) -> Document:
    """Count what the memory holds."""
    held = (await caller.memory.statistics()).to_json()
    figures = {name: held[name] for name in _FIGURES if name in held}
    return {**figures, "embedder": caller.memory.embedder_state}


async def list_queue(caller: RestCaller, order: QueueOrder) -> Document:
    """List the queue."""
    queue, state = caller.memory.queue, order.state
    chosen = None if state is None else QueueState(state)
    entries = await queue.list_entries(chosen, limit=order.limit)
    return write_document(status=await queue.status(), entries=entries)


async def list_log(caller: RestCaller, order: LogOrder) -> Document:
    """List what was done, and by whom."""
    since = as_instant("since", order.since, caller.memory.settings.zone)
    return write_document(
        actions=await caller.memory.provenance.list_actions(order.limit, since or 0)
    )


async def begin_night(caller: RestCaller, order: NightOrder) -> Document:
    """Begin a run, which goes on by itself."""
    settings = caller.memory.settings
    since = as_instant("since", order.since, settings.zone)
    begun = await in_thread(lambda: nights.begin_nightly(settings, order.steps, since))
    await caller.memory.note_action("begin night", begun.id)
    return begun.to_json()


async def list_nights(caller: RestCaller, order: NightsOrder) -> Document:
    """List runs."""
    settings = caller.memory.settings
    return write_document(runs=await in_thread(lambda: nights.list_runs(settings, order.limit)))


async def get_night(caller: RestCaller, order: NightChanges) -> Document:
    """Return a run with its changes."""
    settings = caller.memory.settings
    run, changes = await in_thread(
        lambda: nights.list_changes(settings, order.run_id, max(order.limit, 1))
    )
    return write_document(run=run, changes=changes[: order.limit])


async def undo_night(caller: RestCaller, order: NightId) -> Document:
    """Undo a run and all later ones."""
    settings = caller.memory.settings
    undone = await in_thread(lambda: nights.undo_nightly(settings, order.run_id, lambda _: None))
    await caller.memory.note_action("undo night", order.run_id)
    return undone.to_json()


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "GET",
        "/memory/status",
        Access.READ,
        "tell_status",
        "Count what this memory holds, what waits to be read, and what reading has cost.",
        Order,
        tell_status,
        build_shown_model(Statistics, _FIGURES, embedder=str),
    ),
    RestRoute(
        "GET",
        "/memory/queue",
        Access.READ,
        "list_queue",
        "List what a chat model has still to read, has read, or could not.",
        QueueOrder,
        list_queue,
        QueueAnswer,
        {"limit": 5},
    ),
    RestRoute(
        "GET",
        "/memory/audit",
        Access.ADMIN,
        "list_log",
        "List what was done to memories and turns, when and by whom; it holds no text of theirs.",
        LogOrder,
        list_log,
        Log,
        {"limit": 5},
    ),
    RestRoute(
        "POST",
        "/memory/consolidate",
        Access.ADMIN,
        "begin_night",
        "Begin nightly maintenance, or finish the run that was begun: merging duplicates, fading, "
        "archiving, core files. It goes on after the answer.",
        NightOrder,
        begin_night,
        ShownRun,
        {"steps": ["metrics"]},
        status=202,
    ),
    RestRoute(
        "GET",
        "/memory/nights",
        Access.ADMIN,
        "list_nights",
        "List the runs of nightly maintenance, newest first.",
        NightsOrder,
        list_nights,
        Nights,
        {"limit": 5},
    ),
    RestRoute(
        "GET",
        "/memory/nights/{run_id}",
        Access.ADMIN,
        "get_night",
        "Return a run of nightly maintenance, and what it changed.",
        NightChanges,
        get_night,
        Night,
        {"run_id": EXAMPLE_IDS["night"]},
    ),
    RestRoute(
        "POST",
        "/memory/nights/{run_id}/undo",
        Access.ADMIN,
        "undo_night",
        "Take back what a run changed, and what all later runs changed.",
        NightId,
        undo_night,
        build_shown_model(UndoResult),
        {"run_id": EXAMPLE_IDS["night"]},
    ),
)
