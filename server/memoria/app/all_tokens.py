"""Tokens of all tenants, for whoever has the machine with their homes. No caller reaches these."""

import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from memoria.app.engine import choose_engine, open_store
from memoria.config import Settings
from memoria.errors import InvalidInputError, NotFoundError, StoreError, quote_value
from memoria.model.access import Token

_LOG = logging.getLogger(__name__)


class TenantTokens(NamedTuple):
    """A tenant's tokens, and the settings by which that tenant's memory is opened."""

    settings: Settings
    tokens: tuple[Token, ...]

    @property
    def tenant(self) -> str:
        """Name of the tenant."""
        return self.settings.tenant


def list_all_tokens(settings: Settings) -> list[TenantTokens]:
    """List the tokens of each tenant who has any: of the home, or of the folder of homes.

    A home of several that can't be opened is told in the log of the process, and left out.
    """
    found = list[TenantTokens]()
    for place in _list_homes(settings):
        try:
            found += _read_home(place)
        except StoreError as error:
            if settings.homes is None:
                raise
            _LOG.warning("%s is left out: %s", place.home_path, error)
    return sorted(found, key=lambda one: one.tenant)


def find_token(settings: Settings, end: str) -> TenantTokens:
    """Find the tenant who has a token.

    Args:
        settings: of the home, or of the folder of homes.
        end: its id, or the last characters of its id.

    Raises:
        NotFoundError: nobody has it.
        InvalidInputError: several tenants have one whose id ends so.
    """
    having = [
        one
        for one in list_all_tokens(settings)
        if end and any(token.id.endswith(end) for token in one.tokens)
    ]
    if not having:
        raise NotFoundError(f"No tenant has a token {end}. `memoria token` lists them all.")
    if len(having) > 1:
        names = ", ".join(quote_value(one.tenant) for one in having)
        raise InvalidInputError(f"id: of {names} each has one that ends so. Give more of it.")
    return having[0]


def _list_homes(settings: Settings) -> Iterator[Settings]:
    if settings.homes is None:
        yield settings
        return
    folder = Path(settings.homes).expanduser()
    for home in sorted(folder.iterdir()) if folder.is_dir() else ():
        place = settings.model_copy(update={"homes": None, "home": home})
        if choose_engine(place).exists(place):
            yield place


def _read_home(place: Settings) -> Iterator[TenantTokens]:
    with closing(open_store(place)) as store:
        for tenant in store.tenants():
            with store.read(tenant) as tx:
                tokens = tuple(tx.tokens.all())
            if tokens:
                yield TenantTokens(place.model_copy(update={"tenant": tenant}), tokens)
