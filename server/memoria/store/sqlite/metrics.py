"""What is measured of a tenant's memory, in SQLite."""

from memoria.model.nightly import Metric, NightlyRun
from memoria.store.base.metrics import LinkCounts
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows


class SqliteMetrics:
    """Figures of a tenant's memory, and where a nightly run writes them down."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "metrics")

    def count_links(self) -> LinkCounts:
        """How dense the graph is."""
        return LinkCounts(*(self._rows.number(name) for name in ("edges", "nodes", *_ALIKE)))

    def count_archived(self) -> tuple[int, int]:
        """How many memories are archived, and how many there are."""
        row = self._rows.all("memories")[0]
        return row["archived"], row["total"]

    def count_index_segments(self) -> int:
        """In how many parts the full text lies, which each search goes through."""
        return self._rows.number("index_segments")

    def sample_wordings(self, many: int) -> list[int]:
        """The present wordings of some active memories, spread evenly over all."""
        return [row["n"] for row in self._rows.all("sample", many=many)]

    def add(self, run: NightlyRun, metric: Metric) -> None:
        """Write a figure down."""
        told = metric.model_dump() | {"exceeded": int(metric.exceeded)}
        self._rows.change("put", run_n=run.n, **told)


_ALIKE = ("likenesses", "alike")
