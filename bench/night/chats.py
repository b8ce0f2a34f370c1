"""What a year is filled with: the talk of the shared data, of which little is worth keeping.

LoCoMo and MemoryBank in English, MemoryBank in Chinese, each session by itself; sentences drawn at
random, or made-up words, where there are not enough.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path

from bench.data import Conversation, has_locomo, locomo
from bench.latency.speech import Speech, speech, turn_text
from bench.night.homes import in_both_languages
from bench.recall.memorybank import SAME_LANGUAGE
from bench.recall.memorybank import chats as memorybank
from memoria import Turn
from memoria.language.words.characters import is_cjk

_MOST_TURNS = 6
_MADE_UP = 160
_PAIRS = 3


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation that nobody planted anything in."""

    turns: tuple[tuple[str, str], ...]
    """(role, words)."""
    concluded: Mapping[str, str] = field(default_factory=dict)
    """What the data set itself concludes from a turn, by its words."""


@dataclass(frozen=True, slots=True)
class Chats:
    """All of them, by language, in an order that is drawn."""

    english: tuple[Chat, ...]
    chinese: tuple[Chat, ...]
    origin: str


def chats(folder: Path | None, seed: int) -> Chats:
    """The chats there are.

    Args:
        folder: where the data sets are; made-up ones serve without it.
        seed: of their order.
    """
    chance = random.Random(seed)  # noqa: S311  (chance, no secret)
    if folder is None or not has_locomo(folder) or SAME_LANGUAGE.missing(folder):
        said = in_both_languages(speech(None))
        english, chinese = ([*_invent_chats(said, chance, cjk=cjk)] for cjk in (False, True))
        return Chats(tuple(english), tuple(chinese), said.origin)
    days = [(each.language, chat) for each in memorybank(folder) for chat in _days(each.turns)]
    english = [chat for conversation in locomo(folder) for chat in _sessions(conversation)]
    english += [chat for language, chat in days if language == "en"]
    chinese = [chat for language, chat in days if language == "zh"]
    return Chats(_shuffle(english, chance), _shuffle(chinese, chance), "LoCoMo and MemoryBank")


def _shuffle(found: list[Chat], chance: random.Random) -> tuple[Chat, ...]:
    return tuple(chance.sample(found, len(found)))


def _sessions(conversation: Conversation) -> Iterator[Chat]:
    observed = {one.source: one.text for one in conversation.observations}
    for _, turns in groupby(conversation.turns, key=lambda turn: turn.session_id):
        kept = list(islice(turns, _MOST_TURNS))
        concluded = {
            turn.content: observed[key]
            for turn in kept
            if (key := (str(turn.session_id), str(turn.message_id))) in observed
        }
        yield Chat(_turn_pairs(kept), concluded)


def _days(turns: tuple[Turn, ...]) -> Iterator[Chat]:
    for _, said in groupby(turns, key=lambda turn: turn.session_id):
        yield Chat(_turn_pairs(list(islice(said, _MOST_TURNS))))


def _turn_pairs(turns: list[Turn]) -> tuple[tuple[str, str], ...]:
    return tuple((str(turn.role), turn.content) for turn in turns if turn.content.strip())


def _invent_chats(said: Speech, chance: random.Random, *, cjk: bool) -> Iterator[Chat]:
    of_it = Speech(tuple(s for s in said.sentences if is_cjk(s) is cjk), (), said.origin)
    for _ in range(_MADE_UP):
        pairs = [("user", "assistant") for _ in range(_PAIRS)]
        yield Chat(tuple((role, turn_text(of_it, chance)) for pair in pairs for role in pair))
