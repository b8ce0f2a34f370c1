"""Restrictions on an endpoint over HTTP: it answers, at the address it was given, within a size.

A redirect is not followed: the words of conversations go to the host that somebody has configured
and to no other. Nothing is unpacked, as a hundred kilobytes may hold a gigabyte.
"""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2

_PLAIN = ("", "identity")


def restrict_client(most_bytes: int) -> dict[str, Any]:
    """Return options of a client that follows no redirect and reads at most so many bytes."""
    return {
        "follow_redirects": False,
        "headers": {"accept-encoding": "identity"},
        "event_hooks": {"response": [_limit_answer(most_bytes)]},
    }


def _limit_answer(most_bytes: int) -> Callable[[httpx2.Response], None]:
    def limit(answer: httpx2.Response) -> None:
        if answer.headers.get("content-encoding", "").strip().lower() not in _PLAIN:
            raise httpx2.RemoteProtocolError("the answer is packed, which was not asked for")
        if isinstance(answer.stream, httpx2.SyncByteStream):
            answer.stream = _LimitedStream(answer.stream, most_bytes)

    return limit


class _LimitedStream(httpx2.SyncByteStream):
    """The bytes of an answer, as long as there are not too many."""

    def __init__(self, inner: httpx2.SyncByteStream, most_bytes: int) -> None:
        self._inner = inner
        self._left = most_bytes

    def __iter__(self) -> Iterator[bytes]:
        for part in self._inner:
            self._left -= len(part)
            if self._left < 0:
                raise httpx2.RemoteProtocolError("the answer goes on without end")
            yield part

    def close(self) -> None:
        """Let go of the connection."""
        self._inner.close()
