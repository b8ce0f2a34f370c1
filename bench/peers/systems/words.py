"""Asking a server that looks for the very words of a query: word by word."""

import re
from collections.abc import Awaitable, Callable

from bench.peers.client import Connection

_COMMON = frozenset(
    "about after also been before could does from give going gone have having into like many more "
    "most much name over said some such than that their them then there these they this those "
    "under very want wants went were what when where which while will with would your".split()
)
_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 4


def key_words(question: str) -> list[str]:
    """The words a client would look for."""
    words = dict.fromkeys(word.lower() for word in _WORD.findall(question))
    return [word for word in words if len(word) >= _SHORTEST and word not in _COMMON]


async def word_by_word(
    look: Callable[[Connection, str], Awaitable[str]], connection: Connection, question: str, _: int
) -> str:
    """One look for each word; the words that occur least come first, as a patient client would."""
    answers = [await look(connection, word) for word in key_words(question)]
    return "\n".join(sorted(answers, key=len))
