"""Reads a text as it was before the files that it names were moved further down."""

import re
from collections.abc import Iterable


def find_spellings(old: str, new: str) -> tuple[str, str] | None:
    """Return how a file is written before and after a move; None if a name of its path was lost.

    What both paths begin and end with is left out but for one name, a folder's with its slash, as
    `views/` and `src/views/`. A lost name is told as a change: a statement may speak of it.
    """
    before, after, tail = old.split("/"), new.split("/"), list[str]()
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    while before and after and before[-1] == after[-1]:
        tail.insert(0, before.pop())
        after.pop()
    if before or not tail:
        return None
    ending = tail[0] + ("/" if len(tail) > 1 else "")
    return ending, "/".join((*after, ending))


def read_formerly(text: str, moves: Iterable[tuple[str, str]]) -> str:
    """Return a text with the paths of moved files as they were.

    Args:
        text: what may name files.
        moves: (former path, path now) of files.
    """
    for spelling in dict.fromkeys(find_spellings(*move) for move in moves):
        if spelling is not None:
            old, new = spelling
            ending = "" if new.endswith("/") else r"(?![\w-])"
            text = old.join(re.split(rf"(?<![\w-]){re.escape(new)}{ending}", text))
    return text
