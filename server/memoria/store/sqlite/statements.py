"""SQL by name. Every statement lives in a `.sql` file under a `-- name:` line.

Where a statement needs a list of memory types, it names it in braces (`m.type NOT IN
{derived_types}`), and the list of the table of memory types is put there.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

from memoria.model.memory_types import SQL_TYPE_LISTS, MemoryType

_TYPE_LIST = re.compile(r"\{(\w+)\}")
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def statements(file: str) -> dict[str, str]:
    """The named statements of `sql/<file>.sql`."""
    text = resources.files(__package__).joinpath("sql", f"{file}.sql").read_text("utf-8")
    _, *parts = _NAME.split(text)  # what stands before the first name is a comment
    sql = (_fill_type_lists(part.strip()) for part in parts[1::2])
    return dict(zip(parts[::2], sql, strict=True))


def _fill_type_lists(sql: str) -> str:
    return _TYPE_LIST.sub(lambda match: _sql_list(SQL_TYPE_LISTS[match[1]]), sql)


def _sql_list(types: Iterable[MemoryType]) -> str:
    return f"({', '.join(sorted(repr(one.value) for one in types))})"
