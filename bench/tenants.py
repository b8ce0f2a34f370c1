"""Many small memories in one home, a tenant each, and one embedder loaded for all of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import memoria
from memoria import Memoria, Settings
from memoria.inference import Embedder

Embedding = Literal["bundled", "off"]
"""The product's own embedder, or none: full text alone."""


class TenantHome:
    """Opens tenants of a home as a library call does, with settings of no environment."""

    def __init__(self, home: Path, embedding: Embedding) -> None:
        self.path = home
        self.embedding = embedding
        self._embedder = _load(embedding)

    @asynccontextmanager
    async def open(self, tenant: str, **more: object) -> AsyncIterator[Memoria]:
        """A tenant's memory, closed at the end of the block.

        Args:
            tenant: whose.
            more: settings beside home, tenant and embedder.
        """
        values = {"home": self.path, "tenant": tenant, "embedder": self.embedding, **more}
        settings = Settings.from_values(**values)
        async with memoria.open(settings=settings, embedder=self._embedder) as m:
            yield m


def _load(embedding: Embedding) -> Embedder | None:
    if embedding == "off":
        return None
    from memoria.inference.embedder import BUNDLED, BundledEmbedder  # noqa: PLC0415  (loads a model)

    return BundledEmbedder(BUNDLED)
