"""The pace of nightly maintenance: other processes write too."""

import time

_REST = 4.0
"""Rest of a run after a transaction, in lengths of that transaction."""
_SHORTEST_REST_S = 0.005


def rest(worked_s: float) -> None:
    """Leave the database to other processes for a while.

    Args:
        worked_s: how long the transaction kept them from writing.
    """
    time.sleep(max(_SHORTEST_REST_S, _REST * worked_s))
