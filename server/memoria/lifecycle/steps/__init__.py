"""The steps of a night, in the order in which they run."""

from collections.abc import Mapping
from typing import Any

from memoria.lifecycle.face import Step, Working
from memoria.lifecycle.steps.core import Core
from memoria.lifecycle.steps.daily import Daily
from memoria.lifecycle.steps.decay import Decay
from memoria.lifecycle.steps.drain import Drain
from memoria.lifecycle.steps.expire import Expire
from memoria.lifecycle.steps.history import History
from memoria.lifecycle.steps.merge import Merge
from memoria.lifecycle.steps.promote import Promote
from memoria.lifecycle.steps.review import Review
from memoria.lifecycle.steps.tiers import Tiers
from memoria.lifecycle.steps.unread import Unread

STEPS: tuple[Step[Any] | Working, ...] = (
    Drain(),
    Unread(),
    Merge(),
    Decay(),
    Review(),
    Expire(),
    Tiers(),
    Promote(),
    Daily(),
    History(),
    Core(),
)
BY_NAME: Mapping[str, Step[Any] | Working] = {step.name: step for step in STEPS}
