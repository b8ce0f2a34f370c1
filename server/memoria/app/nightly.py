"""Nightly maintenance of a home: run, look at, undo. All functions block, so Ctrl-C stops each."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from threading import Event, Thread

from memoria.app.engine import choose_engine, open_store
from memoria.app.open_home import OpenHome
from memoria.app.skills import settle_skill_files
from memoria.config import Settings
from memoria.errors import EmbedderError, InvalidInputError, MemoriaError, quote_value
from memoria.inference import LazyEmbedder, calibration_of, choose_embedder
from memoria.inference.chat.base import ChatModel
from memoria.ingest.grounding import build_grounding_worker
from memoria.lifecycle.generated_files import GeneratedFiles, files_of
from memoria.lifecycle.interface import NightlyLedger, StepContext
from memoria.lifecycle.runner import (
    LEASE,
    LEASE_MS,
    Progress,
    clear_leftover_plans,
    hold_lease,
    run_steps,
)
from memoria.lifecycle.steps import BY_NAME
from memoria.lifecycle.undo import find_run, list_runs_to_undo, undo_run
from memoria.model import DAY_MS, derive_id, new_id, now_millis
from memoria.model.nightly import (
    WITHOUT_MODEL,
    ChangedMemory,
    JournaledChange,
    NightlyRun,
    RowChange,
    RunOptions,
    StepChanges,
    StepReport,
    UndoResult,
)
from memoria.policy.questions import HomePolicy
from memoria.policy.retention import retention_table
from memoria.retrieval.lookup.related import RelatedMemoryFinder
from memoria.store.engine import JournalingStore
from memoria.store.values import LAST, Filters

_LOG = logging.getLogger(__name__)
_S_PER_MINUTE = 60
_MOST_REMARKS = 200
"""Memories whose words are read for what the steps of a run say of them."""
_ALL = Filters(everywhere=True, include_history=True)


def run_nightly(
    settings: Settings,
    steps: Sequence[str] = (),
    since: int | None = None,
    progress: Progress = lambda *_: None,
    *,
    lease_ms: int = LEASE_MS,
    home: OpenHome | None = None,
) -> NightlyRun:
    """Run nightly maintenance, or finish the run that was begun.

    Args:
        settings: whose home and tenant.
        steps: which; all of them by default. A run that was begun keeps the steps it has.
        since: only what was changed from then on, UTC epoch ms.
        progress: called with (step, items done, of how many).
        lease_ms: how long a run that was killed blocks the next one.
        home: a program's opened home, for its own models and policy; by default those configured.

    Raises:
        InvalidInputError: there is no such step, or an undo was not finished.
        LeaseLostError: a run holds the lease.
    """
    options = RunOptions(steps=_check_steps(steps), since=since)
    embedder = choose_embedder(settings) if home is None else home.embedder
    deadline = time.monotonic() + settings.nightly_minutes * _S_PER_MINUTE
    with _hold_lease(settings, lease_ms) as store:
        begun = _begin_or_resume(store, settings.tenant, options)
        if begun.state == "undoing":
            raise InvalidInputError(
                f"The undo of run {begun.id} was not finished. Finish it with: "
                f"memoria undo {begun.id}"
            )
        context = StepContext(
            begun,
            store,
            settings,
            _policy_of(settings) if home is None else home.policy,
            retention_table(settings.retention),
            calibration_of(embedder),
            time_left=lambda: deadline - time.monotonic(),
            grounds=build_grounding_worker(settings, store),
        )
        files_of(context).delete_drafts()
        clear_leftover_plans(store, settings.tenant)
        chat = None if home is None else home.chat
        with _connect_model(context, store, embedder, chat) as context:
            done = run_steps(context, store, BY_NAME, progress)
        settle_skill_files(store, settings)
        return done


def _begin_or_resume(store: JournalingStore, tenant: str, options: RunOptions) -> NightlyRun:
    """Return the run that was begun, or a new run if none can be finished any more.

    A run that is a day old, or has a step that this version doesn't know, is left unfinished.
    """
    now = now_millis()
    with store.write(tenant) as tx:
        begun = tx.nightly_runs.open_run()
        if begun is not None and begun.state == "running" and not _is_resumable(begun, now):
            tx.nightly_runs.set_state(begun, "stopped", now)
            begun = None
        return begun or tx.nightly_runs.begin_run(new_id(), now, options)


def _is_resumable(run: NightlyRun, now: int) -> bool:
    return now - run.at < DAY_MS and all(step.name in BY_NAME for step in run.steps)


def dry_run(settings: Settings, steps: Sequence[str] = (), since: int | None = None) -> NightlyRun:
    """Count what a run would do now, without a change: each step sees things as they are.

    Raises:
        InvalidInputError: there is no such step.
    """
    options = RunOptions(steps=_check_steps(steps), since=since)
    at = now_millis()
    imagined = NightlyRun(n=0, id=derive_id(at, "dry"), at=at, options=options, state="running")
    if not choose_engine(settings).exists(settings):
        empty = tuple(StepReport(name=name) for name in options.steps)
        return imagined.model_copy(update={"steps": empty})
    with closing(open_store(settings)) as store:
        context = StepContext(
            imagined,
            store,
            settings,
            _policy_of(settings),
            retention_table(settings.retention),
            calibration_of(choose_embedder(settings)),
            grounds=build_grounding_worker(settings, store),
        )
        reports = [
            StepReport(
                name=name,
                planned=BY_NAME[name].count_work(context),
                reduced=_describe_limits(context, name),
            )
            for name in options.steps
        ]
    return imagined.model_copy(update={"steps": tuple(reports)})


def _policy_of(settings: Settings) -> HomePolicy:
    return HomePolicy(personal=settings.personal_data)


def _describe_limits(context: StepContext, name: str) -> str | None:
    """Describe what a step would leave out. A run has the configured chat model, a dry run none."""
    limits = BY_NAME[name].describe_limits(context)
    has_model = context.settings.has_chat_model
    return None if has_model and (limits or "").startswith(WITHOUT_MODEL) else limits


def begin_nightly(
    settings: Settings, steps: Sequence[str] = (), since: int | None = None
) -> NightlyRun:
    """Begin a run in a thread of its own, and return it once it has begun.

    A process that ends meanwhile leaves the run to be finished by the next one.

    Raises:
        InvalidInputError: there is no such step, or an undo was not finished.
        LeaseLostError: another run is at work.
    """
    has_begun, failures = Event(), list[MemoriaError]()

    def run() -> None:
        try:
            run_nightly(settings, steps, since, lambda *_: has_begun.set())
        except MemoriaError as error:
            failures.append(error)
            if has_begun.is_set():  # else the caller is told
                _LOG.warning("Nightly maintenance has ended early: %s", error)
        finally:
            has_begun.set()

    Thread(target=run, name="memoria nightly", daemon=True).start()
    has_begun.wait()
    if failures:
        raise failures[0]
    return list_runs(settings, 1)[0]


def list_runs(settings: Settings, limit: int, before: str | None = None) -> list[NightlyRun]:
    """List the latest runs, newest first; those before the run of an id, if one is given.

    Raises:
        NotFoundError: there is no run of this id.
    """
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        last = LAST if before is None else find_run(tx, before).n
        return tx.nightly_runs.list_runs(limit, last)


def last_run_at(settings: Settings) -> int | None:
    """Return the start of the last run, UTC epoch ms; None where there was none."""
    return next((run.at for run in list_runs(settings, 1)), None)


def list_changes(settings: Settings, run_id: str, limit: int) -> tuple[NightlyRun, list[RowChange]]:
    """Return a run and what it changed, in order.

    Raises:
        NotFoundError: there is no such run.
    """
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        found = find_run(tx, run_id)
        return found, tx.nightly_runs.list_changes(found, limit)


def list_changed_memories(
    settings: Settings, run_id: str, after: int, most_rows: int
) -> tuple[NightlyRun, list[StepChanges], int | None]:
    """Return a run, and what its steps have changed in words of the memories, and in which files.

    The first part has the steps' remarks on other memories, too.

    Args:
        settings: whose home and tenant.
        run_id: the run's id, or the end of it.
        after: number of the changed row with which a list ended; 0 for the first part.
        most_rows: changed rows to look at; each memory takes some.

    Returns:
        The run, the changes by step, and the number with which the list goes on; None at its end.

    Raises:
        NotFoundError: there is no such run.
    """
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        run = find_run(tx, run_id)
        rows = tx.nightly_runs.list_changes_in_words(run, after, most_rows)
        has_remarks = after == 0 and run.state != "undone"
        ids = [one for step in run.steps for one in step.reasons] if has_remarks else []
        words = {one.id: one.current.content for one in tx.waiting.list_by_id(ids[:_MOST_REMARKS])}
    by_step: dict[str, list[JournaledChange]] = {
        step.name: [] for step in run.steps if step.reasons.keys() & words.keys()
    }
    for row in rows:
        by_step.setdefault(row.step, []).append(row)
    reasons = {step.name: step.reasons for step in run.steps}
    changes = [
        _sum_up_step(name, some, reasons.get(name, {}), words) for name, some in by_step.items()
    ]
    return run, changes, rows[-1].seq if len(rows) == most_rows else None


def _sum_up_step(
    name: str, rows: Sequence[JournaledChange], reasons: Mapping[str, str], words: Mapping[str, str]
) -> StepChanges:
    memories: dict[str, ChangedMemory] = {}
    files: dict[str, None] = {}
    others = 0
    for row in rows:
        if row.file is not None:
            files[row.file] = None
            continue
        is_own = row.table == "memories" or row.wording is not None
        if row.memory_id is None or not is_own or not (row.fields or row.op == "insert"):
            others += 1
            continue
        known = memories.get(row.memory_id)
        if known is None:
            known = ChangedMemory(
                id=row.memory_id, text=row.present or "", reason=reasons.get(row.memory_id)
            )
        fields = dict(known.fields)
        for field, (before, now) in row.fields.items():
            fields[field] = (fields[field][0] if field in fields else before, now)
        said: dict[str, str | None] = {} if row.wording is None else {"wording": row.wording}
        if row.wording is not None and known.wording is None:
            said["former"] = row.former
        is_new = known.is_new or (row.table == "memories" and row.op == "insert")
        memories[row.memory_id] = known.model_copy(
            update={**said, "fields": fields, "is_new": is_new}
        )
    remarks = [
        ChangedMemory(id=one, text=words[one], reason=why)
        for one, why in reasons.items()
        if one in words and one not in memories
    ]
    return StepChanges(
        step=name, memories=(*memories.values(), *remarks), files=tuple(files), other_rows=others
    )


def read_wordings(settings: Settings, run: NightlyRun) -> dict[str, str]:
    """Map the ids in a report to the memories' present words and the entities' names."""
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        ids = [one for step in run.steps for one in step.reasons]
        memories, entities = map(tx.memories.get, ids), (tx.graph.get_entity(i, _ALL) for i in ids)
        said = {memory.id: memory.current.content for memory in memories if memory}
        return said | {entity.id: entity.name for entity in entities if entity}


def plan_undo(settings: Settings, run_id: str) -> list[NightlyRun]:
    """List the runs that an undo of one takes back, newest first; see `lifecycle.undo`."""
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        return list_runs_to_undo(tx, run_id)


def undo_nightly(settings: Settings, run_id: str, progress: Callable[[int], None]) -> UndoResult:
    """Undo a run and every later one; see `lifecycle.undo`."""
    with _hold_lease(settings) as store:
        files = GeneratedFiles(store.files.of(settings.tenant))
        undone = undo_run(store, settings.tenant, run_id, progress, files)
        settle_skill_files(store, settings)
        return undone


@contextmanager
def _hold_lease(settings: Settings, lease_ms: int = LEASE_MS) -> Iterator[JournalingStore]:
    """Hold the lease, and yield the run's own store, which the journal watches."""
    owner = f"nightly:{os.getpid()}:{new_id()}"
    with (
        closing(open_store(settings)) as shared,
        hold_lease(shared, settings.tenant, owner, lease_ms),
    ):
        own = choose_engine(settings).open_journaling(settings, LEASE, owner)
        with closing(own):
            yield own


@contextmanager
def _connect_model(
    context: StepContext,
    store: JournalingStore,
    embedder: LazyEmbedder | None,
    own: ChatModel | None,
) -> Iterator[StepContext]:
    """Yield the context with the program's own chat model, else with the configured one, if any."""
    settings = context.settings
    if own is None and not settings.has_chat_model:
        yield context
        return
    from memoria.app.reading import build_chat_client, build_worker  # noqa: PLC0415  (who has none pays nothing)

    budget = NightlyLedger(store, context.run, settings.nightly_tokens)
    chat = build_chat_client(settings, budget, own)
    if chat is None:
        yield context
        return
    recall = RelatedMemoryFinder(_load(embedder))
    reader = build_worker(settings, store, chat, recall, context.grounds, context.policy)
    with reader.run_in_calling_thread():
        yield replace(context, chat=chat, budget=budget, recall=recall, extraction=reader)


def _load(embedder: LazyEmbedder | None) -> LazyEmbedder | None:
    """Load the embedder, so that a run done again finds the same."""
    if embedder is not None:
        with suppress(EmbedderError):  # words alone will do
            embedder.wait_for_embedder(wait_ms=None)
    return embedder


def _check_steps(steps: Sequence[str]) -> tuple[str, ...]:
    """Order the steps named as they run; all where none is."""
    for name in steps:
        if name not in BY_NAME:
            raise InvalidInputError(
                f"There is no step {quote_value(name)}. Steps are: {', '.join(BY_NAME)}."
            )
    return tuple(name for name in BY_NAME if not steps or name in steps)
