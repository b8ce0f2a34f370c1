"""What is no text, or was cut off on its way: named, and read as nothing."""

from pathlib import Path

import pytest
from tests.connectors.sources.samples.chats import write_chatgpt
from tests.surface.shell import Shell


@pytest.mark.parametrize("form", ["obsidian", "notes", "basic-memory"])
def test_a_binary_file_is_named_and_makes_no_turn(shell: Shell, tmp_path: Path, form: str) -> None:
    for content in (b"\x01\x02\x03", b"Leeks\x00\x00\x10 in bed 3", b"\xff\xfe\x00\x01\x00\xd8"):
        path = tmp_path / "bin.dat"
        path.write_bytes(content)
        report = shell.json("import", path, "--format", form, code=3)
        (bad,) = report["bad_lines"]
        assert (bad["file"], report["recorded"], report["memories"]) == (str(path), 0, {})
        assert "is no text" in bad["problem"] or "is not UTF-8" in bad["problem"]
    for name in ("bin.md", "bin.txt"):
        (tmp_path / name).write_bytes(b"\x01\x02\x03")
        assert "nothing that could be read" in shell("import", tmp_path / name).err
    note = tmp_path / "log.txt"  # a terminal's colours are no reason to refuse a text
    note.write_text("# Beete 苗圃\n\n\x1b[32mAnna waters the leeks.\x1b[0m\f\n", "utf-8")
    assert shell.json("import", note, "--format", form)["bad"] == 0


@pytest.mark.parametrize("kept", [0.1, 0.9])
def test_a_zip_that_was_cut_off_is_said_to_be_damaged_whether_a_format_is_given_or_not(
    shell: Shell, tmp_path: Path, kept: float
) -> None:
    path = write_chatgpt(tmp_path).rename(tmp_path / "cut.zip")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    alone = shell("import", path)
    assert (alone.code, alone.out) == (1, "")
    assert "is a damaged zip" in alone.err
    assert "Download it again" in alone.err
    assert "--format" not in alone.err
    for form in ("chatgpt", "claude-ai"):
        forced = shell("import", path, "--format", form)
        assert forced.code == 3
        assert "is a damaged zip" in forced.out
        assert "Download it again" in forced.out
        assert "Next:" not in forced.out
    assert "next" not in shell.json("import", path, "--format", "chatgpt", code=3)
    counted = shell("import", path, "--format", "chatgpt", "--dry-run")
    assert "Import it:" not in counted.out
