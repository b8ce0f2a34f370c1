"""A chat model with a script for a mind: what a diligent one would answer in the simulated year.

It knows what is planted, in the user's words and in those it concludes. Of all other talk it keeps
a little, as of small importance, and it sums every conversation up.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from bench.night.facts import Fact, Value
from bench.night.world import World, habits
from memoria.language.words.characters import is_cjk

Object = dict[str, Any]

_TURN = re.compile(r"^\[(\d+)\] (\w+): (.*?)(?=\n\n\[|\n```|\Z)", re.MULTILINE | re.DOTALL)
_OBJECT = re.compile(r"^\{.*\}$", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")
_SIGNS = {
    "patch": "sentences that do in other words",
    "episode": "`outcome`",
    "adjudicate": "`relation`",
    "verify": "`supported`",
    "review": "PROMOTE",
    "concept": "CONCEPT",
    "day": "`sentences`",
}
"""What only the instructions of each question say; of none, it is extraction."""
_LEAST, _LONGEST = 24, 110
_MOST_ADDED = 16
_MOST_NOISE = 3
_NOISE_TYPES = ("fact", "fact", "preference", "task_outcome", "goal", "fact", "tool_experience")
_NOISE_LASTS = ("7d", "30d", *8 * ("permanent",))
_CORE = 0.6
_SURE = 0.9
"""How sure it is of what somebody has plainly said."""
_EPISODE, _EPISODE_OF_FACTS = 0.3, 0.5
_MOST_QUOTES = 4
_SEARCHES_FIRST = 3


@dataclass(frozen=True, slots=True)
class Known:
    """Which fact a text tells of, and which of its values."""

    fact: Fact
    value: Value

    @property
    def place(self) -> int:
        """Which of the values it is, the first to hold first."""
        return self.fact.values.index(self.value)


class Script:
    """Answers any question that Memoria asks."""

    def __init__(self, world: World) -> None:
        pairs = [(life.fact, value) for life in world.lives for value in life.fact.values]
        self._said = {value.said: Known(fact, value) for fact, value in pairs}
        self._content = {
            content: Known(fact, value) for fact, value in pairs for content in value.contents
        }
        self._concluded = {
            said: content
            for chat in (*world.chats.english, *world.chats.chinese)
            for said, content in chat.concluded.items()
        }
        self._habits = habits()

    def answer(self, instructions: str, text: str) -> Object:
        """What it says to a question.

        Args:
            instructions: the question's first message.
            text: its second.
        """
        purpose = next((name for name, sign in _SIGNS.items() if sign in instructions), "extract")
        answer: Object = getattr(self, f"_{purpose}")(text)
        return answer

    # What is asked when something was said

    def _extract(self, text: str) -> Object:
        turns, known = _turns(text), _objects(text)
        proposed = [op for turn in turns for op in self._of_turn(*turn, known)]
        noise = [op for turn in turns for op in self._noise(*turn)][:_MOST_NOISE]
        return {"operations": [*proposed[:_MOST_ADDED], *noise] or [{"op": "SKIP"}]}

    def _of_turn(self, number: int, who: str, said: str, known: list[Object]) -> Iterator[Object]:
        told = self._find_known(said)
        if who == "user" and told is not None:
            yield self._tell(number, told, said, known)
        elif who == "user":
            for words in (words for words in self._habits if words in said):
                yield _add(number, words, self._habits[words], predicate="activity")
        elif said in self._content:
            fact = self._content[said].fact
            yield from ({"op": "BOOST", "id": one["id"]} for one in self._of(fact, known))

    def _tell(self, number: int, told: Known, said: str, known: list[Object]) -> Object:
        """What is new, or instead of what is known."""
        fact, value = told.fact, told.value
        # Which wording it draws follows from the words, as the year does from its seed. A turn's
        # number is the store's: it counts wordings of memories too, and is another one where the
        # same is written on another path.
        content = value.contents[crc32(said.encode()) % 2]
        for one in self._of(fact, known):
            if self._content[one["content"]].value != value:
                instead = {"op": "UPDATE", "id": one["id"], "reason": "change"}
                return {**instead, "content": content, "quote": value.said, "turn": number}
        return _add(
            number,
            value.said,
            content,
            type=fact.type,
            subject=fact.subject,
            predicate=fact.predicate,
            importance=fact.importance,
            confidence=_SURE,
            duration=fact.duration,
        )

    def _noise(self, number: int, who: str, said: str) -> Iterator[Object]:
        """A little of what nobody will ask for."""
        chance = crc32(said.encode())
        concluded = self._concluded.get(said)
        quote = _first(said)
        told = self._find_known(said) or any(words in said for words in self._habits)
        if who != "user" or told or not (concluded or _says_something(quote)):
            return
        yield _add(
            number,
            quote,
            concluded or quote,
            type=_NOISE_TYPES[chance % len(_NOISE_TYPES)],
            subject=concluded.split()[0] if concluded else "user",
            predicate=f"talk {chance % 97}",
            importance=0.2 + chance % 5 * 0.05,
            duration=_NOISE_LASTS[chance % len(_NOISE_LASTS)],
        )

    def _episode(self, text: str) -> Object:
        turns = [(n, who, said) for n, who, said in _turns(text) if who == "user"]
        told = [known for _, _, said in turns if (known := self._find_known(said)) is not None]
        if not turns:
            return {"summary": ""}
        facts = dict.fromkeys(known.value.contents[0] for known in told)
        about = _first(turns[0][2])
        begins = f"用户聊到：{about}" if is_cjk(about) else f"The user talked about this: {about}"
        quotes = [{"turn": n, "quote": _first(said)} for n, _, said in turns[:_MOST_QUOTES]]
        summary = " ".join((begins, *facts))
        weight = _EPISODE_OF_FACTS if told else _EPISODE
        return {"summary": summary[:900], "quotes": quotes, "importance": weight}

    def _patch(self, text: str) -> Object:
        """Every sentence that tells what has changed, marked as what was so then."""
        changed = [json.loads(line) for line in text.splitlines() if line.startswith('"')]
        told = [one for one in _objects(text) if any(each in one["text"] for each in changed)]
        return {
            "sentences": [
                {"number": one["number"], "text": f"{one['text']} (It has changed since.)"}
                for one in told
            ]
        }

    def _adjudicate(self, text: str) -> Object:
        pairs = [pair for pair in _objects(text) if "known" in pair]
        return {"rulings": [{"pair": p["number"], "relation": self._relation(p)} for p in pairs]}

    def _relation(self, pair: Object) -> str:
        one, other = (self._content.get(str(pair[side])) for side in ("known", "new"))
        if one is None or other is None or one.fact != other.fact:
            return "same" if pair["known"] == pair["new"] else "different"
        return "same" if one.value == other.value else "replaces"

    def _verify(self, text: str) -> Object:
        asked = [one["number"] for one in _objects(text) if "statement" in one]
        return {"checks": [{"statement": number, "supported": "yes"} for number in asked]}

    # What is asked at night

    def _review(self, text: str) -> Object:
        """The planted is kept as long as nothing newer is told of it; talk is let go."""
        about, *others = [str(one.get("content", "")) for one in _objects(text)] or [""]
        known = self._content.get(about)
        if known is None:
            left = f"searches_left: {_SEARCHES_FIRST}" in text
            if left and crc32(about.encode()) % 2:
                return {"decision": "SEARCH", "words": _first(about)[:60]}
            return {"decision": "DELETE", "reason": "the talk of a day"}
        same = [other for text in others if (other := self._content.get(text)) is not None]
        if any(other.fact == known.fact and other.place > known.place for other in same):
            return {"decision": "DELETE", "reason": "something newer stands in its place"}
        lasting = known.fact.importance >= _CORE and known.fact.duration == "permanent"
        return {"decision": "PROMOTE" if lasting else "KEEP", "reason": "it would be missed"}

    def _concept(self, text: str) -> Object:
        """What is planted of one person is a theme."""
        by_person: dict[str, list[tuple[int, str]]] = {}
        for number, one in enumerate(_objects(text), 1):
            known = self._content.get(str(one["memory"]))
            if known is not None and known.fact.subject != "user":
                numbered = (int(one.get("number", number)), str(one["memory"]))
                by_person.setdefault(known.fact.subject, []).append(numbered)
        name, found = max(by_person.items(), key=lambda pair: len(pair[1]), default=("", []))
        if len(found) < 2:  # noqa: PLR2004  (a theme needs two)
            return {"action": "SKIP"}
        quotes = [{"memory": number, "quote": content} for number, content in found[:8]]
        content = " ".join(content for _, content in found)[:290]
        return {"action": "CONCEPT", "name": name, "content": content, "quotes": quotes}

    def _day(self, text: str) -> Object:
        found = [*enumerate(_objects(text), 1)][:5]
        return {
            "sentences": [
                {"text": words, "episodes": [int(one.get("number", n))]}
                for n, one in found
                if (words := _words_of(one)[:280].strip())
            ]
        }

    # What it knows

    def _find_known(self, said: str) -> Known | None:
        return next((known for words, known in self._said.items() if words in said), None)

    def _of(self, fact: Fact, known: Sequence[Object]) -> Iterator[Object]:
        """The memories of a fact that it was shown."""
        for one in known:
            found = self._content.get(str(one.get("content", "")))
            if found is not None and found.fact == fact:
                yield one


def _turns(text: str) -> list[tuple[int, str, str]]:
    """(number, who, what) of each turn that a question shows."""
    return [(int(number), who, said.strip()) for number, who, said in _TURN.findall(text)]


def _objects(text: str) -> list[Object]:
    """The objects that a question shows, a line each."""
    return [json.loads(line) for line in _OBJECT.findall(text)]


def _says_something(sentence: str) -> bool:
    """Whether a sentence is neither a question nor a greeting."""
    least = _LEAST // 2 if is_cjk(sentence) else _LEAST
    return len(sentence) >= least and not sentence.endswith(("?", "？"))


def _words_of(one: Object) -> str:
    """The longest text of an object: what it says."""
    return max((value for value in one.values() if isinstance(value, str)), key=len, default="")


def _first(text: str) -> str:
    """The first sentence of a text, or as many of its words as a quote may have."""
    found = next((one.strip() for one in _SENTENCE.findall(text) if len(one.strip()) > 1), text)
    if len(found) <= _LONGEST:
        return found
    return found[:_LONGEST].rsplit(" ", 1)[0] if not is_cjk(found) else found[:_LONGEST]


def _add(turn: int, quote: str, content: str, **more: object) -> Object:
    plain = {"op": "ADD", "type": "fact", "content": content, "quote": quote, "turn": turn}
    return {**plain, "subject": "user", "predicate": "talk", "importance": 0.3, **more}
