"""Examination of a database file for `doctor`, and what damage means for it.

A check that fails is a finding itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import StoreDamagedError, StoreError
from memoria.model import Finding
from memoria.store.rows.findings import (
    check_copy,
    check_drift,
    check_graph,
    check_leases,
    check_texts,
    name_few,
    report_error,
    report_mendable,
    report_ok,
)
from memoria.store.rows.links import GRAPH
from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import SqliteConnection, is_damage, sqlite3, translate_errors
from memoria.store.sqlite.schema import list_foreign_objects, schema, version_of
from memoria.store.sqlite.scrub import is_scrub_pending
from memoria.store.vectors import VectorIndex, list_models

_SQL = statements("examination")
_DERIVED_TABLES = lazy_regex(r"(search_index|vectors_\d+)(?:_\w+)?")
"""Names of a derived index and of the tables its module keeps it in."""
_ABOUT_AN_INDEX = lazy_regex(r" (?:missing from|in) index (?P<name>\w+)")
_ABOUT_A_TREE = lazy_regex(r"^(?:Tree|On tree page) (?P<root>\d+)")
_MALFORMED = "disk image is malformed"
"""The message of a check that can't even begin."""
_HEADING = "*** in database "


@dataclass(frozen=True, slots=True)
class Damage:
    """Damage of a file, as lines that SQLite reports."""

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
    """Check the whole file, then each table if anything is wrong, and return the damage.

    Raises:
        sqlite3.Error: not even the list of tables can be read.
    """
    pragma = "integrity_check" if deep else "quick_check"
    whole = _run_pragma_check(connection, f"PRAGMA {pragma}")
    broken = [f"a broken reference in {row[0]}" for row in _broken_references(connection)]
    if not whole:
        return Damage(truth=tuple(broken))
    by_table = {
        name: problems
        for name in _list_tables(connection)
        if (problems := _run_pragma_check(connection, f"PRAGMA {pragma}('{name}')"))
    }
    return _classify_damage(connection, by_table, broken, whole)


def table_is_whole(connection: SqliteConnection, name: str) -> bool:
    """Check whether a table and its indexes are sound."""
    return not _run_pragma_check(connection, f"PRAGMA integrity_check('{name}')")


def _classify_damage(
    connection: SqliteConnection,
    by_table: Mapping[str, Sequence[str]],
    broken: Sequence[str],
    whole: Sequence[str],
) -> Damage:
    roots = {row["rootpage"] for row in connection.execute(_SQL["indexes"])}
    truth, indexes, derived = list[str](), dict[str, tuple[str, ...]](), dict[str, list[str]]()
    for name, problems in by_table.items():
        if made_from := _DERIVED_TABLES.fullmatch(name):
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


def _run_pragma_check(connection: SqliteConnection, check: str) -> list[str]:
    """Run a check of SQLite, and return the problems that it reports."""
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
    """List references to missing rows; tables of the graph are checked elsewhere."""
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
    """Check whether only a table's indexes are damaged, and all of its rows can be read."""
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


_DERIVED = ("search_index", "vectors_", "sqlite_")


def examine(connection: SqliteConnection, vectors: VectorIndex, *, deep: bool) -> Iterator[Finding]:
    """Yield findings on the file, its integrity and its derived indexes."""
    yield _run_check("engine", lambda: _check_engine(connection))
    try:
        with translate_errors():
            damage = inspect(connection, deep=deep)
    except StoreError as error:
        yield report_error("integrity", str(error))
        return
    yield _check_integrity(damage, deep=deep)
    yield _run_check("schema", lambda: _check_schema(connection))
    if deep:
        yield _run_check("raw text", lambda: _check_raw_text(connection))
    yield _run_check("full text", lambda: _check_full_text(connection, damage))
    yield _run_check("vectors", lambda: _check_vector_index(connection, vectors, damage))
    yield _run_check("graph", lambda: check_graph(connection))
    yield _run_check("leases", lambda: check_leases(connection))
    yield _run_check("erasure", lambda: _check_erasure(connection))
    yield from check_copy(connection)


def examine_truth(connection: SqliteConnection) -> list[Finding]:
    """List findings on rows that cannot be derived anew, as a backup must have them."""
    with translate_errors():
        return [_check_integrity(inspect(connection), deep=True), _check_raw_text(connection)]


def _run_check(check: str, look: Callable[[], Finding]) -> Finding:
    """Run a check and yield its findings; an error is a finding as well."""
    try:
        with translate_errors():
            return look()
    except (LookupError, TypeError, ValueError) as error:
        return report_error(check, f"what is there makes no sense: {error}")
    except StoreDamagedError as error:
        return report_error(check, str(error))
    except StoreError as error:
        return Finding(check=check, state="error", detail=str(error), cure="Try again.")


def _check_engine(connection: SqliteConnection) -> Finding:
    source = sqlite3.__name__.split(".", maxsplit=1)[0]
    journal = connection.execute("PRAGMA journal_mode").fetchone()[0]
    cipher = connection.execute("PRAGMA cipher_status").fetchone()  # no row from a plain SQLite
    kept = ", encrypted" if cipher is not None and int(cipher[0]) else ""
    return report_ok("engine", f"SQLite {sqlite3.sqlite_version} ({source}), {journal}{kept}")


def _check_integrity(damage: Damage, *, deep: bool) -> Finding:
    if damage.truth:
        return report_error("integrity", name_few(damage.truth))
    in_indexes = [line for lines in damage.indexes.values() for line in lines]
    if in_indexes or damage.bookkeeping:
        problems = name_few((*in_indexes, *damage.bookkeeping))
        return report_mendable("integrity", f"every row is sound, but: {problems}")
    if damage.derived:
        return report_ok("integrity", f"every row is sound; {', '.join(damage.derived)} is not")
    return report_ok("integrity", f"{'integrity' if deep else 'quick'}_check found nothing wrong")


def _check_schema(connection: SqliteConnection) -> Finding:
    """Check that tables, indexes and triggers are as the migrations made them."""
    there = {row["name"]: row["sql"] for row in connection.execute(_SQL["definitions"])}
    expected = {name: sql for name, sql in schema().items() if not name.startswith(_DERIVED)}
    lost = [name for name in expected if name not in there]
    changed = [name for name, sql in expected.items() if there.get(name, sql) != sql]
    if changed or any(expected[name].startswith("CREATE TABLE") for name in lost):
        return report_error(
            "schema", f"not as this version makes them: {', '.join(lost + changed)}"
        )
    if lost:
        return report_mendable("schema", f"gone: {', '.join(lost)}")
    foreign = list_foreign_objects(connection)
    if foreign:
        return report_error(
            "schema", f"Memoria did not make all that is in it: {', '.join(foreign)}"
        )
    return report_ok("schema", f"schema {version_of(connection)}, complete")


def _check_raw_text(connection: SqliteConnection) -> Finding:
    chunks, wordings = connection.execute(_SQL["raw_chunks"]), connection.execute(_SQL["wordings"])
    names = ["count_lost_records"]
    if any(column.name == "file_hash" for column in connection.columns("turns")):
        names.append("count_lost_files")
    lost = sum(connection.execute(_SQL[name]).fetchone()[0] for name in names)
    return check_texts(chunks, wordings, lost)


def _check_full_text(connection: SqliteConnection, damage: Damage) -> Finding:
    if "search_index" in damage.derived:
        return _unreadable("full text", damage.derived["search_index"])
    row = connection.execute(_SQL["full_text_drift"]).fetchone()
    return check_drift("full text", row["documents"], row["missing"], row["extra"])


def _check_vector_index(
    connection: SqliteConnection, vectors: VectorIndex, damage: Damage
) -> Finding:
    damaged = [line for name, lines in damage.derived.items() if name[:2] == "ve" for line in lines]
    if damaged:
        return _unreadable("vectors", damaged)
    if not vectors.in_file:
        return Finding(
            check="vectors",
            state="warning",
            detail="sqlite-vec can't be loaded here; vectors are searched in NumPy",
            cure="Use a Python whose SQLite loads extensions, or install pysqlite3.",
        )
    lost = connection.execute(_SQL["count_missing_vectors"]).fetchone()[0]
    if lost:
        return report_mendable(
            "vectors", f"{lost} documents have no vector and are not waiting for one"
        )
    if broken := connection.execute(_SQL["count_damaged_passages"]).fetchone()[0]:
        return _unreadable("vectors", [f"the passages of {broken} documents"])
    drifts = [vectors.drift(model.n) for model in list_models(connection)]
    totals = (sum(column) for column in zip(*map(astuple, drifts), strict=True))
    return check_drift("vectors", *(totals if drifts else (0, 0, 0)))


def _unreadable(check: str, lines: tuple[str, ...] | list[str]) -> Finding:
    return report_mendable(check, f"the index is damaged: {name_few(lines)}")


def _check_erasure(connection: SqliteConnection) -> Finding:
    """Check that no scrub of the file is due."""
    if is_scrub_pending(connection):
        return report_mendable(
            "erasure", "what was forgotten is not yet wiped from the file", "warning"
        )
    return report_ok("erasure", "nothing is left of what was forgotten")
