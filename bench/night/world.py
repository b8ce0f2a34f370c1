"""What happens in a simulated year: who says what on which day, and what holds when.

Everything follows from the seed. Most facts are told early and some of them late, most are said
again or asked about now and then, some change once or twice, a few end. Two habits recur with the
week. All else is talk of the shared data that is said once.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import cycle
from typing import Literal

from bench.night.chats import Chat, Chats
from bench.night.facts import Fact, Value, all_facts
from memoria.language.words.characters import is_cjk
from memoria.model import DAY_MS, to_millis

BEGAN = to_millis(datetime(2024, 1, 1, tzinfo=UTC))
"""A Monday."""
DAYS = 366
_FIRST_HOUR, _HOURS = 8, 12
_HOUR_MS = 3_600_000
_TOLD_BY = 0.75
"""The share of the year in which facts are told for the first time."""
_LASTS_AT_LEAST = 30
_STATED = 0.25
"""The share of what is told that the agent also has remembered: it is there twice then."""
_HABITS = (
    (1, "I went to the climbing hall again today.", "The user went to the climbing hall."),
    (5, "今天又去游泳了。", "用户去游泳了。"),
)
"""Weekday, what is said, what is concluded."""
_EVERY_WEEK = 7
_ENDS_AFTER = {"7d": 7, "30d": 30}

Deed = Literal["tell", "again", "ask"]
_OFTEN: Mapping[Deed, tuple[int, ...]] = {"again": (0, 0, 1, 1, 2, 3), "ask": (0, 1, 2, 3, 5)}
"""How often a value is said again and asked about while it holds."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A fact that comes up in a session."""

    deed: Deed
    fact: Fact
    value: Value


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation on a day."""

    id: str
    at: int
    """When it begins, UTC epoch ms."""
    turns: tuple[tuple[str, str], ...]
    """(role, words)."""
    stated: tuple[tuple[str, str], ...] = ()
    """(words, type) of what the agent has remembered besides, in words of its own."""


@dataclass(frozen=True, slots=True)
class Life:
    """A fact, and since when each of its values holds (UTC epoch ms)."""

    fact: Fact
    since: tuple[int, ...]
    ends: int | None = None

    def value(self, at: int) -> Value | None:
        """What holds at a moment; None before anybody told it, and when it is over."""
        if self.ends is not None and at >= self.ends:
            return None
        return next(reversed(self._values_until(at)), None)

    def former_values(self, at: int) -> tuple[Value, ...]:
        """What held before."""
        told = self._values_until(at)
        return tuple(told if self.ends is not None and at >= self.ends else told[:-1])

    def _values_until(self, at: int) -> list[Value]:
        pairs = zip(self.fact.values, self.since, strict=True)
        return [value for value, since in pairs if since <= at]


@dataclass(frozen=True, slots=True)
class World:
    """The year."""

    sessions: tuple[Session, ...]
    lives: tuple[Life, ...]
    chats: Chats


@dataclass(slots=True)
class _Plan:
    """Mentions by day, while the year is being made up."""

    days: int
    chance: random.Random
    mentions: dict[int, list[Mention]] = field(default_factory=dict)

    def add(self, day: int, mention: Mention) -> None:
        self.mentions.setdefault(min(day, self.days - 1), []).append(mention)


def world(said: Chats, sessions: int, days: int, seed: int, facts: int | None = None) -> World:
    """Make a year up.

    Args:
        said: what there is to talk about.
        sessions: how many.
        days: how long the year is.
        seed: of everything that is left to chance.
        facts: how many are planted, evenly drawn from all there are; all by default.
    """
    plan = _Plan(days, random.Random(seed))  # noqa: S311  (chance, no secret)
    every = all_facts()
    known = every[:: max(1, len(every) // (facts or len(every)))]
    for fact in known:
        _live(fact, plan)
    talk = {True: cycle(said.chinese), False: cycle(said.english)}
    days_of = _days_of(plan, sessions)
    moments = sorted(moment(day, _FIRST_HOUR + plan.chance.random() * _HOURS) for day in days_of)
    made = [
        (_session(number, at, plan, mentions, next(talk[number % 2 == 1])), mentions)
        for number, (at, mentions) in enumerate(zip(moments, _spread(plan, days_of), strict=True))
    ]
    told = {
        (mention.fact.key, mention.value.said): session.at
        for session, mentions in made
        for mention in mentions
        if mention.deed == "tell"
    }
    lives = tuple(_life(fact, told) for fact in known)
    return World(tuple(session for session, _ in made), lives, said)


def _life(fact: Fact, told: Mapping[tuple[str, str], int]) -> Life:
    since = tuple(told[fact.key, value.said] for value in fact.values)
    lasts = _ENDS_AFTER.get(fact.duration)
    return Life(fact, since, None if lasts is None else since[0] + lasts * DAY_MS)


def moment(day: int, hour: float = 0) -> int:
    """A moment of the year, UTC epoch ms."""
    return BEGAN + day * DAY_MS + round(hour * _HOUR_MS)


def _live(fact: Fact, plan: _Plan) -> None:
    """Say when a fact is told, changes, is said again and asked about."""
    chance, days = plan.chance, plan.days
    first = chance.randrange(max(1, int(days * _TOLD_BY) // len(fact.values)))
    told = [first]
    for _ in fact.values[1:]:
        least = min(told[-1] + _LASTS_AT_LEAST, days - 2)
        told.append(chance.randrange(least, max(least + 1, days - 1)))
    ends = _ENDS_AFTER.get(fact.duration)
    for value, day, over in zip(fact.values, told, [*told[1:], days], strict=True):
        plan.add(day, Mention("tell", fact, value))
        last = min(over, day + ends) if ends is not None else over
        for deed, often in _OFTEN.items():
            for _ in range(chance.choice(often) if last - day > 1 and ends is None else 0):
                plan.add(chance.randrange(day + 1, last), Mention(deed, fact, value))


def _days_of(plan: _Plan, sessions: int) -> list[int]:
    """The day of each session: those on which something comes up, and others at random."""
    days = sorted(plan.mentions)
    if len(days) > sessions:  # what comes up on other days is moved to the next of these
        return sorted(plan.chance.sample(days, sessions))
    return sorted([*days, *plan.chance.choices(range(plan.days), k=sessions - len(days))])


def _spread(plan: _Plan, held: Sequence[int]) -> list[list[Mention]]:
    """By session, what comes up in it: all since the one before."""
    found: list[list[Mention]] = [[] for _ in held]
    index = 0
    for day in sorted(plan.mentions):
        while index < len(held) - 1 and held[index] < day:
            index += 1
        found[index].extend(plan.mentions[day])
    return found


def _session(number: int, at: int, plan: _Plan, mentions: Sequence[Mention], talk: Chat) -> Session:
    turns = list(talk.turns)
    places = sorted(plan.chance.choices(range(0, len(turns) + 1, 2), k=len(mentions)))
    for place, mention in reversed([*zip(places, mentions, strict=True)]):
        turns[place:place] = _exchange(mention, plan.chance)
    for weekday, said, _ in _HABITS:
        if (at - BEGAN) // DAY_MS % _EVERY_WEEK == weekday:
            turns += [("user", said), ("assistant", "好的。" if is_cjk(said) else "Nice.")]
    stated = tuple(
        (mention.value.contents[plan.chance.randrange(2)], mention.fact.type)
        for mention in mentions
        if mention.deed == "tell" and plan.chance.random() < _STATED
    )
    return Session(f"year-{number:03}", at, tuple(turns), stated)


def _exchange(mention: Mention, chance: random.Random) -> list[tuple[str, str]]:
    """What the user says or asks of a fact, and the answer."""
    chinese = is_cjk(mention.value.said)
    if mention.deed == "ask":
        answer = mention.value.contents[chance.randrange(2)]
        return [("user", chance.choice(mention.fact.questions)), ("assistant", answer)]
    again = ("说起来，" if chinese else "By the way: ") if mention.deed == "again" else ""
    return [
        ("user", again + mention.value.said),
        ("assistant", "记下了。" if chinese else "Noted."),
    ]


def habits() -> dict[str, str]:
    """What is concluded from the words of a habit."""
    return {said: content for _, said, content in _HABITS}
