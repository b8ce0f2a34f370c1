"""Repeated calls: a caller that heard no answer calls again, and what it asked for is done once."""

import json
from typing import NamedTuple

from memoria.erasure.suppression import Digester
from memoria.errors import ConflictError
from memoria.model import Channel, now_millis
from memoria.store.rows.transaction import Transaction

_ACTION = "call"


class NotedCall(NamedTuple):
    """A call that the audit log has."""

    at: int
    """When it was noted first, UTC epoch milliseconds."""
    is_repeated: bool
    """True if it was noted before."""


def note_call(
    tx: Transaction, channel: Channel, digester: Digester, key: str, request: str
) -> NotedCall:
    """Note a call in the audit log, by digests alone, and return when it was noted first.

    Args:
        tx: the transaction in which the call is done.
        channel: the way in.
        digester: makes digests that only this home can make.
        key: the caller's own, the same for each repetition of the call.
        request: what the call asks for.

    Raises:
        ConflictError: another call was noted under the key.
    """
    subject = digester.digest_values(_ACTION, key)
    asked = json.dumps({"request": digester.digest_values(request)})
    known = [one for one in tx.audit.list_entries(subject) if one.action == _ACTION]
    if any(one.detail != asked for one in known):
        raise ConflictError(
            "Idempotency-Key: another call was made with this key. Nothing was done; give each "
            "call a key of its own, and the same one only to its repetitions."
        )
    at = known[0].at if known else now_millis()
    if not known:
        tx.audit.add(
            at=at,
            channel=channel.name,
            client=channel.client,
            caller=channel.caller,
            action=_ACTION,
            subject=subject,
            detail=asked,
        )
    return NotedCall(at, bool(known))
