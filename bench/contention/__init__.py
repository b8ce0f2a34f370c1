"""Many processes on one home: is every acknowledged turn there, once, word for word?

Ten editor windows share one database file. Each is played by a clerk: an operating-system process
of its own that records, repeats itself and searches as fast as it can, all of them at once. Then
the store is compared with what the clerks were told.

    python -m bench.contention
"""

from bench.contention.run import contend
from bench.contention.traffic import Load
from bench.contention.verdict import Verdict

__all__ = ["Load", "Verdict", "contend"]
