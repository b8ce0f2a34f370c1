"""Driver: a connection of psycopg, as tables use connections with any engine.

Statements name their parameters as SQLite does (`:name`, `?`); psycopg's form is made once for each
statement. Every number, text and flag is sent as a literal without a type, so that the server
chooses the type by the place where the parameter stands, as it does for `PREPARE`. Results come in
binary form: a hundred vectors in text form would be twice the bytes.

What nobody waits for is sent by one round trip with the next statement that somebody waits for.
"""

import contextlib
import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

import psycopg
from psycopg.adapt import AdaptersMap, Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.rows import BaseRowFactory, tuple_row
from psycopg.types.numeric import NumericBinaryLoader
from psycopg.types.string import StrDumperUnknown

from memoria.store.connection import Column, Cursor, Parameters, RefusedRowError, RefusedValueError
from memoria.store.postgres.journal import hide_changes, list_columns
from memoria.store.postgres.schema import identity_keys
from memoria.store.sql.statements import statements
from memoria.store.word_query import WordQuery

_Value = TypeVar("_Value")
_TOKEN = re.compile(r"'(?:[^']|'')*'|--[^\n]*|(?<!:):(?P<name>\w+)|\?|%")
_INSERT = re.compile(r"\s*INSERT INTO (\w+)\b")
_JSONB_VERSION_BYTES = 1
_PAGE = 500
"""Number of rows that are fetched at a time."""


class PostgresRow(tuple[Any, ...]):
    """A row by names and by places. Each list of column names has a class of its own."""

    __slots__ = ()
    places: ClassVar[Mapping[str, int]] = {}
    """Place of each column, by name."""

    def __getitem__(self, column: Any, /) -> Any:  # noqa: ANN401  (a name, a place or a slice)
        """Return the value of a column by place or name."""
        return super().__getitem__(self.places[column] if isinstance(column, str) else column)

    def keys(self) -> list[str]:
        """List the names of the columns."""
        return list(self.places)


@lru_cache(maxsize=1024)
def _row_class(names: tuple[str, ...]) -> type[PostgresRow]:
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        places.setdefault(name, place)
    return type("PostgresRow", (PostgresRow,), {"__slots__": (), "places": places})


def _make_rows(cursor: psycopg.Cursor[Any]) -> Callable[[Sequence[Any]], PostgresRow]:
    names = tuple(column.name for column in cursor.description or ())
    return _row_class(names)


class PostgresCursor(psycopg.Cursor[Any]):
    """Rows that a statement gives."""

    @property
    def lastrowid(self) -> int | None:
        """Number of the row that was inserted; None if none was."""
        row = self.fetchone() if self.description else None
        return None if row is None else row[0]


class _Statement(NamedTuple):
    """A statement that was not sent yet."""

    cursor: PostgresCursor
    sql: bytes
    parameters: Parameters


_Question = tuple[str, Hashable]
"""A statement with its parameters."""


def _name_question(sql: str, parameters: Parameters) -> _Question:
    if isinstance(parameters, Mapping):
        return sql, tuple(sorted(parameters.items()))
    return sql, tuple(parameters)


class PostgresConnection:
    """A connection inside of a transaction, as tables use it."""

    has_dense_numbers = False

    def __init__(self, raw: psycopg.Connection[Any], *, only_reads: bool) -> None:
        """Bind to a connection that has begun a transaction.

        Args:
            raw: the connection.
            only_reads: True if the transaction reads one snapshot, so that what was read once need
                not be read again.
        """
        self.raw = raw
        self._settled: dict[Hashable, Any] | None = {} if only_reads else None
        self._unsent: list[_Statement] = []
        self._ahead: dict[_Question, PostgresCursor] = {}
        self._may_wait = not only_reads

    def statements(self, file: str, /) -> Mapping[str, str]:
        """Return the statements of a file by name, as PostgreSQL runs them."""
        return statements(file, "postgres")

    def write_query(self, query: WordQuery, /) -> str:
        """Return a query of the full-text index as JSON, which functions of the schema read."""
        return json.dumps(query._asdict())

    def execute(self, sql: str, parameters: Parameters = (), /) -> Cursor:
        """Run a statement, unless its answer was asked for ahead."""
        cursor = self._ahead.pop(_name_question(sql, parameters), None) if self._ahead else None
        if cursor is None:
            cursor = self._open_cursor(cast("BaseRowFactory[Any]", _make_rows))
            self._run(_Statement(cursor, _translate(sql), parameters))
        elif cursor.pgresult is None:  # not sent yet
            self._run()
        return cast("Cursor", cursor)

    def send(self, sql: str, parameters: Parameters, /) -> None:
        """Run a statement whose result nobody needs, with the next one at the latest."""
        statement = _Statement(self._open_cursor(tuple_row), _translate(sql), parameters)
        if self._may_wait:
            self._unsent.append(statement)
        else:
            self._run(statement)  # alone: what fails in a pipeline ends the connection

    def ask_ahead(self, sql: str, parameters: Parameters, /) -> None:
        """Ask what `execute` is going to ask, together with whatever is asked first."""
        cursor = self._open_cursor(cast("BaseRowFactory[Any]", _make_rows))
        self._unsent.append(_Statement(cursor, _translate(sql), parameters))
        self._ahead[_name_question(sql, parameters)] = cursor

    def send_in_pipeline(self) -> None:
        """Send what is unsent in a pipeline that has begun, and whose end shows its errors."""
        unsent, self._unsent = self._unsent, []
        for cursor, sql, parameters in unsent:
            cursor.execute(sql, parameters, prepare=False)

    def commit(self) -> None:
        """Commit, after all that is unsent."""
        self._run(_Statement(self._open_cursor(tuple_row), b"COMMIT", ()))

    def _run(self, *last: "_Statement") -> None:
        """Run what is unsent, and a statement behind it, by one round trip."""
        statements, self._unsent = [*self._unsent, *last], []
        if len(statements) == len(last):
            for cursor, sql, parameters in last:
                cursor.execute(sql, parameters)
            return
        try:
            with self.raw.pipeline():
                for cursor, sql, parameters in statements:
                    cursor.execute(sql, parameters)
        except BaseException:
            # What is prepared in a pipeline that fails is taken for prepared ever after.
            if not self.raw.broken:
                self.raw.close()
            raise

    def executemany(self, sql: str, parameters: Iterable[Parameters], /) -> Cursor:
        """Run a statement that changes rows with many sets of parameters."""
        self._run()
        cursor = self._open_cursor(tuple_row)
        cursor.executemany(_translate(sql), parameters)
        return cast("Cursor", cursor)

    @contextlib.contextmanager
    def stream(self, sql: str, parameters: Parameters = (), /) -> Iterator[Iterator[Any]]:
        """Run a statement, and yield an iterator over its rows, which are fetched page by page."""
        self._run()
        rows = cast("BaseRowFactory[Any]", _make_rows)
        with psycopg.ServerCursor(self.raw, "streamed", row_factory=rows) as cursor:
            cursor.itersize = _PAGE
            cursor.execute(_translate(sql), parameters, binary=True)
            yield iter(cursor)

    def tuples(self, sql: str, parameters: Parameters = (), /) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows as plain tuples."""
        cursor = self._open_cursor(tuple_row)
        self._run(_Statement(cursor, _translate(sql), parameters))
        return cursor.fetchall()

    @contextlib.contextmanager
    def savepoint(self) -> Iterator[None]:
        """Run a block whose changes are all taken back if it raises anything."""
        self._run()
        self.raw.execute("SAVEPOINT attempt")
        waits, self._may_wait = self._may_wait, False  # each statement tells its own errors
        try:
            yield
        except (psycopg.IntegrityError, psycopg.errors.InsufficientPrivilege) as error:
            self._take_back()
            raise RefusedRowError(error.diag.message_primary) from error
        except (psycopg.DataError, psycopg.ProgrammingError, UnicodeEncodeError) as error:
            self._take_back()
            raise RefusedValueError(str(error)) from error
        except BaseException:
            self._take_back()
            raise
        finally:
            self._may_wait = waits
        self.raw.execute("RELEASE attempt")

    def _take_back(self) -> None:
        if not self.raw.broken:
            self.raw.execute("ROLLBACK TO attempt")
            self.raw.execute("RELEASE attempt")

    def columns(self, table: str) -> list[Column]:
        """List the columns of a table that hold the truth."""
        return list_columns(self, table)

    def hide_changes(
        self, tables: Sequence[str], tenant: int, report_id: str
    ) -> contextlib.AbstractContextManager[None]:
        """Record in `hidden_changes` how the rows were that the block changes."""
        return hide_changes(self, tables, tenant, report_id)

    def read_settled(self, what: Hashable, read: Callable[[], _Value]) -> _Value:
        """Return what the transaction has read before, or else what `read` returns."""
        if self._settled is None:
            return read()
        if what not in self._settled:
            self._settled[what] = read()
        return cast("_Value", self._settled[what])

    def snapshot_key(self) -> str:
        """Return the numbers of the transactions that are seen: the same by any connection."""
        return str(self.execute("SELECT CAST(pg_current_snapshot() AS TEXT)").fetchone()[0])

    def count_bytes(self) -> int:
        """Return the size of the tables and indexes of this schema."""
        return int(self.execute(self.statements("figures")["bytes"]).fetchone()[0])

    def close(self) -> None:
        """Close the connection, and roll back an open transaction."""
        self.raw.close()

    def _open_cursor(self, rows: BaseRowFactory[Any]) -> PostgresCursor:
        cursor = PostgresCursor(self.raw, row_factory=rows)
        cursor.format = Format.BINARY
        return cursor


@lru_cache(maxsize=4096)
def _translate(sql: str) -> bytes:
    """Return a statement in psycopg's form; an INSERT gives the number of its row."""
    bare = _TOKEN.sub(_translate_token, sql).strip().rstrip(";")
    inserts = _INSERT.match(bare)
    key = identity_keys().get(inserts[1]) if inserts else None
    returns = f" RETURNING {key}" if key and "RETURNING" not in bare else ""
    return (bare + returns).encode()


def _translate_token(token: re.Match[str]) -> str:
    """Return a token in psycopg's form: a text stays, a comment goes."""
    match token[0][0]:
        case "'":
            return token[0].replace("%", "%%")
        case "-":
            return ""
        case ":":
            return f"%({token['name']})s"
        case "?":
            return "%s"
        case _:
            return "%%"


class _UntypedDumper(Dumper):
    """Sends a number as a literal whose type the server chooses; a flag is 1 or 0."""

    oid = 0

    def dump(self, obj: float) -> Buffer:
        return str(int(obj) if isinstance(obj, bool) else repr(obj)).encode()

    def quote(self, obj: float) -> Buffer:
        return self.dump(obj)


class BinaryLiteral(bytes):
    """A value in the binary form of the type of the place where it stands."""


class _BinaryLiteralDumper(Dumper):
    """Sends a value in binary form, without a type."""

    format = Format.BINARY
    oid = 0

    def dump(self, obj: BinaryLiteral) -> Buffer:
        return obj


class _NumberLoader(NumericBinaryLoader):
    """Reads a NUMERIC, such as a sum of whole numbers, as Python's own kind of number."""

    def load(self, data: Buffer) -> int | float:  # type: ignore[override]
        number: Decimal = super().load(data)
        return float(number) if number.as_tuple().exponent else int(number)


class _JsonLoader(Loader):
    """Reads JSONB as a text, as all callers expect JSON."""

    format = Format.BINARY

    def load(self, data: Buffer) -> str:
        return bytes(data)[_JSONB_VERSION_BYTES:].decode()


@cache
def adapters() -> AdaptersMap:
    """Return how values go to the server and come back."""
    own = AdaptersMap(psycopg.adapters)
    for kind in (int, float, bool):
        own.register_dumper(kind, _UntypedDumper)
    own.register_dumper(str, StrDumperUnknown)
    own.register_dumper(BinaryLiteral, _BinaryLiteralDumper)
    own.register_loader("numeric", _NumberLoader)
    own.register_loader("jsonb", _JsonLoader)
    return own
