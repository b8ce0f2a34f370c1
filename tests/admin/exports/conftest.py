"""Exports whose key is sealed quickly; what a guess at a passphrase costs, test_seal.py sees."""

import pytest

from memoria.admin.exports import format as seal


@pytest.fixture(autouse=True)
def quick_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sealing or opening a key takes half a second, on purpose; most tests do either ten times."""
    monkeypatch.setattr(seal, "_WORK", 1 << 4)
