"""Dictionary of pieces of words, as three arrays of numbers: a double-array trie.

From a node, the character with the code `c` leads to the node `next = base[node] + c`, if
`owner[next]` is the node one came from; `value[next]` is what the prefix read so far stands for.
A step is two additions and two look-ups, with nothing to build first (J. Aoe, "An Efficient Digital
Search Algorithm by Using a Double-Array Structure", 1989).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int32]

_WINDOW = 200
"""Number of free places that are searched at a time."""
_FRESH = 4000
"""Number of nodes after which occupied places are removed from the list of free ones."""
ROOT = 0


@dataclass(frozen=True, slots=True)
class Trie:
    """Arrays of a trie, and its characters in the order of their codes, from 1."""

    alphabet: str
    base: Integers
    owner: Integers
    value: Integers


def build_trie(values: Mapping[str, int]) -> Trie:
    """Build the trie of a mapping that holds every prefix of every key but the empty one.

    Raises:
        ValueError: the dictionary is so crowded that a node finds no room.
    """
    frequency = Counter(key[-1] for key in values)
    alphabet = "".join(char for char, _ in frequency.most_common())
    code = {char: number for number, char in enumerate(alphabet, start=1)}
    node = {"": ROOT} | {key: number for number, key in enumerate(values, start=1)}
    parents = np.fromiter((node[key[:-1]] for key in values), np.int32, len(values))
    codes = np.fromiter((code[key[-1]] for key in values), np.int32, len(values))
    base, place = _arrange(parents, codes, len(alphabet))
    # Whatever code is read at whatever node, the look-up stays inside.
    size = int(place.max()) + len(alphabet) + 1
    trie = Trie(
        alphabet,
        base=np.zeros(size, np.int32),
        owner=np.full(size, -1, np.int32),
        value=np.zeros(size, np.int32),
    )
    trie.base[place] = base
    trie.owner[place[1:]] = place[parents]
    trie.value[place[1:]] = np.fromiter(values.values(), np.int32, len(values))
    return trie


def _arrange(parents: Integers, codes: Integers, most: int) -> tuple[Integers, Integers]:
    """Return the base and the place of each node of the trie, the root first.

    Nodes with many children are the hardest to fit in and come first; those with a single child
    take whatever places are left.
    """
    nodes = len(parents) + 1
    counts = np.bincount(parents, minlength=nodes)
    children = np.argsort(parents, kind="stable") + 1
    ends = np.cumsum(counts)
    code_of = np.concatenate((np.zeros(1, np.int32), codes))
    base = np.zeros(nodes, np.int32)
    place = np.zeros(nodes, np.int32)
    free = np.ones(2 * nodes + 3 * most, np.bool_)
    roots = children[: ends[ROOT]]
    place[roots] = code_of[roots]
    free[: most + 1] = False  # the root's children, and no base is below zero
    fitted = [
        number for number in np.argsort(-counts, kind="stable").tolist() if counts[number] > 1
    ]
    fit = _Fit(free, most)
    for number in fitted:
        if number != ROOT:
            own = children[ends[number] - counts[number] : ends[number]]
            base[number] = fit.find_base(code_of[own])
            place[own] = base[number] + code_of[own]
            free[place[own]] = False
    single = np.flatnonzero(counts == 1)
    own = children[ends[single] - 1]
    place[own] = np.flatnonzero(free)[: len(own)]
    base[single] = place[own] - code_of[own]
    return base, place


class _Fit:
    """Finds bases for nodes, which come in descending number of children."""

    def __init__(self, free: NDArray[np.bool_], most: int) -> None:
        self._free = free
        self._places = np.flatnonzero(free[:-most])
        self._first = 0
        self._children = 0
        self._since = 0

    def find_base(self, codes: Integers) -> int:
        """Find a base from which the places for all codes are free.

        Places where a node did not fit are not tried for the next node with as many children.
        """
        self._since += 1
        if len(codes) != self._children or self._since == _FRESH:
            self._children, self._first, self._since = len(codes), 0, 0
            self._places = self._places[self._free[self._places]]
        while self._first < len(self._places):
            bases = self._places[self._first : self._first + _WINDOW] - codes[0]
            for code in codes.tolist():
                bases = bases[self._free[bases + code]]
            if bases.size:
                return int(bases[0])
            self._first += _WINDOW
        raise ValueError(f"no room for a node with {len(codes)} children")
