"""An agent at a task: it reads what it is shown, chooses, and bears what comes of it.

Everything it does is a step: a search, a question to the user, a look at a file whose line is
marked, a call. What failed is known in the session from then on, with memory and without.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bench.value.cases import Task
from bench.value.reader import ASK, Choice, Decision
from bench.value.wording import tokens

_FIRST_TITLE = "\n# "

Reader = Callable[[Decision, Sequence[str]], Awaitable[Choice]]
"""Chooses one of a decision's options by the lines shown."""


class Shows(Protocol):
    """What shows lines to an agent."""

    async def brief(self) -> str:
        """Return what a session is told at its start."""
        ...

    async def search(self, task: Task) -> str:
        """Return the answer to one search in a task's own words."""
        ...

    async def look_up(self, error: str) -> str:
        """Return the answer to a search for an error."""
        ...


@dataclass(slots=True)
class Run:
    """What became of a task."""

    task: Task
    language: str
    choices: list[Choice] = field(default_factory=list)
    repeats: int = 0
    """Calls that had failed, or that the user had rejected, in a first session."""
    asked: int = 0
    """Questions that the user had answered in a first session."""
    stale: int = 0
    """Facts followed that hold no longer."""
    wrong: int = 0
    """Choices that were not right, whatever the reason."""
    steps: int = 0
    tokens: int = 0
    ms: float = 0.0
    """Time that the product took for what it showed."""


async def play(task: Task, language: str, read: Reader, shows: Shows | None) -> Run:
    """Do a task until it is done right.

    Args:
        task: what is to be done.
        language: of its project.
        read: who chooses.
        shows: what the memory shows; None without memory.
    """
    run = Run(task, language)
    shown: list[str] = []
    if shows is not None:
        run.steps += 1
        briefing, found = await _time(run, shows.brief()), await _time(run, shows.search(task))
        shown = [_without_guide(briefing), found]
    decision = task.decision
    while True:
        choice = await read(decision, shown)
        run.choices.append(choice)
        if _bear(run, choice):
            return run
        failed = next(one for one in decision.options if one.key == choice.key)
        left = tuple(one for one in decision.options if one.key != choice.key)
        decision = replace(decision, options=left, may_ask=decision.may_ask and len(left) > 1)
        if shows is not None and choice.key in task.failed:
            run.steps += 1
            shown = [await _time(run, shows.look_up(task.results[failed.key])), *shown]


def _without_guide(briefing: str) -> str:
    """Return what a briefing recalls: how to use the memory is an order, which is obeyed."""
    _, _, recalled = briefing.partition(_FIRST_TITLE)
    return f"{_FIRST_TITLE}{recalled}" if recalled else ""


def _bear(run: Run, choice: Choice) -> bool:
    """Count what comes of a choice; return whether the task is done."""
    task = run.task
    run.steps += 1
    if choice.key == ASK:
        run.asked += 1
        run.steps += 1  # the call itself
        return True
    if choice.checked:
        run.steps += 1
        return True
    if choice.key == task.right:
        return True
    run.wrong += 1
    run.repeats += choice.key in task.failed
    run.stale += choice.key == task.stale
    return False


async def _time(run: Run, answer: Awaitable[str]) -> str:
    begun = time.perf_counter()
    text = await answer
    run.ms += 1_000 * (time.perf_counter() - begun)
    run.tokens += tokens(text)
    return text
