"""Running named statements with the tenant already bound."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from memoria.errors import StoreDamagedError
from memoria.store.connection import Connection, Cursor, Row
from memoria.store.sql.statements import statements

_Model = TypeVar("_Model", bound=BaseModel)
Parameter = str | int | float | bytes | None


class TenantRows:
    """The statements of one `.sql` file over one tenant's rows: `:tenant` is always bound to it."""

    def __init__(self, connection: Connection, tenant: int, file: str) -> None:
        self.connection = connection
        self.tenant = tenant
        self._sql = statements(file)

    def all(self, name: str, /, **parameters: Parameter) -> list[Row]:
        """Return every row."""
        return self._execute(name, parameters).fetchall()

    def fields(self, name: str, /, **parameters: Parameter) -> list[dict[str, Any]]:
        """Return every row as a dictionary: faster than `dict` of each, if columns are many."""
        cursor = self._execute(name, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def tuples(self, name: str, /, **parameters: Parameter) -> list[tuple[Any, ...]]:
        """Return every row as a tuple: going through a `Row` costs as much as reading it."""
        return self.connection.tuples(self._sql[name], {"tenant": self.tenant, **parameters})

    def first(self, name: str, /, **parameters: Parameter) -> Row | None:
        """Return the first row; None if there is none."""
        row: Row | None = self._execute(name, parameters).fetchone()
        return row

    def number(self, name: str, /, **parameters: Parameter) -> int:
        """Return the single number that a statement gives."""
        return int(self._execute(name, parameters).fetchone()[0])

    def insert(self, name: str, /, **parameters: Parameter) -> int:
        """Insert a row, and return its number."""
        return self._execute(name, parameters).lastrowid or 0

    def change(self, name: str, /, **parameters: Parameter) -> int:
        """Change rows, and return how many."""
        return self._execute(name, parameters).rowcount

    def change_many(self, name: str, /, parameters: Iterable[Mapping[str, Parameter]]) -> None:
        """Change rows by one statement with many sets of parameters."""
        bound = ({"tenant": self.tenant, **each} for each in parameters)
        self.connection.executemany(self._sql[name], bound)

    def _execute(self, name: str, parameters: dict[str, Parameter]) -> Cursor:
        return self.connection.execute(self._sql[name], {"tenant": self.tenant, **parameters})


def build_value(model: type[_Model], fields: dict[str, Any]) -> _Model:
    """Build a value from its fields in the file.

    Raises:
        StoreDamagedError: no such value was ever written.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        wrong = ", ".join(str(item["loc"][0]) for item in error.errors() if item["loc"])
        raise StoreDamagedError.for_problem(
            f"a {model.__name__} has an impossible {wrong}"
        ) from error


def as_json(values: Iterable[object]) -> str:
    """Convert values to a JSON list for `json_each`."""
    return json.dumps(list(values))


def list_numbers(ns: Iterable[int]) -> str:
    """Convert numbers to a JSON list for `json_each`: Python writes them as JSON does."""
    return str(list(ns))


def as_json_or_null(values: Iterable[object]) -> str | None:
    """Convert values of an optional filter to a JSON list; None, that is NULL, without any."""
    listed = list(values)
    return as_json(listed) if listed else None
