"""Intake of what hooks have left in the spool: transcripts they point to, and their own words.

A hook's entry names the client, the session and the transcript; of a transcript it has no text, as
the transcript is read on from where it was last read to. All turns go the way of every conversation
(`ingest/capture`), where private times, forgotten texts, secrets and repetitions are seen to.

Only one process at a time takes in the spool (`bare/spool`); others go on. An entry is removed once
what it points to is on disk. Work is bounded: a transcript is read in slices, each recorded before
the next is read, and a process that somebody waits for takes in a limited number of bytes.

An entry or a transcript that fails, or that stays at one step too long (`SpoolIntake.give_up`), is
set aside, and doctor names it; the rest goes on. Of a transcript one entry is kept aside; while it
is, further entries of that session are dropped, until a later one tries again and reads all of it.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from memoria.admin.spool_entries import (
    GivenUpError,
    IntakeBudget,
    Progress,
    SpoolEntry,
    SpoolReport,
    TurnRecorder,
    has_grown,
    point_at,
    read_entry,
    read_turn,
    touch,
)
from memoria.bare.projects import project_of
from memoria.bare.spool import (
    AsideEntry,
    SpoolClaim,
    append_entry,
    claim_entries,
    describe_error,
    list_aside,
    note_failure,
)
from memoria.config import NO_WORKSPACE
from memoria.connectors.transcripts.base import (
    FoldersLeftOut,
    TranscriptFormat,
    TranscriptItem,
    TranscriptTurn,
)
from memoria.connectors.transcripts.follow import FilePlace, TranscriptFollower
from memoria.connectors.transcripts.formats import FORMATS
from memoria.erasure.suppression import Digester
from memoria.errors import InvalidInputError, InvalidTurnError, StoreError
from memoria.language.reading.clean import is_own_call
from memoria.model import DAY_MS, CaptureEvent, Channel, Turn, now_millis
from memoria.model.provenance import hook_channel
from memoria.store.engine import Store
from memoria.store.rows.capture import TranscriptPlace

SLICE_BYTES = 1024 * 1024
"""Bytes of a transcript that are read at a time."""
_BATCH_TURNS, _BATCH_BYTES = 40, 2 * 1024 * 1024
"""Most turns and bytes that one transaction records, so that other writers do not wait for long."""
_CLOSING: dict[str, CaptureEvent] = {"compact": "compaction", "end": "session_end"}
"""Events that end a segment. A finished answer (`stop`) ends none: a conversation has
many, and each would be summed up by itself."""
_RESTING = frozenset({"stop", "compact", "end"})
"""Events after which no message of the transcript is still unfinished."""
_MOST_ENDS = 20
"""Most sessions that are looked at again when another session begins."""
_SUBAGENTS = "subagents"
_RETRY_S = 3600.0
"""Time for which a transcript that was set aside is left alone."""
_NOT_ITS_FAULT = (StoreError, ImportError, GivenUpError)
"""Errors that no entry causes: they set no entry aside."""

MakeCapture = Callable[[Channel, str], TurnRecorder]


class SpoolIntake:
    """Takes in one tenant's spool."""

    def __init__(
        self,
        store: Store,
        home: Path,
        tenant: str,
        digester: Digester,
        make_capture: MakeCapture,
        folders: FoldersLeftOut,
        *,
        retries: bool = True,
    ) -> None:
        """Bind to a tenant's spool.

        Args:
            store: where turns go.
            home: where the spool lies.
            tenant: whose it is.
            digester: of the tenant.
            make_capture: what records turns of a channel in a workspace.
            folders: those of which nothing is kept.
            retries: whether transcripts that were set aside long ago are tried again.
        """
        self._store = store
        self._home = str(home)
        self._tenant = tenant
        self._digester = digester
        self._make_capture = make_capture
        self._folders = folders
        self._retries = retries
        self._claim: SpoolClaim | None = None
        self.progress = Progress()
        """Progress of the intake."""

    def take_in(self, most_bytes: int) -> SpoolReport:
        """Take in the waiting entries, unless another process is taking them in.

        Args:
            most_bytes: of transcripts. What is beyond is left for the next time.

        Raises:
            OSError: the spool can't be read.
            StoreError: the store can't be written. What was taken in before stays, and so do the
                entries that were not.
        """
        budget = IntakeBudget(most_bytes)
        claim = claim_entries(self._home, self._tenant)
        if claim is None:
            budget.report.is_refused = True
            return budget.report
        self._claim = claim
        with claim:
            claim.remove_drafts()
            if (names := claim.names()) and self._take_entries(claim, names, budget):
                self._take_entries(claim, claim.names(), budget)
            budget.report.waiting = len({*names} & {*claim.names()})
        return budget.report

    def give_up(self, reason: str) -> SpoolReport | None:
        """Set aside the entries at hand, whose intake may never end; leave the rest to another.

        For another thread than the one that takes in. Gives how much is left, or None where there
        was nothing to be set aside.

        Raises:
            OSError: the spool can't be changed.
        """
        self.progress.give_up()
        if self._claim is None:
            return None
        with self._claim:
            self._set_aside(self._claim, self.progress.names, reason)
            waiting = len(self._claim.names())
        return SpoolReport(unreadable=1, waiting=waiting) if self.progress.names else None

    def _take_entries(self, claim: SpoolClaim, names: Iterable[str], budget: IntakeBudget) -> bool:
        """Record the turns that entries hold, and read each transcript once for all its entries.

        Returns whether entries were added for more transcripts to be read.
        """
        pointing: dict[tuple[str, str], list[SpoolEntry]] = {}
        for entry in self._read_entries(claim, names, budget):
            if entry.transcript is not None and not entry.turns:
                pointing.setdefault((entry.client, entry.transcript), []).append(entry)
                continue
            with self._setting_aside(claim, [entry], budget):
                self._record_words(entry, budget)
                self._remove(claim, entry.name, budget)
        resting = self._list_resting() if pointing else {}
        for (client, path), entries in pointing.items():
            done: Iterable[SpoolEntry] = entries
            with self._setting_aside(claim, entries, budget):
                if not self._is_resting(claim, resting.get(path, ())):
                    done = _Following(self, client, path, budget).take_in(entries)
                for entry in done:
                    self._remove(claim, entry.name, budget)
            if budget.left <= 0:
                return False
        is_beginning = any(one.event == "start" for entries in pointing.values() for one in entries)
        return is_beginning and self._point_at_ends({path for _, path in pointing})

    def _list_resting(self) -> dict[str, list[AsideEntry]]:
        """List the entries set aside, by transcript."""
        resting: dict[str, list[AsideEntry]] = {}
        for one in list_aside(self._home, self._tenant):
            if isinstance(one.transcript, str):
                resting.setdefault(one.transcript, []).append(one)
        return resting

    def _is_resting(self, claim: SpoolClaim, aside: Sequence[AsideEntry]) -> bool:
        """Check whether a transcript is to be left alone; if not, remove its entries set aside."""
        if aside and not (self._retries and all(time.time() - one.at > _RETRY_S for one in aside)):
            return True
        for one in aside:
            claim.remove_aside(one)
        return False

    @contextmanager
    def _setting_aside(
        self, claim: SpoolClaim, entries: Sequence[SpoolEntry], budget: IntakeBudget
    ) -> Iterator[None]:
        """Run a block that takes in entries; set the entries aside if they make it fail."""
        names = [entry.name for entry in entries]
        self.progress.begin(names)
        try:
            yield
        except _NOT_ITS_FAULT:
            raise
        except Exception as error:  # noqa: BLE001  (it is noted, and others must not wait for it)
            self._set_aside(claim, names, describe_error(error))
            budget.report.unreadable += 1

    def _set_aside(self, claim: SpoolClaim, names: Sequence[str], reason: str) -> None:
        """Set aside the last of a transcript's spool entries with the reason; remove the others."""
        for name in names[:-1]:
            claim.remove(name)
        for name in names[-1:]:
            claim.set_aside(name)
            with suppress(OSError):  # doctor names it all the same
                note_failure(self._home, self._tenant, "intake", f"{name} was set aside: {reason}")

    def _point_at_ends(self, known: Collection[str]) -> bool:
        """Append entries for transcripts that clients have written to since their last hook.

        A session's last lines may come after the hook that ends it.
        """
        with self._store.read(self._tenant) as tx:
            recent = tx.transcripts.list_recent(now_millis() - DAY_MS, _MOST_ENDS)
        grown = [place for place in recent if place.path not in known and has_grown(place)]
        for place in grown:
            append_entry(self._home, self._tenant, point_at(place))
        return bool(grown)

    def _remove(self, claim: SpoolClaim, name: str, budget: IntakeBudget) -> None:
        claim.remove(name)
        budget.report.entries += 1

    def _read_entries(
        self, claim: SpoolClaim, names: Iterable[str], budget: IntakeBudget
    ) -> Iterator[SpoolEntry]:
        for name in names:
            self.progress.begin([name])
            read = claim.read(name)
            entry = None if read is None else read_entry(name, read)
            if entry is not None:
                yield entry
                continue
            self._remove(claim, name, budget)
            budget.report.unreadable += 1

    def _record_words(self, entry: SpoolEntry, budget: IntakeBudget) -> None:
        """Record the turns that an entry holds."""
        turns = [read_turn(entry, i, each) for i, each in enumerate(entry.turns)]
        own = [turn for turn in turns if turn is not None and not is_own_call(turn)]
        budget.report.unreadable += turns.count(None)
        event = _CLOSING.get(entry.event)
        if own or event is not None:
            capture = self.capture_in(entry.client, entry.cwd)
            self.record(capture, own, entry.session, event, budget.report)
        # It has no transcript; by the name of its session it is known that its hooks are at work.
        self.note_place(
            TranscriptPlace(entry.client, entry.session, entry.session, 0, "{}", touch(entry))
        )

    def record(
        self,
        capture: TurnRecorder | None,
        turns: Sequence[Turn],
        session: str,
        event: CaptureEvent | None,
        report: SpoolReport,
    ) -> None:
        """Record some turns; only a turn that can't be kept is left out."""
        self.progress.go_on()
        if capture is None:
            report.unreadable += len(turns)
            return
        try:
            report.recorded += capture.record(turns, session, event).recorded
        except InvalidTurnError:
            for turn in turns:
                try:
                    report.recorded += capture.record([turn], session, None).recorded
                except InvalidTurnError:
                    report.unreadable += 1
            if event is not None:
                capture.record([], session, event)

    def capture_in(self, client: str, cwd: str | None) -> TurnRecorder | None:
        """Return what records sessions in a folder; None if the folder's name has a secret."""
        place = NO_WORKSPACE if cwd is None else project_of(self._home, cwd)
        try:
            return self._make_capture(hook_channel(client), place)
        except InvalidInputError:  # a secret stands in the folder's name
            return None

    def read_place(self, client: str, path: str) -> TranscriptPlace | None:
        """Return how far a transcript has been taken in."""
        with self._store.read(self._tenant) as tx:
            return tx.transcripts.get(client, path)

    def note_place(self, place: TranscriptPlace) -> None:
        """Note how far a transcript has been taken in."""
        self.progress.go_on()
        with self._store.write(self._tenant, only_adds=True) as tx:
            tx.transcripts.set(place)

    def follow(self, form: TranscriptFormat, path: Path, session: str) -> TranscriptFollower:
        """Return a reader that continues a transcript."""
        return TranscriptFollower(form, path, session, self._digester.digest_name, self._folders)


class _Following:
    """Intake of one transcript, for the entries that point to it."""

    def __init__(self, intake: SpoolIntake, client: str, path: str, budget: IntakeBudget) -> None:
        self._intake = intake
        self._client = client
        self._path = path
        self._budget = budget

    def take_in(self, entries: Sequence[SpoolEntry]) -> Iterator[SpoolEntry]:
        """Read on as far as the budget goes; yield the entries that are done.

        The transcript is read up to each entry that ends a segment, and for the last to its end:
        what was written since is as good as what the hook saw.
        """
        form = FORMATS.get(self._client)
        path = Path(self._path)
        if form is None or _SUBAGENTS in path.parts or not path.is_absolute():
            yield from entries
            return
        pending = list[SpoolEntry]()
        for i, entry in enumerate(entries):
            pending.append(entry)
            is_last = i == len(entries) - 1
            if not (is_last or entry.event in _CLOSING):
                continue
            try:
                is_done = self._read_to(form, path, entry, is_last=is_last)
            except OSError:
                self._budget.report.unreadable += 1
                yield from entries[i + 1 - len(pending) :]
                return
            if not is_done:
                return
            event = _CLOSING.get(entry.event)
            if event is not None:
                capture = self._intake.capture_in(self._client, entry.cwd)
                self._intake.record(capture, [], entry.session, event, self._budget.report)
            yield from pending
            pending.clear()

    def _read_to(
        self, form: TranscriptFormat, path: Path, entry: SpoolEntry, *, is_last: bool
    ) -> bool:
        """Read up to where an entry points, the last to the end; return False if cut short."""
        size = path.stat().st_size
        until = size if is_last else min(entry.offset, size)
        known = self._intake.read_place(form.client, self._path)
        follower = self._intake.follow(form, path, entry.session)
        place = follower.check(known and FilePlace(known.offset, known.place))
        while True:
            ends = min(until, place.offset + min(SLICE_BYTES, max(self._budget.left, 1)))
            finishes = is_last and ends == until and entry.event in _RESTING
            self._record(follower.read(place, ends, finishes=finishes), entry)
            before, place = place, follower.place
            self._budget.left -= place.offset - before.offset
            self._intake.note_place(
                TranscriptPlace(
                    form.client, self._path, entry.session, *place, touched_at=touch(entry)
                )
            )
            if place.offset >= until or place.offset == before.offset:
                return True
            if self._budget.left <= 0:
                return False

    def _record(self, items: Iterable[TranscriptItem], entry: SpoolEntry) -> None:
        """Record what was read, in batches of turns of one working folder."""
        batch: list[TranscriptTurn] = []
        for item in items:
            self._intake.progress.go_on()
            if not isinstance(item, TranscriptTurn):
                continue
            size = sum(said.size for said in batch)
            is_full = len(batch) >= _BATCH_TURNS or size >= _BATCH_BYTES
            if batch and (is_full or batch[0].cwd != item.cwd):
                self._record_batch(batch, entry)
                batch = []
            batch.append(item)
        if batch:
            self._record_batch(batch, entry)

    def _record_batch(self, batch: Sequence[TranscriptTurn], entry: SpoolEntry) -> None:
        capture = self._intake.capture_in(self._client, batch[0].cwd or entry.cwd)
        turns = [said.turn for said in batch]
        self._intake.record(capture, turns, entry.session, None, self._budget.report)
