"""The log of calls to chat models."""

from memoria.model import ModelCall, ReadingPrice, TokenSpending
from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows, build_value


class ModelCallLog:
    """The log of calls to chat models, and their costs."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "ledger")

    def add(self, call: ModelCall) -> int:
        """Write a call, and return its number."""
        return self._rows.insert("add", **call.model_dump())

    def settle(self, n: int, call: ModelCall) -> None:
        """Set the cost and the outcome of a call."""
        went = call.model_dump(exclude={"at", "purpose", "prompt", "model"})
        self._rows.change("settle", n=n, **went)

    def spending(self, since: int, until: int) -> TokenSpending:
        """Add up the cost of the calls made in this time."""
        rows = self._rows.all("spent", since=since, until=until)
        return build_value(TokenSpending, dict(rows[0]))

    def reading_price(self, since: int) -> ReadingPrice:
        """Add up the calls from a moment on, and the conversation that was read with them."""
        return build_value(ReadingPrice, dict(self._rows.all("reading", since=since)[0]))

    def newest(self) -> ModelCall | None:
        """Return the newest call; None if there is none."""
        row = self._rows.first("last")
        return None if row is None else build_value(ModelCall, dict(row))
