"""The spools of a home's tenants, followed by one server: hooks write there on its own machine."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import anyio

from memoria.app import Memoria
from memoria.app.homes import TenantHomes
from memoria.app.open_home import in_thread
from memoria.app.spool import WAITING_BYTES
from memoria.bare.home import DEFAULT_TENANT, OWNER_FILE, TENANTS, read_regular, tenant_folder
from memoria.bare.spool import SPOOL
from memoria.errors import MemoriaError

_EVERY_S = 1.0
_LOG = logging.getLogger(__name__)
_MOST_NAME_BYTES = 4096


class SpoolFolders:
    """The spools in a home, and which of them have changed."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._taken = dict[str, int]()

    def list_changed(self) -> list[tuple[str, str, int]]:
        """List tenant, folder and time of change of the spools that were not taken in so."""
        return [
            (tenant, folder, at)
            for folder, at in self._list_spools()
            if self._taken.get(folder) != at and (tenant := self._read_owner(folder)) is not None
        ]

    def note_taken(self, folder: str, at: int) -> None:
        """Note that nothing waits in a spool that has last changed at this time."""
        self._taken[folder] = at

    def _list_spools(self) -> Iterator[tuple[str, int]]:
        """Yield each tenant's folder whose spool is there, with the time of the spool's change."""
        home = Path(self._home)
        with suppress(OSError):  # a tenant whose hooks never ran here has no spool
            yield self._home, (home / SPOOL).lstat().st_mtime_ns
        folders = list[Path]()
        with suppress(OSError):  # there may be no tenant but the default one
            folders = [*(home / TENANTS).iterdir()]
        for folder in folders:
            with suppress(OSError):
                yield str(folder), (folder / SPOOL).lstat().st_mtime_ns

    def _read_owner(self, folder: str) -> str | None:
        """Return the tenant of a folder; None if the folder does not say, or says another's."""
        if folder == self._home:
            return DEFAULT_TENANT
        try:
            content = read_regular(str(Path(folder) / OWNER_FILE), _MOST_NAME_BYTES)
        except OSError:
            return None
        tenant = content.decode("utf-8", "surrogateescape")
        return tenant if tenant_folder(self._home, tenant) == folder else None


async def follow_spools(home: str, open_memory: Callable[[str], Memoria]) -> None:
    """Take in every tenant's spool whenever it has changed, until cancelled: one look a second.

    What waits is taken in by parts, each tenant in turn.

    Args:
        home: the data folder.
        open_memory: opens a tenant's memory.
    """
    folders = SpoolFolders(home)
    while True:
        is_left = False
        for tenant, folder, at in await in_thread(folders.list_changed):
            try:
                memory = open_memory(tenant)
                if not memory.spool.has_changed():
                    folders.note_taken(folder, at)
                elif await memory.take_in_spool(WAITING_BYTES):
                    is_left = True
            except MemoriaError as error:  # it is another's turn
                _LOG.warning("What the hooks of tenant %s said waits: %s", tenant, error)
                folders.note_taken(folder, at)
        if not is_left:
            await anyio.sleep(_EVERY_S)


async def follow_open_homes(homes: TenantHomes) -> None:
    """Take in the spools of tenants whose own homes are open, until cancelled: a look a second.

    What waits in a home that is closed is taken in when somebody calls for it.
    """
    while True:
        is_left = False
        for tenant in homes.list_open():
            try:
                if homes.find(tenant).spool.has_changed():
                    async with homes.hold(tenant) as opened:
                        is_left |= opened is not None and await opened.memory.take_in_spool(
                            WAITING_BYTES
                        )
            except MemoriaError as error:  # it is another's turn
                _LOG.warning("What the hooks of tenant %s said waits: %s", tenant, error)
        if not is_left:
            await anyio.sleep(_EVERY_S)
