"""The steps of a night, in the order in which they run."""

from collections.abc import Mapping
from typing import Any

from memoria.lifecycle.face import Step
from memoria.lifecycle.steps.daily import Daily
from memoria.lifecycle.steps.expire import Expire
from memoria.lifecycle.steps.history import History

STEPS: tuple[Step[Any], ...] = (Expire(), Daily(), History())
BY_NAME: Mapping[str, Step[Any]] = {step.name: step for step in STEPS}
