"""A key under a passphrase: each guess is dear, and nothing but the passphrase opens it."""

import os

import pytest

from memoria.admin.exports.format import open_key, seal_key
from memoria.errors import ExportError

PASSPHRASE = "correct horse battery"  # noqa: S105  (of a test)
KEY = os.urandom(32)


def test_each_guess_at_a_passphrase_takes_an_eighth_of_a_gibibyte() -> None:
    sealed = seal_key(KEY, PASSPHRASE, "ann")
    block = 128 * 8  # scrypt's, in bytes
    assert sealed.work * block == 1 << 27
    assert open_key(sealed, PASSPHRASE, "ann") == KEY
    cheaper = sealed.model_copy(update={"work": sealed.work >> 1})
    with pytest.raises(ExportError, match="does not open"):
        open_key(cheaper, PASSPHRASE, "ann")


def test_another_passphrase_or_tenant_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoria.admin.exports.format._WORK", 1 << 4)
    sealed = seal_key(KEY, PASSPHRASE, "ann")
    for passphrase, tenant in ((PASSPHRASE + "!", "ann"), (PASSPHRASE, "bob")):
        with pytest.raises(ExportError, match="does not open"):
            open_key(sealed, passphrase, tenant)
    assert open_key(sealed, PASSPHRASE, "ann") == KEY
