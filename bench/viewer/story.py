"""A fortnight of somebody's talk with agents, and a scripted model that reads it.

The days are counted back from the day on which the story is played.
"""

import json
import re
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

from bench.extraction.answers import Answers, read_question
from bench.extraction.concluded import Concluded, list_objects, propose
from bench.extraction.labels import Labelled, SpokenSession, SpokenTurn
from bench.extraction.script import answer_question
from memoria import Role
from memoria.model.base import Value

_FILE = Path(__file__).with_name("story.json")
_DAY = re.compile(r"^\[\w+, \d{4}-\d\d-\d\d\]$", re.MULTILINE)
_TURN = re.compile(r"^\[(\d+)\] ([^:\n]{1,40}): (.*?)(?=\n\n|\n```|\Z)", re.MULTILINE | re.DOTALL)
_SECONDS_A_TURN = 40
_MOST_QUOTES = 3
_TELLING_CHARS = 24
"""Number of first characters by which conversations are told apart."""
_NO_ANSWER = "I can't read this."


class ToldConclusion(Concluded):
    """A conclusion, whom and what it names, and which one it contradicts."""

    entities: tuple[tuple[str, str], ...] = ()
    """Names, each with its kind."""
    contradicts: str | None = None


class ToldSession(Value):
    """A conversation of the story, and what it comes to."""

    id: str
    day: int
    """Days from the day on which the story is played; negative."""
    at: time
    workspace: str | None
    goal: str
    summary: str
    outcome: str | None
    unreadable: bool = False
    """True if the model never answers about it, so that it becomes a dead letter."""
    turns: tuple[tuple[Any, ...], ...]
    """(role, words), or ("tool", name, arguments, result)."""

    def to_spoken(self, today: datetime) -> SpokenSession:
        """Return the conversation with its times, for a story that is played today."""
        begin = datetime.combine(today.date() + timedelta(days=self.day), self.at, tzinfo=UTC)
        turns = tuple(
            _to_turn(one, begin + timedelta(seconds=_SECONDS_A_TURN * number))
            for number, one in enumerate(self.turns)
        )
        return SpokenSession(id=self.id, workspace=self.workspace, turns=turns)


class Story(Value):
    """The story: its conversations, and what a capable model concludes from them."""

    sessions: tuple[ToldSession, ...]
    concluded: tuple[ToldConclusion, ...]

    def to_labelled(self, today: datetime) -> Labelled:
        """Return its conversations as one that can be lived through, until the day before."""
        return Labelled(
            name="viewer",
            language="en",
            source="written for the viewer",
            sessions=tuple(one.to_spoken(today) for one in self.sessions),
            ask_on=today.date() - timedelta(days=1),
            facts=(),
        )

    def find(self, text: str) -> ToldSession | None:
        """Return the conversation whose first words stand in a text."""
        first = ((str(one.turns[0][1])[:_TELLING_CHARS], one) for one in self.sessions)
        return next((one for words, one in first if words in text), None)


def load_story() -> Story:
    """Read the story."""
    return Story.model_validate_json(_FILE.read_text("utf-8"))


def _to_turn(told: tuple[Any, ...], at: datetime) -> SpokenTurn:
    if told[0] != "tool":
        return SpokenTurn(role=Role(told[0]), content=told[1], at=at)
    _, name, arguments, result = told
    return SpokenTurn(
        role=Role.TOOL, at=at, tool_name=name, tool_args=arguments, tool_result=result
    )


class StoryAnswers(Answers):
    """The scripted model: what a capable one would answer about the story."""

    def __init__(self, story: Story) -> None:
        super().__init__(Path())
        self._story = story

    def answer(self, body: dict[str, Any]) -> str:
        """Return the answer to a request; words that are none about what is unreadable."""
        question = read_question(body)
        text = question.text
        told = self._story.find(text)
        match question.purpose:
            case "extract" if told is not None and told.unreadable:
                return _NO_ANSWER
            case "extract":
                found = {"operations": self._conclude(text), "episodes": self._sum_up_each(text)}
                if "episodes?:" not in question.instructions:
                    del found["episodes"]
            case "episode":
                found = self._sum_up(text)
            case "adjudicate":
                found = {"rulings": self._rule(text)}
            case "day":
                found = {"sentences": _sum_up_day(text)}
            case _:
                found = answer_question(question.instructions, text)
        return json.dumps(found, ensure_ascii=False)

    def _conclude(self, text: str) -> list[dict[str, Any]]:
        named = {one.content: one.entities for one in self._story.concluded}
        return [
            {**one, "entities": [{"name": n, "kind": k} for n, k in named[one["content"]]]}
            if one["op"] == "ADD"
            else one
            for one in propose(text, self._story.concluded)
        ]

    def _rule(self, text: str) -> list[dict[str, Any]]:
        changes = {(one.changes, one.content) for one in self._story.concluded}
        disputes = {(one.contradicts, one.content) for one in self._story.concluded}
        rulings = []
        for pair in (one for one in list_objects(text) if "known" in one):
            both = (pair["known"], pair["new"])
            relation = "contradicts" if both in disputes else "different"
            rulings.append(
                {"pair": pair["number"], "relation": "replaces" if both in changes else relation}
            )
        return rulings

    def _sum_up_each(self, text: str) -> list[dict[str, Any]]:
        return [found for part in _DAY.split(text)[1:] if (found := self._sum_up(part))["summary"]]

    def _sum_up(self, text: str) -> dict[str, Any]:
        told = self._story.find(text)
        turns = {str(one[1]) for one in told.turns} if told else set()
        quotes = [
            {"turn": int(number), "quote": said.strip()}
            for number, who, said in _TURN.findall(text)
            if who in ("user", "assistant") and said.strip() in turns
        ]
        return {
            "goal": told.goal or None if told else None,
            "summary": told.summary if told else "",
            "outcome": told.outcome if told else None,
            "importance": 0.5,
            "entities": [],
            "quotes": quotes[:_MOST_QUOTES],
        }


def _sum_up_day(text: str) -> list[dict[str, Any]]:
    """Return the first sentence of each summary of a day."""
    end = re.compile(r"(?<=[.。])")
    return [
        {"text": end.split(one["summary"])[0], "episodes": [one["number"]]}
        for one in list_objects(text)
        if one.get("summary") and "number" in one
    ]
