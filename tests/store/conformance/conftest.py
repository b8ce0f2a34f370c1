"""What every engine keeps: each test here runs on all of them, whatever `--engine` names."""

from collections.abc import Iterator

import pytest
from tests.databases import keep_homes


@pytest.fixture(scope="module", params=["sqlite", "postgres"], autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine that keeps the homes of a test."""
    name: str = request.param
    with keep_homes(None if name == "sqlite" else request.getfixturevalue("databases")):
        yield name
