"""Rhythms: what the user tells of every week or every day becomes known as a habit of theirs.

Told from when it was said or happened, by rule alone: what a habit says is the memory's own words
and when it comes back. It is written anew when that changes, and ended when it has stopped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memoria.ingest.grounds import RejectedError
from memoria.lifecycle.drawing import (
    MOST_SOURCES,
    Draft,
    FromMemories,
    Made,
    as_planned,
    decided,
    end,
    grounds,
    known_already,
    least_trust,
    made,
    rewrite,
    write,
)
from memoria.lifecycle.face import Applied, Night
from memoria.lifecycle.patterns import pages
from memoria.model import InferredBy, Memory, MemoryType, Validity
from memoria.model.night import Outcome
from memoria.policy.conflict import USER, one_value, subject_key
from memoria.policy.core import HABIT
from memoria.policy.merging import wording_key
from memoria.policy.rhythm import lately, rhythm, sentence
from memoria.store.base import Basis, Transaction

_TURNS = 20
"""Turns of a source that one item lets a habit rest on."""
_STOPPED = "it has stopped"
_MOMENTARY = frozenset(
    (
        MemoryType.FACT,
        MemoryType.GOAL,
        MemoryType.TASK_OUTCOME,
        MemoryType.TOOL_EXPERIENCE,
        MemoryType.ERROR,
    )
)
"""What can come back. A preference is not held on Mondays because it is spoken of then."""

Do = Literal["write", "rewrite", "hear", "end"]


class Noticed(FromMemories):
    """A habit that is to be written, written anew, ended, or to rest on more turns."""

    do: Do
    habit: str | None = None
    """The id of the one that is there."""
    wording: int = 0
    """Its present wording, by number."""
    content: str = ""
    share: float = 0


@dataclass(slots=True)
class _Theme:
    """Memories in the same words, and each time they were told of."""

    content: str
    sources: list[tuple[str, int]] = field(default_factory=list)
    instants: list[int] = field(default_factory=list)


class Rhythms:
    """Notices what comes back every week or every day."""

    name = "rhythms"
    item = Noticed
    rows = 150

    def reduced(self, _night: Night) -> str | None:
        """It never needs a model."""
        return None

    def plan(self, night: Night) -> Iterator[Noticed]:
        """What has a rhythm, and what had one."""
        themes = _themes(night)
        by_source = {source: theme for theme in themes for source, _ in theme.sources}
        told: set[int] = set()
        for one in made(night, MemoryType.FACT):
            ours = {id(by_source[i]): by_source[i] for i in sorted(one.ids) if i in by_source}
            told.update(ours)
            if not one.kept:
                yield from _again(night, one, list(ours.values()))
        for theme in themes:
            if id(theme) not in told:
                yield from _noticed(night, theme, None)

    def apply(self, tx: Transaction, item: Noticed, night: Night) -> Applied:
        """Write it, unless what it rests on was changed or forgotten since."""
        memory = None if item.habit is None else tx.memories.get(item.habit)
        if item.habit is not None and (memory is None or _changed(tx, memory, item)):
            return Applied(Outcome.CHANGED_SINCE, item.habit)
        if item.do == "end" and memory is not None:
            end(tx, memory, night.at, _STOPPED)
            return Applied(Outcome.DONE, memory.id, _STOPPED)
        sources = as_planned(tx, item)
        if sources is None:
            return Applied(Outcome.CHANGED_SINCE, item.habit)
        if item.do == "hear" and memory is not None:
            for source in sources:
                tx.pairs.gather(memory.id, source.id, _TURNS // len(sources))
            return Applied(Outcome.DONE, memory.id, "it goes on")
        return _say(tx, item, night, memory, sources)


def _themes(night: Night) -> list[_Theme]:
    found: dict[tuple[object, str], _Theme] = {}
    for page in pages(night):
        events = {one.n: one for one in page if _may_come_back(one)}
        with night.store.read(night.tenant) as tx:
            instants = tx.drawn.instants(list(events))
        for n, at in instants:
            one = events[n]
            key = (one.standing, wording_key(one.content))
            theme = found.setdefault(key, _Theme(one.content))
            theme.instants.append(at)
            if (one.id, one.wording) not in theme.sources[-1:]:
                theme.sources.append((one.id, one.wording))
    for theme in found.values():
        del theme.sources[:-MOST_SOURCES]
    return list(found.values())


def _may_come_back(one: Basis) -> bool:
    """Whether it is of the user and may happen again and again."""
    own = one.subject is None or subject_key(one.subject) == USER
    lasting = one.predicate is not None and (one_value(one.predicate) or one.predicate == HABIT)
    return own and not lasting and one.type in _MOMENTARY


def _again(night: Night, one: Made, themes: Sequence[_Theme]) -> Iterator[Noticed]:
    """What is to become of a habit that is known."""
    for theme in themes:
        if rhythm(lately(theme.instants, night.at)):
            yield from _noticed(night, theme, one)
            return
    if one.memory.validity is Validity.ACTIVE:
        yield _item("end", one, _Theme(""))


def _noticed(night: Night, theme: _Theme, one: Made | None) -> Iterator[Noticed]:
    found = rhythm(lately(theme.instants, night.at))
    if found is None:
        return
    content = sentence(found, theme.content)
    if one is None:
        yield _item("write", None, theme, content, found.share)
    elif one.memory.validity is not Validity.ACTIVE or one.memory.content != content:
        yield _item("rewrite", one, theme, content, found.share)
    elif _unheard(night, one, theme):
        yield _item("hear", one, theme)


def _unheard(night: Night, one: Made, theme: _Theme) -> bool:
    with night.store.read(night.tenant) as tx:
        return tx.drawn.unheard(one.memory.id, [source for source, _ in theme.sources])


def _item(do: Do, one: Made | None, theme: _Theme, content: str = "", share: float = 0) -> Noticed:
    return Noticed(
        key=f"{do}|{one.memory.id if one else theme.sources[0][0]}",
        do=do,
        habit=one.memory.id if one else None,
        wording=one.memory.current.n if one else 0,
        sources=tuple(theme.sources),
        content=content,
        share=share,
    )


def _changed(tx: Transaction, memory: Memory, item: Noticed) -> bool:
    return memory.current.n != item.wording or decided(tx, memory)


def _say(
    tx: Transaction, item: Noticed, night: Night, memory: Memory | None, sources: Sequence[Memory]
) -> Applied:
    said = grounds(tx, night, InferredBy.RULES)
    try:
        content = said.concluded(item.content, least_trust(sources))
    except RejectedError:
        return Applied(Outcome.UNCHANGED)
    confidence = min(item.share, *(source.confidence for source in sources))
    turns = max(1, _TURNS // len(sources))
    draft = Draft(MemoryType.FACT, content, InferredBy.RULES, confidence, turns, USER, HABIT)
    if known_already(tx, draft, sources[0].workspace, item.habit):
        return Applied(Outcome.UNCHANGED)
    if memory is None:
        return Applied(Outcome.DONE, write(tx, draft, sources, night.at), "it comes back")
    rewrite(tx, memory, draft, sources, night.at)
    return Applied(Outcome.DONE, memory.id, "it comes back otherwise")
