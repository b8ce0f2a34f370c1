"""The steps of a night, in the order in which they run."""

from collections.abc import Mapping
from typing import Any

from memoria.lifecycle.face import Step, Working
from memoria.lifecycle.steps.consolidate import Consolidate
from memoria.lifecycle.steps.core import Core
from memoria.lifecycle.steps.daily import Daily
from memoria.lifecycle.steps.decay import Decay
from memoria.lifecycle.steps.drain import Drain
from memoria.lifecycle.steps.expire import Expire
from memoria.lifecycle.steps.graph import Graph
from memoria.lifecycle.steps.history import History
from memoria.lifecycle.steps.merge import Merge
from memoria.lifecycle.steps.metrics import Metrics
from memoria.lifecycle.steps.promote import Promote
from memoria.lifecycle.steps.purge import Purge
from memoria.lifecycle.steps.review import Review
from memoria.lifecycle.steps.rhythms import Rhythms
from memoria.lifecycle.steps.tiers import Tiers
from memoria.lifecycle.steps.unread import Unread

STEPS: tuple[Step[Any] | Working, ...] = (
    Drain(),
    Unread(),
    Merge(),
    Consolidate(),
    Rhythms(),
    Decay(),
    Review(),
    Expire(),
    Purge(),
    Tiers(),
    Graph(),
    Metrics(),
    Promote(),
    Daily(),
    History(),
    Core(),
)
BY_NAME: Mapping[str, Step[Any] | Working] = {step.name: step for step in STEPS}
