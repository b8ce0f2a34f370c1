"""The table of settings, made from the code: `python -m tests.docs.settings_table` writes it."""

import ast
import re
from itertools import pairwise

from tests.docs.pages import DOCS, SERVER

from memoria.config import Settings
from memoria.config_database import DatabaseSettings
from memoria.config_http import HttpSettings

PAGE = DOCS / "guide" / "settings.md"
COMMAND = "python -m tests.docs.settings_table"

_MODULES = (
    "config.py",
    "config_attachments.py",
    "config_database.py",
    "config_hooks.py",
    "config_http.py",
)
_HEAD = "<!-- settings -->\n| setting | default | meaning |\n|---|---|---|\n"
_TABLE = re.compile(re.escape(_HEAD) + r"(?:\|[^\n]*\n)*")


def table() -> str:
    """The whole table, with the mark above it."""
    meanings = _docstrings()
    return _HEAD + "".join(
        f"| `MEMORIA_{name.upper()}` | {_default(field.default)} | {meanings[name]} |\n"
        for name, field in sorted(Settings.model_fields.items(), key=_place_of)
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


def _place_of(field: tuple[str, object]) -> int:
    """Put what concerns a database's server behind the rest, and last what a server over HTTP."""
    name = field[0]
    return 2 if name in HttpSettings.model_fields else int(name in DatabaseSettings.model_fields)


def _default(value: object) -> str:
    return "" if value is None else f"`{value}`"


def _docstrings() -> dict[str, str]:
    """The text under each field of Settings, on one line."""
    trees = [ast.parse((SERVER / name).read_text("utf-8")) for name in _MODULES]
    classes = [n for tree in trees for n in tree.body if isinstance(n, ast.ClassDef)]
    return {
        field.target.id: " ".join(text.value.value.split())
        for settings in classes
        for field, text in pairwise(settings.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
