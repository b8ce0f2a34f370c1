"""The demo with its memory in PostgreSQL: the same stops, and every value of the database is read.

python -m bench.demo
"""

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import anyio
import psycopg
from psycopg import sql

from bench.postgres import use_engine
from memoria.surface.cli.demo.stage import Stage
from memoria.surface.cli.demo.tour import walk_through


def main() -> None:
    """Run the demo on a server of its own; exit with 1 if a promise was not kept."""
    stage = Stage(quiet=False)
    with use_engine("postgres"), tempfile.TemporaryDirectory() as folder:
        named = {name: os.environ[name] for name in _VARIABLES}
        read = partial(_read_database, named["MEMORIA_DATABASE_URL"])
        anyio.run(walk_through, Path(folder), stage, read, named)
    stage.print_verdict()
    sys.exit(not stage.all_checks_hold)


_VARIABLES = ("MEMORIA_DATABASE_URL", "MEMORIA_TOMBSTONE_KEY")
_TABLES = """
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'p')
  AND NOT c.relispartition"""


def _read_database(url: str, home: Path) -> bytes:
    """Read the files of a home and all rows of its database, in lower case."""
    parts = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('memoria.tenant', '0', true)")
        for (table,) in connection.execute(_TABLES).fetchall():
            rows = connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table)))
            for row in rows:
                parts += [v if isinstance(v, bytes) else str(v).encode() for v in row]
    return b"\n".join(parts).lower()


if __name__ == "__main__":
    main()
