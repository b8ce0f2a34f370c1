"""Histories of statements that agree, correct and contradict each other, and what must be believed.

The oracle here reads nothing of the product's rules: it knows what each text says because it wrote
the text, and recognises it by the value that stands in it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from hypothesis import strategies as st
from tests.ingest.play import add, answers, reader
from tests.llm.scripted import Asked, ScriptedModel

from memoria.model import Memory, Relation

Way = Literal["remember", "model", "hand", "correct"]
"""The way in which a statement is made."""
Deed = Literal["confirm", "archive", "restore", "forget", "night"]
"""What else happens to a memory."""


@dataclass(frozen=True, repr=False)
class Topic:
    """One property of one subject, with values of which one holds at a time."""

    subject: str
    predicate: str
    kind: str
    values: tuple[str, ...]
    """What the oracle recognises each value by: a regular expression."""
    stated: tuple[str, ...]
    """As an agent states it."""
    spoken: tuple[str, ...]
    """As somebody says it plainly."""
    tales: tuple[str, ...]
    """As somebody says it in quite other words."""
    question: str

    def __repr__(self) -> str:
        return f"{self.subject}'s {self.predicate}"


def _topic(
    subject: str,
    predicate: str,
    values: Sequence[str],
    stated: str,
    spoken: str,
    tale: str,
    question: str,
) -> Topic:
    def fill(pattern: str) -> tuple[str, ...]:
        return tuple(pattern.format(value) for value in values)

    return Topic(
        subject,
        predicate,
        "fact",
        tuple(rf"(?<![A-Za-z0-9]){value}" for value in values),
        fill(stated),
        fill(spoken),
        fill(tale),
        question,
    )


TOPICS = (
    _topic(
        "user",
        "home",
        ("Leeds", "York", "Derby"),
        "The user lives in {}.",
        "I live in {}.",
        "So, the last of the boxes are unpacked in {} now.",
        "Does the user live in Leeds, York or Derby?",
    ),
    _topic(
        "Mara",
        "birthday",
        ("4 June", "14 June", "24 July"),
        "Mara's birthday is on {}.",
        "Mara's birthday is on {}.",
        "We lit the candles for Mara on {}, as each year.",
        "Is Mara's birthday on 4 June, 14 June or 24 July?",
    ),
    _topic(
        "阿强",
        "住址",
        ("苏州", "无锡", "常州"),
        "阿强住在{}。",
        "阿强住在{}。",
        "阿强的家具都运到{}去了。",
        "阿强住在苏州、无锡还是常州？",
    ),
    Topic(
        "user",
        "name",
        "fact",
        ("Linus", "Karel", "林晓晓", "方圆圆"),
        (
            "The user's name is Linus.",
            "The user's name is Karel.",
            "用户的名字是林晓晓。",
            "用户的名字是方圆圆。",
        ),
        ("My name is Linus.", "My name is Karel.", "我叫林晓晓。", "我叫方圆圆。"),
        (
            "Right, the new passport says Linus as it should.",
            "Right, the new passport says Karel as it should.",
            "新身份证拿到了，上面写的是林晓晓。",
            "新身份证拿到了，上面写的是方圆圆。",
        ),
        "Is the user's name Linus, Karel, 林晓晓 or 方圆圆?",
    ),
    Topic(
        "user",
        "liver",
        "preference",
        (r"(?<!not )(?<!n't )(?<!longer )likes? liver", r"(not|n't|longer) likes? liver"),
        ("The user likes liver.", "The user does not like liver."),
        ("I like liver.", "I don't like liver."),
        ("Liver again, hooray!", "Liver again, for heaven's sake."),
        "Does the user like liver?",
    ),
    Topic(
        "用户",
        "榴莲",
        "preference",
        ("(?<!不)喜欢吃?榴莲", "不喜欢吃?榴莲"),
        ("用户喜欢榴莲。", "用户不喜欢榴莲。"),
        ("我喜欢榴莲。", "我不喜欢榴莲。"),
        ("又有榴莲吃了，真香！", "又是榴莲，熏死人了。"),
        "用户喜欢榴莲吗？",
    ),
)
SAID = tuple((topic, i) for topic in TOPICS for i in range(len(topic.stated)))


def read_value(text: str) -> tuple[Topic, int] | None:
    """Which value of which topic a text speaks of; None if of none."""
    return next((said for said in SAID if re.search(said[0].values[said[1]], text)), None)


@dataclass(frozen=True)
class State:
    """Somebody states that a topic has a value."""

    path: Way
    topic: Topic
    value: int
    is_correction: bool

    @property
    def text(self) -> str:
        """What an agent states, or a line in a file says."""
        stated = self.topic.stated[self.value]
        sign = "Correction: " if stated.isascii() else "更正："
        return sign + stated if self.is_correction else stated


@dataclass(frozen=True)
class Act:
    """Something else happens, to a memory of a topic where it needs one."""

    deed: Deed
    topic: Topic
    ruling: Relation


History = list[State | Act]
WAYS: tuple[Way, ...] = get_args(Way)
DEEDS: tuple[Deed, ...] = get_args(Deed)
RULINGS: tuple[Relation, ...] = ("replaces", "contradicts")


def _about(topics: Sequence[Topic]) -> st.SearchStrategy[History]:
    """Histories of few topics: only what is about one thing can come in each other's way."""
    said = [(topic, value) for topic, value in SAID if topic in topics]
    states = st.builds(
        lambda path, one, is_correction: State(path, one[0], one[1], is_correction),
        st.sampled_from(WAYS),
        st.sampled_from(said),
        st.booleans(),
    )
    acts = st.builds(
        Act, st.sampled_from(DEEDS), st.sampled_from(list(topics)), st.sampled_from(RULINGS)
    )
    return st.lists(st.one_of(states, states, acts), min_size=3, max_size=9)


HISTORIES: st.SearchStrategy[History] = st.lists(
    st.sampled_from(TOPICS), min_size=1, max_size=2, unique=True
).flatmap(_about)


@dataclass
class Script:
    """A model that concludes what was told, corrects what it knows, and rules as it was told to."""

    ruling: Relation = "replaces"
    reason: str = "change"

    def serve(self) -> ScriptedModel:
        """The model as a server."""
        return ScriptedModel(
            answer=answers(extract=reader(self._reads), adjudicate=self._rules, verify=_agrees)
        )

    def _reads(
        self, n: int, who: str, text: str, known: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        said = next((one for one in SAID if text in (_spoken(one), _told(one))), None)
        if who != "user" or said is None:
            return []
        topic, value = said
        content = topic.stated[value]
        fields = {"type": topic.kind, "subject": topic.subject, "predicate": topic.predicate}
        own = [one for one in known if _topic_of(str(one["content"])) is topic]
        if text == _spoken(said) or not own:
            return [add(text, n, content, **fields, confidence=0.95)]
        change = {"op": "UPDATE", "id": own[0]["id"], "reason": self.reason}
        return [{**change, "content": content, "quote": text, "turn": n}]

    def _rules(self, asked: Asked) -> object:
        pairs = re.findall(r'"number": (\d+), "known": "(.*?)", .*?"new": "(.*?)",', asked.text)
        return {"rulings": [{"pair": int(n), "relation": self._relate(a, b)} for n, a, b in pairs]}

    def _relate(self, known: str, new: str) -> Relation:
        one, other = read_value(known), read_value(new)
        if one is None or other is None or one[0] is not other[0]:
            return "different"
        return "same" if one == other else self.ruling


def _agrees(asked: Asked) -> object:
    numbers = re.findall(r'"number": (\d+)', asked.text)
    return {"checks": [{"statement": int(n), "supported": "yes"} for n in numbers]}


def _spoken(said: tuple[Topic, int]) -> str:
    return said[0].spoken[said[1]]


def _told(said: tuple[Topic, int]) -> str:
    return said[0].tales[said[1]]


def _topic_of(text: str) -> Topic | None:
    said = read_value(text)
    return None if said is None else said[0]


@dataclass(frozen=True)
class Moment:
    """What was believed of a topic just after a statement took effect."""

    at: int
    topic: Topic
    values: frozenset[int]
    """What was stated, and what a model has found since to have been so all the time."""
    also: frozenset[int]
    """Every value that was believed or had been said by then."""


@dataclass
class Oracle:
    """What must be believed, told from the statements alone."""

    newest: dict[Topic, int] = field(default_factory=dict)
    """The last value stated, while nothing else has been done to the topic."""
    fixed: set[Topic] = field(default_factory=set)
    """Confirmed by the user: what others say afterwards may have to wait."""
    stated: dict[Topic, set[int]] = field(default_factory=dict)
    forgotten: set[Topic] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    """Wordings that were forgotten."""
    moments: list[Moment] = field(default_factory=list)

    def take(self, state: State) -> bool:
        """Note a statement; gives whether it must be believed now."""
        topic = state.topic
        self.stated.setdefault(topic, set()).add(state.value)
        by_user = state.path == "hand"  # a correction over the library is a program's
        if topic in self.forgotten or (topic in self.fixed and not by_user):
            self.newest.pop(topic, None)
            return False
        self.newest[topic] = state.value
        if by_user:
            self.fixed.add(topic)
        return True

    def look_back_on(self, state: State) -> None:
        """Note that a model's correction says what has been so since what it corrects was said."""
        if state.path == "model" and state.is_correction:
            new = frozenset((state.value,))
            self.moments = [
                replace(one, values=one.values | new, also=one.also | new)
                if one.topic is state.topic
                else one
                for one in self.moments
            ]

    def disturb(self, topic: Topic) -> None:
        """Something was done to the topic from which on the last statement decides nothing."""
        self.newest.pop(topic, None)


def values_in(memories: Sequence[Memory], topic: Topic) -> list[tuple[Memory, int]]:
    """The memories that say something of a topic now, with the value."""
    said = [(memory, read_value(memory.content)) for memory in memories]
    return [(memory, one[1]) for memory, one in said if one is not None and one[0] is topic]
