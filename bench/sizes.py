"""Files past 400 lines and functions past 60: each is a question of design."""

import ast
from collections.abc import Iterator
from pathlib import Path

_FILE_LINES = 400
_FUNCTION_LINES = 60


def long_files(root: Path) -> Iterator[str]:
    """Every Python file that is too long, as `path lines`."""
    for path in sorted(root.rglob("*.py")):
        lines = path.read_text("utf-8").count("\n")
        if lines > _FILE_LINES:
            yield f"{path.relative_to(root.parent)} {lines} lines"


def long_functions(root: Path) -> Iterator[str]:
    """Every function that is too long, as `path:line name lines`."""
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > _FUNCTION_LINES:
                    place = f"{path.relative_to(root.parent)}:{node.lineno}"
                    yield f"{place} {node.name} {lines} lines"


if __name__ == "__main__":
    server = Path(__file__).resolve().parent.parent / "server"
    found = [*long_files(server), *long_functions(server)]
    print("\n".join(found) or "none")
