"""Switching a group of rules off: functions of the package are replaced by such as find nothing."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

_PACKAGE = "memoria."

Reading = Callable[..., Any]
"""A function of the package; what it takes and gives is its own affair."""


@dataclass(frozen=True, slots=True)
class Seam:
    """A function that is replaced, wherever a module has it by its name."""

    module: str
    """Where it is defined, below the package."""
    name: str
    """Its own; of a method with that of its class."""
    finds_nothing: Reading


@contextmanager
def switched_off(seams: Sequence[Seam]) -> Iterator[None]:
    """What the functions find is nothing within the block."""
    with ExitStack() as undo:
        for seam in seams:
            owner, name = _find_owner(seam)
            former = getattr(owner, name)
            undo.callback(_exchange, owner, name, seam.finds_nothing, former)
            _exchange(owner, name, former, seam.finds_nothing)
        yield


def _find_owner(seam: Seam) -> tuple[type | ModuleType, str]:
    """The class or module that defines the function, and its name there."""
    home = import_module(_PACKAGE + seam.module)
    owner, _, name = seam.name.rpartition(".")
    return (getattr(home, owner) if owner else home), name


def _exchange(owner: type | ModuleType, name: str, one: Reading, other: Reading) -> None:
    """Put one function in another's place where it is defined and where it is imported.

    A module may be imported within the block, and then has what stands there at that time.
    """
    setattr(owner, name, other)
    for key, module in list(sys.modules.items()):
        if key.startswith(_PACKAGE) and vars(module).get(name) is one:
            setattr(module, name, other)
