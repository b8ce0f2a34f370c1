"""The site is built by one command, without a network."""

import ast
import doctest
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, README, ROOT, Block, blocks, pages, text_of

import memoria
from memoria.errors import MemoriaError

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


_APART = ("claude_agent_sdk", "langgraph.graph", "llama_index")
_NEEDS_A_SERVER = "url="
"""Such an example is run in `tests/surface/http/remote/`, where there is one."""
EXAMPLES = [
    block
    for page in pages()
    for block in blocks(page, "python")
    if _NEEDS_A_SERVER not in block.code
]


@pytest.mark.parametrize("block", EXAMPLES, ids=[f"block {n}" for n in range(len(EXAMPLES))])
async def test_every_example_runs(
    block: Block, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HOME", "USERPROFILE"):  # where ~ leads
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    for package in filter(block.code.__contains__, _APART):
        pytest.importorskip(package, reason=f"{package} is a package apart")
    code = compile(block.code, "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    ran = eval(code, {"__name__": "example"})  # noqa: S307  (our own documents)
    if inspect.isawaitable(ran):
        await ran
    assert capsys.readouterr().out


@pytest.mark.parametrize("given", [{"embedder": "banana"}, {"forget_grace_days": -1}, {"hom": "x"}])
def test_a_setting_that_can_not_be_used_is_told_of_as_every_other_mistake(
    given: dict[str, object],
) -> None:
    (name,) = given
    with pytest.raises(MemoriaError, match=f"MEMORIA_{name.upper()}: .*Mend the setting") as caught:
        memoria.Settings(**given)
    assert "pydantic" not in str(caught.value)


PACKAGE = Path(memoria.__file__).parent
WITH_EXAMPLES = [
    ".".join(("memoria", *file.relative_to(PACKAGE).with_suffix("").parts))
    for file in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in file.read_text("utf-8")
]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_every_example_of_a_docstring_gives_what_it_says(module: str) -> None:
    found = doctest.DocTestFinder(exclude_empty=True).find(import_module(module))
    examples = [one for one in found if one.examples]
    runner = doctest.DocTestRunner(verbose=False)
    assert [runner.run(one).failed for one in examples] == [0] * len(examples)
    assert examples
