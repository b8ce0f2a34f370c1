"""A move of the whole memory between a home's file and a database elsewhere."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from pydantic import SecretStr

from memoria.admin.migrate import MoveReport, Progress, move_memory, preview_move
from memoria.app.engine import choose_engine, open_store
from memoria.config import Settings
from memoria.config_database import hide_password
from memoria.errors import InvalidInputError
from memoria.store.engine import Store

_SCHEME = "://"


def name_target(settings: Settings, target: str) -> Settings:
    """Return the settings of the place that a move goes to.

    Args:
        settings: those of the memory that moves.
        target: a database's URL, or a folder.

    Raises:
        InvalidInputError: it is neither, or is where the memory is already.
    """
    if _SCHEME in target:
        try:
            hide_password(target)
        except ValueError as error:
            raise InvalidInputError(f"--to: {error}") from error
        named = settings.model_copy(update={"database_url": SecretStr(target), "homes": None})
    else:
        home = Path(target).expanduser().absolute()
        named = settings.model_copy(update={"database_url": None, "homes": None, "home": home})
    if named.place == settings.place:
        raise InvalidInputError(f"The memory is in {settings.place} already. Nothing was done.")
    return named


def move(settings: Settings, target: Settings, progress: Progress) -> MoveReport:
    """Copy the memory of all tenants to another place, compare it, and build its indexes there.

    Raises:
        InvalidInputError: the target holds a memory already.
        StoreError: one of the two can't be opened, another process has the target open, or the
            source was changed meanwhile.
    """
    choose_engine(target).require_unused(target)
    with _open_both(settings, target) as (source, copy):
        return move_memory(source, copy, progress)


def preview(settings: Settings) -> MoveReport:
    """Count what a move would copy."""
    with closing(open_store(settings)) as source:
        return preview_move(source)


@contextmanager
def _open_both(settings: Settings, target: Settings) -> Iterator[tuple[Store, Store]]:
    with ExitStack() as opened:
        yield (
            opened.enter_context(closing(open_store(settings))),
            opened.enter_context(closing(open_store(target))),
        )
