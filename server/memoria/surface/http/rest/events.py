"""Events as they come, and the webhooks to which they are sent."""

from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, Field
from starlette.responses import Response

from memoria.model.access import Access
from memoria.model.base import write_document
from memoria.model.events import EventPosition, Webhook
from memoria.surface.documents import Document
from memoria.surface.http.events import EVENTS_PATH, answer_with_events, follow_events
from memoria.surface.http.rest.answers import RefusedCallError
from memoria.surface.http.rest.shown import build_shown_model
from memoria.surface.http.rest.table import EXAMPLE_IDS, Order, RestCaller, RestRoute

STREAM = "text/event-stream"
_LAST = "last-event-id"
ShownWebhook = build_shown_model(Webhook)


class EventsOrder(Order):
    """Place at which a stream begins."""

    after: str | None = Field(None, json_schema_extra={"pattern": r"^(\d{1,18}-\d{1,18})?$"})
    """Id of the last event that was read, for a client that sends no `Last-Event-ID`."""
    follow: bool = True
    """False to end with the newest event."""


class NewWebhook(Order):
    """A webhook to add."""

    url: str = Field(min_length=1, json_schema_extra={"format": "uri", "pattern": "^https?://"})
    """Address at which a program takes events."""


class WebhookId(Order):
    """A webhook."""

    webhook_id: str
    """Its id, or the end of it."""


class WebhookList(BaseModel):
    """All webhooks, oldest first."""

    webhooks: list[ShownWebhook]  # type: ignore[valid-type]  # made of a value


class AddedWebhook(BaseModel):
    """A webhook, and the secret of its signatures, which is shown this once."""

    webhook: ShownWebhook  # type: ignore[valid-type]
    secret: str


class WebhookTrial(BaseModel):
    """Outcome of a message on trial."""

    webhook: ShownWebhook  # type: ignore[valid-type]
    arrived: bool
    fault: str | None = None
    """Reason why it did not arrive."""


async def list_events(caller: RestCaller, order: EventsOrder) -> Response:
    """Tell a listener of events as they come."""
    memory, listening = caller.memory, caller.listening
    last = caller.request.headers.get(_LAST) or order.after
    after = EventPosition.parse(last) if last else None
    if listening.feeds.is_full(memory.tenant):
        raise RefusedCallError(
            HTTPStatus.TOO_MANY_REQUESTS, "Too many listen to this memory. End other streams first."
        )
    events = follow_events(memory, listening, caller.request, after, until_newest=not order.follow)
    return answer_with_events(events, listening)


async def list_webhooks(caller: RestCaller, _order: Order) -> Document:
    """List the webhooks."""
    return write_document(webhooks=await caller.memory.webhooks.list())


async def add_webhook(caller: RestCaller, order: NewWebhook) -> Document:
    """Add a webhook."""
    added = await caller.memory.webhooks.add(order.url)
    return write_document(webhook=added.webhook, secret=added.secret)


async def remove_webhook(caller: RestCaller, order: WebhookId) -> Document:
    """Remove a webhook."""
    return (await caller.memory.webhooks.remove(order.webhook_id)).to_json()


async def test_webhook(caller: RestCaller, order: WebhookId) -> Document:
    """Send a message on trial."""
    tried = await caller.memory.webhooks.test(order.webhook_id)
    return write_document(webhook=tried.webhook, arrived=tried.fault is None, fault=tried.fault)


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "GET",
        EVENTS_PATH,
        Access.READ,
        "list_events",
        "Tell what changes in this memory as it changes, by ids alone, as server-sent events. "
        "`Last-Event-ID` goes on where a stream has ended.",
        EventsOrder,
        list_events,
        STREAM,
        {"follow": False},
    ),
    RestRoute(
        "GET",
        "/memory/webhooks",
        Access.ADMIN,
        "list_webhooks",
        "List the addresses to which events are sent, and how far each has come.",
        Order,
        list_webhooks,
        WebhookList,
    ),
    RestRoute(
        "POST",
        "/memory/webhooks",
        Access.ADMIN,
        "add_webhook",
        "Send what changes in this memory from now on to an address, signed with a secret that is "
        "shown this once.",
        NewWebhook,
        add_webhook,
        AddedWebhook,
        {"url": EXAMPLE_IDS["endpoint"]},
        status=201,
    ),
    RestRoute(
        "POST",
        "/memory/webhooks/{webhook_id}/test",
        Access.ADMIN,
        "test_webhook",
        "Send a message without events to a webhook now.",
        WebhookId,
        test_webhook,
        WebhookTrial,
        {"webhook_id": EXAMPLE_IDS["webhook"]},
    ),
    RestRoute(
        "POST",
        "/memory/webhooks/{webhook_id}/remove",
        Access.ADMIN,
        "remove_webhook",
        "Send no more events to a webhook.",
        WebhookId,
        remove_webhook,
        ShownWebhook,
        {"webhook_id": EXAMPLE_IDS["webhook"]},
    ),
)
