"""The steps of a night, in the order in which they run."""

from collections.abc import Mapping
from typing import Any

from memoria.lifecycle.face import Step
from memoria.lifecycle.steps.core import Core
from memoria.lifecycle.steps.decay import Decay
from memoria.lifecycle.steps.expire import Expire
from memoria.lifecycle.steps.graph import Graph
from memoria.lifecycle.steps.merge import Merge
from memoria.lifecycle.steps.metrics import Metrics
from memoria.lifecycle.steps.promote import Promote

STEPS: tuple[Step[Any], ...] = (Merge(), Decay(), Expire(), Graph(), Metrics(), Promote(), Core())
BY_NAME: Mapping[str, Step[Any]] = {step.name: step for step in STEPS}
