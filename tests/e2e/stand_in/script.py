"""What a stand-in for a model says, in the words of no client."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.extraction import script
from tests.e2e.stand_in.dialect import Body, strings

from memoria.connectors.models import INSTRUCTIONS


@dataclass(frozen=True)
class Say:
    """An answer in words, which ends the turn."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call of a tool, by the name under which the client lists it."""

    tool: str
    arguments: Mapping[str, object] | str = field(default_factory=dict)
    """A text, for a tool of OpenAI's that takes one as it is."""


Reply = Say | Call
Script = Sequence[Reply]
"""The n-th request of a conversation is given the n-th reply; those after the last one, END."""
END = Say("That is all.")


@dataclass(frozen=True)
class Asked:
    """A request that reached a stand-in."""

    path: str
    body: Mapping[str, Any]
    after_s: float
    """Since the stand-in began to listen."""
    is_turn: bool
    """Whether it continues the conversation; clients ask for titles and the like as well."""


@dataclass(frozen=True)
class Conclusion:
    """What is concluded from words that somebody says."""

    quote: str
    content: str
    predicate: str


_OF_THE_TRIAL = Conclusion("moved from Bergen to Trondheim", "The user lives in Trondheim.", "home")
"""From the conversation of ours that a model is tried on."""


def is_reading(body: Body) -> bool:
    """Whether a request is a question of Memoria's, which a client was started to put."""
    return INSTRUCTIONS.strip() in "\n".join(strings(body))


def answer_question(body: Body, conclusions: tuple[Conclusion, ...]) -> str:
    """The answer to a question of Memoria's, as text."""
    answer = answer_text("\n".join(strings(body)), conclusions)
    return json.dumps(answer, ensure_ascii=False)


def answer_text(asked: str, conclusions: tuple[Conclusion, ...]) -> dict[str, Any]:
    """The answer to a question in words: of each talk what is known to follow from it."""
    answer = script.answer_question(asked, asked)
    if script.purpose_of(asked) == "extract":
        known = (_OF_THE_TRIAL, *conclusions)
        answer["operations"] = [found for one in known if (found := _conclude(one, asked))]
    return answer


def _conclude(one: Conclusion, asked: str) -> dict[str, object] | None:
    """The conclusion as an operation; None where its words were not said to be read."""
    turn = re.search(rf"^\[(\d+)\] user: [^\n]*{re.escape(one.quote)}", asked, re.MULTILINE)
    if turn is None:
        return None
    return {
        "op": "ADD",
        "type": "fact",
        "content": one.content,
        "quote": one.quote,
        "turn": int(turn[1]),
        "subject": "user",
        "predicate": one.predicate,
    }
