"""How long one capture and one search take in a full home, beside what they can't do without.

A home is filled with turns and memories. Then, in turns with the product, the bare parts are timed
that it is made of: an insert with its fsync, a full-text query, a scan of the vectors, the
embedding of a question. Both share the machine's good and bad moments, so the ratio of the two
says more than either.

Afterwards captures are timed beside an extraction worker that reads, and without one: see
`bench.latency.reading`.

    python -m bench.latency
"""

from bench.latency.fill import fill
from bench.latency.reading import try_reading
from bench.latency.run import try_home

__all__ = ["fill", "try_home", "try_reading"]
