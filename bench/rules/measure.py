"""What a search finds with all rules, and without those of one group."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import memoria
from bench.ask import LIMIT
from bench.data import Conversation, Question
from bench.homes import provide_home
from bench.metrics import mean, recall_at
from bench.product import key_of
from bench.rules.groups import Group
from bench.rules.switch import switched_off
from bench.shown import Transcript
from memoria import Memoria
from memoria.language.lazy import forget_results
from memoria.surface.text import result_text

_AMONG = 10
_TOLD_TOKENS = 700


class Found(NamedTuple):
    """What became of the questions of a set; each figure is 0 to 1."""

    second: float
    """Gold among the first ten turns of the second level."""
    first: float
    """Gold turns that the first level tells within its tokens."""


async def measure_set(
    conversations: Sequence[Conversation],
    group: Group | None,
    keep: Path | None,
    done: Callable[[], None],
) -> Found:
    """Ask every question of a set at both levels, without one group of rules.

    Args:
        conversations: what is recorded and asked.
        group: what is switched off; None for nothing.
        keep: where filled homes are kept for later runs.
        done: called after each question.
    """
    seams, stages = ((), ()) if group is None else (group.seams, group.stages)
    found = []
    forget_results()
    with switched_off(seams):
        async with provide_home(conversations, keep) as home:
            for conversation in conversations:
                async with memoria.open(home, conversation.name) as m:
                    await m.wait_until_idle()
                    found += await _ask_all(m, conversation, stages, done)
    forget_results()
    return Found(*(mean(each) for each in zip(*found, strict=True)))


async def _ask_all(
    m: Memoria, conversation: Conversation, without: Sequence[str], done: Callable[[], None]
) -> list[Found]:
    transcript = Transcript.of(conversation)
    found = []
    for question in conversation.questions:
        if question.gold:
            found.append(await _ask(m, transcript, question, without))
        done()
    return found


async def _ask(
    m: Memoria, transcript: Transcript, question: Question, without: Sequence[str]
) -> Found:
    record = await m.search_conversation_traces(question.text, limit=LIMIT, without=without)
    ranking = question.credited([key_of(hit) for hit in record.hits])
    answer = await m.search_memory(question.text, max_tokens=_TOLD_TOKENS, without=without)
    told = transcript.measure_shown(
        question, result_text(answer), {key_of(hit) for hit in answer.hits}
    )
    return Found(recall_at(_AMONG, ranking, question.gold), told)
