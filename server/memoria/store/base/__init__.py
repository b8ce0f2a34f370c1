"""The seam between Memoria and its database engines.

Everything above this module is free of SQL and dialect. An engine offers a `Store`; a store
hands out transactions. A transaction of a tenant can reach no other tenant's rows: the tenant is
bound when it begins, and no method takes one.

All calls block; the application runs each whole transaction in one worker thread, beside which
`Transaction.read_concurrently` may have a second for a while.
"""

from memoria.store.base.backlog import Backlog, TenantBacklog
from memoria.store.base.conversations import Conversations
from memoria.store.base.core import CoreLines
from memoria.store.base.days import Days, GeneratedFileRecords
from memoria.store.base.dependencies import Dependencies, Dependent, Orphan
from memoria.store.base.derivations import (
    ChangedSource,
    DerivationCandidate,
    Derivations,
    DerivationSource,
    StatementOccasion,
)
from memoria.store.base.documents import Documents
from memoria.store.base.engine import Engine
from memoria.store.base.episodes import Episodes
from memoria.store.base.erasures import Erasures, Holdings
from memoria.store.base.files import DatabaseFiles
from memoria.store.base.graph import EdgeKey, Graph
from memoria.store.base.hidden import HiddenFile, HiddenRecords
from memoria.store.base.leases import Leases
from memoria.store.base.logs import AuditLog, ModelCallLog
from memoria.store.base.memories import Memories
from memoria.store.base.metrics import LinkCounts, MetricRows
from memoria.store.base.nightly_runs import NightlyRuns
from memoria.store.base.pairs import ActiveWording, Pairs, SimilarWordings
from memoria.store.base.purge import PurgeCandidates
from memoria.store.base.queue import Queue, WorkQueue
from memoria.store.base.retention import RetentionRows
from memoria.store.base.scratchpads import Scratchpads
from memoria.store.base.store import JournalingStore, Store, Transaction
from memoria.store.base.tasks import TaskNames
from memoria.store.base.tombstones import Tombstones

__all__ = [
    "ActiveWording",
    "AuditLog",
    "Backlog",
    "ChangedSource",
    "Conversations",
    "CoreLines",
    "DatabaseFiles",
    "Days",
    "Dependencies",
    "Dependent",
    "DerivationCandidate",
    "DerivationSource",
    "Derivations",
    "Documents",
    "EdgeKey",
    "Engine",
    "Episodes",
    "Erasures",
    "GeneratedFileRecords",
    "Graph",
    "HiddenFile",
    "HiddenRecords",
    "Holdings",
    "JournalingStore",
    "Leases",
    "LinkCounts",
    "Memories",
    "MetricRows",
    "ModelCallLog",
    "NightlyRuns",
    "Orphan",
    "Pairs",
    "PurgeCandidates",
    "Queue",
    "RetentionRows",
    "Scratchpads",
    "SimilarWordings",
    "StatementOccasion",
    "Store",
    "TaskNames",
    "TenantBacklog",
    "Tombstones",
    "Transaction",
    "WorkQueue",
]
