"""Homes to be mistreated."""

from pathlib import Path

import anyio
import pytest
from bench.faults.homes import fill, fill_and_die


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filled home."""
    home = tmp_path_factory.mktemp("faults") / "pattern"
    anyio.run(fill, home)
    return home


@pytest.fixture(scope="session")
def unclosed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filled home whose writer was killed, with its log."""
    home = tmp_path_factory.mktemp("faults") / "unclosed"
    fill_and_die(home)
    return home
