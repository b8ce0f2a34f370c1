"""Health: whether the process is alive, and whether it can serve calls as well as it ever will."""

import logging
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memoria.app.open_home import in_thread
from memoria.errors import StoreError
from memoria.inference import LazyEmbedder

_LOG = logging.getLogger(__name__)
PROBES = frozenset({"/healthz", "/readyz"})
"""Paths that machines ask every few seconds."""
_LOADING = ("not loaded", "loading")


async def answer_alive(_request: Request) -> Response:
    """Answer that the process is alive, whatever else is wrong."""
    return JSONResponse({"alive": True})


class Readiness:
    """Tells whether calls can be served: the home open and readable, the embedding model loaded."""

    def __init__(self) -> None:
        self._is_open = False
        self._look: Callable[[], object] | None = None
        self._embedder: LazyEmbedder | None = None

    def begin(self, look: Callable[[], object] | None, embedder: LazyEmbedder | None) -> None:
        """Note that the home is open, and begin to load its embedding model.

        Args:
            look: reads something of the store, or raises StoreError; None where each tenant has
                a store.
            embedder: the home's; None for none.
        """
        self._is_open, self._look, self._embedder = True, look, embedder
        if embedder is not None:
            embedder.start_loading()

    def end(self) -> None:
        """Note that the server stops."""
        self._is_open = False

    async def answer(self, _request: Request) -> Response:
        """Answer whether calls can be served; status 503 with the reason if not."""
        reason = await self._find_hindrance()
        if reason is None:
            return JSONResponse({"ready": True})
        return JSONResponse({"ready": False, "reason": reason}, 503)

    async def _find_hindrance(self) -> str | None:
        """Return why calls can't be served; None if they can.

        A model that failed to load is no hindrance: searches go on by words, and a restart would
        change nothing.
        """
        if not self._is_open:
            return "the home is not open"
        if self._embedder is not None and self._embedder.state in _LOADING:
            return "the embedding model is loading"
        if self._look is None:
            return None
        try:
            await in_thread(self._look)
        except StoreError as error:
            _LOG.warning("Not ready: %s", error)
            return "the store does not answer; the server's log says why"
        return None
