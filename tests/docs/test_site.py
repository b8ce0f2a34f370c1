"""The site is built by one command, without a network."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, README, ROOT, blocks, text_of

_TIMEOUT_S = 120
_NOBODY = "http://127.0.0.1:9"
"""A proxy that nobody listens on: whoever asks the network is told no at once."""


def test_every_page_is_in_the_sidebar() -> None:
    config = text_of(ROOT / "mkdocs.yml")
    sidebar = re.findall(
        r"^ +- (?:[^:\n]+: )?(\S+\.md)$", config.partition("\nnav:\n")[2], re.MULTILINE
    )
    there = [page.relative_to(DOCS).as_posix() for page in sorted(DOCS.rglob("*.md"))]
    assert sorted(sidebar) == there


def test_the_landing_page_begins_with_the_command_of_the_readme() -> None:
    begins = next(blocks(DOCS / "index.md", "sh"))
    assert begins.code == next(blocks(README, "sh")).code
    own = [
        block.code for block in blocks(README, "sh") if block.code.startswith("memoria remember")
    ]
    assert [block.code for block in blocks(DOCS / "index.md", "sh")][1:] == own


@pytest.mark.skipif(importlib.util.find_spec("zensical") is None, reason="needs the extra docs")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"],
        cwd=tmp_path,
        env={**os.environ, "HTTPS_PROXY": _NOBODY, "HTTP_PROXY": _NOBODY},
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = (tmp_path / "build" / "site").rglob("*.html")
    assert len(list(pages)) > len(list(DOCS.rglob("*.md")))  # and one for wrong links
