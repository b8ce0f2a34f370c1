"""Updates: which of two turns states anew what the other stated, and which denies it.

"The API answers in 250 ms now" states anew what "it takes the API 800 ms" stated, and "I have never
used Zotero" denies what "I just downloaded Zotero" tells. Both are read from turns as they were
said, long and full of questions; `policy/properties` compares single statements.
"""

from memoria.policy.updates.asked import AskedAmount, read_asked_amount
from memoria.policy.updates.read import TurnStatements, is_passage
from memoria.policy.updates.relate import Bearing, Restatement, find_restatement, score_denial
from memoria.policy.updates.told import Told

__all__ = [
    "AskedAmount",
    "Bearing",
    "Restatement",
    "Told",
    "TurnStatements",
    "find_restatement",
    "is_passage",
    "read_asked_amount",
    "score_denial",
]
