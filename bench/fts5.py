"""The floor that anyone has for nothing: SQLite's own full-text search over the turns.

Porter's stems, the question's words joined by OR, stop words dropped, FTS5's own `bm25`. A run of
Chinese characters counts as these and every two of them in a row, as in `bench.floor`: FTS5 takes
it for one word otherwise.
"""

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise

from bench.ask import LIMIT, Answer, Outcome, ask
from bench.data import Conversation
from memoria import Turn
from memoria.language.budget import estimate_tokens

_WORD = re.compile(r"\w+")
_HAN = re.compile("[\u3400-\u9fff]+")
_TABLE = "CREATE VIRTUAL TABLE said USING fts5(content, tokenize = 'porter unicode61')"
_ADD = "INSERT INTO said(rowid, content) VALUES (?, ?)"
_FIND = "SELECT rowid FROM said WHERE said MATCH ? ORDER BY rank, rowid LIMIT ?"
_STOP_WORDS = frozenset(
    """
    a an the of to in on for and or is are was were be been i me my you your it its this that
    with as at by from what which who whom how when where why did do does have has had can could
    would should will about so if we our they them their he his she her not no but any some more
    most than then there here also into over just
    """.split()
)
"""The floor's own, so that it stays where it is when the product's list changes."""


class Fts5:
    """Ranks the turns of one conversation by a full-text index in memory."""

    def __init__(self, index: sqlite3.Connection, turns: Sequence[Turn]) -> None:
        self._index = index
        self._turns = turns
        index.execute(_TABLE)
        index.executemany(_ADD, enumerate(_separate_characters(turn.content) for turn in turns))

    async def rank(self, question: str) -> Answer:
        """The turns that FTS5 puts first, ties in the order they were said."""
        words = _WORD.findall(_separate_characters(question.lower()))
        asked = dict.fromkeys(word for word in words if word not in _STOP_WORDS)
        if not asked:
            return Answer((), 0)
        match = " OR ".join(f'"{word}"' for word in asked)
        found = [self._turns[row] for (row,) in self._index.execute(_FIND, (match, LIMIT))]
        return Answer(
            tuple((str(turn.session_id), str(turn.message_id)) for turn in found),
            sum(estimate_tokens(turn.content) for turn in found),
        )


async def ask_fts5(
    conversations: Sequence[Conversation], done: Callable[[], None]
) -> list[Outcome]:
    """Every question of every conversation, asked of FTS5."""
    outcomes = []
    for conversation in conversations:
        with closing(sqlite3.connect(":memory:")) as index:
            outcomes += await ask(Fts5(index, conversation.turns), conversation.questions, done)
    return outcomes


def _separate_characters(text: str) -> str:
    """The text with each run of Chinese characters as characters and pairs, spaces between."""
    return _HAN.sub(_to_words, text)


def _to_words(run: re.Match[str]) -> str:
    return f" {' '.join((*run[0], *map(''.join, pairwise(run[0]))))} "
