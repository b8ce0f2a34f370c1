"""Nights of a home: run, look at, undo. All of it blocks, so that Ctrl-C is heard."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import Any

from memoria.app.compose import open_store
from memoria.config import Settings
from memoria.errors import EmbedderError, InvalidInputError, quoted
from memoria.inference import LazyEmbedder, choose_embedder
from memoria.lifecycle.budget import NightLedger
from memoria.lifecycle.face import Night, Step, Working
from memoria.lifecycle.files.shelf import Shelf, shelf
from memoria.lifecycle.lease import LEASE, LEASE_MS, held
from memoria.lifecycle.runner import Progress, clear_left, run_night
from memoria.lifecycle.steps import BY_NAME
from memoria.lifecycle.undo import known_run
from memoria.lifecycle.undo import undo as undo_run
from memoria.model import DAY_MS, derived_id, new_id, now_millis
from memoria.model.night import Change, Run, RunOptions, StepReport, Undone
from memoria.policy.retention import retention
from memoria.retrieval.related import Related
from memoria.store.base import NightStore
from memoria.store.files import DATABASE
from memoria.store.folders import tenant_folder
from memoria.store.sqlite import JournaledStore

_S_PER_MINUTE = 60


def run(
    settings: Settings,
    steps: Sequence[str] = (),
    since: int | None = None,
    progress: Progress = lambda *_: None,
    *,
    lease_ms: int = LEASE_MS,
) -> Run:
    """Run a night, or finish the one that was begun.

    Args:
        settings: whose home and tenant.
        steps: which; all of them by default. One that was begun keeps the steps it has.
        since: only what was changed from then on, UTC epoch ms.
        progress: told (step, items done, of how many).
        lease_ms: how long a night that died is in the way.

    Raises:
        InvalidInputError: there is no such step, or an undoing was not finished.
        LeaseLostError: a night is running.
    """
    options = RunOptions(steps=_known(steps), since=since)
    deadline = time.monotonic() + settings.night_minutes * _S_PER_MINUTE
    with _holding(settings, lease_ms) as store:
        begun = _begun(store, settings.tenant, options)
        if begun.state == "undoing":
            raise InvalidInputError(
                f"The undoing of night {begun.id} was not finished. Finish it with: "
                f"memoria nightly undo {begun.id}"
            )
        night = Night(
            begun,
            store,
            settings,
            retention(settings.retention),
            time_left=lambda: deadline - time.monotonic(),
        )
        shelf(night).sweep()
        clear_left(store, settings.tenant)
        with _asking(night, store) as night:
            return run_night(night, store, BY_NAME, progress)


def _begun(store: NightStore, tenant: str, options: RunOptions) -> Run:
    """The run that was begun, or a new one where there is none that can still be finished.

    One that is a day old, or has a step that this version doesn't know, is left as far as it came.
    """
    now = now_millis()
    with store.write(tenant) as tx:
        begun = tx.night.open_run()
        if begun is not None and begun.state == "running" and not _alive(begun, now):
            tx.night.set_state(begun, "stopped", now)
            begun = None
        return begun or tx.night.begin(new_id(), now, options)


def _alive(run: Run, now: int) -> bool:
    return now - run.at < DAY_MS and all(step.name in BY_NAME for step in run.steps)


def dry_run(settings: Settings, steps: Sequence[str] = (), since: int | None = None) -> Run:
    """What a night would do now, without a change: each step sees things as they are.

    Raises:
        InvalidInputError: there is no such step.
    """
    options = RunOptions(steps=_known(steps), since=since)
    at = now_millis()
    imagined = Run(n=0, id=derived_id(at, "dry"), at=at, options=options, state="running")
    if not (settings.home_path / DATABASE).exists():
        empty = tuple(StepReport(name=name) for name in options.steps)
        return imagined.model_copy(update={"steps": empty})
    with closing(open_store(settings)) as store:
        night = Night(imagined, store, settings, retention(settings.retention))
        reports = [
            StepReport(
                name=name,
                planned=_to_do(BY_NAME[name], night),
                reduced=BY_NAME[name].reduced(night),
            )
            for name in options.steps
        ]
    return imagined.model_copy(update={"steps": tuple(reports)})


def runs(settings: Settings, limit: int) -> list[Run]:
    """The latest nights, newest first."""
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        return tx.night.runs(limit)


def last_night(settings: Settings) -> int | None:
    """When the last night was begun, UTC epoch ms; None where there was none."""
    return next((run.at for run in runs(settings, 1)), None)


def changes(settings: Settings, run_id: str, limit: int) -> tuple[Run, list[Change]]:
    """A night and what it changed, in order.

    Raises:
        NotFoundError: there is no such night.
    """
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        found = known_run(tx, run_id)
        return found, tx.night.changes(found, limit)


def wordings(settings: Settings, run: Run) -> dict[str, str]:
    """What the memories of a report say now, by id. The report itself keeps no word of them."""
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        found = (tx.memories.get(one) for step in run.steps for one in step.reasons)
        return {memory.id: memory.current.content for memory in found if memory}


def undo(settings: Settings, run_id: str, progress: Callable[[int], None]) -> Undone:
    """Undo a night and every later one; see `lifecycle.undo`."""
    with _holding(settings) as store:
        files = Shelf(tenant_folder(settings.home_path, settings.tenant))
        return undo_run(store, settings.tenant, run_id, progress, files)


@contextmanager
def _holding(settings: Settings, lease_ms: int = LEASE_MS) -> Iterator[NightStore]:
    """The night's own store, while the lease is held."""
    owner = f"night:{os.getpid()}:{new_id()}"
    with closing(open_store(settings)) as shared, held(shared, owner, lease_ms):
        own = JournaledStore(
            settings.home_path / DATABASE,
            busy_timeout_ms=settings.busy_timeout_ms,
            attempts=settings.embedding_attempts,
            lease=LEASE,
            owner=owner,
        )
        with closing(own):
            yield own


@contextmanager
def _asking(night: Night, store: NightStore) -> Iterator[Night]:
    """The night, with the way to the chat model where one is configured."""
    settings = night.settings
    if not (settings.llm_command or settings.llm_base_url):
        yield night
        return
    from memoria.app.reading import chat_gate, worker_by  # noqa: PLC0415  (who has none pays nothing)

    budget = NightLedger(store, night.run, settings.night_tokens)
    gate = chat_gate(settings, budget)
    if gate is None:
        yield night
        return
    recall = Related(_loaded(choose_embedder(settings)))
    reader = worker_by(settings, store, gate, recall)
    with reader.at_hand():
        yield replace(night, gate=gate, budget=budget, recall=recall, reader=reader)


def _loaded(embedder: LazyEmbedder | None) -> LazyEmbedder | None:
    """The embedder, loaded: a rerun must find what the first one found."""
    if embedder is not None:
        with suppress(EmbedderError):  # words alone will do
            embedder.get(wait_ms=None)
    return embedder


def _to_do(step: Step[Any] | Working, night: Night) -> int:
    if isinstance(step, Working):
        return step.waiting(night)
    return sum(1 for _ in step.plan(night))


def _known(steps: Sequence[str]) -> tuple[str, ...]:
    """The steps named, in the order in which they run; all where none is."""
    for name in steps:
        if name not in BY_NAME:
            raise InvalidInputError(
                f"There is no step {quoted(name)}. Steps are: {', '.join(BY_NAME)}."
            )
    return tuple(name for name in BY_NAME if not steps or name in steps)
