"""Identifiers: UUIDv7 (RFC 9562), so that they sort by the time they were made."""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count

import uuid_utils

from memoria.errors import InvalidInputError

_VERSION = 0x7 << 76
_VARIANT = 0b10 << 62
_RANDOM = ~((0xF << 76) | (0b11 << 62)) & ((1 << 80) - 1)

_SHORTEST_END = 8
"""Number of last characters of an id that are always enough to look for."""


def _random_id() -> str:
    return str(uuid_utils.uuid7())


_SOURCE: ContextVar[Callable[[], str]] = ContextVar("ids", default=_random_id)


def count_end_chars(ids: Iterable[str]) -> int:
    """Return how many last characters tell these ids apart, at least eight."""
    alone = set(ids)
    longest = max(map(len, alone), default=_SHORTEST_END)
    chars = (
        n for n in range(_SHORTEST_END, longest) if len({one[-n:] for one in alone}) == len(alone)
    )
    return next(chars, longest)


def cut_ids(ids: Sequence[str]) -> list[str]:
    """Cut ids to as many last characters as tell them apart."""
    chars = count_end_chars(ids)
    return [one[-chars:] for one in ids]


def choose_by_end(ids: Iterable[str], end: str) -> str | None:
    """Return the one id that ends so; None where none does.

    Raises:
        InvalidInputError: several end so; names them.
    """
    alike = [one for one in ids if one.endswith(end)]
    if len(alike) > 1:
        raise InvalidInputError(
            f"{end} is the end of several ids: {', '.join(cut_ids(alike))}. Give more of the one "
            "that is meant."
        )
    return alike[0] if alike else None


def new_id() -> str:
    """Make an identifier, 36 characters, greater than every one this process made before."""
    return _SOURCE.get()()


def derive_id(at: int, *parts: str) -> str:
    """Derive the identifier of a moment, UTC epoch ms, and what it is for: same input, same id."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    rest = int.from_bytes(digest[:10], "big") & _RANDOM
    return str(uuid.UUID(int=at << 80 | _VERSION | _VARIANT | rest))


@contextmanager
def use_ids(source: Callable[[], str]) -> Iterator[None]:
    """Let new identifiers in this block, in this thread alone, come from this source."""
    token = _SOURCE.set(source)
    try:
        yield
    finally:
        _SOURCE.reset(token)


@contextmanager
def derive_ids(at: int, *parts: str) -> Iterator[None]:
    """Let new identifiers in this block, in this thread alone, follow from what they are for.

    What is done again after a crash makes the same ones.
    """
    numbers = count()
    with use_ids(lambda: derive_id(at, *parts, str(next(numbers)))):
        yield
