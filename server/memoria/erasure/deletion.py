"""Deletion: a plan is drafted, carried out within one transaction, and reported."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoria.erasure.cascade import (
    delete_dependents,
    delete_memory,
    drop_lost_subjects,
    drop_unsupported,
    list_restatements,
    part_unsupported,
)
from memoria.erasure.files import EVERY_FILE, TextFileEraser, quote_mark
from memoria.erasure.plan import ErasurePlan, plan_erasure
from memoria.erasure.selection import ErasureRequest, find_named
from memoria.erasure.suppression import Digester
from memoria.language.reading.statement import Phrases
from memoria.language.words.document import full_text
from memoria.model import Channel, Memory, StoredTurn, now_millis
from memoria.model.forgetting import (
    FORGET_KINDS,
    ForgetEffect,
    ForgetItem,
    ForgetPreview,
    ForgetReport,
    ForgetSelection,
    ShareKind,
    count_kinds,
)
from memoria.store.rows.transaction import Transaction
from memoria.store.values import (
    ErasureFilter,
    Filters,
    SuppressedMeaning,
    Tombstone,
    TombstoneKind,
    TombstoneRecord,
)


def list_notes(tx: Transaction, plan: ErasurePlan) -> list[str]:
    """List the tasks, on scratchpads or of memories, whose names go with what a plan forgets."""
    return plan.find_notes([*tx.scratchpads.list_notes(), *tx.tasks.list_names()])


class Deletion:
    """Erases the records of a plan and the records that rest on them."""

    def __init__(
        self,
        tx: Transaction,
        plan: ErasurePlan,
        digester: Digester,
        channel: Channel,
        reason: str,
        meanings: Mapping[str, SuppressedMeaning],
    ) -> None:
        self._tx = tx
        self._plan = plan
        self._digester = digester
        self._channel = channel
        self._reason = reason
        self._meanings = meanings
        self._at = now_millis()
        self._may_return = False

    def run(self, *, may_return: bool = False) -> None:
        """Erase everything that is planned.

        Args:
            may_return: whether it may be recorded again; tombstones then hold no digests.
        """
        self._may_return = may_return
        tx, plan = self._tx, self._plan
        for memory_id in delete_dependents(
            tx, plan.ids_with_lost_wordings, plan.source_ns, spared={*plan.memories, *plan.kept}
        ):
            self._audit("forget", memory_id)
        for memory in plan.memories.values():
            self._erase_memory(memory)
        for n, memory_id in plan.former_wordings.items():
            if memory_id not in plan.memories and tx.memories.get(memory_id) is not None:
                tx.memories.erase_wording(memory_id, n)
        for turn in plan.named_turns.values():
            if not plan.spares(full_text(turn)):  # so that nobody concludes it again
                self._add_tombstone("memory", turn.id, (self._digest_statement(full_text(turn)),))
        if plan.include_source:
            self._erase_turns()
        else:
            self._suppress_turns()
        self._erase_notes()
        part_unsupported(tx)

    def _erase_memory(self, memory: Memory) -> None:
        texts = self._plan.list_suppressed(memory)
        restatements = list_restatements(self._tx, memory)
        barred = (text for text in restatements if not self._plan.spares(text))
        digests = dict.fromkeys(map(self._digest_statement, barred))
        meanings = tuple(self._meanings[text] for text in texts if text in self._meanings)
        self._add_tombstone("memory", memory.id, tuple(digests), meanings)
        delete_memory(self._tx, memory.id, self._at)
        self._audit("forget", memory.id)

    def _digest_statement(self, text: str) -> str:
        return self._digester.digest_statement(text, erases=self._plan.include_source)

    def _suppress_turns(self) -> None:
        """Suppress the sources, also for a home that is restored from a backup."""
        for version in self._plan.source_versions:
            digests = self._digest_turn(version, erases=False)
            self._add_tombstone("memory", version.id, tuple(digests))
        for turn in self._plan.sources.values():
            self._tx.conversations.suppress_turn(turn)
            self._audit("suppress", turn.id)

    def _erase_turns(self) -> None:
        ns = self._plan.source_ns
        dependents = self._tx.dependencies.list_dependents([], ns)
        self._erase_sources()
        # A memory that said it in a former wording stays, without the names that it had from there.
        survivors = {one.memory_id for one in dependents} | {*self._plan.former_wordings.values()}
        drop_lost_subjects(self._tx, survivors, [*map(full_text, self._plan.source_versions)])
        drop_unsupported(self._tx, sorted(survivors), self._at)

    def _erase_sources(self) -> None:
        turns = [*self._plan.sources.values()]
        versions = {turn.n: self._tx.conversations.turn_versions(turn) for turn in turns}
        for n, names in self._tx.conversations.erase_turns(turns).items():
            digests = [self._digest_turn(version, erases=True) for version in versions[n]]
            digests += map(self._digester.digest_message, names)
            for version in versions[n]:
                self._add_tombstone("turn", version.id, tuple(set().union(*digests)))
                self._audit("erase", version.id)

    def _digest_turn(self, turn: StoredTurn, *, erases: bool) -> set[str]:
        """Return the digests of a turn's text; none if the text is to be kept."""
        text = full_text(turn)
        return set() if self._plan.spares(text) else self._digester.digest_turn(text, erases=erases)

    def _erase_notes(self) -> None:
        """Erase the names of tasks that say what is forgotten, on scratchpads and of memories."""
        unwanted = {*list_notes(self._tx, self._plan)}
        if unwanted:
            self._tx.scratchpads.erase(unwanted.__contains__)
            self._tx.tasks.erase(unwanted.__contains__)

    def _add_tombstone(
        self,
        kind: TombstoneKind,
        subject: str,
        digests: tuple[str, ...] = (),
        meanings: tuple[SuppressedMeaning, ...] = (),
    ) -> None:
        if self._may_return:
            digests, meanings = (), ()
        tombstone = Tombstone(kind, subject, self._at, self._reason)
        self._tx.tombstones.add(TombstoneRecord(tombstone, digests, meanings))

    def _audit(self, action: str, subject: str) -> None:
        self._tx.audit.add(
            at=self._at,
            channel=self._channel.name,
            client=self._channel.client,
            caller=self._channel.caller,
            action=action,
            subject=subject,
        )


_BEFORE = "\nbefore: "
"""Separator of a wording from the one before it."""
_ELSEWHERE = "(in another project)"
_SHOWN_CHARS = 300
_TOKEN_CHARS = 16
_MANY = 3
"""Least number of records for a warning that most of what the caller sees goes."""


@dataclass(frozen=True, slots=True)
class ErasureDraft:
    """Everything that would be forgotten, as one transaction sees it."""

    plan: ErasurePlan
    notes: tuple[str, ...]
    """Names of tasks that go."""
    phrases: Phrases
    """Phrases that no file may say any more."""
    marks: Mapping[str, Collection[str]]
    """Marks of the lines for planned memories in core files, by place."""
    generated: Mapping[str, str]
    """Digests of what nightly runs wrote, by place below the tenant's folder."""
    share: dict[ShareKind, tuple[int, int]]
    """How many records go, of how many, by kind, where most of them go unnamed."""

    def describe(
        self, files: TextFileEraser, digester: Digester, seen: Filters | None = None
    ) -> ForgetPreview:
        """Describe everything that would go, with the token of this very preview."""
        items = self.list_items(files)
        unseen = set() if seen is None else self._list_unseen(seen.workspace)
        shown = tuple(
            item.model_copy(
                update={"text": _ELSEWHERE if item.id in unseen else item.text[:_SHOWN_CHARS]}
            )
            for item in items
        )
        meant = [[item.kind, item.id, item.text, item.effect] for item in items]
        return ForgetPreview(
            items=shown,
            counts=count_kinds(shown),
            token=make_token(digester, json.dumps(meant, ensure_ascii=False)),
            include_source=self.plan.include_source,
            already_forgotten=tuple(self.plan.forgotten_before),
            hidden=tuple(self.plan.hidden),
            kept=tuple(sorted(self.plan.kept)),
            share=self.share,
        )

    def _list_unseen(self, workspace: str | None) -> set[str]:
        """List the ids of records that nobody named and only another project sees."""
        plan, own = self.plan, (None, workspace)
        memories = (*plan.memories.values(), *plan.dependents.values())
        unseen = {one.id for one in memories if one.project not in own}
        unseen |= {turn.id for turn in plan.sources.values() if turn.workspace not in own}
        named = {one for one, kind in plan.kinds.items() if kind == "memory"}
        return unseen - named - plan.named_turns.keys()

    def list_items(self, files: TextFileEraser) -> list[ForgetItem]:
        """List everything that would go, kind by kind, with the full texts."""
        plan = self.plan
        lines = files.find_lines(self.phrases, self.generated, plan.ids_to_erase, self.marks)
        found = [
            *(_describe_memory(plan, one) for one in plan.memories.values()),
            *(_describe_memory(plan, one) for one in plan.dependents.values()),
            *_describe_former_wordings(plan),
            *_describe_turns(plan),
            *(ForgetItem(kind="note", id="", text=note) for note in self.notes),
            *(ForgetItem(kind="line", id=line.place, text=line.text) for line in lines),
        ]
        return sorted(found, key=lambda item: (FORGET_KINDS.index(item.kind), item.id, item.text))


def draft_erasure(tx: Transaction, request: ErasureRequest) -> ErasureDraft:
    """Draft everything that a request would forget.

    Raises:
        InvalidInputError: the selection can't be used.
        NotFoundError: an id is unknown.
    """
    selection = request.selection
    plan = plan_erasure(tx, find_named(tx, request), include_source=selection.include_source)
    return ErasureDraft(
        plan,
        tuple(list_notes(tx, plan)),
        plan.phrases,
        {
            **tx.erasures.list_core_marks([*plan.memories, *plan.dependents]),
            EVERY_FILE: frozenset(_list_quote_marks(plan)),
        },
        {file.path: file.digest for file in tx.file_records.all()},
        _measure_share(tx, plan, request.seen) if selection.narrowing else {},
    )


def _measure_share(
    tx: Transaction, plan: ErasurePlan, seen: Filters | None
) -> dict[ShareKind, tuple[int, int]]:
    """Map kinds to how many records go and how many the caller sees, where most of them go."""
    wanted = ErasureFilter(seen=seen)
    memories, turns = {*tx.erasures.list_memories(wanted)}, {*tx.erasures.list_turns(wanted)}
    counts: dict[ShareKind, tuple[int, int]] = {
        "memory": (len(memories & {*plan.memories, *plan.dependents}), len(memories)),
        "turn": (len(turns & {*plan.source_ns}), len(turns)),
    }
    return {kind: (n, total) for kind, (n, total) in counts.items() if n >= _MANY and 2 * n > total}


def _list_quote_marks(plan: ErasurePlan) -> Iterator[str]:
    """Yield the marks of lines that quote records of a plan."""
    turns = (turn.id for turn in plan.source_versions)
    return map(quote_mark, (*plan.memories, *plan.dependents, *turns))


def make_token(digester: Digester, meant: str) -> str:
    """Return a preview's token: an HMAC of its content under the home's key."""
    return digester.digest_values("preview", meant)[:_TOKEN_CHARS]


def _describe_memory(plan: ErasurePlan, memory: Memory) -> ForgetItem:
    texts = dict.fromkeys(version.content for version in memory.versions)
    return ForgetItem(
        kind=plan.kinds[memory.id],
        id=memory.id,
        text=_BEFORE.join(texts),
        is_unsupported=memory.id in plan.unsupported,
    )


def _describe_former_wordings(plan: ErasurePlan) -> Iterator[ForgetItem]:
    for memory in plan.reworded.values():
        for version in memory.versions:
            if version.n in plan.former_wordings and memory.id not in plan.memories:
                yield ForgetItem(kind="wording", id=memory.id, text=version.content)


def _describe_turns(plan: ErasurePlan) -> Iterator[ForgetItem]:
    """Yield the sources, each with the texts of all its versions."""
    effect: ForgetEffect = "erased" if plan.include_source else "suppressed"
    versions: dict[tuple[int, int], list[StoredTurn]] = {}
    for version in plan.source_versions:
        versions.setdefault((version.session_n, version.turn_index), []).append(version)
    for turn in plan.sources.values():
        texts = dict.fromkeys(map(full_text, versions[turn.session_n, turn.turn_index]))
        yield ForgetItem(kind="turn", id=turn.id, text=_BEFORE.join(texts), effect=effect)


def make_report(
    report_id: str,
    selection: ForgetSelection,
    by: str,
    at: int,
    counts: Mapping[str, int],
    digests: Sequence[str],
    before: Mapping[str, int],
    after: Mapping[str, int],
    purge_at: int | None = None,
) -> ForgetReport:
    """Make a report on what was erased.

    Of the selection only the kinds of its criteria are noted.
    """
    removed = {place: before[place] - after.get(place, 0) for place in before}
    return ForgetReport(
        id=report_id,
        at=at,
        by=by,
        selected_by=selection.names,
        state="erased" if purge_at is None else "hidden",
        purge_at=purge_at,
        items=dict(counts),
        removed={place: count for place, count in removed.items() if count},
        remaining={place: count for place, count in after.items() if count},
        digests=tuple(digests),
    )


def digest_items(items: Sequence[ForgetItem], digester: Digester) -> list[str]:
    """Return the digest of each item under the home's key, as proof of its erasure."""
    return [digester.digest_values("proof", item.kind, item.id, item.text) for item in items]
