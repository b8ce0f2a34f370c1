"""The steps of nightly maintenance, in the order in which they run."""

from collections.abc import Mapping

from memoria.lifecycle.interface import AnyStep
from memoria.lifecycle.steps.archive_expired import ArchiveExpiredStep
from memoria.lifecycle.steps.backfill import BackfillStep
from memoria.lifecycle.steps.consolidate import ConsolidateStep
from memoria.lifecycle.steps.core import CoreStep
from memoria.lifecycle.steps.daily import DailyStep
from memoria.lifecycle.steps.decay import DecayStep
from memoria.lifecycle.steps.delete_expired import DeleteExpiredStep
from memoria.lifecycle.steps.graph import GraphStep
from memoria.lifecycle.steps.history import HistoryStep
from memoria.lifecycle.steps.mark_turns import MarkTurnsStep
from memoria.lifecycle.steps.merge import MergeStep
from memoria.lifecycle.steps.metrics import MetricsStep
from memoria.lifecycle.steps.process_queue import ProcessQueueStep
from memoria.lifecycle.steps.promote import PromoteStep
from memoria.lifecycle.steps.propose_joins import ProposeJoinsStep
from memoria.lifecycle.steps.quotes import QuotesStep
from memoria.lifecycle.steps.refresh_episodes import RefreshEpisodesStep
from memoria.lifecycle.steps.review import ReviewStep

STEPS: tuple[AnyStep, ...] = (
    MarkTurnsStep(),
    QuotesStep(),
    RefreshEpisodesStep(),
    ProcessQueueStep(),
    BackfillStep(),
    MergeStep(),
    ProposeJoinsStep(),
    ConsolidateStep(),
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
