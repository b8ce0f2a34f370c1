"""The outbox: a tenant's events, which triggers of the schema write, and where they are sent."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoria.model.events import (
    BEGINNING,
    EventPage,
    EventPosition,
    EventType,
    MemoryEvent,
    Webhook,
)
from memoria.store.connection import Connection, Row
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.edge_codes import ROLE_CODES, TYPE_CODES
from memoria.store.sql.statements import TenantRows, build_value

_NO_TENANT = 0
LONGEST_PAUSE_MS = 3_600_000
"""Longest pause between two attempts to send a tenant's events."""
_NAMES = {code: kind.value for kind, code in TYPE_CODES.items()} | dict.fromkeys(
    ROLE_CODES.values(), "ROLE"
)


class EventOutbox:
    """A tenant's events, oldest first. Those of the last week are kept, and the newest always."""

    def __init__(self, connection: Connection, tenant: int, workspaces: Workspaces) -> None:
        self._rows = TenantRows(connection, tenant, "events")
        self._workspaces = workspaces

    def newest(self) -> EventPosition:
        """Return the place of the newest event; the beginning if there was none."""
        return self._find("newest") or BEGINNING

    def read(self, after: EventPosition, limit: int) -> EventPage:
        """Return the first events after a place, without those of private projects.

        Where events after the place are gone, or the place is of a home that was replaced by a
        backup since, one event says so, and the page goes on at the newest.
        """
        if not self._is_kept(after):
            newest = self.newest()
            lost = MemoryEvent(seq=newest.seq, at=newest.at, type=EventType.EVENTS_LOST, data={})
            return EventPage((lost,), newest)
        return self._build_page(self._rows.all("after", seq=after.seq, limit=limit), after)

    def read_latest(self, limit: int) -> EventPage:
        """Return the newest events, oldest first, without those of private projects."""
        rows = self._rows.all("latest", limit=limit)
        return self._build_page(rows[::-1], BEGINNING)

    def _build_page(self, rows: Sequence[Row], after: EventPosition) -> EventPage:
        private = set(self._workspaces.private)
        told = tuple(_build_event(row) for row in rows if row["workspace_n"] not in private)
        reached = EventPosition(rows[-1]["seq"], rows[-1]["at"]) if rows else after
        return EventPage(told, reached)

    def _is_kept(self, place: EventPosition) -> bool:
        """Check that every event after a place is still there."""
        at = self._rows.find_number("time_of", seq=place.seq)
        if at is not None:
            return at == place.at
        oldest = self._find("oldest")
        if oldest is None:
            return place.seq == 0
        return oldest.seq == place.seq + 1 and oldest.at >= place.at

    def _find(self, statement: str) -> EventPosition | None:
        row = self._rows.first(statement)
        return None if row is None else EventPosition(row["seq"], row["at"])


def _build_event(row: Row) -> MemoryEvent:
    data = {"kind": row["kind"], "id": row["subject"]}
    if row["other"] is not None:
        ends = {"src": row["subject"], "dst": row["other"]}
        data = {"kind": row["kind"], "type": _NAMES.get(row["code"], "OTHER"), **ends}
    fields = {"seq": row["seq"], "at": row["at"], "type": f"Memory.{row['type']}", "data": data}
    return build_value(MemoryEvent, fields)


class KeptWebhook(NamedTuple):
    """A webhook with the secret that signs what is sent to it."""

    webhook: Webhook
    secret: str


class Webhooks:
    """A tenant's webhooks."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "webhooks")

    def add(self, kept: KeptWebhook) -> None:
        """Store a new webhook."""
        fields = kept.webhook.model_dump(exclude={"sent"})
        sent = kept.webhook.sent
        self._rows.send("add", secret=kept.secret, sent_seq=sent.seq, sent_at=sent.at, **fields)

    def all(self) -> list[KeptWebhook]:
        """List all webhooks, oldest first."""
        return [_build_webhook(row) for row in self._rows.all("list")]

    def find(self, webhook_id: str) -> KeptWebhook | None:
        """Return a webhook; None if there is none with this id."""
        row = self._rows.first("find", id=webhook_id)
        return None if row is None else _build_webhook(row)

    def note_sent(self, webhook_id: str, reached: EventPosition, at: int | None) -> None:
        """Note how far events have arrived.

        Args:
            webhook_id: which webhook.
            reached: place up to which they have arrived, or need not be sent.
            at: UTC epoch ms; None if nothing was sent.
        """
        self._rows.send("note_sent", id=webhook_id, seq=reached.seq, at=reached.at, delivered_at=at)

    def note_failed(self, webhook_id: str, not_before: int, error: str) -> None:
        """Note that an attempt has failed, why, and when the next one may be made."""
        self._rows.send("note_failed", id=webhook_id, not_before=not_before, error=error)

    def remove(self, webhook_id: str) -> bool:
        """Remove a webhook; return False if there is none with this id."""
        return self._rows.change("remove", id=webhook_id) > 0

    def replace(self, kept: Iterable[KeptWebhook]) -> None:
        """Put webhooks in place of all there are."""
        self._rows.send("drop_all")
        for one in kept:
            self.add(one)


class DueWebhook(NamedTuple):
    """A webhook to which events may be sent now."""

    tenant: str
    id: str


def list_due_webhooks(connection: Connection, now: int) -> list[DueWebhook]:
    """List the webhooks of all tenants to which events may be sent at a moment, in UTC epoch ms."""
    rows = TenantRows(connection, _NO_TENANT, "webhooks")
    found = rows.all("due", now=now, longest_pause=LONGEST_PAUSE_MS)
    return [DueWebhook(row["tenant"], row["id"]) for row in found]


def drop_webhooks(connection: Connection) -> None:
    """Delete the webhooks of all tenants, with their secrets, from a copy that is scrubbed next."""
    sql = connection.statements("webhooks")
    if connection.execute(sql["any_of_all"]).fetchone()[0]:
        connection.execute(sql["drop_of_all"])
        connection.execute(connection.statements("hidden")["want_scrub"])


def _build_webhook(row: Row) -> KeptWebhook:
    fields = dict(row)
    secret = fields.pop("secret")
    fields["sent"] = EventPosition(fields.pop("sent_seq"), fields.pop("sent_at"))
    return KeptWebhook(build_value(Webhook, fields), secret)
