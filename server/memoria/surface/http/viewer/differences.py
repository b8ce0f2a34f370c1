"""Differences between two texts, in parts that a template marks as deleted or inserted."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

_WORD = re.compile(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+|\s+|.", re.DOTALL)
_MOST_PARTS = 1_500
"""Words or lines of a text above which it is not compared: time grows with their square."""


class Part(NamedTuple):
    """A part of a text that was kept, deleted or inserted."""

    kind: Literal["kept", "deleted", "inserted"]
    text: str


def compare_words(before: str, after: str) -> list[Part]:
    """Return what has changed between two texts, word by word; in Chinese sign by sign.

    >>> [(one.kind, one.text) for one in compare_words("in Rome", "in Paris")]
    [('kept', 'in '), ('deleted', 'Rome'), ('inserted', 'Paris')]
    """
    return _compare(_WORD.findall(before), _WORD.findall(after))


def compare_lines(before: str, after: str) -> list[Part]:
    """Return what has changed between two texts, line by line."""
    return _compare(before.splitlines(keepends=True), after.splitlines(keepends=True))


def _compare(before: Sequence[str], after: Sequence[str]) -> list[Part]:
    if max(len(before), len(after)) > _MOST_PARTS:
        whole = (Part("deleted", "".join(before)), Part("inserted", "".join(after)))
        return [one for one in whole if one.text]
    found: list[Part] = []
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(Part("kept", "".join(before[i:j])))
            continue
        if i < j:
            found.append(Part("deleted", "".join(before[i:j])))
        if k < m:
            found.append(Part("inserted", "".join(after[k:m])))
    return found
