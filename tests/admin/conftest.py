"""The `memoria` command on a home of its own."""

from pathlib import Path

import pytest
from tests.surface.shell import Shell


@pytest.fixture
def shell(home: Path) -> Shell:
    """Without vectors: the model takes seconds to load."""
    return Shell(home)
