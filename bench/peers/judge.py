"""What is found in an answer of so many tokens: one rule for all, and nobody's own.

Four characters are a token, a Chinese, Japanese or Korean character is one by itself. Tokenizers of
models want their vocabulary from a hub, and would charge each system's layout differently.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from bench.data import Key
from bench.metrics import all_found_at, recall_at

_CHARS_PER_TOKEN = 4
_ALONE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_NAMED = re.compile(r"\bm[0-9a-f]{10}\b")
_ESCAPE = re.compile(r'\\[nrt"]')
"""Where an answer is JSON, its line breaks are no letters of the next word."""
_WHOLE = re.compile(r"\[(m[0-9a-f]{10})\]")

Tell = Callable[[str, Collection[Key]], float]
"""The share of gold that a text tells which shows these turns."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What an answer was worth."""

    recall: float
    """Gold turns found ÷ gold turns. A turn is found when its marker is there."""
    whole: float
    """The same, counting only turns shown to their last word."""
    told: float
    """Gold turns whose telling sentence stands in the answer ÷ gold turns (`bench.shown`)."""
    all_evidence: bool
    turns: int
    """Turns shown within the budget."""
    tokens: int
    """Of the answer as it was cut."""


def tokens(text: str) -> int:
    """How many tokens a text counts as."""
    return -(-_quarters(text) // _CHARS_PER_TOKEN)


def cut(text: str, budget: int) -> str:
    """As much of the text, from its beginning, as counts for no more than the budget."""
    left = budget * _CHARS_PER_TOKEN
    for place, character in enumerate(text):
        left -= _quarters(character)
        if left < 0:
            return text[:place]
    return text


def judge(
    answer: str,
    budget: int,
    known: Mapping[str, Key],
    gold: frozenset[Key],
    tell: Tell | None = None,
) -> Judged:
    """What of the gold is in the answer, once it is cut to the budget.

    Args:
        answer: as the server gave it.
        budget: in tokens.
        known: the turn behind each marker.
        gold: the turns asked for.
        tell: measures which share of gold a text tells; without it none is told.
    """
    shown = cut(answer, budget)
    found = _turns(_NAMED, shown, known)
    whole = _turns(_WHOLE, shown, known)
    return Judged(
        recall=recall_at(len(found), found, gold),
        whole=recall_at(len(whole), whole, gold),
        told=tell(_ESCAPE.sub(" ", shown), found) if tell else 0.0,
        all_evidence=bool(all_found_at(len(found), found, gold)),
        turns=len(found),
        tokens=tokens(shown),
    )


def _turns(marker: re.Pattern[str], shown: str, known: Mapping[str, Key]) -> tuple[Key, ...]:
    return tuple(dict.fromkeys(known[m] for m in marker.findall(shown) if m in known))


def _quarters(text: str) -> int:
    return len(text) + (_CHARS_PER_TOKEN - 1) * len(_ALONE.findall(text))
