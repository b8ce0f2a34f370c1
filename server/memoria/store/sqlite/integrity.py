"""Integrity of a file: damage in its truth, in its indexes, or in what is derived."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memoria.bare.lazy_regex import lazy_regex
from memoria.store.rows.links import GRAPH
from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import SqliteConnection, is_damage, sqlite3

_SQL = statements("examination")
_DERIVED = lazy_regex(r"(search_index|vectors_\d+)(?:_\w+)?")
"""Names of a derived index and of the tables its module keeps it in."""
_ABOUT_AN_INDEX = lazy_regex(r" (?:missing from|in) index (?P<name>\w+)")
_ABOUT_A_TREE = lazy_regex(r"^(?:Tree|On tree page) (?P<root>\d+)")
_MALFORMED = "disk image is malformed"
"""The message of a check that can't even begin."""
_HEADING = "*** in database "


@dataclass(frozen=True, slots=True)
class Damage:
    """Damage of a file. Each problem is a line of SQLite's own."""

    truth: tuple[str, ...] = ()
    """Problems of tables: what was lost is in a backup only."""
    indexes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Problems of tables' own indexes, by table: they can be built anew from its rows."""
    derived: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Problems of full text and vectors, by virtual table."""
    bookkeeping: tuple[str, ...] = ()
    """Problems of the list of pages, though every table is sound."""

    def __bool__(self) -> bool:
        """Check whether anything is wrong."""
        return bool(self.truth or self.indexes or self.derived or self.bookkeeping)


def inspect(connection: SqliteConnection, *, deep: bool = True) -> Damage:
    """Check the whole file; and if something is wrong, each table by itself.

    Raises:
        sqlite3.Error: not even the list of tables can be read.
    """
    pragma = "integrity_check" if deep else "quick_check"
    whole = _run_check(connection, f"PRAGMA {pragma}")
    broken = [f"a broken reference in {row[0]}" for row in _broken_references(connection)]
    if not whole:
        return Damage(truth=tuple(broken))
    by_table = {
        name: problems
        for name in _list_tables(connection)
        if (problems := _run_check(connection, f"PRAGMA {pragma}('{name}')"))
    }
    return _classify_damage(connection, by_table, broken, whole)


def table_is_whole(connection: SqliteConnection, name: str) -> bool:
    """Check whether a table and its indexes are sound."""
    return not _run_check(connection, f"PRAGMA integrity_check('{name}')")


def _classify_damage(
    connection: SqliteConnection,
    by_table: Mapping[str, Sequence[str]],
    broken: Sequence[str],
    whole: Sequence[str],
) -> Damage:
    roots = {row["rootpage"] for row in connection.execute(_SQL["indexes"])}
    truth, indexes, derived = list[str](), dict[str, tuple[str, ...]](), dict[str, list[str]]()
    for name, problems in by_table.items():
        if made_from := _DERIVED.fullmatch(name):
            derived.setdefault(made_from[1], []).extend(problems)
        elif _only_indexes(connection, name, problems, roots):
            indexes[name] = tuple(problems)
        else:
            truth += problems
    if not indexes:  # a reference is looked up in one, and then its absence says nothing
        truth += broken
    return Damage(
        truth=tuple(truth),
        indexes=indexes,
        derived={name: tuple(problems) for name, problems in derived.items()},
        bookkeeping=() if by_table or truth else tuple(whole),
    )


def _run_check(connection: SqliteConnection, check: str) -> list[str]:
    """Run a check and return its lines; none if all is well."""
    try:
        text = "\n".join(row[0] for row in connection.execute(check))
    except UnicodeDecodeError:
        return [f"database {_MALFORMED}"]
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return [str(error)]
    lines = [line for line in text.splitlines() if line and not line.startswith(_HEADING)]
    return [] if lines == ["ok"] else lines


def _broken_references(connection: SqliteConnection) -> list[tuple[str]]:
    """List broken references of the truth; those of the graph are a finding of their own."""
    try:
        rows = connection.execute("PRAGMA foreign_key_check").fetchall()
        return [row for row in rows if row[0] not in GRAPH]
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return []  # the check of the tables says it


def _list_tables(connection: SqliteConnection) -> list[str]:
    return [row["name"] for row in connection.execute(_SQL["tables"])]


def _only_indexes(
    connection: SqliteConnection, name: str, problems: Sequence[str], roots: set[int]
) -> bool:
    """Check whether the table's rows are sound: by what SQLite says, else by reading them all."""
    if all(_is_about_an_index(problem, roots) for problem in problems):
        return True
    if not all(problem.endswith(_MALFORMED) for problem in problems):
        return False
    try:
        for _ in connection.execute(f"SELECT * FROM {name} NOT INDEXED"):  # noqa: S608  (a table's)
            pass
    except sqlite3.DatabaseError:
        return False
    return True


def _is_about_an_index(problem: str, roots: set[int]) -> bool:
    tree = _ABOUT_A_TREE.match(problem)
    return bool(_ABOUT_AN_INDEX.search(problem)) or (
        tree is not None and int(tree["root"]) in roots
    )
