"""Real texts to make real vectors of: sentences of the shared data sets, alone and in company."""

import json
from collections.abc import Iterator
from itertools import count, islice, takewhile
from pathlib import Path

from bench.latency.speech import sentences, strings

_LONGEST = 400


def texts(folder: Path, many: int) -> list[str]:
    """Distinct texts; fewer where the data has no more.

    First every sentence alone, then every two that follow each other, then every three, and so
    on: memories are as long as the former, turns as the latter. More texts begin with the same.

    Args:
        folder: the shared data sets.
        many: how many are wanted.
    """
    return list(islice(dict.fromkeys(_windows(folder)), many))


def _windows(folder: Path) -> Iterator[str]:
    files = sorted(folder.rglob("*.json"))
    documents = (json.loads(file.read_text("utf-8")) for file in files)
    said = [tuple(sentences(text)) for each in documents for text in strings(each)]
    longest = max(map(len, said), default=0)
    for length in takewhile(lambda length: length <= longest, count(1)):
        for parts in said:
            for first in range(len(parts) - length + 1):
                window = " ".join(parts[first : first + length])
                if len(window) <= _LONGEST:
                    yield window
