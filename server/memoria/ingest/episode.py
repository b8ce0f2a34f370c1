"""Episode: a stretch of a session becomes a summary with the words that bear it out.

What tools printed is not read, only which tools were used: a summary carries what was said on, and
a web page must not speak through it. It rests on every turn of its stretch. When one of them is
forgotten the summary goes, and is written anew from the rest; when one is edited, it is rewritten.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoria.inference.tasks import episode
from memoria.ingest.clean import Tally, clean_text
from memoria.ingest.grounds import Grounds, RejectedError, Shown, When
from memoria.ingest.link import Reading, Surroundings, link, relink
from memoria.ingest.outcome import Outcome
from memoria.ingest.reading import (
    ChangedMeanwhileError,
    Tools,
    day_of,
    finish,
    numbered,
    share,
    span,
    spoken,
)
from memoria.model import (
    NO_MEANINGS,
    Citation,
    InferredBy,
    Meanings,
    Memory,
    MemoryType,
    Role,
    SourceKind,
    StoredTurn,
    Summary,
    Validity,
    new_id,
)
from memoria.policy.orders import instruction_shaped
from memoria.store.base import Transaction
from memoria.store.values import NewEvidence, NewMemory, NewVersion, Work
from memoria.text.statement import sentences_in

_SPOKEN = (Role.USER, Role.ASSISTANT)
_LEAST_SPOKEN = 3
_MOST_CHARS = 24_000
_LEAST_CHARS = 200
_MOST_TURNS = _MOST_CHARS // _LEAST_CHARS
_MOST_TOOLS = 8
_CONFIDENCE = 0.7
_NAME = re.compile(r"[\w.:/-]{1,64}")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class _Passage:
    """Words of a turn that a summary rests on."""

    turn: StoredTurn
    quote: str


class Summariser:
    """Sums up stretches of any tenant."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def run(self, work: Work, owner: str) -> None:
        """Sum up a stretch; see `Reader`."""
        with self._tools.store.read(work.tenant) as tx:
            turns, by_meaning = _readable(tx, work), tx.tombstones.know_meanings()
        said = list(filter(_counts, turns))
        summary = self._ask(work, turns) if len(said) >= _LEAST_SPOKEN else Summary()
        wording = _wording(summary, turns) if summary.summary else ""
        meanings = self._meanings(wording) if wording and by_meaning else NO_MEANINGS
        with self._tools.store.write(work.tenant) as tx:
            if [turn.n for turn in _readable(tx, work)] != [turn.n for turn in turns]:
                raise ChangedMeanwhileError(f"The turns of {work.id} changed while it was read.")
            shown = Shown({i: t for i, t in enumerate(turns, 1) if _counts(t)}, {})
            grounds = self._tools.grounds(tx, work, shown, meanings)
            outcome = _apply(grounds, work, summary, wording) if wording else Outcome()
            finish(tx, work, owner, str(outcome))

    def _ask(self, work: Work, turns: Sequence[StoredTurn]) -> Summary:
        most = share(_MOST_CHARS, turns, _LEAST_CHARS)
        question = episode(
            said_on=day_of(turns[-1]),
            conversation=numbered(spoken(turn, _without_results(turn), most) for turn in turns),
            max_output_tokens=self._tools.max_output_tokens,
        )
        return self._tools.gate.ask(work.tenant, question)

    def _meanings(self, wording: str) -> Meanings:
        """What it says, sentence by sentence, to be held against what was forgotten."""
        pieces = list(sentences_in(clean_text(wording, Tally()).strip()))
        return self._tools.recall.meanings(pieces, wait=True)


def _apply(grounds: Grounds, work: Work, summary: Summary, wording: str) -> Outcome:
    outcome = Outcome()
    try:
        passages = _borne_out(grounds, summary.quotes, outcome)
        _write(grounds, work, summary, wording, passages, outcome)
    except RejectedError as error:
        grounds.turn_away(outcome, "EPISODE", error)
    return outcome


def _readable(tx: Transaction, work: Work) -> list[StoredTurn]:
    """What is read of a stretch: where there is too much, its beginning and its end."""
    turns = [turn for turn in span(tx, work) if not turn.barred]
    half = _MOST_TURNS // 2
    return turns if len(turns) <= _MOST_TURNS else [*turns[:half], *turns[-half:]]


def _counts(turn: StoredTurn) -> bool:
    """Whether it is summed up: what tools printed is not, nor what tries to give orders."""
    return turn.role in _SPOKEN and not instruction_shaped(turn.content, turn.trust)


def _without_results(turn: StoredTurn) -> str:
    return turn.content if _counts(turn) else f"({_tool(turn) or 'left out'})"


def _tool(turn: StoredTurn) -> str:
    """Which tool it was; a sentence is no tool's name."""
    name = turn.tool_name or ""
    return name if _NAME.fullmatch(name) else ""


def _borne_out(
    grounds: Grounds, quotes: Sequence[Citation], outcome: Outcome
) -> dict[int, _Passage]:
    """The passages that are where the model says they are, one a turn."""
    found = dict[int, _Passage]()
    for citation in quotes:
        try:
            turn, quote = grounds.words(citation.turn, citation.quote)
        except RejectedError as error:
            grounds.turn_away(outcome, "EPISODE", error)
        else:
            found.setdefault(turn.n, _Passage(turn, quote))
    if not found:
        raise RejectedError("nothing bears it out")
    return found


def _wording(summary: Summary, turns: Sequence[StoredTurn]) -> str:
    """The summary in one line: what for, what happened, how it ended, with which tools."""
    colon = "：" if _CJK.search(summary.summary) else ": "
    goal = f"{summary.goal}{colon}" if summary.goal else ""
    ended = f" → {summary.outcome}" if summary.outcome else ""
    names = dict.fromkeys(filter(None, map(_tool, turns)))
    tools = f" [{', '.join([*names][:_MOST_TOOLS])}]" if names else ""
    return f"{goal}{summary.summary}{ended}{tools}"


def _write(
    grounds: Grounds,
    work: Work,
    summary: Summary,
    wording: str,
    passages: dict[int, _Passage],
    outcome: Outcome,
) -> None:
    tx, first = grounds.tx, next(iter(passages.values()))
    content, held = grounds.sayable(wording, first.turn)
    never = When(None, None)
    claim = grounds.claim(content, "", first.turn, _CONFIDENCE, never)
    claim = replace(claim, source=SourceKind.CONSOLIDATED)  # whoever is quoted, nobody said it
    version = grounds.version(content, first.turn, first.quote, claim, never)
    reading = Reading(
        mentions=grounds.mentionable(summary.entities),
        confidence=_CONFIDENCE,
        inferred_by=InferredBy.MODEL,
    )
    known = tx.episodes.of(work.session_n, work.first_index, work.last_index)
    if known is not None:
        _rewrite(grounds, grounds.stored(known), version, reading, held)
        _cite(grounds, known, passages)
        outcome.applied["EPISODE again"] += 1
        return
    memory_id = _add(grounds, work, summary, first.turn, version, held)
    _cite(grounds, memory_id, passages)
    around = Surroundings(turns=tuple(passage.turn.id for passage in passages.values()))
    link(tx, grounds.stored(memory_id), reading, around, now=grounds.now)
    outcome.applied["EPISODE" if held is None else "pending"] += 1


def _rewrite(
    grounds: Grounds, known: Memory, version: NewVersion, reading: Reading, held: str | None
) -> None:
    """Let an episode say what its stretch says now, unless somebody has decided about it."""
    if known.validity is not Validity.ACTIVE or known.current.inferred_by is not InferredBy.MODEL:
        raise RejectedError("decided by the user")
    if known.verified or known.pinned:
        raise RejectedError("confirmed by the user")
    if held is not None:
        raise RejectedError(held)
    grounds.tx.memories.add_version(known.id, version)
    relink(grounds.tx, grounds.stored(known.id), reading, now=grounds.now)


def _cite(grounds: Grounds, memory_id: str, passages: dict[int, _Passage]) -> None:
    for n, passage in passages.items():
        quote = grounds.quotable(passage.quote)
        grounds.tx.memories.add_evidence(NewEvidence(memory_id, n, quote, grounds.now))


def _add(
    grounds: Grounds,
    work: Work,
    summary: Summary,
    turn: StoredTurn,
    version: NewVersion,
    held: str | None,
) -> str:
    memory_id = new_id()
    new = NewMemory(
        id=memory_id,
        type=MemoryType.EPISODE,
        importance=summary.importance,
        confidence=_CONFIDENCE,
        workspace=turn.workspace,
        validity=Validity.ACTIVE if held is None else Validity.PENDING_CONFIRMATION,
        flag=held,
    )
    grounds.tx.memories.add(new, version)
    grounds.tx.episodes.put(memory_id, work.session_n, work.first_index, work.last_index)
    return memory_id
