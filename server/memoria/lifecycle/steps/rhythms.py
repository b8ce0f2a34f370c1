"""Rhythms: what the user reports every week or every day is noted as a habit.

Told from when it was said or happened, by rule alone: what a habit says is the memory's own words
and when it comes back. It is written anew when that changes, and ended when it has stopped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memoria.lifecycle.derivation import (
    MOST_SOURCES,
    DerivationItem,
    DerivedMemory,
    derivation_validator,
    has_user_decision,
    read_derived,
    sources_as_planned,
)
from memoria.lifecycle.interface import ItemResult, PlannedStep, StepContext
from memoria.lifecycle.patterns import source_pages
from memoria.memories.derived import (
    DerivedDraft,
    add_derived,
    end_derived,
    is_known,
    revise_derived,
)
from memoria.memories.validator import RejectedError
from memoria.model import InferredBy, Memory, MemoryType, Validity
from memoria.model.memory_types import MOMENTARY_TYPES
from memoria.model.nightly import StepOutcome
from memoria.policy.conflict import USER, has_one_value, subject_key
from memoria.policy.core import HABIT
from memoria.policy.rhythm import Rhythm, describe_rhythm, find_rhythm, recent_instants
from memoria.store.base import DerivationCandidate, Transaction
from memoria.text.statement import wording_key

_TURNS = 20
"""Turns of a source that one item lets a habit rest on."""
_STOPPED = "it has stopped"

HabitAction = Literal["write", "rewrite", "hear", "end"]


class HabitItem(DerivationItem):
    """A habit to write, rewrite or end, or one that gets more evidence."""

    do: HabitAction
    habit: str | None = None
    """The id of the one that is there."""
    wording: int = 0
    """Its present wording, by number."""
    content: str = ""
    share: float = 0


@dataclass(slots=True)
class _Theme:
    """Memories in the same words, and each time they were reported."""

    content: str
    sources: list[tuple[str, int]] = field(default_factory=list)
    instants: list[int] = field(default_factory=list)
    offsets: dict[int, int] = field(default_factory=dict)
    """How many minutes local time was ahead of UTC at each of them."""


class RhythmsStep(PlannedStep[HabitItem]):
    """Notes what recurs every week or every day."""

    name = "rhythms"
    summary = "Note habits: what the user does every week or every day."
    things = ("habit", "habits")
    deed = "noted or ended"
    item = HabitItem
    rows = 150

    def plan(self, context: StepContext) -> Iterator[HabitItem]:
        """The habits to write, and the existing ones to revise."""
        themes = _find_themes(context)
        by_source = {source: theme for theme in themes for source, _ in theme.sources}
        told: set[int] = set()
        for one in read_derived(context, MemoryType.FACT):
            ours = {
                id(by_source[i]): by_source[i] for i in sorted(one.source_ids) if i in by_source
            }
            told.update(ours)
            if not one.is_decided:
                yield from _revisit_habit(context, one, list(ours.values()))
        for theme in themes:
            if id(theme) not in told:
                yield from _find_habit(context, theme, None)

    def apply(self, tx: Transaction, item: HabitItem, context: StepContext) -> ItemResult:
        """Write the habit, unless one of its sources was changed or forgotten since."""
        memory = None if item.habit is None else tx.memories.get(item.habit)
        if item.habit is not None and (memory is None or _has_changed(tx, memory, item)):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.habit)
        if item.do == "end" and memory is not None:
            end_derived(context.memory_writer(tx), memory, _STOPPED)
            return ItemResult(StepOutcome.DONE, memory.id, _STOPPED)
        sources = sources_as_planned(tx, item)
        if sources is None:
            return ItemResult(StepOutcome.CHANGED_SINCE, item.habit)
        if item.do == "hear" and memory is not None:
            for source in sources:
                turns = _TURNS // len(sources)
                context.memory_writer(tx).copy_evidence(memory.id, source.id, turns)
            return ItemResult(StepOutcome.DONE, memory.id, "it goes on")
        return _write_habit(tx, item, context, memory, sources)


def _find_themes(context: StepContext) -> list[_Theme]:
    found: dict[tuple[object, str], _Theme] = {}
    zone = context.store.zone
    for page in source_pages(context):
        events = {one.n: one for one in page if _may_come_back(one)}
        with context.store.read(context.tenant) as tx:
            instants = tx.derivations.user_statement_times(list(events))
        for n, at, own_offset in instants:
            one = events[n]
            key = (one.scope, wording_key(one.content))
            theme = found.setdefault(key, _Theme(one.content))
            theme.instants.append(at)
            theme.offsets[at] = zone.at_offset(at, own_offset).offset_minutes(at)
            if (one.id, one.wording) not in theme.sources[-1:]:
                theme.sources.append((one.id, one.wording))
    for theme in found.values():
        del theme.sources[:-MOST_SOURCES]
    return list(found.values())


def _may_come_back(one: DerivationCandidate) -> bool:
    """Whether a memory is about the user and of something that can recur."""
    own = one.subject is None or subject_key(one.subject) == USER
    lasting = one.predicate is not None and (has_one_value(one.predicate) or one.predicate == HABIT)
    return own and not lasting and one.type in MOMENTARY_TYPES


def _revisit_habit(
    context: StepContext, one: DerivedMemory, themes: Sequence[_Theme]
) -> Iterator[HabitItem]:
    """The item that keeps, rewrites or ends an existing habit."""
    for theme in themes:
        if _find_rhythm(context, theme):
            yield from _find_habit(context, theme, one)
            return
    if one.memory.validity is Validity.ACTIVE:
        yield _habit_item("end", one, _Theme(""))


def _find_habit(
    context: StepContext, theme: _Theme, one: DerivedMemory | None
) -> Iterator[HabitItem]:
    found = _find_rhythm(context, theme)
    if found is None:
        return
    content = describe_rhythm(found, theme.content)
    if one is None:
        yield _habit_item("write", None, theme, content, found.share)
    elif one.memory.validity is not Validity.ACTIVE or one.memory.content != content:
        yield _habit_item("rewrite", one, theme, content, found.share)
    elif _lacks_evidence(context, one, theme):
        yield _habit_item("hear", one, theme)


def _find_rhythm(context: StepContext, theme: _Theme) -> Rhythm | None:
    return find_rhythm(recent_instants(theme.instants, context.at), theme.offsets.__getitem__)


def _lacks_evidence(context: StepContext, one: DerivedMemory, theme: _Theme) -> bool:
    with context.store.read(context.tenant) as tx:
        return tx.derivations.has_unseen_turns(
            one.memory.id, [source for source, _ in theme.sources]
        )


def _habit_item(
    do: HabitAction, one: DerivedMemory | None, theme: _Theme, content: str = "", share: float = 0
) -> HabitItem:
    return HabitItem(
        key=f"{do}|{one.memory.id if one else theme.sources[0][0]}",
        do=do,
        habit=one.memory.id if one else None,
        wording=one.memory.current.n if one else 0,
        sources=tuple(theme.sources),
        content=content,
        share=share,
    )


def _has_changed(tx: Transaction, memory: Memory, item: HabitItem) -> bool:
    return memory.current.n != item.wording or has_user_decision(tx, memory)


def _write_habit(
    tx: Transaction,
    item: HabitItem,
    context: StepContext,
    memory: Memory | None,
    sources: Sequence[Memory],
) -> ItemResult:
    said = derivation_validator(tx, context, InferredBy.RULES)
    try:
        content = said.check_derived(item.content, sources)
    except RejectedError:
        return ItemResult(StepOutcome.UNCHANGED)
    confidence = min(item.share, *(source.confidence for source in sources))
    turns = max(1, _TURNS // len(sources))
    draft = DerivedDraft(MemoryType.FACT, content, InferredBy.RULES, confidence, turns, USER, HABIT)
    writer = context.memory_writer(tx)
    if is_known(writer, draft, sources[0].project, item.habit):
        return ItemResult(StepOutcome.UNCHANGED)
    if memory is None:
        return ItemResult(
            StepOutcome.DONE, add_derived(writer, draft, sources, context.at), "it comes back"
        )
    revise_derived(writer, memory, draft, sources, context.at)
    return ItemResult(StepOutcome.DONE, memory.id, "it comes back otherwise")
