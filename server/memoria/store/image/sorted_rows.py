"""Sorted rows: an index of a NumPy table, which finds the rows of many keys at once."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bits: TypeAlias = NDArray[np.bool_]
Integers: TypeAlias = NDArray[np.int64]


class SortedRows:
    """Row numbers of a table, in order of a key."""

    def __init__(self) -> None:
        self._keys: Integers = np.zeros(0, np.int64)
        self._rows: Integers = np.zeros(0, np.int64)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._keys)

    def add(self, keys: Integers, rows: Integers) -> None:
        """Add rows without sorting the present ones again."""
        if not len(keys):
            return
        order = keys.argsort(kind="stable")
        keys, rows = keys[order], rows[order]
        at = self._keys.searchsorted(keys, "right")
        self._keys = np.insert(self._keys, at, keys)
        self._rows = np.insert(self._rows, at, rows)

    def find(self, keys: Integers) -> tuple[Integers, Bits]:
        """Return a row for each key, and True for each row that has its key."""
        if not len(self._keys):
            return np.zeros(len(keys), np.int64), np.zeros(len(keys), np.bool_)
        at = self._keys.searchsorted(keys)
        at[at == len(self._keys)] = 0
        return self._rows[at], self._keys[at] == keys

    def list_between(self, first: Integers, last: Integers) -> Integers:
        """List the rows with keys in any of these spans; a row in two spans comes twice."""
        begins = self._keys.searchsorted(first)
        many = self._keys.searchsorted(last, "right") - begins
        at = np.repeat(begins - many.cumsum() + many, many) + np.arange(many.sum())
        rows: Integers = self._rows[at]
        return rows


def list_once(numbers: Integers) -> Integers:
    """Return numbers sorted and without duplicates, faster than `numpy.unique` if few."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    once: Integers = ordered[is_first]
    return once
