"""The face of a step: it plans, the plan is written down, it applies.

A plan is made before the first change and kept until its last item is done, answers of a chat model
included. So a night that was killed does what it was going to do: it neither asks again nor
concludes otherwise from what it has changed itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from memoria.config import Settings
from memoria.model.base import Value
from memoria.model.night import Outcome, Run
from memoria.policy.retention import Retention
from memoria.store.base import Store, Transaction

if TYPE_CHECKING:
    from memoria.inference.chat.gate import Gate
    from memoria.ingest.recall import Recall


class Item(Value):
    """One thing that a step is going to do."""

    key: str
    """Tells it from all others of the step and the run; new ids follow from it."""


ItemT = TypeVar("ItemT", bound=Item)


@dataclass(frozen=True, slots=True)
class Night:
    """What a step may use."""

    run: Run
    store: Store
    settings: Settings
    retention: Retention
    gate: "Gate | None" = None
    """The way to a chat model, where one is configured."""
    recall: "Recall | None" = None
    """Finds memories, and tells what texts mean."""
    short: dict[str, str] = field(default_factory=dict)
    """By step: what it could not do while it was planned, to be reported."""

    @property
    def tenant(self) -> str:
        """Whose memories."""
        return self.settings.tenant

    @property
    def output_tokens(self) -> int:
        """The longest answer of the model."""
        return self.settings.llm_output_tokens

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
