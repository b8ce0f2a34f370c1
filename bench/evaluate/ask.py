"""Plays a history at its own times, and has each question answered in its turn."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import memoria
from bench.evaluate.cases import History, Question, Session, Verdict, holds_any
from bench.evaluate.readers import Reader, Reply
from bench.extraction.price import Clock
from bench.extraction.run import home_of
from memoria import Hit, Memoria, Settings
from memoria.model import to_millis, use_clock

Way = Literal["without", "with", "planted"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was answered in one way."""

    lang: str
    question: Question
    way: Way
    reply: Reply
    is_shown: bool
    """Whether an accepted string stands in what was shown."""
    seconds: float
    """Time of the search, if any, and of the answer."""

    @property
    def verdict(self) -> Verdict:
        """What the answer counts as; one of no valid form is no admission of not knowing."""
        return "other" if self.reply.is_unfit else self.question.judge(self.reply.answer)

    @property
    def is_cited(self) -> bool:
        """Whether a cited line holds an accepted string."""
        return _hold_answer(self.reply.cited, self.question)


async def play_all(
    histories: Sequence[History],
    read: Reader,
    settings: Settings,
    done: Callable[[], None] = lambda: None,
) -> tuple[list[Asked], int]:
    """Play every history in a home of its own and have all questions answered.

    Returns the answers, and how many stretches of the record a model was to read and has not.

    Args:
        histories: what is said and asked.
        read: who answers.
        settings: with a chat model where one is to make memories; the home is none of theirs.
        done: called after each history.
    """
    asked: list[Asked] = []
    unread = 0
    for history in histories:
        clock = Clock(to_millis(history.sessions[0].at))
        with TemporaryDirectory(prefix="memoria-bench-") as folder, use_clock(clock):
            async with memoria.open(settings=home_of(settings, Path(folder))) as m:
                asked += [one async for one in _play(m, history, read, clock)]
                status = await m.queue.status()
                unread += status.dead + status.waiting
        done()
    return asked, unread


async def _play(m: Memoria, history: History, read: Reader, clock: Clock) -> AsyncIterator[Asked]:
    for one in history.in_order():
        if isinstance(one, Session):
            turns = one.to_turns()
            clock.now = to_millis(one.at) + len(turns) * 60_000
            await m.record_conversation(turns, "session_end")
            await m.queue.rouse()  # a short session would wait for the next
            await m.wait_until_idle()
        else:
            clock.now = to_millis(one.asked_at)
            yield await _ask(m, history.lang, one, read, "without")
            yield await _ask(m, history.lang, one, read, "with")
    planted = [one for one in history.questions if one.planted]
    for question in planted:
        await m.remember(str(question.planted))
    await m.queue.rouse()
    await m.wait_until_idle()
    for question in planted:
        yield await _ask(m, history.lang, question, read, "planted")


async def _ask(m: Memoria, lang: str, question: Question, read: Reader, way: Way) -> Asked:
    began = time.perf_counter()
    found = None if way == "without" else await m.search_memory(question.question)
    reply = await read(question.question, found)
    took = time.perf_counter() - began
    hits = () if found is None else found.hits
    return Asked(lang, question, way, reply, _hold_answer(hits, question), took)


def _hold_answer(hits: Sequence[Hit], question: Question) -> bool:
    return any(holds_any(hit.text, question.answers) for hit in hits)
