"""One server through the whole protocol: every turn stored, every question asked."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.data import Conversation, Key, Question
from bench.metrics import mean, percentile
from bench.peers.client import Connection, connected
from bench.peers.judge import Judged, judge
from bench.peers.notes import Note, markers, notes
from bench.peers.resident import children_mib
from bench.peers.systems import System
from bench.peers.systems.system import Ask
from bench.shown import Transcript

_ADVERSARIAL = 5
"""LoCoMo's category of questions about the wrong person: their evidence is no answer."""
_WARM_UP = "What is the weather like today?"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, asked in one way for one budget."""

    way: str
    budget: int
    judged: Judged
    took_ms: float


@dataclass(slots=True)
class Trial:
    """Everything that was seen of one server."""

    stored_ms: list[float] = field(default_factory=list)
    kept: int = 0
    asked: list[Asked] = field(default_factory=list)
    resident_mib: float = 0.0
    """Of the server's processes, after the last question, in the conversation where it was most."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What comes of one way to ask at one budget."""

    questions: int
    recall: float
    whole: float
    told: float
    all_evidence: float
    nothing: float
    """Share of questions whose answer showed no turn."""
    tokens: float
    """Of the answer after the cut, mean."""
    p50_ms: float
    p95_ms: float


async def trial(
    system: System,
    environment: Path,
    conversations: Sequence[Conversation],
    budgets: Sequence[int],
    under: Path,
    done: Callable[[], None],
) -> Trial:
    """Take a server through every conversation, each in a home of its own.

    Args:
        system: The server.
        environment: Where it is installed.
        conversations: What is stored and asked.
        budgets: Tokens an answer may have.
        under: An empty folder for the homes.
        done: Told of each turn stored and each question answered.
    """
    seen = Trial()
    for conversation in conversations:
        launch = system.launch(environment, under / conversation.name)
        async with connected(launch) as connection:
            turns = notes(conversation)
            await _store(system, connection, turns, seen, done)
            known = markers(turns)
            transcript = Transcript.of(conversation)
            for way, ask in system.list_ways(turns).items():
                await ask(connection, _WARM_UP, max(budgets))
                for question in asked_of(conversation):
                    for upto in _calls(system, budgets):
                        seen.asked += await _ask(
                            connection, way, ask, question, upto, known, transcript
                        )
                    done()
            seen.resident_mib = max(seen.resident_mib, children_mib())
    return seen


def asked_of(conversation: Conversation) -> tuple[Question, ...]:
    """The questions that are asked."""
    return tuple(q for q in conversation.questions if q.gold and q.category != _ADVERSARIAL)


def figures(asked: Iterable[Asked]) -> Figures:
    """Questions asked in one way at one budget, in figures."""
    every = list(asked)
    return Figures(
        questions=len(every),
        recall=mean([each.judged.recall for each in every]),
        whole=mean([each.judged.whole for each in every]),
        told=mean([each.judged.told for each in every]),
        all_evidence=mean([float(each.judged.all_evidence) for each in every]),
        nothing=mean([float(not each.judged.turns) for each in every]),
        tokens=mean([each.judged.tokens for each in every]),
        p50_ms=percentile(50, [each.took_ms for each in every]),
        p95_ms=percentile(95, [each.took_ms for each in every]),
    )


async def _store(
    system: System,
    connection: Connection,
    turns: Sequence[Note],
    seen: Trial,
    done: Callable[[], None],
) -> None:
    for note in turns:
        started = time.perf_counter()
        seen.kept += await system.store(connection, note)
        seen.stored_ms.append((time.perf_counter() - started) * 1000)
        done()
    await system.settle(connection)


def _calls(system: System, budgets: Sequence[int]) -> list[tuple[int, ...]]:
    """The budgets each call is judged at: one call does for all where the server takes none."""
    return [(budget,) for budget in budgets] if system.takes_budget else [tuple(budgets)]


async def _ask(
    connection: Connection,
    way: str,
    ask: Ask,
    question: Question,
    budgets: tuple[int, ...],
    known: Mapping[str, Key],
    transcript: Transcript,
) -> list[Asked]:
    started = time.perf_counter()
    answer = await ask(connection, question.text, max(budgets))
    took_ms = (time.perf_counter() - started) * 1000
    gold = question.gold
    tell = partial(transcript.measure_shown, question)
    return [Asked(way, b, judge(answer, b, known, gold, tell), took_ms) for b in budgets]
