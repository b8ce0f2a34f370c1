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

    async def warn(self, session: str, tool: str, action: str) -> str:
        """Return the line that is said before a call; empty for none."""
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
    warned: int = 0
    """Calls before which a line was said."""
    heeded: int = 0
    """Calls that were not made after it."""
    warned_wrongly: int = 0
    """Right calls before which a line was said."""
    steps: int = 0
    tokens: int = 0
    ms: float = 0.0
    """Time that the product took for what it showed."""


async def play(
    task: Task, language: str, read: Reader, shows: Shows | None, *, searches: bool = True
) -> Run:
    """Do a task until it is done right.

    Args:
        task: what is to be done.
        language: of its project.
        read: who chooses.
        shows: what the memory shows; None without memory.
        searches: whether it asks the memory, beside what it is told unasked.
    """
    run = Run(task, language)
    shown: list[str] = []
    if shows is not None:
        shown = [_without_guide(await _time(run, shows.brief()))]
    if shows is not None and searches:
        run.steps += 1
        shown.append(await _time(run, shows.search(task)))
    decision = task.decision
    while True:
        choice = await read(decision, shown)
        if shows is not None and task.tool is not None:
            choice = await _hear(run, decision, choice, read, shows)
        run.choices.append(choice)
        if _bear(run, choice):
            return run
        failed = next(one for one in decision.options if one.key == choice.key)
        left = tuple(one for one in decision.options if one.key != choice.key)
        decision = replace(decision, options=left, may_ask=decision.may_ask and len(left) > 1)
        if shows is not None and searches and choice.key in task.failed:
            run.steps += 1
            shown = [await _time(run, shows.look_up(task.results[failed.key])), *shown]


async def _hear(run: Run, decision: Decision, choice: Choice, read: Reader, shows: Shows) -> Choice:
    """Choose anew where a line is said before the call; it stands alone at that moment."""
    task = run.task
    option = next((one for one in decision.options if one.key == choice.key), None)
    if option is None or task.tool is None:
        return choice
    line = await _time(run, shows.warn(f"later-{id(run)}", task.tool, option.action))
    if not line:
        return choice
    run.warned += 1
    run.warned_wrongly += choice.key == task.right
    ranked = {choice.key: -1}
    options = tuple(
        replace(one, default_rank=ranked.get(one.key, one.default_rank)) for one in decision.options
    )
    second = await read(replace(decision, options=options, may_ask=False), [line])
    if not second.because or second.key == choice.key:
        return choice
    run.heeded += 1
    return second


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
