"""Consolidate: what several memories come to together becomes a concept, drawn from them.

Only a model can say it; without one no words are invented. What was asked and came to nothing is
logged by a digest of the memories, and asked again only when they are others. A concept whose
memories no longer bear it out is ended, model or none.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Literal

from memoria.errors import (
    ChatModelError,
    EmbedderError,
    InvalidAnswerError,
    ModelRefusedError,
)
from memoria.inference.chat.gate import Gate
from memoria.ingest.grounds import RejectedError
from memoria.lifecycle.conceive import conceive
from memoria.lifecycle.drawing import (
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
from memoria.lifecycle.patterns import LEAST_MEMBERS, Members, broadly_said, patterns
from memoria.model import InferredBy, Memory, MemoryType, Validity
from memoria.model.channel import NIGHT
from memoria.model.night import Outcome
from memoria.store.base import Transaction

MOST_CONCEPTS = 8
"""Concepts of a night."""
_MOST_ASKED = 24
_ASKED = "ask what they come to"
_UNSUPPORTED = "its memories no longer bear it out"


class Concluded(FromMemories):
    """A concept that is to be written, written anew or ended, or memories that come to nothing."""

    do: Literal["write", "rewrite", "end", "nothing"]
    concept: str | None = None
    """The id of the one that is there."""
    wording: int = 0
    """Its present wording, by number."""
    content: str = ""
    model: str = ""
    why: str = ""


class Consolidate:
    """Makes concepts of memories that hang together."""

    name = "consolidate"
    item = Concluded
    rows = 300

    def reduced(self, night: Night) -> str | None:
        """Without a model nothing is concluded."""
        if night.gate is None:
            return "without a chat model no concept is written; those that lost their ground end"
        return night.short.get(self.name)

    def plan(self, night: Night) -> Iterator[Concluded]:
        """What a model makes of memories that hang together, then what has lost its ground."""
        concepts = list(made(night, MemoryType.CONCEPT))
        anew: set[str | None] = set()
        if night.gate is not None:
            for item in _concluded(night, night.gate, concepts):
                anew.add(item.concept)
                yield item
        for one in concepts:
            if one.memory.id not in anew and not _borne_out(night, one):
                yield _item("end", (), one, why=_UNSUPPORTED)

    def apply(self, tx: Transaction, item: Concluded, night: Night) -> Applied:
        """Write it, unless what it rests on was changed or forgotten since."""
        memory = None if item.concept is None else tx.memories.get(item.concept)
        if item.concept is not None and (memory is None or _changed(tx, memory, item)):
            return Applied(Outcome.CHANGED_SINCE, item.concept)
        if item.do == "end" and memory is not None:
            end(tx, memory, night.at, item.why)
            return Applied(Outcome.DONE, memory.id, item.why)
        sources = as_planned(tx, item)
        if sources is None:
            return Applied(Outcome.CHANGED_SINCE)
        if item.do == "nothing":
            return _came_to_nothing(tx, item, night.at, item.why)
        return _say(tx, item, night, memory, sources)


def _concluded(night: Night, gate: Gate, concepts: Sequence[Made]) -> Iterator[Concluded]:
    asked, found = 0, 0
    taken: set[str] = set()
    for members in patterns(night, night.run.options.since):
        if asked == _MOST_ASKED or found == MOST_CONCEPTS:
            return
        one = _of(members, [each for each in concepts if each.memory.id not in taken])
        if one is not None and _says_it(one, members):
            taken |= set() if one.kept else {one.memory.id}
            continue
        if _asked_before(night, members, gate):
            continue
        asked += 1
        try:
            content = conceive(night, gate, _memories(night, members))
        except RejectedError as error:
            yield _item("nothing", members, None, model=gate.name, why=str(error))
        except (InvalidAnswerError, ModelRefusedError):
            continue
        except (ChatModelError, EmbedderError) as error:
            night.short[Consolidate.name] = f"not every group of memories was asked about: {error}"
            return
        else:
            found += 1
            taken |= set() if one is None else {one.memory.id}
            do: Literal["write", "rewrite"] = "write" if one is None else "rewrite"
            yield _item(do, members, one, content=content, model=gate.name)


def _of(members: Members, concepts: Sequence[Made]) -> Made | None:
    """The concept that is of these memories already: of the most, at least of half of either."""
    ids = {member.id for member in members}

    def common(one: Made) -> int:
        return len(ids & one.ids)

    near = [one for one in concepts if 2 * common(one) >= min(len(ids), len(one.ids)) > 0]
    return max(near, key=common, default=None)


def _says_it(one: Made, members: Members) -> bool:
    """Whether nothing is to be added to a concept, or may be."""
    if one.kept:
        return True
    holding = {source.id for source in one.holding}
    return one.memory.validity is Validity.ACTIVE and holding >= {member.id for member in members}


def _borne_out(night: Night, one: Made) -> bool:
    """Whether a concept may stay as it is."""
    if one.kept or one.memory.validity is not Validity.ACTIVE:
        return True
    holding = one.holding
    with night.store.read(night.tenant) as tx:
        said = tx.drawn.said([source.n for source in holding])
    return len(holding) >= LEAST_MEMBERS and broadly_said(said)


def _changed(tx: Transaction, memory: Memory, item: Concluded) -> bool:
    return memory.current.n != item.wording or decided(tx, memory)


def _memories(night: Night, members: Members) -> list[Memory]:
    with night.store.read(night.tenant) as tx:
        found = tx.memories.by_versions([member.wording for member in members])
    return [found[member.wording] for member in members if member.wording in found]


def _asked_before(night: Night, members: Members, gate: Gate) -> bool:
    with night.store.read(night.tenant) as tx:
        return any(entry.client == gate.name for entry in tx.audit.of(_digest(members)))


def _digest(members: Members) -> str:
    """Tells memories in their wordings from all others, without a word of them."""
    return _digest_of([(member.id, member.wording) for member in members])


def _digest_of(sources: Sequence[tuple[str, int]]) -> str:
    told = "|".join(f"{memory_id} {wording}" for memory_id, wording in sorted(sources))
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _item(
    do: Literal["write", "rewrite", "end", "nothing"],
    members: Members,
    one: Made | None,
    *,
    content: str = "",
    model: str = "",
    why: str = "",
) -> Concluded:
    sources = tuple((member.id, member.wording) for member in members)
    return Concluded(
        key=f"{do}|{one.memory.id if one else ''}|{_digest_of(sources)}",
        do=do,
        concept=one.memory.id if one else None,
        wording=one.memory.current.n if one else 0,
        sources=sources,
        content=content,
        model=model,
        why=why,
    )


def _say(
    tx: Transaction,
    item: Concluded,
    night: Night,
    memory: Memory | None,
    sources: Sequence[Memory],
) -> Applied:
    try:
        said = grounds(tx, night, InferredBy.MODEL)
        content = said.concluded(item.content, least_trust(sources))
    except RejectedError as error:
        return _came_to_nothing(tx, item, night.at, str(error))
    confidence = min(source.confidence for source in sources)
    draft = Draft(
        MemoryType.CONCEPT, content, InferredBy.MODEL, confidence, turns=1, client=item.model
    )
    if known_already(tx, draft, sources[0].workspace, item.concept):
        return _came_to_nothing(tx, item, night.at, "known in the same words")
    why = f"drawn from {len(sources)} memories"
    if memory is None:
        return Applied(Outcome.DONE, write(tx, draft, sources, night.at), why)
    rewrite(tx, memory, draft, sources, night.at)
    return Applied(Outcome.DONE, memory.id, f"{why} anew")


def _came_to_nothing(tx: Transaction, item: Concluded, at: int, why: str) -> Applied:
    """Note that there is no need to ask again."""
    tx.audit.add(
        at=at,
        channel=NIGHT,
        client=item.model,
        action=_ASKED,
        subject=_digest_of(item.sources),
        detail=why,
    )
    return Applied(Outcome.UNCHANGED)
