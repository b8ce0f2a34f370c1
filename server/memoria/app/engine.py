"""The engine that keeps a home, by the URL in the settings: the only module that names engines."""

from collections.abc import Callable, Mapping

from memoria.config import Settings
from memoria.errors import InvalidInputError, quote_value
from memoria.store.base import Engine, Store
from memoria.store.sqlite.engine import SqliteEngine

_ENGINES: Mapping[str, Callable[[], Engine]] = {"sqlite": SqliteEngine}
"""By the scheme of their URL."""


def choose_engine(settings: Settings) -> Engine:
    """The engine that the settings name.

    Raises:
        InvalidInputError: there is no such engine, or its URL says more than it takes.
    """
    scheme, _, place = settings.store_url.partition(":")
    if scheme not in _ENGINES:  # a URL may hold a password: no more of it is repeated
        raise InvalidInputError(
            f"MEMORIA_STORE_URL: there is no engine {quote_value(scheme)}. "
            f"There is: {', '.join(f'{name}:' for name in _ENGINES)}"
        )
    if place:
        raise InvalidInputError(
            f"MEMORIA_STORE_URL: {scheme}: keeps its file in the home and takes no place. Set "
            "MEMORIA_HOME to move the home."
        )
    return _ENGINES[scheme]()


def open_store(settings: Settings) -> Store:
    """The home's store, made if there is none.

    Raises:
        InvalidInputError: there is no such engine.
        StoreError: it can't be opened.
    """
    return choose_engine(settings).open(settings)
