"""Connections: how long the head of a request may take to come, and what is told of noise."""

import asyncio
import logging
from collections import Counter
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from memoria.app.refusals import is_told


class PatientConnection(H11Protocol):
    """Connection that is closed when the head of a request does not come in time."""

    head_within_s: ClassVar[float] = 30.0
    """Seconds in which the head of a request must have come."""
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what has come, and wait for the rest of a head."""
        super().data_received(data)
        self._wait_for_head()

    @property
    def _is_between_requests(self) -> bool:
        cycle = self.cycle  # None before the first request, whatever its type says
        return cycle is None or cycle.response_complete  # type: ignore[redundant-expr]

    def _wait_for_head(self) -> None:
        if not self._is_between_requests:
            self._stop_waiting()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(self.head_within_s, self._leave)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _leave(self) -> None:
        self._waiting = None
        if self._is_between_requests:
            self.transport.close()


class FewerWarnings(logging.Filter):
    """Filter that passes the first, tenth, hundredth and so on of a message.

    The server warns of every request that is no HTTP, and anybody can send those.
    """

    def __init__(self) -> None:
        super().__init__()
        self._counts = Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a message is told."""
        if record.levelno > logging.WARNING:
            return True
        self._counts[str(record.msg)] += 1
        return is_told(self._counts[str(record.msg)])
