"""Draft: a plan, and all that goes beside memories and turns, before anybody has agreed to it."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from memoria.erasure.deletion import list_notes
from memoria.erasure.files import EVERY_FILE, FileLine, TextFileEraser
from memoria.erasure.plan import ErasurePlan, plan_erasure
from memoria.erasure.selection import ErasureRequest, find_named
from memoria.erasure.suppression import Digester
from memoria.language.reading.phrases import Phrases
from memoria.language.words.document import full_text
from memoria.model import Memory, StoredTurn
from memoria.model.forgetting import (
    FORGET_KINDS,
    ForgetEffect,
    ForgetItem,
    ForgetPreview,
    ShareKind,
    count_kinds,
)
from memoria.store.rows.transaction import Transaction
from memoria.store.values import ErasureFilter, Filters

_BEFORE = "\nbefore: "
"""Separator of a wording from the one before it."""
_ELSEWHERE = "(in another project)"
_SHOWN_CHARS = 300
_TOKEN_CHARS = 16
_MANY = 3
"""Number of records below which nobody is warned that most of them go."""
_QUOTED_CHARS = 8
"""Number of an id's characters in the mark of a line that quotes it."""


@dataclass(frozen=True, slots=True)
class ErasureDraft:
    """Everything that would be forgotten, as one transaction sees it."""

    plan: ErasurePlan
    notes: tuple[str, ...]
    """Names of tasks that go."""
    phrases: Phrases
    """Phrases that no file may say any more."""
    marks: Mapping[str, Collection[str]]
    """Marks of the lines that core files have for its memories, by place."""
    generated: Mapping[str, str]
    """Digests of what nightly runs wrote, by place below the tenant's folder."""
    share: dict[ShareKind, tuple[int, int]]
    """Part of the record that goes, of how many, where that is most of it and unnamed by id."""

    def describe(
        self, files: TextFileEraser, digester: Digester, seen: Filters | None = None
    ) -> ForgetPreview:
        """Describe everything that would go, with the token that means just this.

        Args:
            files: of the tenant.
            digester: makes the token.
            seen: what the caller sees; words that were not said there are not shown.
        """
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
        """List ids of what nobody named and only another project sees."""
        plan, own = self.plan, (None, workspace)
        memories = (*plan.memories.values(), *plan.dependents.values())
        unseen = {one.id for one in memories if one.project not in own}
        unseen |= {turn.id for turn in plan.sources.values() if turn.workspace not in own}
        named = {one for one, kind in plan.kinds.items() if kind == "memory"}
        return unseen - named - plan.named_turns.keys()

    def list_items(self, files: TextFileEraser) -> list[ForgetItem]:
        """List everything that would go, kind by kind, with all of its words."""
        plan = self.plan
        lines = files.find_lines(self.phrases, self.generated, plan.ids_to_erase, self.marks)
        found = [
            *(_describe_memory(plan, one) for one in plan.memories.values()),
            *(_describe_memory(plan, one) for one in plan.dependents.values()),
            *_describe_former_wordings(plan),
            *_describe_turns(plan),
            *(ForgetItem(kind="note", id="", text=note) for note in self.notes),
            *map(_describe_line, lines),
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
    """Return, by kind, how many go of how many that the caller sees, where that is most of them."""
    wanted = ErasureFilter(seen=seen)
    memories, turns = {*tx.erasures.list_memories(wanted)}, {*tx.erasures.list_turns(wanted)}
    counts: dict[ShareKind, tuple[int, int]] = {
        "memory": (len(memories & {*plan.memories, *plan.dependents}), len(memories)),
        "turn": (len(turns & {*plan.source_ns}), len(turns)),
    }
    return {kind: (n, total) for kind, (n, total) in counts.items() if n >= _MANY and 2 * n > total}


def _list_quote_marks(plan: ErasurePlan) -> Iterator[str]:
    """Yield the marks of lines in core files that quote what goes, or what it came from."""
    turns = (turn.id for turn in plan.source_versions)
    return (f"q:{one[-_QUOTED_CHARS:]}" for one in (*plan.memories, *plan.dependents, *turns))


def make_token(digester: Digester, meant: str) -> str:
    """Return a token that means just this: an HMAC under the home's key, which reveals nothing."""
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


def _describe_line(line: FileLine) -> ForgetItem:
    return ForgetItem(kind="line", id=line.place, text=line.text)
