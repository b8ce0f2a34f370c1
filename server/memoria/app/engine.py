"""The engine that keeps a home: the only module that names one."""

from contextlib import closing

from memoria.app.spool import count_waiting
from memoria.bare.home import DEFAULT_TENANT
from memoria.bare.remote import is_remote, list_servers
from memoria.config import Settings
from memoria.disk.folders import adopt_folders
from memoria.disk.home_files import BACKUPS
from memoria.errors import (
    BackupError,
    NoMemoryError,
    StoreError,
    StoreUnavailableError,
    UnsupportedEngineError,
    quote_value,
)
from memoria.store.engine import DatabaseFiles, Engine, Store
from memoria.store.sqlite.engine import SqliteEngine, SqliteFiles

NEWEST_SCHEMA = SqliteFiles.newest_schema
"""Number that exports have for the tables of this version: SQLite's, as all engines have them."""


def choose_engine(settings: Settings) -> Engine:
    """Return the engine that keeps a home: PostgreSQL where a database's URL is set, else SQLite.

    Raises:
        UnsupportedEngineError: the driver for PostgreSQL is not installed.
    """
    if settings.database_url is None:
        return SqliteEngine()
    try:
        from memoria.store.postgres.engine import PostgresEngine  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise UnsupportedEngineError(
            "MEMORIA_DATABASE_URL names a PostgreSQL database, and what speaks to it is not "
            f"installed ({error}): pip install 'memoria-server[postgres]'"
        ) from error
    return PostgresEngine()


def require_files(settings: Settings) -> DatabaseFiles:
    """Return operations on a home's database file.

    Raises:
        BackupError: a PostgreSQL server has the database.
    """
    files = choose_engine(settings).files
    if files is None:
        raise BackupError(
            f"This memory is in {settings.place}, and PostgreSQL's own means back it up and bring "
            "it back: pg_dump and pg_restore, by a user whom row-level security does not hold, or "
            "the backups of whoever runs the server. One tenant's memory goes into a file with "
            "`memoria export FILE`, and back or elsewhere with `memoria import FILE`. Nothing was "
            "done."
        )
    return files


def check_memory(settings: Settings) -> None:
    """Check that the home and the tenant exist, so that a mistyped name makes neither.

    Raises:
        NoMemoryError: one of them does not exist.
    """
    refuse_elsewhere(settings)
    home = settings.home_path
    if count_waiting(home, settings.tenant):
        return  # there is, once what hooks have said is taken in
    try:
        exists = choose_engine(settings).exists(settings)
    except (OSError, StoreUnavailableError):
        return  # whoever opens it next says why it can't be looked at
    if not exists and settings.homes is not None:
        raise NoMemoryError(
            f"There is no tenant {quote_value(settings.tenant)} in {settings.homes} yet. Look at "
            "the spelling of --tenant and MEMORIA_TENANT; a tenant begins with the first thing "
            "that is kept for it, or with `memoria token create`."
        )
    if not exists:
        raise NoMemoryError(
            f"There is no memory in {settings.place} yet. It begins with the first thing that is "
            'kept: `memoria remember "…"`, `memoria import`, or a client that starts `memoria '
            f"serve`. If yours is elsewhere, name it with {_name_ways(settings)}"
        )
    if settings.tenant == DEFAULT_TENANT:
        return
    try:
        with closing(open_store(settings)) as store:
            known = store.tenants()
    except StoreError:
        return  # whoever opens it next says so, and doctor more
    _require_known(settings, known)


def has_memory(settings: Settings) -> bool:
    """Check whether the home is there and has the tenant, without making either."""
    if not choose_engine(settings).exists(settings):
        return False
    with closing(open_store(settings)) as store:
        return settings.tenant in store.tenants()


def require_memory(settings: Settings) -> None:
    """Check that the home has the tenant, be it the default one.

    Raises:
        NoMemoryError: it has others and not this one.
    """
    with closing(open_store(settings)) as store:
        require_tenant(store, settings)


def require_tenant(store: Store, settings: Settings) -> None:
    """Check that an opened home has the tenant, be it the default one.

    Raises:
        NoMemoryError: it has others and not this one.
    """
    known = store.tenants()
    if known:
        _require_known(settings, known)


def _require_known(settings: Settings, known: list[str]) -> None:
    if settings.tenant not in known:
        raise NoMemoryError(
            f"There is no tenant {quote_value(settings.tenant)} in {settings.place}. There is: "
            f"{', '.join(map(quote_value, known)) or 'none yet'}. Look at the spelling of --tenant "
            "and MEMORIA_TENANT; another begins with the first thing that is kept for it."
        )


def refuse_elsewhere(settings: Settings) -> None:
    """Check that a home is none of a server elsewhere, whose spool waits for that server.

    Raises:
        NoMemoryError: it is one; nothing in it was touched.
    """
    home = str(settings.home_path)
    if is_remote(home):
        raise NoMemoryError(
            f"{home} holds no memory, but what waits to be sent to a server elsewhere. It is sent "
            "when that server answers a client's next hook; `memoria connect --status` says what "
            "waits and why. The memory itself is on the server's machine: look at it there, or "
            "with a connected client. Nothing was opened."
        )


def _name_ways(settings: Settings) -> str:
    """Return how a memory elsewhere is named, and what of it may be nearer than one thinks."""
    home = settings.home_path
    servers = _tell_of_servers(str(home))
    if settings.database_url is not None:
        return f"MEMORIA_DATABASE_URL.{servers}"
    backups = " Its backups are still there: `memoria restore FILE` puts one in its place."
    said = backups if (home / BACKUPS).is_dir() else ""
    return f"--home or MEMORIA_HOME.{said}{servers}"


def _tell_of_servers(home: str) -> str:
    """Return what helps who is connected to servers elsewhere alone; empty if there are none."""
    urls = ", ".join(dict.fromkeys(one.url for one in list_servers(home)))
    says = f" Clients of this machine call {urls}: `memoria connect --status` says whether it "
    return f"{says}answers, and what waits to be sent." if urls else ""


def open_store(settings: Settings, *, is_collecting: bool = False) -> Store:
    """Open the home's store, made if missing; its tenants' folders get their present names.

    Args:
        settings: they name the home.
        is_collecting: True for who sends what waits, which alone may open the folder of a server
            elsewhere.

    Raises:
        NoMemoryError: it is the folder of a server elsewhere.
        StoreError: it can't be opened.
    """
    if not is_collecting:
        refuse_elsewhere(settings)
    store = choose_engine(settings).open(settings)
    try:
        adopt_folders(settings.home_path, settings.tenant, store.tenants)
    except StoreError:
        store.close()
        raise
    return store
