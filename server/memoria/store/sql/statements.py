"""SQL statements by name, and running them with the tenant bound.

Every statement stands in a `.sql` file under a `-- name:` line. Names in braces are replaced by
lists of memory types (`m.type NOT IN {derived_types}`), codes of edges (`e.code = {SIMILAR_TO}`),
carried columns of a memory, or by an expression that several statements share, from
`fragments/<name>.sql`.

One text serves SQLite and PostgreSQL. Where their words differ, the statement has a macro in
braces, some with an argument (`FROM {numbers :ns} w`); `_MACROS` has the words of each engine.
Statements of one engine alone, such as those of the full text, stand in `store/<dialect>/`. A flag
is TRUE or FALSE, which to SQLite are 1 and 0.

Two hints to the planner of SQLite are left out for PostgreSQL: a plus before a column, which keeps
an index from being used, and CROSS before JOIN, which keeps the order of the tables. A plus before
tenant_id says that rows are found by their keys, and not among all rows of the tenant. PostgreSQL
may keep one plan for tenants of all sizes, so that it is told as well: no index serves IS NOT
DISTINCT FROM. Where rows are read page by page (`n > :after`), those of other tenants are few in a
file, and many in a database: there PostgreSQL is free.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import StoreDamagedError
from memoria.model.graph import EdgeType
from memoria.model.memory import CARRIED_COLUMNS
from memoria.model.memory_types import SQL_TYPE_LISTS, MemoryType
from memoria.store.connection import Connection, Cursor, Row
from memoria.store.sql.edge_codes import TYPE_CODES, list_codes

Dialect = Literal["sqlite", "postgres"]
_IN_BRACES = lazy_regex(r"\{(\w+)(?: ([:.\w]+))?\}")
_COMMENT = lazy_regex(r"^--.*\n", re.MULTILINE)
_NAME = lazy_regex(r"^-- name: (\w+)$", re.MULTILINE)
_BY_KEYS = lazy_regex(r"(?<!> :after AND )\+((?:\w+\.)?tenant_id) = ")
_PLANNER_HINT = lazy_regex(r"(?<=[\s(])\+(?=[a-z])|CROSS (?=JOIN)")
_PARAMETER = lazy_regex(r"(?<!:):(\w+)")
_JSON = "CAST({} AS JSONB)"
_PAIRS = f"FROM jsonb_each_text({_JSON})"
_MACROS: dict[Dialect, dict[str, str]] = {
    "sqlite": {
        "numbers": "json_each({})",  # rows of one column, `value`, from a list in JSON
        "texts": "json_each({})",
        "lists": "json_each({})",
        "pairs": "json_each({})",  # rows of two columns, `key` and `value`, which is a number
        "is": "IS",  # equal, or both NULL
        "is_not": "IS NOT",
        "greatest": "max",  # of values none of which is NULL
        "least": "min",
        "hex": "hex({})",
        "json": "{}",  # a text as JSON, from which `->>` takes a part
        "json_list": "json_array",
        "json_merge": "json_patch",
        "json_object": "json_object",
        "position": "instr",
        "short_id": "substr({}, -8)",
        "short_id_of": "substr({}.id, -8)",  # of a table that has an index of it
        # Metadata with every value of :metadata, or with a list that has the value.
        "has_metadata": (
            "NOT EXISTS (SELECT 1 FROM json_each(:metadata) w WHERE NOT EXISTS ("
            """SELECT 1 FROM json_each({}, '$."' || w.key || '"') x WHERE x.value = w.value"""
            " AND (x.type IN ('true', 'false')) = (w.type IN ('true', 'false'))))"
        ),
    },
    "postgres": {
        # An index is searched for such numbers: row-level security lets no cast stand between.
        "numbers": (
            "(SELECT value FROM unnest(CAST(translate({}, '[]', '{{}}') AS BIGINT[]))"
            " AS listed (value))"
        ),
        # Of an array the planner expects ten elements, of JSON a hundred: too many for an index.
        "texts": (
            "(SELECT value FROM unnest(ARRAY(SELECT jsonb_array_elements_text(CAST({} AS JSONB))))"
            " AS listed (value))"
        ),
        "lists": "(SELECT value FROM jsonb_array_elements(CAST({} AS JSONB)))",
        "pairs": f"(SELECT key, CAST(value AS BIGINT) AS value {_PAIRS})",
        "is": "IS NOT DISTINCT FROM",
        "is_not": "IS DISTINCT FROM",
        "greatest": "greatest",
        "least": "least",
        "hex": "upper(encode({}, 'hex'))",
        "json": _JSON,
        "json_list": "jsonb_build_array",
        "json_merge": "jsonb_concat",
        "json_object": "jsonb_build_object",
        "position": "strpos",
        "short_id": "right({}, 8)",
        "short_id_of": "{}.short_id",
        "has_metadata": (
            "NOT EXISTS (SELECT 1 FROM jsonb_each(CAST(:metadata AS JSONB)) w"
            " WHERE (CAST({} AS JSONB) -> w.key @> w.value) IS NOT TRUE)"
        ),
    },
}

# Types of parameters that PostgreSQL can't infer, because the parameter is first compared with NULL
# or with another parameter. A parameter of such a name has the type in every statement.
_POSTGRES_TYPES = {
    "BIGINT": (
        "at idle longest longest_lease longest_pause midnight n now since tenant turn_index until "
        "workspace"
    ),
    "TEXT": "account client metadata of path session_id speaker state task tool",
    "JSONB": "entities roles tasks types validities",
}
_TYPE_OF = {name: sort for sort, names in _POSTGRES_TYPES.items() for name in names.split()}
_COLUMN_LISTS = {
    name: ", ".join(map(form.format, CARRIED_COLUMNS))
    for name, form in {
        "carried": "{0}",
        "carried_of_m": "m.{0}",
        "carried_values": ":{0}",
        "set_carried": "{0} = :{0}",
    }.items()
}
"""Carried columns of a memory, in the forms that statements need."""
_EXTRACTED = list_codes(kind for kind in EdgeType if kind.is_extracted)
_EDGE_CODES = {kind.name: str(code) for kind, code in TYPE_CODES.items()}
_EDGE_CODES["extracted_edges"] = f"({', '.join(map(str, _EXTRACTED))})"


@cache
def statements(file: str, dialect: Dialect = "sqlite") -> dict[str, str]:
    """Load the named statements of `<file>.sql`; an engine's own take the place of shared ones."""
    store = resources.files("memoria.store")
    places = (store.joinpath(folder, f"{file}.sql") for folder in ("sql", dialect))
    named: dict[str, str] = {}
    for place in places:
        if place.is_file():
            _, *parts = _NAME.split(place.read_text("utf-8"))  # before the first name: a comment
            sql = (_fill_in(part.strip(), dialect) for part in parts[1::2])
            named |= dict(zip(parts[::2], sql, strict=True))
    return named


def _fill_in(sql: str, dialect: Dialect) -> str:
    filled = _IN_BRACES.sub(lambda match: _text_of(match[1], match[2], dialect), sql)
    return filled if dialect == "sqlite" else _translate(filled)


def _translate(sql: str) -> str:
    """Return a statement for PostgreSQL: without hints to SQLite, and with types of parameters."""
    bare = _PLANNER_HINT.sub("", _BY_KEYS.sub(r"\1 IS NOT DISTINCT FROM ", sql))
    return _PARAMETER.sub(_name_type, bare)


def _name_type(parameter: re.Match[str]) -> str:
    sort = _TYPE_OF.get(parameter[1])
    return f"CAST({parameter[0]} AS {sort})" if sort else parameter[0]


def _text_of(name: str, about: str | None, dialect: Dialect) -> str:
    if name in _MACROS[dialect]:
        return _MACROS[dialect][name].format(about)
    if name in _COLUMN_LISTS:
        return _COLUMN_LISTS[name]
    if name in SQL_TYPE_LISTS:
        return _sql_list(SQL_TYPE_LISTS[name])
    if name in _EDGE_CODES:
        return _EDGE_CODES[name]
    file = resources.files(__package__).joinpath("fragments", f"{name}.sql")
    return _fill_in(_COMMENT.sub("", file.read_text("utf-8")).strip(), dialect)


def _sql_list(types: Iterable[MemoryType]) -> str:
    return f"({', '.join(sorted(repr(one.value) for one in types))})"


_Model = TypeVar("_Model", bound=BaseModel)
Parameter = str | int | float | bytes | None


class TenantRows:
    """Runs the statements of one `.sql` file; `:tenant` is always bound to the tenant."""

    def __init__(self, connection: Connection, tenant: int, file: str) -> None:
        self.connection = connection
        self.tenant = tenant
        self._sql = connection.statements(file)

    def all(self, name: str, /, **parameters: Parameter) -> list[Row]:
        """Return every row."""
        return self._execute(name, parameters).fetchall()

    def fields(self, name: str, /, **parameters: Parameter) -> list[dict[str, Any]]:
        """Return every row as a dictionary: faster than `dict` of each, if columns are many."""
        cursor = self._execute(name, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def tuples(self, name: str, /, **parameters: Parameter) -> list[tuple[Any, ...]]:
        """Return every row as a tuple: faster than as a `Row`, if rows are many."""
        return self.connection.tuples(self._sql[name], {"tenant": self.tenant, **parameters})

    def column(self, name: str, /, **parameters: Parameter) -> list[Any]:
        """Return the first column of every row."""
        return [value for value, *_ in self.tuples(name, **parameters)]

    def first(self, name: str, /, **parameters: Parameter) -> Row | None:
        """Return the first row; None without any row."""
        row: Row | None = self._execute(name, parameters).fetchone()
        return row

    def find_number(self, name: str, /, **parameters: Parameter) -> int | None:
        """Return the number in the first column of the first row; None without any row."""
        row = self.first(name, **parameters)
        return None if row is None else row[0]

    def find_text(self, name: str, /, **parameters: Parameter) -> str | None:
        """Return the text in the first column of the first row; None without any row."""
        row = self.first(name, **parameters)
        return None if row is None else row[0]

    def number(self, name: str, /, **parameters: Parameter) -> int:
        """Return the single number that a statement gives."""
        return int(self._execute(name, parameters).fetchone()[0])

    def insert(self, name: str, /, **parameters: Parameter) -> int:
        """Insert a row, and return the number of the row."""
        return self._execute(name, parameters).lastrowid or 0

    def change(self, name: str, /, **parameters: Parameter) -> int:
        """Change rows, and return how many."""
        return self._execute(name, parameters).rowcount

    def send(self, name: str, /, **parameters: Parameter) -> None:
        """Change rows, when nobody needs to know how many or which."""
        self.connection.send(self._sql[name], {"tenant": self.tenant, **parameters})

    def ask_ahead(self, name: str, /, **parameters: Parameter) -> None:
        """Tell what is going to be asked, see `Connection.ask_ahead`; not for `tuples`."""
        self.connection.ask_ahead(self._sql[name], {"tenant": self.tenant, **parameters})

    def change_many(self, name: str, /, parameters: Iterable[Mapping[str, Parameter]]) -> None:
        """Change rows by one statement with many sets of parameters."""
        bound = ({"tenant": self.tenant, **each} for each in parameters)
        self.connection.executemany(self._sql[name], bound)

    def _execute(self, name: str, parameters: dict[str, Parameter]) -> Cursor:
        return self.connection.execute(self._sql[name], {"tenant": self.tenant, **parameters})


def build_value(model: type[_Model], fields: dict[str, Any]) -> _Model:
    """Build a value from its fields in the file.

    Raises:
        StoreDamagedError: the fields are impossible, so the file is damaged.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        wrong = ", ".join(str(item["loc"][0]) for item in error.errors() if item["loc"])
        raise StoreDamagedError.for_problem(
            f"a {model.__name__} has an impossible {wrong}"
        ) from error


def as_json(values: Iterable[object]) -> str:
    """Convert values to a JSON list, as statements take lists."""
    return json.dumps(list(values))


def list_numbers(ns: Iterable[int]) -> str:
    """Convert numbers to a JSON list, as statements take lists; faster than `as_json`."""
    return str(list(ns))


def as_json_or_null(values: Iterable[object]) -> str | None:
    """Convert values of an optional filter to a JSON list; None, which is NULL, without values."""
    listed = list(values)
    return as_json(listed) if listed else None
