"""The Python of the documents runs as it stands there."""

import ast
import inspect
from pathlib import Path

import pytest
from tests.docs.pages import Block, blocks, pages

import memoria
from memoria.errors import MemoriaError

_APART = ("claude_agent_sdk", "langgraph.graph", "llama_index")
EXAMPLES = [block for page in pages() for block in blocks(page, "python")]


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
