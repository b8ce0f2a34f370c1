"""The face of a step: it plans, the plan is written down, it applies.

A plan is made before the first change and kept until its last item is done, answers of a chat model
included. So a night that was killed does what it was going to do: it neither asks again nor
concludes otherwise from what it has changed itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from memoria.config import Settings
from memoria.model.base import Value
from memoria.model.night import Outcome, Run
from memoria.store.base import Store, Transaction


class Item(Value):
    """One thing that a step is going to do."""

    key: str
    """Tells it from all others of the step and the run; new ids follow from it."""


ItemT = TypeVar("ItemT", bound=Item)


@dataclass(frozen=True, slots=True)
class Night:
    """What a step may use."""

    run: Run
    tenant: str
    store: Store
    settings: Settings

    @property
    def at(self) -> int:
        """The moment the night goes by, UTC epoch ms."""
        return self.run.at


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of an item."""

    outcome: Outcome
    memory_id: str | None = None
    reason: str | None = None
    """Why, for the report. Never what a memory says."""


class Step(Protocol[ItemT]):
    """One of the things a night does."""

    @property
    def name(self) -> str:
        """As the command line has it."""
        ...

    @property
    def does(self) -> str:
        """What it does, for people: a phrase with a verb."""
        ...

    @property
    def item(self) -> type[ItemT]:
        """What its plan is made of."""
        ...

    @property
    def rows(self) -> int:
        """How many rows one item may touch at most, those of indexes and the journal included."""
        ...

    def reduced(self, night: Night, /) -> str | None:
        """What it has to do without, and so does otherwise; None where nothing is missing."""
        ...

    def plan(self, night: Night) -> Iterator[ItemT]:
        """What is to be done. Reads in short snapshots and writes nothing."""
        ...

    def apply(self, tx: Transaction, item: ItemT, night: Night) -> Applied:
        """Do one thing, unless somebody has changed what it rests on since it was planned."""
        ...
