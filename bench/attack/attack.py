"""An attack as a value, and the list of all that there are."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bench.attack.arena import Arena

Attempt = Callable[[Arena], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Attack:
    """Something that is tried, under the name of its function."""

    name: str
    theme: str
    """The module that it stands in."""
    tried: str
    """What is tried, in a sentence: the function's docstring."""
    attempt: Attempt
    slow: bool
    """Whether it takes more than a moment: processes are started, or much is written."""


ATTACKS: dict[str, Attack] = {}
"""Every attack by name, in the order in which the themes are imported."""


def attack(attempt: Attempt) -> Attempt:
    """Enter a function into the list, as one that takes a moment."""
    return _enter(attempt, slow=False)


def slow_attack(attempt: Attempt) -> Attempt:
    """Enter a function into the list, as one that takes longer."""
    return _enter(attempt, slow=True)


def _enter(attempt: Attempt, *, slow: bool) -> Attempt:
    name, theme = attempt.__name__, attempt.__module__.rpartition(".")[2]
    if name in ATTACKS:
        raise ValueError(f"two attacks are named {name}")
    tried = " ".join((attempt.__doc__ or "").split())
    ATTACKS[name] = Attack(name, theme, tried, attempt, slow)
    return attempt
