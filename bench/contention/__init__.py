"""Many processes on one home: is every acknowledged turn there, once, word for word?

Ten editor windows share one database file. Each is played by a clerk: an operating-system process
of its own that records, repeats itself and searches as fast as it can, all of them at once. Then
the store is compared with what the clerks were told.

    python -m bench.contention --mixed

And one, eight, sixteen, thirty-two that do nothing but write: how fast, and how evenly?

    python -m bench.contention --beside ../an-older-checkout
"""

from bench.contention.run import contend
from bench.contention.series import WritersVerdict, run_writers
from bench.contention.traffic import Load
from bench.contention.verdict import Verdict

__all__ = ["Load", "Verdict", "WritersVerdict", "contend", "run_writers"]
