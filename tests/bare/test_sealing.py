"""What is sealed comes back to the byte, and what was changed since does not come back."""

import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoria.bare.sealing import (
    SEAL,
    VARIABLE,
    EncryptionKeyError,
    find_key,
    key_of,
    open_reader,
    open_writer,
    seal,
    unseal,
    write_mark,
)

KEY = "ab" * 32
BLOCK = 1 << 20
many = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
sizes = st.sampled_from((0, 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def _write(home: Path, content: bytes, piece: int) -> bytes:
    file = io.BytesIO()
    with open_writer(str(home), file) as opened:
        for start in range(0, len(content), piece):
            opened.write(content[start : start + piece])
    return file.getvalue()


@many
@given(size=sizes, piece=st.integers(1000, 2 * BLOCK))
def test_what_is_sealed_at_once_or_piece_by_piece_comes_back(
    tmp_path: Path, size: int, piece: int
) -> None:
    content = b"harbour\n" * (size // 8) + b"x" * (size % 8)
    for sealed in (seal(str(tmp_path), content), _write(tmp_path, content, piece)):
        assert sealed.startswith(SEAL)
        assert b"harbour" not in sealed
        assert unseal(sealed) == content
        with open_reader(io.BytesIO(sealed)) as opened:
            lines = list(opened)
            assert opened.tell() == size
        assert lines == content.splitlines(keepends=True)


@many
@given(data=st.data())
def test_what_was_changed_cut_off_or_added_to_is_not_opened(
    tmp_path: Path, data: st.DataObject
) -> None:
    sealed = _write(tmp_path, b"harbour" * 200_000, BLOCK)
    at = data.draw(st.integers(len(SEAL), len(sealed) - 1))
    flipped = bytes([sealed[at] ^ data.draw(st.integers(1, 255))])
    first = len(SEAL) + 16
    second = first + 5 + int.from_bytes(sealed[first + 1 : first + 5], "big")
    other = _write(tmp_path, b"harbour" * 200_000, BLOCK)
    for spoilt in (
        sealed[:at] + flipped + sealed[at + 1 :],
        sealed[:at],
        sealed + flipped,
        sealed[:second],  # without its last block
        sealed[:first] + sealed[second:],  # without its first
        other[:second] + sealed[second:],  # with the last block of another file
    ):
        with pytest.raises(EncryptionKeyError):
            unseal(spoilt)


def test_what_nobody_sealed_is_read_as_it_is(tmp_path: Path) -> None:
    assert unseal(b"plain") == b"plain"
    with open_reader(io.BytesIO(b"plain")) as opened:
        assert opened.read() == b"plain"
    assert unseal(seal(str(tmp_path), seal(str(tmp_path), b"once"))) == b"once"


def test_another_key_opens_nothing_and_is_known_by_the_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, key = str(tmp_path), find_key()
    assert key is not None
    write_mark(home, key)
    assert KEY not in (tmp_path / "encrypted").read_text()
    sealed = seal(home, b"harbour")
    for other in ("cd" * 32, ""):
        monkeypatch.setenv(VARIABLE, other)
        with pytest.raises(EncryptionKeyError):
            unseal(sealed)
        with pytest.raises(EncryptionKeyError):
            seal(home, b"x")
        with pytest.raises(EncryptionKeyError):
            key_of(home)


@pytest.mark.parametrize("named", ["ab" * 31, "zebra", "/nowhere/key", "ab" * 31 + "zz"])
def test_what_is_no_key_is_refused_and_not_quoted(
    monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setenv(VARIABLE, named)
    with pytest.raises(EncryptionKeyError) as refused:
        find_key()
    assert (named in str(refused.value)) is named.startswith("/")


def test_a_key_may_lie_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "key"))
    assert find_key() == bytes.fromhex(KEY)
