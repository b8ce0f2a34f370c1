"""A format of transcripts is one description: help and default folder follow from it."""

from pathlib import Path

import pytest
from tests.surface.shell import Shell

from memoria.connectors.transcripts import FORMATS, TranscriptFormat


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_the_help_of_import_says_of_each_format_what_it_reads_and_where(
    shell: Shell, form: TranscriptFormat
) -> None:
    shown = " ".join(shell("import", "--help", COLUMNS="4000").out.split())
    assert form.summary in shown


def test_a_clients_own_folder_follows_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for form in FORMATS.values():
        if form.folder is not None:
            monkeypatch.setenv(form.folder.variable, str(tmp_path))
            assert form.folder.path == tmp_path / form.folder.below
            monkeypatch.setenv(form.folder.variable, "")
            assert form.folder.path == Path(form.folder.home).expanduser() / form.folder.below
