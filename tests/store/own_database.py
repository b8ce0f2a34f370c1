"""A home's database on PostgreSQL, reached past its store."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from memoria.config import Settings
from memoria.store.postgres.driver import adapters


@contextmanager
def connected(settings: Settings, user: str = "memoria") -> Iterator[psycopg.Connection[Any]]:
    """A connection that sees all tenants: of the tables' owner, or of another user."""
    with psycopg.connect(url_of(settings, user), autocommit=True, context=adapters()) as raw:
        raw.execute("SELECT set_config('memoria.tenant', '0', false)")
        yield raw


def url_of(settings: Settings, user: str = "memoria") -> str:
    """The URL of a home's database for a user."""
    assert settings.database_url is not None
    return settings.database_url.get_secret_value().replace("memoria@", f"{user}@")
