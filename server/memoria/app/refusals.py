"""Refusals: the user is told of refused calls over HTTP, in a bounded number of lines."""

import logging
from collections import Counter
from typing import Protocol

from memoria.app.open_home import in_thread
from memoria.errors import StoreError
from memoria.model import now_millis
from memoria.model.moments import from_millis
from memoria.store.engine import Store

HTTP_CHANNEL = "http"
"""Channel of what a server over HTTP notes by itself."""
_MOST_COUNTED = 10_000
_LOG = logging.getLogger("memoria.http")


class RefusalLog(Protocol):
    """Log of refused calls."""

    async def note(self, reason: str, tenant: str | None = None, caller: str | None = None) -> None:
        """Note a refused call, as `RefusedCalls` does."""
        ...


def is_told(times: int) -> bool:
    """Return whether what has happened so often is told: the first, tenth, hundredth time.

    >>> [times for times in range(1, 200) if is_told(times)]
    [1, 10, 100]
    """
    return str(times).rstrip("0") == "1"


class RefusedCalls:
    """Counts refused calls by day, and notes the first, tenth, hundredth and so on of a kind.

    So whoever shows a wrong token a million times a day fills seven lines.
    """

    def __init__(self, store: Store | None) -> None:
        """Count from here on.

        Args:
            store: has the tenants' logs; without one all is told on standard error.
        """
        self._store = store
        self._day = ""
        self._counts = Counter[tuple[str | None, str | None, str]]()

    async def note(self, reason: str, tenant: str | None = None, caller: str | None = None) -> None:
        """Note a refused call: in the log of the tenant whose memory was asked for, else on stderr.

        Args:
            reason: in words of ours; nothing that a caller has sent.
            tenant: None if nobody knows whose memory was asked for.
            caller: as `Channel.caller`; None for a stranger.
        """
        at = now_millis()
        day = from_millis(at).date().isoformat()
        if day != self._day:
            self._day = day
            self._counts.clear()
        key = tenant, caller, reason
        if key not in self._counts and len(self._counts) >= _MOST_COUNTED:
            key = None, None, reason
        self._counts[key] += 1
        times = self._counts[key]
        if is_told(times):
            await self._tell(key, times, at)

    async def _tell(self, key: tuple[str | None, str | None, str], times: int, at: int) -> None:
        tenant, caller, reason = key
        told = reason if times == 1 else f"{reason}, {times} times on this day"
        if tenant is None or not await in_thread(lambda: self._write(tenant, caller, told, at)):
            _LOG.warning("refused a call: %s", told)

    def _write(self, tenant: str, caller: str | None, told: str, at: int) -> bool:
        """Write into a tenant's log; return False if it can't be written.

        A tenant that does not exist would begin by it, whoever names one.
        """
        try:
            if self._store is None or tenant not in self._store.tenants():
                return False
            with self._store.write(tenant, only_adds=True) as tx:
                tx.audit.add(
                    at=at,
                    channel=HTTP_CHANNEL,
                    client=None,
                    caller=caller,
                    action="refuse",
                    subject="call",
                    detail=told,
                )
        except StoreError as error:  # the call is refused all the same
            _LOG.warning("the log can't be written: %s", error)
            return False
        return True
