"""Runs of nightly maintenance: their steps, plans and journals."""

import json
from collections.abc import Sequence

from memoria.errors import InvalidInputError, quote_value
from memoria.model.core import CoreFile
from memoria.model.nightly import (
    MadeByRun,
    Metric,
    NightlyRun,
    RowChange,
    RunOptions,
    RunState,
    StepReport,
)
from memoria.store.connection import Connection, Row
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.revert import RevertOutcome, revert, was_edited_since
from memoria.store.sql.tenant_rows import TenantRows, as_json


class NightlyRuns:
    """A tenant's runs of nightly maintenance."""

    def __init__(self, connection: Connection, tenant: int, documents: DocumentIndex) -> None:
        self._rows = TenantRows(connection, tenant, "nightly_runs")
        self._documents = documents

    def begin_run(self, run_id: str, at: int, options: RunOptions) -> NightlyRun:
        """Record a new run and its steps, none of them begun."""
        n = self._rows.insert("begin", id=run_id, at=at, options=options.model_dump_json())
        for ordinal, name in enumerate(options.steps):
            self._rows.insert("add_step", run_n=n, ordinal=ordinal, name=name)
        return self._to_run(self._rows.first("open_run"))

    def open_run(self) -> NightlyRun | None:
        """Return the run that was begun and neither finished nor undone; None if there is none."""
        row = self._rows.first("open_run")
        return None if row is None else self._to_run(row)

    def list_runs(self, limit: int) -> list[NightlyRun]:
        """List the latest runs, newest first."""
        return list(map(self._to_run, self._rows.all("runs", limit=limit)))

    def find_run(self, run_id: str) -> NightlyRun | None:
        """Return a run by its id or the end of it; None if there is none.

        Raises:
            InvalidInputError: several ids end so.
        """
        found = self._rows.all("run", id=run_id)
        if len(found) > 1 and found[0]["id"] != run_id:
            raise InvalidInputError(
                f"{quote_value(run_id)} is the end of several runs' ids. Give more."
            )
        return self._to_run(found[0]) if found else None

    def set_state(self, run: NightlyRun, state: RunState, now: int) -> None:
        """Set the state of a run."""
        self._rows.change("set_state", run_n=run.n, state=state, now=now)

    def note_rows(self, run: NightlyRun, rows: int) -> None:
        """Record how many rows a transaction changed, if none of the run changed more."""
        self._rows.change("note_rows", run_n=run.n, rows=rows)

    def set_step(self, run: NightlyRun, ordinal: int, report: StepReport) -> None:
        """Record how far a step has come."""
        told = report.model_dump_json(exclude={"name", "state", "tokens"})
        self._rows.change("set_step", run_n=run.n, ordinal=ordinal, state=report.state, report=told)

    def count_tokens(self, run: NightlyRun) -> int:
        """Add up the tokens that a run's questions cost, those under way at their most."""
        return self._rows.number("tokens", run_n=run.n)

    def note_tokens(self, run: NightlyRun, ordinal: int, tokens: int) -> None:
        """Add to the tokens that a step has spent; a negative number takes some back."""
        self._rows.change("note_tokens", run_n=run.n, ordinal=ordinal, tokens=tokens)

    def add_plan(self, run: NightlyRun, ordinal: int, items: Sequence[str]) -> None:
        """Add items to the plan of a step."""
        for item in items:
            self._rows.insert("add_item", run_n=run.n, step=ordinal, item=item)

    def clear_plan(self, run: NightlyRun, ordinal: int) -> None:
        """Drop the first items of a step's plan; to be repeated until none is left."""
        first = self._rows.number("first_item", run_n=run.n, step=ordinal)
        self._rows.change("clear_plan", run_n=run.n, step=ordinal, first=first)

    def next_items(self, run: NightlyRun, ordinal: int, limit: int) -> list[tuple[int, str]]:
        """List (number, item) of a plan's unfinished items, in order."""
        rows = self._rows.all("next_items", run_n=run.n, step=ordinal, limit=limit)
        return [(row["ordinal"], row["item"]) for row in rows]

    def remove_items(self, run: NightlyRun, ordinal: int, numbers: Sequence[int]) -> None:
        """Remove finished items from a plan."""
        self._rows.change("strike", run_n=run.n, step=ordinal, ordinals=as_json(numbers))

    def drop_items(self, ids: Sequence[str]) -> int:
        """Remove items that name or say one of these from all plans; return their number."""
        return self._rows.change("drop_items", ids=as_json(ids))

    def drop_leftovers(self) -> int:
        """Remove some leftovers from plans that nobody will finish, and return their number."""
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

    def list_made(self, run: NightlyRun) -> MadeByRun:
        """List what a run has made, except memories that somebody has changed since."""
        rows = self._rows.all("made", run_n=run.n)
        theirs = self._find_edited(run, rows)
        made = [row for row in rows if row["memory_n"] not in theirs]
        return MadeByRun(
            memory_ids=frozenset(row["id"] for row in made if row["tbl"] == "memories"),
            version_ns=frozenset(row["n"] for row in made if row["tbl"] == "memory_versions"),
        )

    def revert_core_file(self, run: NightlyRun, file: CoreFile) -> None:
        """Restore what was noted of a core file and its lines, and take it off the journal."""
        for row in self._rows.all("core_changes", run_n=run.n, file=file):
            revert(self._rows.connection, row, self._documents)
            self._rows.change("forget_change", run_n=run.n, seq=row["seq"])

    def revert(self, run: NightlyRun, limit: int) -> tuple[int, int, int]:
        """Restore the rows that the run changed last, and take them off the journal.

        Returns the numbers of rows (restored, kept because of a later change, taken by a forget);
        (0, 0, 0) if nothing is left.
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
            self._rows.change("forget_change", run_n=run.n, seq=row["seq"])
        for n in sorted(touched):
            self._documents.refresh_index(n)
        return (
            counts[RevertOutcome.RESTORED],
            counts[RevertOutcome.KEPT],
            counts[RevertOutcome.FORGOTTEN],
        )

    def _find_edited(self, run: NightlyRun, page: Sequence[Row]) -> set[int]:
        """Find the memories of a page, by number, that the run made and somebody changed since."""
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
