"""SQL by name. Every statement lives in a `.sql` file under a `-- name:` line.

A statement that needs a list of memory types names it in braces (`m.type NOT IN {derived_types}`),
and the list of the table of memory types is put there; so are a memory's carried columns. An
expression that several statements need is a file of its own, `fragments/<name>.sql`, and is named
in the same way, by other such files too.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

from memoria.bare.lazy_regex import lazy_regex
from memoria.model.memory import CARRIED_COLUMNS
from memoria.model.memory_types import SQL_TYPE_LISTS, MemoryType

_IN_BRACES = lazy_regex(r"\{(\w+)\}")
_COMMENT = lazy_regex(r"^--.*\n", re.MULTILINE)
_NAME = lazy_regex(r"^-- name: (\w+)$", re.MULTILINE)
_COLUMN_LISTS = {
    name: ", ".join(map(form.format, CARRIED_COLUMNS))
    for name, form in {
        "carried": "{0}",
        "carried_of_m": "m.{0}",
        "carried_values": ":{0}",
        "set_carried": "{0} = :{0}",
    }.items()
}
"""Carried columns of a memory, as a statement names them."""


@cache
def statements(file: str, package: str = "memoria.store.sql") -> dict[str, str]:
    """Load the named statements of `<file>.sql`.

    Args:
        file: its name.
        package: where it lies: an engine has some of its own.
    """
    text = resources.files(package).joinpath(f"{file}.sql").read_text("utf-8")
    _, *parts = _NAME.split(text)  # what stands before the first name is a comment
    sql = (_fill_in(part.strip()) for part in parts[1::2])
    return dict(zip(parts[::2], sql, strict=True))


def _fill_in(sql: str) -> str:
    return _IN_BRACES.sub(lambda match: _text_of(match[1]), sql)


def _text_of(name: str) -> str:
    if name in _COLUMN_LISTS:
        return _COLUMN_LISTS[name]
    if name in SQL_TYPE_LISTS:
        return _sql_list(SQL_TYPE_LISTS[name])
    file = resources.files(__package__).joinpath("fragments", f"{name}.sql")
    return _fill_in(_COMMENT.sub("", file.read_text("utf-8")).strip())


def _sql_list(types: Iterable[MemoryType]) -> str:
    return f"({', '.join(sorted(repr(one.value) for one in types))})"
