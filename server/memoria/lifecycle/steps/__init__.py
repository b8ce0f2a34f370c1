"""The steps of nightly maintenance, in the order in which they run."""

from collections.abc import Mapping

from memoria.lifecycle.interface import AnyStep
from memoria.lifecycle.steps.consolidate import ConsolidateStep
from memoria.lifecycle.steps.core import CoreStep
from memoria.lifecycle.steps.daily import DailyStep
from memoria.lifecycle.steps.grounds import BindFilesStep
from memoria.lifecycle.steps.history import HistoryStep
from memoria.lifecycle.steps.merge import GraphStep, MergeStep, ProposeJoinsStep
from memoria.lifecycle.steps.metrics import MetricsStep
from memoria.lifecycle.steps.quotes import MarkTurnsStep, QuotesStep
from memoria.lifecycle.steps.reading import BackfillStep, ProcessQueueStep, RefreshEpisodesStep
from memoria.lifecycle.steps.retention import (
    ArchiveExpiredStep,
    DecayStep,
    DeleteExpiredStep,
    PromoteStep,
)
from memoria.lifecycle.steps.review import ReviewStep
from memoria.lifecycle.steps.skills import SkillsStep
from memoria.lifecycle.steps.weigh import WeighStep

STEPS: tuple[AnyStep, ...] = (
    MarkTurnsStep(),
    QuotesStep(),
    RefreshEpisodesStep(),
    ProcessQueueStep(),
    BackfillStep(),
    BindFilesStep(),
    MergeStep(),
    WeighStep(),
    ProposeJoinsStep(),
    ConsolidateStep(),
    SkillsStep(),
    DecayStep(),
    ReviewStep(),
    ArchiveExpiredStep(),
    DeleteExpiredStep(),
    GraphStep(),
    MetricsStep(),
    PromoteStep(),
    DailyStep(),
    HistoryStep(),
    CoreStep(),
)
BY_NAME: Mapping[str, AnyStep] = {step.name: step for step in STEPS}
