"""Webhooks: addresses to which a tenant's events are sent, and what is sent to them.

Messages are signed as the specification Standard Webhooks says, so that its libraries check them.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import anyio

from memoria.app.arguments import Text, check_arguments
from memoria.app.open_home import in_snapshot, in_thread
from memoria.errors import ConflictError, InvalidInputError, NotFoundError
from memoria.model import Channel, now_millis
from memoria.model.base import choose_by_end, new_id
from memoria.model.events import EventPage, Webhook
from memoria.model.moments import to_iso
from memoria.model.parse import is_web_address
from memoria.store.engine import Store
from memoria.store.rows.outbox import KeptWebhook
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    import httpx2

    from memoria.app.outward import IPNetwork

SECRET_BEGINS = "whsec_"  # noqa: S105  (of every secret)
MOST_WEBHOOKS = 10
"""Largest number of a tenant's webhooks."""
ANSWERS_WITHIN_S = 10.0
"""Seconds that an endpoint has to answer in, the connection included."""
_SECRET_BYTES = 32
_LONGEST_URL = 2_000
_MS_PER_S = 1_000
_ID_END = 8


def carry_webhooks(before: Store, restored: Store) -> None:
    """Put the webhooks of the home before into a restored home, which a backup brings none of."""
    for tenant in before.tenants():
        with before.read(tenant) as tx:
            kept = tx.webhooks.all()
        if kept:
            with restored.write(tenant) as tx:
                tx.webhooks.replace(kept)


class CreatedWebhook(NamedTuple):
    """A webhook that was just added, and the secret of its signatures, which is shown this once."""

    webhook: Webhook
    secret: str


class TriedWebhook(NamedTuple):
    """A webhook to which a message was just sent on trial."""

    webhook: Webhook
    fault: str | None
    """Reason why it did not arrive; None if it did."""


class WebhookService:
    """The webhooks of one tenant."""

    def __init__(
        self, store: Store, tenant: str, channel: Channel, networks: "Sequence[IPNetwork]" = ()
    ) -> None:
        """Bind to a tenant.

        Args:
            store: of the home.
            tenant: whose events they get.
            channel: who adds and removes them, for the log.
            networks: private ones to which events may be sent.
        """
        self._store = store
        self._tenant = tenant
        self._channel = channel
        self._networks = networks

    @check_arguments
    async def add(self, url: Text) -> CreatedWebhook:
        """Send the events that come from now on to a URL.

        Raises:
            InvalidInputError: nothing may be sent there.
            ConflictError: there are too many webhooks.
        """
        check_webhook_url(url, self._networks)
        secret = f"{SECRET_BEGINS}{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"

        def write() -> Webhook:
            with self._store.write(self._tenant) as tx:
                if len(tx.webhooks.all()) >= MOST_WEBHOOKS:
                    raise ConflictError(
                        f"There are {MOST_WEBHOOKS} webhooks, which is the most. Remove one with "
                        "`memoria webhook remove`. Nothing was done."
                    )
                newest = tx.outbox.newest()
                made = Webhook(id=new_id(), url=url, created_at=now_millis(), sent=newest)
                tx.webhooks.add(KeptWebhook(made, secret))
                self._note(tx, "add webhook", made)
            return made

        return CreatedWebhook(await in_thread(write), secret)

    async def list(self) -> tuple[Webhook, ...]:
        """List all webhooks, oldest first."""
        kept = await in_snapshot(self._store, self._tenant, lambda tx: tx.webhooks.all())
        return tuple(one.webhook for one in kept)

    @check_arguments
    async def remove(self, end: Text) -> Webhook:
        """Send no more events to a webhook, and return it.

        Args:
            end: its id, or the last characters of its id.

        Raises:
            NotFoundError: there is no such webhook.
            InvalidInputError: several ids end so.
        """

        def write() -> Webhook:
            with self._store.write(self._tenant) as tx:
                chosen = _choose(tx, end).webhook
                tx.webhooks.remove(chosen.id)
                self._note(tx, "remove webhook", chosen)
            return chosen

        return await in_thread(write)

    @check_arguments
    async def test(self, end: Text) -> TriedWebhook:
        """Send a message without events to a webhook now, and return what came of it.

        Args:
            end: its id, or the last characters of its id.

        Raises:
            NotFoundError: there is no such webhook.
            InvalidInputError: several ids end so.
        """
        kept = await in_snapshot(self._store, self._tenant, lambda tx: _choose(tx, end))
        at = now_millis()
        message = write_message(kept.webhook, EventPage((), kept.webhook.sent), at)
        message = message._replace(id=f"test_{new_id()}")
        from memoria.app.outward import open_client  # noqa: PLC0415  (only who sends pays for it)

        async with await open_client(self._networks) as client:
            fault = await send_message(client, kept, message)
        return TriedWebhook(kept.webhook, fault)

    def _note(self, tx: Transaction, action: str, webhook: Webhook) -> None:
        tx.audit.add(
            at=now_millis(),
            channel=self._channel.name,
            client=self._channel.client,
            caller=self._channel.caller,
            action=action,
            subject=webhook.id,
            detail=urlsplit(webhook.url).hostname,
        )


def check_webhook_url(url: str, networks: "Sequence[IPNetwork]") -> None:
    """Check that events may be sent to a URL, as far as can be told without asking the network.

    Raises:
        InvalidInputError: it is no URL, or leads where nothing may be sent.
    """
    from memoria.app.outward import RefusedAddressError, require_allowed_url  # noqa: PLC0415  (as above)

    is_plain = url.isascii() and url.isprintable() and " " not in url
    parts = urlsplit(url) if is_plain and is_web_address(url) else None
    if parts is None or "@" in parts.netloc or parts.fragment or len(url) > _LONGEST_URL:
        raise InvalidInputError(
            "url: give the address at which a program takes events, such as "
            "https://events.example.com/memoria. A user and a password are no part of it."
        )
    try:
        require_allowed_url(parts.scheme, parts.hostname or "", networks)
    except RefusedAddressError as error:
        raise InvalidInputError(f"url: {error}") from error


class WebhookMessage(NamedTuple):
    """A message as it is sent."""

    id: str
    """The same for each attempt that ends with the same event."""
    body: bytes
    at: int
    """UTC epoch ms."""


def write_message(webhook: Webhook, page: EventPage, at: int) -> WebhookMessage:
    """Write the message that tells a webhook of some events.

    Args:
        webhook: where it goes.
        page: the events; none for a test.
        at: the present, in UTC epoch ms.
    """
    document = {
        "type": "memory.events" if page.events else "memory.test",
        "timestamp": to_iso(at),
        "data": {"webhook": webhook.id, "events": [one.to_json() for one in page.events]},
    }
    body = json.dumps(document, separators=(",", ":")).encode()
    return WebhookMessage(f"msg_{webhook.id[-_ID_END:]}_{page.reached}", body, at)


def sign_message(secret: str, message: WebhookMessage) -> Mapping[str, str]:
    """Return the headers that prove who has sent a message, and when.

    The signature is the HMAC-SHA256 of id, time and body, joined with dots, by the secret's bytes.
    """
    key = base64.b64decode(secret.removeprefix(SECRET_BEGINS))
    seconds = str(message.at // _MS_PER_S)
    signed = b".".join((message.id.encode(), seconds.encode(), message.body))
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return {
        "webhook-id": message.id,
        "webhook-timestamp": seconds,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


async def send_message(
    client: "httpx2.AsyncClient", kept: KeptWebhook, message: WebhookMessage
) -> str | None:
    """Send a message once; return why it has not arrived, or None if it has.

    Of the answer the status alone is read.
    """
    import httpx2  # noqa: PLC0415  (as above)

    from memoria.app.outward import RefusedAddressError  # noqa: PLC0415  (as above)

    headers = {
        **sign_message(kept.secret, message),
        "content-type": "application/json",
        "user-agent": "memoria",
    }
    url = kept.webhook.url
    try:
        with anyio.fail_after(ANSWERS_WITHIN_S):
            async with client.stream("POST", url, headers=headers, content=message.body) as answer:
                if answer.is_success:
                    return None
                hint = "; redirects are not followed" if answer.is_redirect else ""
                return f"it answers with status {answer.status_code}{hint}"
    except RefusedAddressError as error:
        return str(error)
    except TimeoutError:
        return f"it gives no answer within {ANSWERS_WITHIN_S:.0f} s"
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return f"it can't be reached: {type(error).__name__}"


def _choose(tx: Transaction, end: str) -> KeptWebhook:
    known = {one.webhook.id: one for one in tx.webhooks.all()}
    chosen = choose_by_end(known, end)
    if chosen is None:
        raise NotFoundError(f"There is no webhook {end}. `memoria webhook` lists them.")
    return known[chosen]
