"""What a client gets to read: gold turns whose telling sentence stands in the answer's text.

A turn may be found and yet not told: an excerpt of a long answer can leave out what was asked for.
The telling sentence of a gold turn shares most with the answer, each word weighed by its rarity in
the conversation; with the question where the set has no answers, or the turn no word of it. It is
shown where nine tenths of its words stand in as many words of the answer's text. One of fewer than
four words may stand there by chance, so its turn has to be among the hits as well.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

import anyio

import memoria
from bench.ask import Outcome
from bench.command import progress
from bench.data import Conversation, Key, Question
from bench.floor import list_words
from bench.homes import provide_home
from bench.metrics import mean
from bench.output import Cell, Sheet
from bench.product import key_of
from memoria import Memoria
from memoria.surface.text import result_text

BUDGETS = (700, 2000)
_MOST_OF = 0.9
_STEM = 6
"""Letters of a word that count when sentences are compared: `Mondays` is `Monday`."""
_CHANCE = 4
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")

Weigh = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class ShownShare:
    """One question asked within one budget."""

    question: Question
    budget: int
    share: float
    """Gold turns whose telling sentence is shown ÷ gold turns."""
    hits: int


def find_telling_sentence(content: str, wanted: Sequence[str], weigh: Weigh) -> str:
    """The sentence that shares most with the first of the wanted texts that has a word of it.

    Args:
        content: of the turn.
        wanted: the answer, then the question.
        weigh: how much a word tells.
    """
    sentences = [part for part in _SENTENCE.split(content) if list_words(part)]
    for text in wanted:
        words = set(_stems(text))
        scores = [
            math.fsum(weigh(word) for word in sorted(words.intersection(_stems(each))))
            for each in sentences
        ]
        if scores and max(scores) > 0:
            return sentences[scores.index(max(scores))]
    return sentences[0] if sentences else content


def stands_in(sentence: str, text: str) -> bool:
    """Whether nearly all of the sentence's words stand together in the text."""
    wanted = Counter(list_words(sentence))
    length = wanted.total()
    need = math.ceil(_MOST_OF * length)
    said = list_words(text)
    window: Counter[str] = Counter()
    held = 0
    for place, word in enumerate(said):
        window[word] += 1
        held += window[word] <= wanted[word]
        if place >= length:
            gone = said[place - length]
            held -= window[gone] <= wanted[gone]
            window[gone] -= 1
        if held >= need:
            return True
    return False


def weigh_by_rarity(conversation: Conversation) -> Weigh:
    """How much a word tells in a conversation: the rarer, the more."""
    found_in = Counter(w for turn in conversation.turns for w in set(_stems(turn.content)))
    return lambda word: math.log(1 + len(conversation.turns) / (1 + found_in[word]))


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation as the judge of what is shown knows it."""

    contents: Mapping[Key, str]
    weigh: Weigh

    @classmethod
    def of(cls, conversation: Conversation) -> Self:
        """The conversation's turns, and how much each word tells in it."""
        contents = {
            (str(turn.session_id), str(turn.message_id)): turn.content
            for turn in conversation.turns
        }
        return cls(contents, weigh_by_rarity(conversation))

    def measure_shown(self, question: Question, text: str, hits: Collection[Key]) -> float:
        """The share of gold turns that are told in the answer's text.

        Where several turns say the same, each by itself will do.
        """
        return mean([float(self._is_told(question, gold, text, hits)) for gold in question.gold])

    def _is_told(self, question: Question, gold: Key, text: str, hits: Collection[Key]) -> bool:
        same = [key for key, counts_as in question.counts_as.items() if counts_as == gold]
        for key in dict.fromkeys((gold, *same)):
            wanted = (question.answer, question.text)
            sentence = find_telling_sentence(self.contents[key], wanted, self.weigh)
            by_chance = len(list_words(sentence)) < _CHANCE and key not in hits
            if not by_chance and stands_in(sentence, text):
                return True
        return False


async def ask_within(
    conversations: Sequence[Conversation], done: Callable[[], None], keep: Path | None = None
) -> list[ShownShare]:
    """Every question with gold, asked within each budget, all else at its default."""
    seen = []
    async with provide_home(conversations, keep) as home:
        for conversation in conversations:
            transcript = Transcript.of(conversation)
            async with memoria.open(home, conversation.name) as m:
                await m.wait_until_idle()
                for question in conversation.questions:
                    seen += [await _ask(m, transcript, question, budget) for budget in BUDGETS]
                    done()
    return [each for each in seen if each.question.gold]


def show_within(
    conversations: Sequence[Conversation],
    asked: Mapping[str, Sequence[Outcome]],
    *,
    slices: Mapping[str, Collection[Hashable]],
    keep: Path | None = None,
) -> Iterator[Sheet]:
    """What of the gold is told within each budget, by slice."""
    del asked
    with progress("shown", sum(len(each.questions) for each in conversations)) as done:
        seen = anyio.run(partial(ask_within, keep=keep), conversations, done)
    rows: list[tuple[Cell, ...]] = []
    for name, categories in slices.items():
        chosen = [each for each in seen if each.question.category in categories]
        if chosen:
            cells = (cell for budget in BUDGETS for cell in _cells(chosen, budget))
            rows.append((name, len(chosen) // len(BUDGETS), *cells))
    headings = (f"{what} {budget}" for budget in BUDGETS for what in ("shown in", "hits in"))
    yield Sheet("Gold turns told in the answer's text", ("questions", "n", *headings), rows)


async def _ask(m: Memoria, transcript: Transcript, question: Question, budget: int) -> ShownShare:
    found = await m.search_conversation_traces(question.text, max_tokens=budget)
    hits = {key_of(hit) for hit in found.hits}
    share = transcript.measure_shown(question, result_text(found), hits)
    return ShownShare(question, budget, share, len(found.hits))


def share_within(seen: Sequence[ShownShare], budget: int) -> float:
    """The mean share of gold told within a budget."""
    return mean([each.share for each in seen if each.budget == budget])


def _cells(seen: Sequence[ShownShare], budget: int) -> Iterator[Cell]:
    yield share_within(seen, budget)
    yield f"{mean([each.hits for each in seen if each.budget == budget]):.1f}"


def _stems(text: str) -> list[str]:
    return [word[:_STEM] for word in list_words(text)]
