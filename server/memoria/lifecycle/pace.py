"""The pace of a night: others write too."""

import time

_REST = 4.0
"""How long it rests after a transaction, in lengths of that."""
_SHORTEST_REST_S = 0.005


def rest(worked_s: float) -> None:
    """Leave the file to others for a while.

    Args:
        worked_s: how long it was kept from them.
    """
    time.sleep(max(_SHORTEST_REST_S, _REST * worked_s))
