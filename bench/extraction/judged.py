"""What of a conversation was remembered as its labels want it. Nobody judges: the words decide.

A memory keeps a fact if it rests on a turn that says it and its sentence holds the fact's words. A
fact that still holds must be kept by a memory that counts; for one that is over or was replaced a
memory that is history will do.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta

from bench.extraction.labels import (
    Change,
    Fact,
    LabelledQuestion,
    Temporary,
    Trap,
    Words,
    holds_words,
    key_of,
)
from bench.extraction.lived import Kept, Life, question_of
from bench.extraction.run import outcomes
from bench.tokens import count_tokens
from memoria import Hit
from memoria.model import QueueState, Validity, from_millis, to_millis

_FEW = 3
_SHOWN = 3
_LATEST = timedelta(days=2)
"""From the beginning of the last day on which a fact holds to when it must be over."""
_TALKERS = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Miss:
    """What is not as the labels want it, and what there was instead."""

    figure: str
    wanted: str
    found: tuple[str, ...] = ()


@dataclass(slots=True)
class Verdict:
    """The figures of a conversation: of each how many are right, and of how many."""

    name: str
    right: Counter[str] = field(default_factory=Counter)
    all: Counter[str] = field(default_factory=Counter)
    misses: list[Miss] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    spoken: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    memories: int = 0
    unread: int = 0
    """Parts of the conversation that were given up or still wait."""

    def count(self, figure: str, *, right: bool, miss: Miss | None = None) -> None:
        """Enter one case."""
        self.all[figure] += 1
        self.right[figure] += right
        if not right and miss is not None:
            self.misses.append(miss)


def judge(life: Life) -> Verdict:
    """Compare what came of a conversation with its labels."""
    verdict = Verdict(life.labelled.name, memories=len(life.kept))
    for fact in life.labelled.facts:
        _judge_fact(verdict, life, fact)
    for change in life.labelled.changes:
        _judge_change(verdict, life, change)
    for temporary in life.labelled.temporary:
        _judge_temporary(verdict, life, temporary)
    for trap in life.labelled.traps:
        _judge_trap(verdict, life, trap)
    for alias in life.labelled.aliases:
        found = [life.entities[name] for name in alias.names]
        joined = found[0] is not None and len(set(found)) == 1
        names = tuple(f"{name}: {life.entities[name] or 'none'}" for name in alias.names)
        verdict.count("aliases joined", right=joined, miss=Miss("alias", names[0], names[1:]))
    for asked in life.labelled.questions:
        _judge_question(verdict, life, asked)
    _count_tokens(verdict, life)
    _list_rejected(verdict, life)
    return verdict


def keepers(memories: Iterable[Kept], fact: Fact, *, now: bool) -> list[Kept]:
    """The memories that keep a fact.

    Args:
        memories: which there are.
        fact: what is looked for.
        now: whether they must count, and say it in their present wording.
    """
    said = {key_of(one) for one in fact.said}
    return [
        one
        for one in memories
        if not one.memory.type.is_derived
        and said & one.turns
        and any(holds_words(text, fact.words) for text in _wordings(one, now=now))
        and not (now and one.memory.validity is not Validity.ACTIVE)
    ]


def _wordings(kept: Kept, *, now: bool) -> list[str]:
    """What a memory says, and unless only the present counts what it has said."""
    versions = kept.memory.versions
    return [one.content for one in (versions[:1] if now else versions)]


def _judge_fact(verdict: Verdict, life: Life, fact: Fact) -> None:
    found = keepers(life.kept.values(), fact, now=fact.state == "current")
    verdict.count(
        "facts kept",
        right=bool(found),
        miss=Miss("fact", f"{fact.id} {fact.statement} ({fact.state})", _instead(life, fact)),
    )
    if found and fact.scope is not None:
        place = life.labelled.place_of(fact)
        right = any(_has_scope(one, fact.scope, place) for one in found)
        wanted = f"{fact.id} {fact.statement} ({fact.scope})"
        verdict.count("scope right", right=right, miss=Miss("scope", wanted, _describe_all(found)))


def _has_scope(kept: Kept, scope: str, place: str | None) -> bool:
    memory = kept.memory
    return memory.scope == scope and (scope == "everywhere" or memory.workspace == place)


def _instead(life: Life, fact: Fact) -> tuple[str, ...]:
    """What rests on the turns that say a fact, else what has its words."""
    said = {key_of(one) for one in fact.said}
    memories = life.kept.values()
    near = [one for one in memories if said & one.turns]
    near = near or [one for one in memories if holds_words(one.memory.content, fact.words)]
    gone = [one for one in keepers(life.seen.values(), fact, now=False) if _is_gone(life, one)]
    return (*_describe_all(near), *(f"gone: {line}" for line in _describe_all(gone)))


def _is_gone(life: Life, kept: Kept) -> bool:
    return kept.memory.id not in life.kept


def _describe_all(memories: Sequence[Kept]) -> tuple[str, ...]:
    return tuple(map(_describe, memories))


def _describe(kept: Kept) -> str:
    memory = kept.memory
    turns = ", ".join(sorted(":".join(key) for key in kept.turns))
    scope = memory.scope if memory.scope == "everywhere" else f"in {memory.workspace}"
    marks = [memory.type.value, memory.validity.value, scope]
    if memory.expires_at is not None:
        marks.append(f"until {from_millis(memory.expires_at):%Y-%m-%d}")
    return f"{memory.content} [{', '.join(marks)}; {turns}]"


def _judge_change(verdict: Verdict, life: Life, change: Change) -> None:
    """Whether the state that holds stands first, and the other one nowhere as if it held.

    Of two that nobody has settled the later one stands first, or both are marked. Where neither
    holds any longer, there is nothing to stand first.
    """
    new, old = life.labelled.fact(change.new), life.labelled.fact(change.old)
    if old.state == "current" and new.state != "current":
        new, old = old, new
    question = question_of(life.labelled, new.id)
    hits = life.answers[question].result.hits
    standing = [one for one in keepers(life.kept.values(), old, now=True) if _stands(one, old, new)]
    is_first = new.state != "current" or _is_first(hits, old, new)
    wanted = f"{old.id} → {new.id} ({change.how}): {new.statement} ← {question}"
    found = [f"{n}. {_describe_hit(hit)}" for n, hit in enumerate(hits[:_SHOWN], 1)]
    found += [f"still counts: {_describe(one)}" for one in standing]
    miss = Miss("change", wanted, tuple(found))
    verdict.count("current first", right=is_first and not standing, miss=miss)


def _is_first(hits: Sequence[Hit], old: Fact, new: Fact) -> bool:
    """Whether the new state is shown, above the old one unless that is marked as disputed."""
    first = _find_rank(hits, [new.words])
    if first is None:
        return False
    above = [hit for hit in hits[:first] if _says_only(hit.text, old, new)]
    return all(hit.contradicts for hit in above)


def _says_only(text: str, old: Fact, new: Fact) -> bool:
    """Whether a text tells the old state and not the new one as well."""
    return holds_words(text, old.words) and not holds_words(text, new.words)


def _stands(kept: Kept, old: Fact, new: Fact) -> bool:
    """Whether a memory tells the old state unmarked."""
    return _says_only(kept.memory.content, old, new) and not kept.is_contradicted


def _find_rank(hits: Sequence[Hit], wanted: Iterable[Words]) -> int | None:
    """Where the first hit stands that has the words of one of these, from 0."""
    lists = list(wanted)
    found = (n for n, hit in enumerate(hits) if any(holds_words(hit.text, one) for one in lists))
    return next(found, None)


def _describe_hit(hit: Hit) -> str:
    state = hit.validity.value if hit.validity is not None else "turn"
    marks = [state, hit.shown_as, hit.status, "earlier" if hit.is_earlier else None]
    return f"{hit.text[:200]} [{hit.kind}, {', '.join(filter(None, marks))}]"


def _judge_temporary(verdict: Verdict, life: Life, temporary: Temporary) -> None:
    """Whether what was kept of it ended on its day, and is on record as history."""
    fact = life.labelled.fact(temporary.fact)
    if temporary.ends >= life.labelled.ask_on:
        return  # it still holds, and counts among the facts
    ever = keepers(life.seen.values(), fact, now=False)
    if not ever:
        return  # it counts among the facts that were not kept
    wanted = f"{fact.id} {fact.statement} (until {temporary.ends})"
    latest = to_millis(datetime.combine(temporary.ends, time(tzinfo=UTC)) + _LATEST)
    left = [one for one in ever if not _is_gone(life, one)]
    late = [one for one in left if not _ended(one, fact, latest)]
    miss = Miss("temporary", wanted, _describe_all(late))
    verdict.count("ended in time", right=not late, miss=miss)
    miss = Miss("erased", wanted, _describe_all(ever))
    verdict.count("not erased", right=bool(left), miss=miss)


def _ended(kept: Kept, fact: Fact, latest: int) -> bool:
    """Whether what a memory says of a fact holds no longer, and has ended by then."""
    memory = kept.memory
    wording = next(one for one in memory.versions if holds_words(one.content, fact.words))
    ends = [wording.valid_to]
    if wording is memory.current:
        if memory.validity is Validity.ACTIVE:
            return False
        ends.append(memory.expires_at)
    told = [one for one in ends if one is not None]
    return not told or min(told) <= latest


def _judge_trap(verdict: Verdict, life: Life, trap: Trap) -> None:
    said = {key_of(one) for one in trap.said}
    caught = [
        one
        for one in life.seen.values()
        if said & one.turns and any(holds_words(v.content, trap.words) for v in one.memory.versions)
    ]
    wanted = f"{trap.never} ({trap.why})"
    miss = Miss("trap", wanted, _describe_all(caught))
    verdict.count("traps avoided", right=not caught, miss=miss)


def _judge_question(verdict: Verdict, life: Life, asked: LabelledQuestion) -> None:
    """Whether what answers a question is the first hit, or among the first three.

    What was said later stands above the hit that it belongs to and is no hit itself.

    Of a question that nothing answers any longer: whether nothing is shown as if it held.
    """
    hits = life.answers[asked.ask].result.hits
    outdated = [life.labelled.fact(one).words for one in asked.outdated]
    if not asked.facts:
        stale = [hit for hit in hits if _claims(hit) and _find_rank([hit], outdated) == 0]
        miss = Miss("over", asked.ask, tuple(map(_describe_hit, stale)))
        verdict.count("nothing shown that is over", right=not stale, miss=miss)
        return
    words = [life.labelled.fact(one).words for one in asked.facts]
    line = _find_rank(hits, words)
    rank = None if line is None else sum(hit.shown_as != "later" for hit in hits[:line])
    shown = tuple(f"{n}. {_describe_hit(hit)}" for n, hit in enumerate(hits[:_SHOWN], 1))
    wanted = f"{asked.ask} → {', '.join(asked.facts)}"
    verdict.count("in the first", right=rank == 0)
    verdict.count("in three lines", right=line is not None and line < _FEW)
    verdict.count(
        "in the first three",
        right=rank is not None and rank < _FEW,
        miss=Miss("question", wanted, shown),
    )


def _claims(hit: Hit) -> bool:
    """Whether a hit is a memory that is shown as one that holds."""
    return hit.validity is Validity.ACTIVE and hit.status is None


def _count_tokens(verdict: Verdict, life: Life) -> None:
    turns = [turn for session in life.labelled.sessions for turn in session.turns]
    spoken = (turn.content for turn in turns if turn.role.value in _TALKERS)
    verdict.spoken = sum(map(count_tokens, spoken))
    for one in life.exchanges:
        verdict.tokens_in += one.question.tokens
        verdict.tokens_out += count_tokens(one.answer)
        verdict.calls[one.question.purpose] += 1


def _list_rejected(verdict: Verdict, life: Life) -> None:
    """What of the proposals was turned away, and what is in no memory for another reason."""
    for entry in life.entries:
        _, rejected = outcomes([entry.outcome or ""])
        verdict.rejected += rejected
        where = f"{entry.session_id}:{entry.first_index} to {entry.last_index}"
        verdict.misses += [Miss("rejected", where, (f"{why}: {n}",)) for why, n in rejected.items()]
        verdict.unread += entry.state is not QueueState.DONE
        if entry.state is not QueueState.DONE:
            verdict.misses.append(Miss("unread", where, (entry.last_error or entry.state.value,)))
    known = {v.content for one in life.seen.values() for v in one.memory.versions}
    lost = [text for text in _list_proposed(life) if text not in known]
    verdict.misses += [Miss("proposed, and in no memory as it was worded", text) for text in lost]


def _list_proposed(life: Life) -> Iterator[str]:
    """The sentences that the model proposed to remember."""
    for one in life.exchanges:
        if one.question.purpose == "extract":
            yield from _list_contents(one.answer)


def _list_contents(answer: str) -> list[str]:
    try:
        read = json.loads(answer)
    except ValueError:
        return []
    operations = read.get("operations") if isinstance(read, dict) else None
    found = operations if isinstance(operations, list) else []
    contents = [one.get("content") for one in found if isinstance(one, dict)]
    return [text for text in contents if isinstance(text, str)]


def add_up(verdicts: Sequence[Verdict]) -> Verdict:
    """The figures of several conversations together."""
    total = Verdict("all")
    for one in verdicts:
        total.right += one.right
        total.all += one.all
        total.rejected += one.rejected
        total.calls += one.calls
        total.spoken += one.spoken
        total.tokens_in += one.tokens_in
        total.tokens_out += one.tokens_out
        total.memories += one.memories
        total.unread += one.unread
    return total
