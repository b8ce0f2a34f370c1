"""The seam between Memoria and its database engines.

Everything above this module is free of SQL and dialect. An engine offers a `Store`; a store
hands out transactions. A transaction of a tenant can reach no other tenant's rows: the tenant is
bound when it begins, and no method takes one.

All calls block; the application runs each whole transaction in one worker thread, beside which
`Transaction.meanwhile` may have a second for a while.
"""

from memoria.store.base.backlog import Backlog
from memoria.store.base.cold import ColdEdges, Likeness, Place, Waiting, Why
from memoria.store.base.conversations import Conversations
from memoria.store.base.core import CoreLines
from memoria.store.base.days import Days, NightFiles
from memoria.store.base.documents import Documents
from memoria.store.base.drawn import Basis, Drawn, Said, Source
from memoria.store.base.episodes import Episodes
from memoria.store.base.files import DatabaseFiles
from memoria.store.base.graph import Graph
from memoria.store.base.logs import Audit, Ledger
from memoria.store.base.memories import Memories
from memoria.store.base.metrics import Links, Metrics
from memoria.store.base.night import Nights
from memoria.store.base.pairs import Alike, Pairs, Wording
from memoria.store.base.purge import Purge
from memoria.store.base.queue import Queue, WorkQueue
from memoria.store.base.retention import Retention
from memoria.store.base.scratchpads import Scratchpads
from memoria.store.base.store import NightStore, Store, Transaction
from memoria.store.base.tiers import RawTiers
from memoria.store.base.tombstones import Tombstones

__all__ = [
    "Alike",
    "Audit",
    "Backlog",
    "Basis",
    "ColdEdges",
    "Conversations",
    "CoreLines",
    "DatabaseFiles",
    "Days",
    "Documents",
    "Drawn",
    "Episodes",
    "Graph",
    "Ledger",
    "Likeness",
    "Links",
    "Memories",
    "Metrics",
    "NightFiles",
    "NightStore",
    "Nights",
    "Pairs",
    "Place",
    "Purge",
    "Queue",
    "RawTiers",
    "Retention",
    "Said",
    "Scratchpads",
    "Source",
    "Store",
    "Tombstones",
    "Transaction",
    "Waiting",
    "Why",
    "Wording",
    "WorkQueue",
]
