"""The engine on which a benchmark runs: SQLite in its home, or a PostgreSQL server of its own."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from bench.postgres.cluster import PostgresCluster, run_cluster

EngineName = Literal["sqlite", "postgres"]
ENGINES: tuple[EngineName, ...] = ("sqlite", "postgres")
TOMBSTONE_KEY = "be" * 32
_URL, _KEY = "MEMORIA_DATABASE_URL", "MEMORIA_TOMBSTONE_KEY"


@contextmanager
def use_engine(
    engine: EngineName, settings: Mapping[str, str] | None = None
) -> Iterator[PostgresCluster | None]:
    """Have this process and those that it starts keep homes by an engine while the block runs.

    Yields the server of PostgreSQL, with an empty database; None for SQLite.

    Args:
        engine: its name.
        settings: of PostgreSQL's server.
    """
    if engine == "sqlite":
        yield None
        return
    before = {name: os.environ.pop(name, None) for name in (_URL, _KEY)}
    with run_cluster(settings) as cluster:
        os.environ[_URL] = cluster.create_database("memoria")
        os.environ[_KEY] = TOMBSTONE_KEY
        try:
            yield cluster
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
