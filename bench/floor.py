r"""The floor: plain BM25 over the words of each turn, which every memory must beat.

S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with Lucene's idf, which is never negative. Lower-cased `\w+` words as they stand: no stemming, no
stop words, no date, no speaker, no context. Chinese has no spaces to tell its words by, so a run of
its characters counts as these and every two of them in a row, as is usual without a dictionary.

    python -m bench.floor
"""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from bench.ask import LIMIT, Answer, Outcome, ask
from bench.command import measure, parser
from bench.data import LOCOMO, Conversation, Key
from memoria import Turn
from memoria.language.budget import estimate_tokens

_K1 = 1.2
_B = 0.75
_WORD = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+")
_HAN = re.compile(r"[\u3400-\u9fff]")


class Bm25:
    """Ranks the turns of one conversation, all of them held in memory."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self._bags = [Counter(list_words(turn.content)) for turn in turns]
        self._lengths = [bag.total() for bag in self._bags]
        self._mean_length = sum(self._lengths) / max(len(turns), 1)
        self._found_in = Counter(word for bag in self._bags for word in bag)

    async def rank(self, question: str) -> Answer:
        """The turns with the greatest scores, ties in the order they were said."""
        words = set(list_words(question))
        scored = [(self._score(words, i), i) for i in range(len(self._turns))]
        best = sorted((-score, i) for score, i in scored if score > 0)[:LIMIT]
        chosen = [self._turns[i] for _, i in best]
        return Answer(
            tuple(_key(turn) for turn in chosen),
            sum(estimate_tokens(turn.content) for turn in chosen),
        )

    def _score(self, words: set[str], i: int) -> float:
        bag = self._bags[i]
        norm = _K1 * (1 - _B + _B * self._lengths[i] / self._mean_length)
        return math.fsum(
            self._idf(word) * bag[word] * (_K1 + 1) / (bag[word] + norm)
            for word in words
            if word in bag
        )

    def _idf(self, word: str) -> float:
        n, df = len(self._turns), self._found_in[word]
        return math.log(1 + (n - df + 0.5) / (df + 0.5))


async def ask_floor(
    conversations: Sequence[Conversation], done: Callable[[], None]
) -> list[Outcome]:
    """Every question of every conversation, asked of plain BM25."""
    return [
        outcome
        for conversation in conversations
        for outcome in await ask(Bm25(conversation.turns), conversation.questions, done)
    ]


def list_words(text: str) -> list[str]:
    """The text's words in lower case; of a run of Chinese, its characters and pairs."""
    return [word for run in _WORD.findall(text.lower()) for word in _parts(run)]


def _parts(run: str) -> Iterator[str]:
    if not _HAN.match(run):
        yield run
        return
    yield from run
    yield from map("".join, pairwise(run))


def _key(turn: Turn) -> Key:
    return str(turn.session_id), str(turn.message_id)


if __name__ == "__main__":
    sys.exit(
        measure("bench.floor", {"bm25": ask_floor}, LOCOMO, parser("bench.floor").parse_args())
    )
