"""Remembered results of functions of texts, until something is erased.

A text always says the same, and many searches read the same texts. But a result holds its text, and
erased texts are to be nowhere: so all that is remembered is forgotten when any tenant erases
anything, which is seldom.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

_Result = TypeVar("_Result")
_REMEMBERING: "list[_lru_cache_wrapper[object]]" = []


def remember_results(
    most: int,
) -> "Callable[[Callable[..., _Result]], _lru_cache_wrapper[_Result]]":
    """Let a function remember its last results.

    Args:
        most: how many. Nothing but what it is given may decide a result.
    """

    def decorate(function: Callable[..., _Result]) -> "_lru_cache_wrapper[_Result]":
        remembering = lru_cache(maxsize=most)(function)
        _REMEMBERING.append(remembering)
        return remembering

    return decorate


def forget_results() -> None:
    """Let every such function forget its results."""
    for each in _REMEMBERING:
        each.cache_clear()
