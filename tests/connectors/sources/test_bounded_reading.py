"""No file that an import looks at is waited for, or held whole whatever its size."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.admin.test_backup import posix_only
from tests.connectors.sources.samples.clients import write_opencode_files
from tests.surface.shell import Shell

from memoria.admin.archive import read_manifest
from memoria.connectors.transcripts.source import read_text
from memoria.errors import BackupError


def _pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 3 << 40)


@posix_only
@pytest.mark.parametrize("make", [_pipe, _device, _sparse])
def test_a_file_that_never_ends_is_said_to_be_unreadable(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "config.json")
    with pytest.raises(OSError, match=r"regular file|longer than"):
        read_text(tmp_path / "config.json")


@posix_only
@pytest.mark.parametrize("make", [_pipe, _device, _sparse])
def test_a_part_of_a_session_that_never_ends_is_named_and_the_rest_comes_in(
    shell: Shell, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    root = write_opencode_files(tmp_path)
    part = min(root.rglob("part/**/*.json"))
    make(part)
    report = shell.json("import", root, "--format", "opencode", code=3)
    assert report["recorded"] >= 1
    assert any("not JSON" in one["problem"] for one in report["bad_lines"])


@posix_only
def test_a_backup_whose_table_of_contents_has_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sparse.zip"
    path.touch()
    os.truncate(path, 3 << 30)
    end = b"PK\5\6" + bytes(4) + b"\1\0\1\0" + (3 << 30).to_bytes(4, "little") + bytes(6)
    with path.open("ab") as file:
        file.write(end)
    with pytest.raises(BackupError, match="far too long"):
        read_manifest(path)
