"""Fixtures of the tests of search."""

import pytest


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """One event loop for a module, so that its tests can share a home."""
    return "asyncio"
