"""How many searches a second a home answers while 1, 8 or 64 clients ask at once.

Clients are tasks of one process that share one opened memory, or processes of their own over
standard input and output. Each makes one call after the other: both searches in turn, and every
tenth time a capture, so that a search finds what is new. Beside them stands a floor: the same
number of tasks that do no more than embed the question, query the full text and scan the vectors.

    python -m bench.throughput
    python -m bench.throughput --beside ../an-older-checkout     # in turns with it
"""

from bench.throughput.run import Crowd, Way, measure
from bench.throughput.verdict import Verdict, judge

__all__ = ["Crowd", "Verdict", "Way", "judge", "measure"]
