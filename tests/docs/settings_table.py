"""The table of settings, made from the code: `python -m tests.docs.settings_table` writes it."""

import ast
import re
from itertools import pairwise

from tests.docs.pages import DOCS, SERVER

from memoria.config import Settings

PAGE = DOCS / "guide" / "settings.md"
COMMAND = "python -m tests.docs.settings_table"

_HEAD = "<!-- settings -->\n| setting | default | meaning |\n|---|---|---|\n"
_TABLE = re.compile(re.escape(_HEAD) + r"(?:\|[^\n]*\n)*")


def table() -> str:
    """The whole table, with the mark above it."""
    meanings = _docstrings()
    return _HEAD + "".join(
        f"| `MEMORIA_{name.upper()}` | {_default(field.default)} | {meanings[name]} |\n"
        for name, field in Settings.model_fields.items()
    )


def with_table(page: str) -> str:
    """The page with its table made anew.

    Raises:
        ValueError: the page has no table of settings.
    """
    made, places = _TABLE.subn(lambda _: table(), page)
    if places != 1:
        raise ValueError(f"{PAGE} has {places} tables of settings, not one")
    return made


def _default(value: object) -> str:
    return "" if value is None else f"`{value}`"


def _docstrings() -> dict[str, str]:
    """The text under each field of Settings, on one line."""
    tree = ast.parse((SERVER / "config.py").read_text("utf-8"))
    settings = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Settings")
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(settings.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
