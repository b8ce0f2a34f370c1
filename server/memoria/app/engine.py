"""The engine that keeps a home: the only module that names one."""

from contextlib import closing

from memoria.app.spool import count_waiting
from memoria.bare.home import DEFAULT_TENANT
from memoria.bare.remote import is_remote, list_servers
from memoria.config import Settings
from memoria.disk.folders import adopt_folders
from memoria.disk.home_files import BACKUPS
from memoria.errors import NoMemoryError, StoreError, quote_value
from memoria.store.engine import Engine, Store
from memoria.store.sqlite.engine import SqliteEngine


def choose_engine() -> Engine:
    """Return the engine that keeps homes."""
    return SqliteEngine()


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
        exists = choose_engine().exists(settings)
    except OSError:
        return  # whoever opens it next says why it can't be looked at
    if not exists and settings.homes is not None:
        raise NoMemoryError(
            f"There is no tenant {quote_value(settings.tenant)} in {settings.homes} yet. Look at "
            "the spelling of --tenant and MEMORIA_TENANT; a tenant begins with the first thing "
            "that is kept for it, or with `memoria token create`."
        )
    if not exists:
        backups = " Its backups are still there: `memoria restore FILE` puts one in its place."
        raise NoMemoryError(
            f"There is no memory in {home} yet. It begins with the first thing that is kept: "
            '`memoria remember "…"`, `memoria import`, or a client that starts `memoria serve`. '
            "If yours is elsewhere, name it with --home or MEMORIA_HOME."
            f"{backups if (home / BACKUPS).is_dir() else ''}{_tell_of_servers(str(home))}"
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
    if not choose_engine().exists(settings):
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
            f"There is no tenant {quote_value(settings.tenant)} in {settings.home_path}. There is: "
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
    store = choose_engine().open(settings)
    try:
        adopt_folders(settings.home_path, settings.tenant, store.tenants)
    except StoreError:
        store.close()
        raise
    return store
