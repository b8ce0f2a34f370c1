"""Processes that search beside this one while many ask it at once.

Of one process, one thread at a time runs Python, and ranking is Python: sixty-four clients of one
process share one core, however many there are. A helper opens the home as any other process does.
So it answers what this process would answer, and sees every write and every forgetting at once.

`pool` says where a search runs and starts helpers, `waiting` has those whose turn it is not yet,
`helper` is a helper as this process sees it, and `serve` is what it runs. Decisions
111 and 114 have the reasons.
"""

from memoria.app.helpers.pool import SearchHelpers, count_helpers

__all__ = ["SearchHelpers", "count_helpers"]
