"""Examination of a PostgreSQL database for `doctor`, and which promises hold on its server.

A check that fails is a finding itself.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import StoreDamagedError, StoreError
from memoria.model import DAY_MS, FIX, Finding, now_millis, to_iso, to_millis
from memoria.store.connection import RefusedRowError, RefusedValueError, Row
from memoria.store.postgres.connections import translate_errors
from memoria.store.postgres.driver import PostgresConnection
from memoria.store.postgres.schema import migrations, version_of
from memoria.store.postgres.scrub import read_owed_wipe
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
from memoria.store.vectors import VectorIndex, list_models

_OLDEST = 160_000
"""Oldest version of the server with which Memoria is tested."""
_MADE = lazy_regex(r"(?m)^CREATE (?:TABLE|(?:UNIQUE )?INDEX|(?:CONSTRAINT )?TRIGGER) (\w+)")
_LOCAL = lazy_regex(r"/.*|@.*|localhost|127\..*|::1|")
_AT_ONCE = 1_000
_KEEPS = ("on", "remote_apply", "remote_write", "local")


def examine(
    connection: PostgresConnection, vectors: VectorIndex, wipe_within_ms: int, *, deep: bool
) -> Iterator[Finding]:
    """Yield findings on the server, the tables and their derived indexes.

    Args:
        connection: in a transaction that reads the rows of all tenants.
        vectors: the index on this connection.
        wipe_within_ms: the time within which erased rows are to leave the server's files.
        deep: True to read every text.
    """
    connection.execute(_sql(connection, "unlimit"))
    checks: dict[str, Callable[[PostgresConnection], Finding]] = {
        "engine": _check_engine,
        "connection": lambda one: check_transport(one.raw.info.get_parameters()),
        "tenants apart": _check_tenants_apart,
        "schema": _check_schema,
        "durability": lambda one: check_durability(_read_settings(one)),
        **({"raw text": _check_raw_text} if deep else {}),
        "full text": _check_full_text,
        "vectors": lambda one: _check_vectors(one, vectors),
        "vector extension": _check_vector_extension,
        "graph": check_graph,
        "leases": check_leases,
        "erasure": lambda one: _check_erasure(one, wipe_within_ms),
        "server log": _check_server_log,
    }
    for check, look in checks.items():
        yield _run_check(connection, check, look)
    yield from check_copy(connection)


def _run_check(
    connection: PostgresConnection, check: str, look: Callable[[PostgresConnection], Finding]
) -> Finding:
    """Run a check and return what it finds; an error is a finding as well, and ends no other."""
    try:
        with translate_errors(), connection.savepoint():
            return look(connection)
    except (LookupError, TypeError, ValueError, RefusedRowError, RefusedValueError) as error:
        return report_error(check, f"what is there makes no sense: {error}")
    except StoreDamagedError as error:
        return report_error(check, str(error))
    except StoreError as error:
        return Finding(check=check, state="error", detail=str(error), cure="Try again.")


def _sql(connection: PostgresConnection, name: str) -> str:
    return connection.statements("examination")[name]


def _read_row(connection: PostgresConnection, name: str) -> Row:
    row: Row = connection.execute(_sql(connection, name)).fetchone()
    return row


def _read_number(connection: PostgresConnection, name: str) -> int:
    return int(_read_row(connection, name)[0])


def _read_names(connection: PostgresConnection, name: str) -> list[str]:
    return [row["name"] for row in connection.execute(_sql(connection, name))]


def _read_settings(connection: PostgresConnection) -> dict[str, str]:
    rows = connection.execute(_sql(connection, "durability"))
    return {row["name"]: row["setting"] for row in rows}


def _warn(check: str, detail: str, cure: str) -> Finding:
    return Finding(check=check, state="warning", detail=detail, cure=cure)


def _check_engine(connection: PostgresConnection) -> Finding:
    server = _read_row(connection, "server")
    detail = f"PostgreSQL {server['version']}, {server['encoding']}"
    return check_server(detail, server["number"], server["encoding"])


def check_server(detail: str, number: int, encoding: str) -> Finding:
    """Check that a server is new enough and that a database can hold any text.

    Args:
        detail: both in words.
        number: of the version, as `server_version_num` has it.
        encoding: of the database.
    """
    if number < _OLDEST:
        cure = "Upgrade the server: Memoria needs PostgreSQL 16 or newer."
        return Finding(check="engine", state="error", detail=detail, cure=cure)
    if encoding != "UTF8":
        cure = (
            "Not every text can be kept in it. Make a database with ENCODING 'UTF8', and move the "
            "memory there: memoria export, then memoria import."
        )
        return Finding(check="engine", state="error", detail=detail, cure=cure)
    return report_ok("engine", detail)


def check_transport(parameters: Mapping[str, str]) -> Finding:
    """Check that nobody on the way to the server can read or change what goes there.

    Args:
        parameters: those of the connection that are not libpq's own defaults.
    """
    host, mode = parameters.get("host", ""), parameters.get("sslmode", "prefer")
    where = parameters.get("hostaddr") or host
    hosts = where.split(",")
    if all(_LOCAL.fullmatch(one) for one in hosts):
        return report_ok("connection", f"to this machine ({where or 'the default socket'})")
    if mode == "verify-full":
        return report_ok("connection", f"to {where}, encrypted, and the server proves its name")
    detail = f"to {where} with sslmode={mode}: somebody on the way could pass for the server"
    cure = "Add sslmode=verify-full to MEMORIA_DATABASE_URL, and sslrootcert if it is needed."
    return _warn("connection", detail, cure)


def _check_tenants_apart(connection: PostgresConnection) -> Finding:
    """Check that row-level security stands behind the tenant in each statement."""
    check, shared = "tenants apart", _read_names(connection, "shared_tables")
    if shared:
        cure = "As the owner: ALTER TABLE … ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY."
        detail = f"row-level security is off or not forced for {name_few(shared)}"
        return Finding(check=check, state="error", detail=detail, cure=cure)
    role = _read_row(connection, "role")
    if role["sees_all"]:
        detail = f"the user {role['name']} is a superuser or bypasses row-level security, so that "
        cure = f"ALTER ROLE {role['name']} NOSUPERUSER NOBYPASSRLS, or connect as another user."
        return _warn(check, f"{detail}statements alone keep tenants apart", cure)
    return report_ok(check, "by statements, and by row-level security behind them")


def _check_schema(connection: PostgresConnection) -> Finding:
    """Check that the tables, indexes and triggers of the migrations are there and work."""
    there = set(_read_names(connection, "objects"))
    made = {name for _, sql in migrations() for name in _MADE.findall(sql)}
    if lost := sorted(made - there):
        return report_error("schema", f"gone, invalid or switched off: {name_few(lost)}")
    return report_ok("schema", f"schema {version_of(connection.raw)}, complete")


def check_durability(server: Mapping[str, str]) -> Finding:
    """Tell which failures what was acknowledged survives.

    Args:
        server: its settings.
    """
    check = "durability"
    for name in ("fsync", "full_page_writes"):
        if server[name] != "on":
            detail = f"{name} is off: when its machine fails, the whole database may be lost"
            return _warn(check, detail, f"Set {name} = on in the server's configuration.")
    commit = server["synchronous_commit"]
    if commit not in _KEEPS:
        detail = f"synchronous_commit is {commit}: what was acknowledged last is lost in a crash"
        return _warn(check, detail, "Set synchronous_commit = on, of the server, database or user.")
    survives = "what is acknowledged survives a crash of the server"
    standbys = server["synchronous_standby_names"]
    if not standbys or commit == "local":
        missing = "a failover only as far as the standby has got: none is synchronous"
        return report_ok(check, f"{survives}; {missing}")
    return report_ok(check, f"{survives}, and a failover to a synchronous standby: {standbys}")


def _check_raw_text(connection: PostgresConnection) -> Finding:
    names = ("count_lost_records", "count_lost_files")
    lost = sum(_read_number(connection, name) for name in names)
    chunks, wordings = _stream(connection, "raw_chunks"), _stream(connection, "wordings")
    return check_texts(chunks, wordings, lost)


def _stream(connection: PostgresConnection, name: str) -> Iterator[Row]:
    """Yield the rows of a statement, some at a time: there may be more than fit into memory."""
    bare = _sql(connection, name).rstrip().rstrip(";")
    connection.execute(f"DECLARE looked_at NO SCROLL CURSOR FOR {bare}")
    while rows := connection.execute(f"FETCH {_AT_ONCE:d} FROM looked_at").fetchall():
        yield from rows
    connection.execute("CLOSE looked_at")


def _check_full_text(connection: PostgresConnection) -> Finding:
    row = _read_row(connection, "full_text_drift")
    found = check_drift("full text", row["documents"], row["missing"], row["extra"])
    wrong = _read_number(connection, "count_wrong_sizes") if found.state == "ok" else 0
    if wrong:
        return report_mendable("full text", f"words of {wrong} tenants are miscounted")
    return found


def _check_vectors(connection: PostgresConnection, vectors: VectorIndex) -> Finding:
    if lost := _read_number(connection, "count_missing_vectors"):
        detail = f"{lost} documents have no vector and are not waiting for one"
        return report_mendable("vectors", detail)
    if broken := _read_number(connection, "count_damaged_passages"):
        return report_mendable("vectors", f"the passages of {broken} documents are damaged")
    drifts = [astuple(vectors.drift(model.n)) for model in list_models(connection)]
    totals = (sum(column) for column in zip(*drifts, strict=True))
    return check_drift("vectors", *(totals if drifts else (0, 0, 0)))


def _check_vector_extension(connection: PostgresConnection) -> Finding:
    """Tell who compares vectors; without the extension the answers are the same."""
    check, server = "vector extension", _read_row(connection, "server")
    if server["vector"]:
        return report_ok(check, f"pgvector {server['vector']}")
    instead = "each process of Memoria keeps the vectors of the tenants it serves in memory"
    if server["has_vector"]:
        detail = f"the extension vector could be had and is not in this database: {instead}"
        cure = "As an administrator: CREATE EXTENSION vector; then start Memoria anew."
        return _warn(check, detail, cure)
    return report_ok(check, f"this server has none: {instead}")


def _check_erasure(connection: PostgresConnection, wipe_within_ms: int) -> Finding:
    """Tell whether erased rows may be left in the server's files, and what keeps them there."""
    owed, now = read_owed_wipe(connection), now_millis()
    later = _describe_archives(connection)
    if owed.since is None:
        return report_ok("erasure", f"no table has anything left of what was forgotten; {later}")
    said = f"forgotten at {to_iso(owed.since)}, not yet wiped from the tables' files"
    holders = connection.execute(_sql(connection, "holders"), {"since": owed.since}).fetchall()
    if holders:
        names = name_few([_describe_holder(row) for row in holders])
        cure = (
            "End or change that if nobody needs it: what was forgotten stays in files until then."
        )
        return _warn("erasure", f"{said}, which is held up by {names}; {later}", cure)
    if now > owed.since + wipe_within_ms + DAY_MS:
        return report_mendable("erasure", f"{said}: no nightly run has done it; {later}", "warning")
    detail = f"{said}: a nightly run does it; {later}"
    return Finding(check="erasure", state="ok", detail=detail, cure=FIX)


def _describe_holder(row: Row) -> str:
    since = row["since"]
    return f"{row['name']} (since {to_iso(to_millis(since))})" if since else f"{row['name']}"


def _describe_archives(connection: PostgresConnection) -> str:
    """Return what is out of reach: copies of the log, and backups."""
    archived = _read_row(connection, "archiving")["is_archiving"]
    kept = "archives of its log (archive_mode is on) and backups" if archived else "backups"
    return f"{kept} keep it until they are deleted"


def _check_server_log(connection: PostgresConnection) -> Finding:
    """Check that the server does not write what was said into its log, where nothing erases it."""
    telling = connection.execute(_sql(connection, "logging")).fetchall()
    if telling:
        named = ", ".join(f"{row['name']} = {row['setting']}" for row in telling)
        detail = f"{named}: the server may write what is said into its log, and nothing erases it"
        cure = "Switch that off for Memoria's user: ALTER ROLE … SET log_parameter_max_length = 0."
        return _warn("server log", detail, cure)
    return report_ok("server log", "statements are not written there")
