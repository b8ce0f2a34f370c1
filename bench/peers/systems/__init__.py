"""The servers that are compared, each in its own words."""

from bench.peers.systems import graph, libsql, memoria, memorix, service, yantrik
from bench.peers.systems.system import System

SYSTEMS: tuple[System, ...] = (
    memoria.SYSTEM,
    yantrik.SYSTEM,
    service.SYSTEM,
    memorix.SYSTEM,
    graph.SYSTEM,
    libsql.SYSTEM,
)
"""In the order they are asked."""

__all__ = ["SYSTEMS", "System"]
