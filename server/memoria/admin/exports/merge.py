"""Merging of an export into a home: record by record, in transactions of a few hundred.

A merge may be stopped at any moment and run again: records that are here are known by their ids.
Private times and tombstones come last, so that they apply to nothing of the same file.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memoria.admin.exports.admission import Admission, Refusals
from memoria.admin.exports.format import (
    CORE_FILE,
    ExportHead,
    ExportLine,
    UnreadableLine,
    key_id,
    open_key,
    read_head,
    read_lines,
)
from memoria.admin.exports.write import add_own_text
from memoria.erasure.files import TextFileEraser
from memoria.erasure.reforget import Repetition
from memoria.erasure.suppression import Digester
from memoria.errors import ExportError, UnusableFileError
from memoria.store.engine import Store
from memoria.store.rows.portable.records import (
    PORTABLE_KINDS,
    PortableKind,
    PortableMerge,
    PutOutcome,
)
from memoria.store.rows.transaction import Transaction

Progress = Callable[[int, int], None]
"""Callback with the bytes read, and all bytes."""
_BATCH = 300
_BATCH_BYTES = 4 << 20
_MOST_NAMED = 20
_LAST: frozenset[str] = frozenset(("tombstone", CORE_FILE))
"""Kinds of records that are merged last, all together."""


@dataclass(slots=True)
class MergeReport:
    """Outcome of merging an export."""

    head: ExportHead
    added: Counter[str] = field(default_factory=Counter)
    """New rows, by kind."""
    changed: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    """Number of edges and notes left out because what they are about is not in this home."""
    forgotten: int = 0
    """Number of records refused because they were forgotten in this home."""
    forgotten_here: int = 0
    """Number of records forgotten here because they were forgotten in the exporting home."""
    private: int = 0
    redacted: int = 0
    unchecked: int = 0
    """Number of things forgotten in the exporting home that are known by their ids alone."""
    bad: int = 0
    bad_lines: list[UnreadableLine] = field(default_factory=list)
    """The first bad lines."""
    is_scrubbed: bool = True
    """True if what was forgotten is wiped from the database by now."""


class ExportMerger:
    """Merges an export into one tenant of a home."""

    def __init__(self, store: Store, home: Path, tenant: str, schema_number: int) -> None:
        """Bind to a home and a tenant.

        Args:
            store: of the home.
            home: its folder.
            tenant: into whose memory the export comes.
            schema_number: the newest schema this version knows.
        """
        self._store = store
        self._files = store.files
        self._home = home
        self._tenant = tenant
        self._schema_number = schema_number

    def run(self, path: Path, passphrase: str | None, progress: Progress) -> MergeReport:
        """Merge a file.

        Args:
            path: the export.
            passphrase: opens the keys of what was forgotten there; None: they stay closed.
            progress: told how far it is.

        Raises:
            ExportError: it is none, was made by a newer Memoria, or the passphrase is another one.
        """
        head = read_head(path)
        if head.schema_number > self._schema_number:
            raise ExportError.for_newer(path, head.memoria)
        if head.tenant != self._tenant and head.tenant in self._store.tenants():
            raise ExportError(
                f"{path} has the memory of the tenant {head.tenant}, which this home has as well: "
                f"one record can't be two tenants'. Import it with --tenant {head.tenant}, or into "
                "another home."
            )
        keys = _open_keys(head, passphrase)
        work = _Work(MergeReport(head), path.stat().st_size)
        for batch in _list_batches(read_lines(path)):
            with self._store.write(self._tenant) as tx:
                self._put_batch(tx, batch, work)
            progress(batch[-1].position, work.size)
        with self._store.write(self._tenant) as tx:
            tx.portable.join_entities(work.merge)
            repetition = self._take_in_list(tx, work, keys)
            self._add_core_files(tx, work)
        report = work.finish()
        if repetition is not None:
            files = self._files.of(self._tenant)
            repetition.erase_files(TextFileEraser(self._home, self._tenant, files))
        if repetition is not None and repetition.count:
            report.forgotten_here = repetition.count
            report.is_scrubbed = self._store.scrub()
        return report

    def _put_batch(
        self, tx: Transaction, batch: Sequence[ExportLine | UnreadableLine], work: "_Work"
    ) -> None:
        admission = self._admission(tx, work)
        for line in batch:
            if isinstance(line, UnreadableLine):
                work.note_bad(line)
            elif line.kind in _LAST:
                work.last.append(line)
            else:
                work.put(tx, line, admission)

    def _admission(self, tx: Transaction, work: "_Work") -> Admission:
        digester = Digester(self._tenant, self._files.tombstone_key)
        return Admission(tx, digester, work.refusals, work.merge)

    def _take_in_list(
        self, tx: Transaction, work: "_Work", keys: bytes | None
    ) -> Repetition | None:
        """Take in the tombstones of the exporting home, and forget here what they recognise."""
        lines = [line for line in work.last if line.kind == "tombstone"]
        if not lines:
            return None
        is_of_tenant = work.report.head.tenant == self._tenant
        gained = is_of_tenant and keys is not None and self._files.adopt_tombstone_keys(keys)
        known = set(map(key_id, self._files.list_tombstone_keys()))
        if not is_of_tenant or not known.issuperset(work.report.head.keys):
            work.report.unchecked = len(lines)
        before = work.report.added["tombstone"]
        taken = [line for line in lines if work.put(tx, line) is not None]
        if work.report.added["tombstone"] == before and not gained:
            return None
        subjects = {line.record["subject"] for line in taken}
        stones = [one for one in tx.tombstones.all() if one.tombstone.subject in subjects]
        digester = Digester(self._tenant, self._files.tombstone_key)
        repetition = Repetition(tx, stones, digester, spared=work.seen)
        repetition.run()
        return repetition

    def _add_core_files(self, tx: Transaction, work: "_Work") -> None:
        admission = self._admission(tx, work)
        files = self._files.of(self._tenant)
        for line in work.last:
            if line.kind != CORE_FILE:
                continue
            try:
                with tx.portable.attempt():
                    left = admission.admit_lines(str(line.record["text"]).splitlines())
                    added = add_own_text(files, str(line.record["place"]), left)
            except (ValueError, UnusableFileError) as error:
                work.note_bad(UnreadableLine(line.number, str(error), line.position))
            else:
                (work.report.added if added else work.report.known)[CORE_FILE] += 1


@dataclass(slots=True)
class _Work:
    """Progress of merging one export."""

    report: MergeReport
    size: int
    refusals: Refusals = field(default_factory=Refusals)
    merge: PortableMerge = field(default_factory=PortableMerge)
    last: list[ExportLine] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """Ids of the memories and turns in the export, which its tombstones spare."""

    def put(
        self, tx: Transaction, line: ExportLine, admission: Admission | None = None
    ) -> PutOutcome | None:
        """Write a record, if it may come in; note an invalid record as a bad line."""
        if line.kind in ("memory", "turn") and self.report.head.counts.get("tombstone"):
            self.seen.add(str(line.record.get("id")))
        outcome = None
        try:
            with tx.portable.attempt():
                record = admission.admit(line.kind, line.record) if admission else line.record
                if record is not None:
                    outcome = tx.portable.put(_as_kind(line.kind), record, self.merge)
        except ValueError as error:
            self.note_bad(UnreadableLine(line.number, str(error), line.position))
            return None
        if outcome is not None:
            self._count(line.kind, outcome)
        return outcome

    def _count(self, kind: str, outcome: PutOutcome) -> None:
        match outcome:
            case "added":
                self.report.added[kind] += 1
            case "changed":
                self.report.changed[kind] += 1
            case "known":
                self.report.known[kind] += 1
            case "left_out":
                self.report.left_out += 1

    def note_bad(self, line: UnreadableLine) -> None:
        """Note a line that is left out."""
        self.report.bad += 1
        if len(self.report.bad_lines) < _MOST_NAMED:
            self.report.bad_lines.append(line)

    def finish(self) -> MergeReport:
        """Finish the merge, and return the report."""
        self.report.forgotten = self.refusals.forgotten
        self.report.private = self.refusals.private
        self.report.redacted = self.refusals.redacted
        return self.report


def _open_keys(head: ExportHead, passphrase: str | None) -> bytes | None:
    if passphrase is None or head.sealed_keys is None:
        return None
    return open_key(head.sealed_keys, passphrase, head.tenant)


def _list_batches(
    lines: Iterator[ExportLine | UnreadableLine],
) -> Iterator[list[ExportLine | UnreadableLine]]:
    """Yield batches of lines, each small enough for one transaction."""
    batch, begun = list[ExportLine | UnreadableLine](), 0
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH or line.position - begun > _BATCH_BYTES:
            yield batch
            batch, begun = [], line.position
    if batch:
        yield batch


def _as_kind(kind: str) -> PortableKind:
    return next(known for known in PORTABLE_KINDS if known == kind)
