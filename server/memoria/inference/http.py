"""HTTP with an endpoint: only at the address that was configured, within a size and a time.

A redirect is not followed: the words of conversations go to the host that somebody has configured
and to no other. Nothing is unpacked, as a hundred kilobytes may hold a gigabyte.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import Any

import httpx2

from memoria.errors import RerankerError
from memoria.inference.chat.base import DeadlineRunner

_PLAIN = ("", "identity")
_MOST_RERANK_BYTES = 1_000_000
"""Most bytes of an answer: twenty scores are 1 kB, but some servers send the texts back, too."""


def restrict_client(most_bytes: int) -> dict[str, Any]:
    """Return options for an HTTP client that follows no redirect and limits an answer's bytes."""
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
    """Stream of an answer's bytes that fails when there are too many."""

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
        """Close the connection."""
        self._inner.close()


@dataclass(frozen=True, slots=True)
class RerankResponse:
    """Status and body of an answer."""

    status: int
    body: bytes = b""
    """Body of a success; empty for an error, whose words may quote what was sent."""

    @property
    def is_success(self) -> bool:
        """True if the request succeeded, so that the body has scores."""
        return self.status == HTTPStatus.OK


class RerankClient:
    """Sends requests to one address; its errors quote neither what was sent nor the key."""

    def __init__(self, url: str, api_key: str | None, timeout_s: float) -> None:
        self._url = url
        self._api_key = api_key
        self._client = httpx2.Client(timeout=timeout_s)
        self._waiting = DeadlineRunner()

    def post(self, body: bytes, until: float) -> RerankResponse:
        """Send a request; return the answer, whatever its status.

        Args:
            body: JSON.
            until: when to give up, on the monotonic clock.

        Raises:
            RerankerError: there is none.
        """
        try:
            # The client's own limit is one on silence: a byte a second would satisfy it for ever.
            left_s = max(until - monotonic(), 0)
            return self._waiting.run(lambda: self._send(body, until), left_s)
        except (TimeoutError, httpx2.TimeoutException):
            raise RerankerError("the rerank endpoint gave no answer in time") from None
        except httpx2.ConnectError:
            raise RerankerError("the rerank endpoint failed: no connection") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise RerankerError(f"the rerank endpoint failed: {type(error).__name__}") from None
        except UnicodeEncodeError:
            raise RerankerError("MEMORIA_RERANK_API_KEY holds a character no key has") from None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _send(self, body: bytes, until: float) -> RerankResponse:
        with self._client.stream(
            "POST", self._url, content=body, headers=self._headers()
        ) as answer:
            read = bytearray()
            for part in answer.iter_raw() if answer.status_code == HTTPStatus.OK else ():
                read += part
                if len(read) > _MOST_RERANK_BYTES:
                    raise RerankerError("the rerank endpoint gave an answer without end")
                if monotonic() > until:
                    raise TimeoutError  # nobody waits for the rest any more
            return RerankResponse(answer.status_code, bytes(read))

    def _headers(self) -> dict[str, str]:
        key = {"authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        return {"content-type": "application/json", "accept-encoding": "identity", **key}
