"""Nightly maintenance: runs with their plans and journals, metrics, retention, and purging."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoria.errors import ConflictError, LeaseLostError, quote_value
from memoria.model import system_millis
from memoria.model.core import CoreFile
from memoria.model.nightly import (
    JournaledChange,
    MadeByRun,
    Metric,
    NightlyRun,
    RowChange,
    RunOptions,
    RunState,
    StepReport,
)
from memoria.model.retention import MemoryTier, RetentionAttributes, SupportCounts
from memoria.store.connection import Connection, Row
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.revert import RevertOutcome, revert, was_edited_since
from memoria.store.sql.statements import TenantRows, as_json
from memoria.store.values import LAST


def require_lease(connection: Connection, lease: Mapping[str, str]) -> None:
    """Check that a nightly run still has its lease, which it may lose while it is suspended.

    Args:
        connection: in a transaction.
        lease: the name of the tenant, the name of the lease, and the owner that must have it.

    Raises:
        LeaseLostError: another owner has it.
    """
    asked = {**lease, "now": system_millis()}
    sql = connection.statements("nightly_runs")["lease"]
    if connection.execute(sql, asked).fetchone() is None:
        raise LeaseLostError(
            "Another nightly run has taken over, because this one made no progress for too "
            "long. Nothing more is written here."
        )


class NightlyRuns:
    """A tenant's runs of nightly maintenance."""

    def __init__(self, connection: Connection, tenant: int, documents: DocumentIndex) -> None:
        self._rows = TenantRows(connection, tenant, "nightly_runs")
        self._documents = documents

    def begin_run(self, run_id: str, at: int, options: RunOptions) -> NightlyRun:
        """Record a new run and its steps, none of them begun."""
        n = self._rows.insert("begin", id=run_id, at=at, options=options.model_dump_json())
        for ordinal, name in enumerate(options.steps):
            self._rows.send("add_step", run_n=n, ordinal=ordinal, name=name)
        return self._to_run(self._rows.first("open_run"))

    def open_run(self) -> NightlyRun | None:
        """Return the run that is neither finished nor undone; None if no run is under way."""
        row = self._rows.first("open_run")
        return None if row is None else self._to_run(row)

    def list_runs(self, limit: int, before: int = LAST) -> list[NightlyRun]:
        """List the latest runs before the one of a number, newest first."""
        return list(map(self._to_run, self._rows.all("runs", limit=limit, before=before)))

    def find_run(self, run_id: str) -> NightlyRun | None:
        """Return a run by its id or the end of its id; None if no run matches.

        Raises:
            InvalidInputError: the ids of several runs end so.
        """
        found = self._rows.all("run", id=run_id)
        if len(found) > 1 and found[0]["id"] != run_id:
            raise ConflictError(
                f"{quote_value(run_id)} is the end of several runs' ids. Give more."
            )
        return self._to_run(found[0]) if found else None

    def set_state(self, run: NightlyRun, state: RunState, now: int) -> None:
        """Set the state of a run."""
        self._rows.send("set_state", run_n=run.n, state=state, now=now)

    def note_rows(self, run: NightlyRun, rows: int) -> None:
        """Record how many rows a transaction changed, if it is the most of the run."""
        self._rows.send("note_rows", run_n=run.n, rows=rows)

    def set_step(self, run: NightlyRun, ordinal: int, report: StepReport) -> None:
        """Record how far a step has come."""
        told = report.model_dump_json(exclude={"name", "state", "tokens"})
        self._rows.send("set_step", run_n=run.n, ordinal=ordinal, state=report.state, report=told)

    def count_tokens(self, run: NightlyRun) -> int:
        """Add up the tokens of a run's model calls; a call under way counts with its bound."""
        return self._rows.number("tokens", run_n=run.n)

    def note_tokens(self, run: NightlyRun, ordinal: int, tokens: int) -> None:
        """Add to the tokens that a step has spent; a negative number lowers the sum."""
        self._rows.send("note_tokens", run_n=run.n, ordinal=ordinal, tokens=tokens)

    def add_plan(self, run: NightlyRun, ordinal: int, items: Sequence[str]) -> None:
        """Add items to the plan of a step."""
        for item in items:
            self._rows.send("add_item", run_n=run.n, step=ordinal, item=item)

    def clear_plan(self, run: NightlyRun, ordinal: int) -> None:
        """Drop the first items of a step's plan; a caller repeats this until no item is left."""
        first = self._rows.number("first_item", run_n=run.n, step=ordinal)
        self._rows.send("clear_plan", run_n=run.n, step=ordinal, first=first)

    def next_items(self, run: NightlyRun, ordinal: int, limit: int) -> list[tuple[int, str]]:
        """List (number, item) of a plan's unfinished items, in order."""
        rows = self._rows.all("next_items", run_n=run.n, step=ordinal, limit=limit)
        return [(row["ordinal"], row["item"]) for row in rows]

    def remove_items(self, run: NightlyRun, ordinal: int, numbers: Sequence[int]) -> None:
        """Remove finished items from a plan."""
        self._rows.send("strike", run_n=run.n, step=ordinal, ordinals=as_json(numbers))

    def drop_items(self, ids: Sequence[str]) -> int:
        """Remove plan items that contain one of the ids or texts; return the number of items."""
        return self._rows.change("drop_items", ids=as_json(ids))

    def drop_leftovers(self) -> int:
        """Remove some items of plans whose run is over, and return the number of items."""
        return self._rows.change("drop_left")

    def list_changes(self, run: NightlyRun, limit: int) -> list[RowChange]:
        """List the changes of a run, in order."""
        return [
            RowChange(
                seq=row["seq"],
                table=row["tbl"],
                op=row["op"],
                key=tuple(json.loads(row["key"])),
                memory_id=row["memory_id"],
            )
            for row in self._rows.all("changes", run_n=run.n, limit=limit)
        ]

    def list_changes_in_words(
        self, run: NightlyRun, after: int, limit: int
    ) -> list[JournaledChange]:
        """List changes of a run behind one of them, in order, with wordings before and after."""
        rows = self._rows.all("changes_in_words", run_n=run.n, after=after, limit=limit)
        return [_to_journaled(row) for row in rows]

    def list_made(self, run: NightlyRun) -> MadeByRun:
        """List the memories and wordings that a run has made, without memories changed later."""
        rows = self._rows.all("made", run_n=run.n)
        theirs = self._find_edited(run, rows)
        made = [row for row in rows if row["memory_n"] not in theirs]
        return MadeByRun(
            memory_ids=frozenset(row["id"] for row in made if row["tbl"] == "memories"),
            version_ns=frozenset(row["n"] for row in made if row["tbl"] == "memory_versions"),
        )

    def revert_core_file(self, run: NightlyRun, file: CoreFile) -> None:
        """Restore the recorded state of a core file and its lines, and clear their journal rows."""
        for row in self._rows.all("core_changes", run_n=run.n, file=file):
            revert(self._rows.connection, row, self._documents)
            self._rows.send("forget_change", run_n=run.n, seq=row["seq"])

    def revert(self, run: NightlyRun, limit: int) -> tuple[int, int, int]:
        """Restore the rows that the run changed last, and remove these changes from the journal.

        Returns the numbers of rows (restored, kept because of a later change, taken by a forget);
        (0, 0, 0) for an empty journal.
        """
        counts = dict.fromkeys(RevertOutcome, 0)
        touched: set[int] = set()
        page = self._rows.all("last_changes", run_n=run.n, limit=limit)
        theirs = self._find_edited(run, page)
        for row in page:
            made = row["op"] == "insert" and row["memory_n"] in theirs
            came_to = (
                RevertOutcome.KEPT if made else revert(self._rows.connection, row, self._documents)
            )
            counts[came_to] += 1
            if row["tbl"] == "documents" and came_to is RevertOutcome.RESTORED:
                n = json.loads(row["key"])[0]
                (touched.discard if row["op"] == "insert" else touched.add)(n)
            self._rows.send("forget_change", run_n=run.n, seq=row["seq"])
        for n in sorted(touched):
            self._documents.refresh_index(n)
        return (
            counts[RevertOutcome.RESTORED],
            counts[RevertOutcome.KEPT],
            counts[RevertOutcome.FORGOTTEN],
        )

    def _find_edited(self, run: NightlyRun, page: Sequence[Row]) -> set[int]:
        """Find the memories of a page, by number, that the run made and somebody changed later."""
        made = {row["memory_n"] for row in page if row["op"] == "insert"} - {None}
        return {
            n
            for n in made
            if was_edited_since(
                self._rows.all("changes_of_memory", run_n=run.n, memory_n=n),
                self._rows.first("memory", memory_n=n),
            )
        }

    def _to_run(self, row: Row | None) -> NightlyRun:
        assert row is not None  # noqa: S101  (it was written just now)
        steps = self._rows.all("steps", run_n=row["n"])
        reports = tuple(
            StepReport(name=s["name"], state=s["state"], **json.loads(s["report"])) for s in steps
        )
        known = {
            "options": RunOptions.model_validate_json(row["options"]),
            "steps": reports,
            "metrics": tuple(Metric(**dict(m)) for m in self._rows.all("metrics", run_n=row["n"])),
            "undoable": bool(row["undoable"]),
            "tokens": sum(report.tokens for report in reports),
        }
        return NightlyRun(**{**dict(row), **known})


_FIELDS = ("validity", "importance", "tier", "type", "scope", "flag", "pinned", "expires_at")
"""Columns of a memory whose values before and after a change say something to a person."""


def _to_journaled(row: Row) -> JournaledChange:
    image = json.loads(row["image"])
    fields = {
        name: (_read_cell(image[name][0]), _read_cell(image[name][1]))
        for name in _FIELDS
        if name in image
    }
    names = ("seq", "step", "op", "memory_id", "wording", "former", "present", "file")
    known = {name: row[name] for name in names}
    return JournaledChange(**known, table=row["tbl"], fields=fields)


def _read_cell(value: object) -> str | int | float | None:
    """Return a value of the journal, which writes numbers with a point as texts."""
    if isinstance(value, dict):
        return float(value["real"])
    return value if isinstance(value, str | int) else None


class LinkCounts(NamedTuple):
    """Numbers of edges, and of linked nodes and memories."""

    edges: int
    nodes: int
    """Number of nodes with an edge."""
    similar_edges: int
    """Number of edges between memories of similar meaning."""
    similar_memories: int
    """Number of memories with such an edge."""

    @property
    def neighbours(self) -> float:
        """Mean number of similar memories, over memories that have any."""
        return 2 * self.similar_edges / self.similar_memories if self.similar_memories else 0.0


class MetricRows:
    """Metrics of a tenant: measuring them, and storing those of a nightly run."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "metrics")

    def count_links(self) -> LinkCounts:
        """Count the edges of the graph and the linked nodes."""
        return LinkCounts(*(self._rows.number(name) for name in ("edges", "nodes", *_ALIKE)))

    def count_archived(self) -> tuple[int, int]:
        """Return the number of archived memories, and of all."""
        row = self._rows.all("memories")[0]
        return row["archived"], row["total"]

    def count_index_segments(self) -> int:
        """Return the number of segments of the full-text index, all of which a search reads."""
        return self._rows.number("index_segments")

    def sample_wordings(self, many: int) -> list[int]:
        """List the present wordings of some active memories, spread evenly over all memories."""
        return self._rows.column("sample", many=many)

    def add(self, run: NightlyRun, metric: Metric) -> None:
        """Store a metric of a run."""
        told = metric.model_dump() | {"exceeded": metric.exceeded}
        self._rows.send("put", run_n=run.n, **told)


_ALIKE = ("likenesses", "alike")


class PurgeCandidates:
    """Memories and journals that may be erased for good. Moments are UTC epoch ms."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "purge")

    def list_short_lived(self, before: int, limit: int) -> list[str]:
        """List ids of archived memories with a lifetime of a day at most, earliest expiry first.

        Args:
            before: the moment before which the memories expired and were archived.
            limit: the largest number of ids.
        """
        return self._rows.column("spent", before=before, limit=limit)

    def list_archived(self, before: int, limit: int) -> list[str]:
        """List ids of memories archived before a moment, earliest first."""
        return self._rows.column("archived", before=before, limit=limit)

    def close_runs(self, before: int) -> None:
        """Mark runs before a moment as no longer undoable."""
        self._rows.send("close_runs", before=before)

    def drop_images(self, limit: int) -> int:
        """Delete some journal rows of runs that can't be undone; return the number of rows."""
        return self._rows.change("drop_images", limit=limit)


_THEME = 10
"""Largest count of memories about one subject."""


class RetentionRows:
    """Memories with the attributes that decide how long a memory lasts."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "retention")

    def list_expired(self, at: int, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of active memories beyond a number that have expired at a moment.

        Pinned memories are left out.
        """
        rows = self._rows.all("expired", at=at, after=after, limit=limit)
        return [(row["n"], row["id"]) for row in rows]

    def list_rule_made(self, after: int, limit: int) -> list[tuple[int, str, str]]:
        """List (number, id, quote) of active memories beyond a number that rules concluded.

        Left out are memories that anybody confirmed, pinned, edited or voted for, memories that
        took the place of another, and memories that an undone nightly run has restored.
        """
        rows = self._rows.all("rule_made", after=after, limit=limit)
        return [(row["n"], row["id"], row["quote"]) for row in rows]

    def list_attributes(self, after: int, limit: int) -> list[tuple[int, RetentionAttributes]]:
        """List (number, attributes) of active memories beyond a number, in order."""
        rows = self._rows.all("vitals", after=after, limit=limit)
        return [(row["n"], _to_attributes(row)) for row in rows]

    def get_attributes(self, memory_id: str) -> RetentionAttributes | None:
        """Return a memory's attributes; None for a memory that is unknown or not active."""
        row = self._rows.first("number", id=memory_id)
        found = [] if row is None else self.list_attributes(row["n"] - 1, 1)
        return next((one for _, one in found if one.id == memory_id), None)

    def get_support(self, memory_id: str) -> SupportCounts:
        """Count a memory's evidence; zeros for an unknown memory."""
        row = self._rows.first("number", id=memory_id)
        if row is None:
            return SupportCounts(0, 0, 0)
        said = self._rows.all("support", memory_n=row["n"])[0]
        theme = self._rows.number("theme", memory_n=row["n"], most=_THEME)
        return SupportCounts(max(1, said["sessions"]), max(1, said["sources"]), max(1, theme))

    def set_tier(self, memory_id: str, tier: MemoryTier) -> None:
        """Set a memory's tier, and nothing else of the memory."""
        self._rows.send("set_tier", id=memory_id, tier=tier)

    def note_review(self, memory_id: str, at: int, tier: MemoryTier, importance: float) -> None:
        """Record that a reviewer has kept a memory, with its new tier and importance."""
        self._rows.send("note_review", id=memory_id, at=at, tier=tier, importance=importance)


def _to_attributes(row: Row) -> RetentionAttributes:
    fields = {name: row[name] for name in row.keys() if name != "n"}  # noqa: SIM118  (no mapping)
    flags = {name: bool(row[name]) for name in ("task", "pinned", "verified")}
    return RetentionAttributes(**{**fields, **flags, "tier": MemoryTier(row["tier"])})
