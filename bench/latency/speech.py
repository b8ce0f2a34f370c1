"""What is said: sentences of the shared data sets in new company, or made-up ones without them.

Real words follow Zipf's law in two languages, which is what a full-text index feels. Sentences are
drawn and spliced, so that there is no end of turns.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from memoria.language.words.analyser import list_stop_words

_SENTENCE_END = re.compile(r"(?<=[.!?。！？\n])\s*")
_SHORTEST, _LONGEST = 12, 300
_LONGEST_QUESTION = 120
_SENTENCES_A_TURN = (1, 1, 2, 2, 3, 5)
_WORDS = 20_000
_MADE_UP = 10_000
_FIRST_HAN, _HAN = 0x4E00, 3000
_SYLLABLES = "ba do ki lu me no ra si ta ve shi mon ger pla tri".split()


@dataclass(frozen=True, slots=True)
class Speech:
    """Sentences to make turns of, and questions to ask."""

    sentences: tuple[str, ...]
    questions: tuple[str, ...]
    origin: str


def speech(folder: Path | None) -> Speech:
    """The sentences of every data set in the folder."""
    files = [] if folder is None else sorted(folder.rglob("*.json"))
    texts = (text for file in files for text in strings(json.loads(file.read_text("utf-8"))))
    found = sorted({part for text in texts for part in sentences(text)})
    asked = _questions(found)
    return Speech(tuple(found), asked, "shared data sets") if asked else _made_up()


def turn_text(said: Speech, rng: random.Random) -> str:
    """One to five sentences."""
    return " ".join(rng.choices(said.sentences, k=rng.choice(_SENTENCES_A_TURN)))


def strings(value: object) -> Iterator[str]:
    """Every text in a JSON document."""
    match value:
        case str():
            yield value
        case dict():
            yield from (text for item in value.values() for text in strings(item))
        case list():
            yield from (text for item in value for text in strings(item))
        case _:
            pass


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text that are neither very short nor very long."""
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    return (part for part in parts if _SHORTEST <= len(part) <= _LONGEST)


def _questions(sentences: list[str]) -> tuple[str, ...]:
    return tuple(s for s in sentences if s.endswith(("?", "？")) and len(s) <= _LONGEST_QUESTION)


def _made_up() -> Speech:
    """Two languages: the stop words first, then words of syllables or of characters."""
    rng = random.Random(1)  # noqa: S311  (nothing here is secret)
    common = sorted(list_stop_words())
    english = [w for w in common if w.isascii()] + [_word(rng) for _ in range(_WORDS)]
    chinese = [w for w in common if not w.isascii()]
    chinese += [chr(_FIRST_HAN + i) for i in range(_HAN)]
    said = [f"{line}." for line in _sentences_of(english, " ", rng, _MADE_UP * 4 // 5)]
    said += [f"{line}。" for line in _sentences_of(chinese, "", rng, _MADE_UP // 5)]
    asked = tuple(line[: _LONGEST_QUESTION // 2].rstrip(".。") + "?" for line in said[::10])
    return Speech(tuple(said), asked, "made-up words")


def _word(rng: random.Random) -> str:
    return "".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4)))


def _sentences_of(
    words: Sequence[str], between: str, rng: random.Random, many: int
) -> Iterator[str]:
    """Sentences whose words follow Zipf's law."""
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))
    for _ in range(many):
        yield between.join(rng.choices(words, cum_weights=weights, k=rng.randint(5, 20)))
