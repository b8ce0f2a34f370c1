"""The log of calls to chat models in SQLite."""

from memoria.model import ModelCall, ReadingPrice, TokenSpending
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows, build_value


class SqliteModelCallLog:
    """One tenant's calls."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "ledger")

    def add(self, call: ModelCall) -> int:
        """Write a call. Gives its number."""
        return self._rows.insert("add", **call.model_dump())

    def settle(self, n: int, call: ModelCall) -> None:
        """Set what a call cost and how it went."""
        went = call.model_dump(exclude={"at", "purpose", "prompt", "model"})
        self._rows.change("settle", n=n, **went)

    def spending(self, since: int, until: int) -> TokenSpending:
        """What the calls made in this time cost."""
        rows = self._rows.all("spent", since=since, until=until)
        return build_value(TokenSpending, dict(rows[0]))

    def reading_price(self, since: int) -> ReadingPrice:
        """What the calls from a moment on took, and how much conversation was read since."""
        return build_value(ReadingPrice, dict(self._rows.all("reading", since=since)[0]))

    def newest(self) -> ModelCall | None:
        """The newest call."""
        row = self._rows.first("last")
        return None if row is None else build_value(ModelCall, dict(row))
