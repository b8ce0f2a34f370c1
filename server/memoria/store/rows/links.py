"""Dangling rows of the graph: found and taken out. No memory and no turn is touched."""

from memoria.store.connection import Connection

GRAPH = frozenset({"nodes", "entities", "entity_names", "name_uses", "edges"})
"""Tables of the graph: a reference of theirs that leads nowhere can be mended."""
_KINDS = ("turns", "edges", "canonicals", "uses", "names", "entities", "nodes")
"""Kinds of dangling rows in the order of mending: a removed row may leave others dangling."""


def count_dangling(connection: Connection) -> dict[str, int]:
    """Count the rows that lead nowhere, by kind; kinds without any are left out."""
    counts = {
        kind: len(connection.execute(connection.statements("links")[f"lost_{kind}"]).fetchall())
        for kind in _KINDS
    }
    return {kind: count for kind, count in counts.items() if count}


def count_edges(connection: Connection) -> int:
    """Count the edges."""
    return int(connection.execute(connection.statements("links")["count_edges"]).fetchone()[0])


def mend_links(connection: Connection) -> None:
    """Remove dangling rows, in an open transaction, until none is left."""
    while lost := count_dangling(connection):
        for kind in lost:
            for row in connection.execute(
                connection.statements("links")[f"lost_{kind}"]
            ).fetchall():
                connection.execute(connection.statements("links")[f"mend_{kind}"], dict(row))
