"""Names and sizes: what a reader trips over, counted. `.ci/run` prints it and fails on a broken bar.

    python -m bench.names

| counted | bar |
|---|---|
| functions, methods and properties whose name begins with a participle (`told`, `sorted_hits`) | below 2 % |
| docstrings that begin with a relative clause (`What was …`, `Whether …`) | below 2 % |
| class names that stand in more than one module | 0 |
| files of more than 400 lines | 0 |
| functions of more than 60 lines | 0 |
| constants of a module, and private functions and classes, that nothing uses | 0 |
| modules of less than 40 lines with a single importer | a list to argue about |
"""  # noqa: E501  (a table's row is a line)

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_PARTICIPLES = 0.02
MAX_RELATIVE = 0.02
SMALL_MODULE_LINES = 40
RELATIVE = frozenset(
    "what whatever whether who whom whose which how where when why of by as from".split()
)
"""First words of a docstring that makes its reader look for its noun or verb."""
IRREGULAR = frozenset(
    "been begun bound brought built chosen done drawn driven fallen felt forgotten found frozen "
    "given gone heard held hidden kept known laid left lent lost made meant met paid said seen "
    "sent shown sold sought spent split spoken stood taken taught thrown told torn understood won "
    "worn written".split()
)
"""Participles that don't end in -ed. What is a verb just as well (`put`, `set`, `read`) is none."""
VERBS_AND_NOUNS = frozenset(
    "embed exceed feed indeed need proceed seed speed split succeed".split()
)


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the package, parsed once."""

    path: str
    name: str
    """Dotted."""
    lines: int
    tree: ast.Module
    nodes: tuple[ast.AST, ...]
    """All of the tree, walked once."""


def read_modules(root: Path) -> list[Module]:
    """Every module below the folder that holds the package."""
    paths = sorted(root.rglob("*.py"))
    return [_read(path, root) for path in paths]


def _read(path: Path, root: Path) -> Module:
    text = path.read_text("utf-8")
    inside = path.relative_to(root)
    name = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")
    tree = ast.parse(text)
    return Module(str(inside), name, text.count("\n"), tree, tuple(ast.walk(tree)))


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function, method and property, but for those with a name of Python's."""
    for node in module.nodes:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not node.name.startswith("__"):
                yield node


def begins_with_participle(name: str) -> bool:
    """Whether a name tells what was done instead of what to do."""
    first = name.strip("_").split("_")[0]
    if first in VERBS_AND_NOUNS:
        return False
    return first in IRREGULAR or (first.endswith("ed") and len(first) > len("need"))


def list_docstrings(modules: list[Module]) -> list[tuple[str, str]]:
    """List the docstrings of modules, classes and functions: each with its place."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        (f"{module.path}:{getattr(node, 'lineno', 1)}", text)
        for module in modules
        for node in module.nodes
        if isinstance(node, documented) and (text := ast.get_docstring(node))
    ]


def begins_with_relative(docstring: str) -> bool:
    """Check whether a docstring begins with a relative clause or a genitive."""
    return docstring.partition(" ")[0].rstrip(",:.").lower() in RELATIVE


def doubled_classes(modules: list[Module]) -> dict[str, list[str]]:
    """Where class names stand that stand in more than one module."""
    places = defaultdict(set)
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                places[node.name].add(module.path)
    return {name: sorted(found) for name, found in places.items() if len(found) > 1}


def list_unused(modules: list[Module]) -> list[str]:
    """Constants of modules, and their private functions and classes, that are named nowhere else.

    A public function or class may be there for programs that use the package.
    """
    used = {name for module in modules for name in _uses(module)}
    return [
        f"{module.path}:{line} {name}"
        for module in modules
        for line, name in _own_names(module)
        if name not in used and not name.startswith("__")
    ]


def _uses(module: Module) -> Iterator[str]:
    for node in module.nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
                yield name
            case ast.ImportFrom(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.Constant(value=str() as name) if name.isidentifier():
                yield name


def _own_names(module: Module) -> Iterator[tuple[int, str]]:
    for node in module.tree.body:
        match node:
            case ast.Assign(targets=targets):
                names = [name for target in targets for name in ast.walk(target)]
                yield from ((node.lineno, one.id) for one in names if isinstance(one, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name.startswith("_"):
                yield node.lineno, name


def count_importers(modules: list[Module]) -> Mapping[str, int]:
    """How many modules of the package import each of them."""
    names = {module.name for module in modules}
    importers = Counter[str]()
    for module in modules:
        importers.update(_imported(module, names) - {module.name})
    return importers


def _imported(module: Module, names: set[str]) -> set[str]:
    found = set()
    for node in module.nodes:
        match node:
            case ast.Import(names=aliases):
                found |= {alias.name for alias in aliases}
            case ast.ImportFrom(module=str() as source, names=aliases):
                below = {f"{source}.{alias.name}" for alias in aliases} & names
                found |= below or {source}
    return found & names


def main(root: Path) -> int:
    """Print what was counted. Gives 1 where a bar is broken, else 0."""
    modules = read_modules(root)
    named = [(module.path, node) for module in modules for node in functions(module)]
    odd = [f"{path}:{n.lineno} {n.name}" for path, n in named if begins_with_participle(n.name)]
    texts = list_docstrings(modules)
    relative = [
        f"{place} {one.splitlines()[0]}" for place, one in texts if begins_with_relative(one)
    ]
    vague = len(relative) / max(len(texts), 1)
    doubled = [f"{name}: {', '.join(places)}" for name, places in doubled_classes(modules).items()]
    long = [f"{module.path} {module.lines}" for module in modules if module.lines > MAX_FILE_LINES]
    tall = [
        f"{path}:{node.lineno} {node.name} {lines}"
        for path, node in named
        if (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > MAX_FUNCTION_LINES
    ]
    importers = count_importers(modules)
    small = [
        f"{module.path} {module.lines}"
        for module in modules
        if module.lines < SMALL_MODULE_LINES and importers[module.name] == 1
    ]
    unused = list_unused(modules)
    share = len(odd) / len(named)
    _print_group(f"Names that begin with a participle: {share:.1%} of {len(named):,}", odd)
    title = f"Docstrings that begin with a relative clause: {vague:.1%} of {len(texts):,}"
    _print_group(title, relative)
    _print_group("Class names in more than one module", doubled)
    _print_group(f"Files of more than {MAX_FILE_LINES} lines", long)
    _print_group(f"Functions of more than {MAX_FUNCTION_LINES} lines", tall)
    _print_group("Constants and private names that nothing uses", unused)
    title = f"Modules of less than {SMALL_MODULE_LINES} lines with one importer (no bar)"
    _print_group(title, small)
    is_odd = share >= MAX_PARTICIPLES or vague >= MAX_RELATIVE
    return int(is_odd or bool(doubled or long or tall or unused))


def _print_group(title: str, found: list[str]) -> None:
    print(f"{title}: {len(found)}")
    for line in found:
        print(f"  {line}")


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent / "server"))
