"""The server stands on what the MCP SDK publishes, so that its next version is no surprise.

Where a test here fails, somebody has reached into the SDK. Look for a public way first: a parameter
of the low-level `Server`, a handler, middleware. If there is none, pin `mcp` in pyproject.toml to
its minor version and name here what is leant on.
"""

import ast
import inspect
from pathlib import Path

import pytest

import memoria.surface
from memoria.surface.mcp.server import MemoriaServer
from memoria.surface.mcp.watch import Subscribers

MODULES = sorted(Path(memoria.surface.__path__[0]).rglob("*.py"))
DOCUMENTED = {"os._exit"}
"""Names of the standard library that begin with an underscore and are meant for everybody."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def attributes(code: str) -> set[tuple[str, str]]:
    """Every attribute a module speaks of: whose, and its name."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)]
    return {(ast.unparse(node.value), node.attr) for node in nodes}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_no_private_name_of_another_module_is_used(module: Path) -> None:
    code = module.read_text("utf-8")
    foreign = {f"{owner}.{name}" for owner, name in attributes(code) if is_private(name)}
    assert {one for one in foreign if not one.startswith("self.")} <= DOCUMENTED
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            assert [name for name in names if is_private(name)] == []


@pytest.mark.parametrize("ours", [MemoriaServer, Subscribers])
def test_no_class_of_ours_uses_or_shadows_what_its_sdk_base_keeps_to_itself(ours: type) -> None:
    bases = [base for base in ours.__mro__ if base.__module__.startswith("mcp.")]
    assert bases
    theirs = {name for base in bases for owner, name in attributes(inspect.getsource(base))}
    theirs |= {name for base in bases for name in vars(base)}
    mine = {name for owner, name in attributes(inspect.getsource(ours)) if owner == "self"}
    mine |= {name for name in vars(ours) if name not in ("__module__", "__doc__")}
    assert {name for name in mine & theirs if is_private(name)} == set()
