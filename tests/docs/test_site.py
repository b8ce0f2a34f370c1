"""The site is built by one command, without a network."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, ROOT

_TIMEOUT_S = 120
_NOBODY = "http://127.0.0.1:9"
"""A proxy that nobody listens on: whoever asks the network is told no at once."""


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
