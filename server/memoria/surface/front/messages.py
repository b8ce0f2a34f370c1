"""Reading of a client's messages without the SDK. In doubt the server is asked."""

from memoria.bare.plain_json import read_json

MODERN = "2026-07-28"
"""The version whose requests carry an envelope; clients of older ones begin with a handshake."""
INITIALIZE, LISTEN = "initialize", "subscriptions/listen"

_META = "io.modelcontextprotocol/"
_FLAGS = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
_URIS = "resourceSubscriptions"

Json = dict[str, object]


def read_message(line: str) -> Json | None:
    """Read a JSON-RPC message; None where it is anything else."""
    try:
        message = read_json(line)
    except ValueError:
        return None
    is_message = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
    return message if is_message and isinstance(message, dict) else None


def request_id(message: Json | None) -> int | str | None:
    """Return the id of a request; None where the message is none."""
    number = message.get("id") if message is not None and "method" in message else None
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def message_key(message: object) -> tuple[object, object]:
    """Return the key of messages that answer the same: the request's id, or the subscription's."""
    if not isinstance(message, dict):
        return None, None
    if "method" not in message:
        return None, message.get("id")
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return message["method"], meta.get(_META + "subscriptionId") if isinstance(meta, dict) else None


def has_envelope(params: Json) -> bool:
    """Check whether a request says by itself which version it is of."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and _META + "protocolVersion" in meta


def is_whole_envelope(params: Json) -> bool:
    """Check whether the envelope is of the newer version and has in it what it must."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or meta.get(_META + "protocolVersion") != MODERN:
        return False
    client = meta.get(_META + "clientInfo")
    return _are_capabilities(meta.get(_META + "clientCapabilities")) and (
        client is None or _is_client(client)
    )


def is_whole_handshake(params: Json) -> bool:
    """Check whether a client says of itself what it must."""
    return _are_capabilities(params.get("capabilities")) and _is_client(params.get("clientInfo"))


def acknowledge(number: int | str, params: Json) -> Json | None:
    """Return the first message of a subscription: its notifications. None where it is unclear."""
    wanted = params.get("notifications")
    if not isinstance(wanted, dict) or set(params) - {"_meta", "notifications"}:
        return None
    uris = wanted.get(_URIS)
    are_uris = uris is None or (isinstance(uris, list) and all(isinstance(u, str) for u in uris))
    are_flags = all(isinstance(wanted.get(flag), bool | None) for flag in _FLAGS)
    if set(wanted) - {*_FLAGS, _URIS} or not are_uris or not are_flags:
        return None
    honoured: Json = {flag: True for flag in _FLAGS if wanted.get(flag)}
    if uris:
        honoured[_URIS] = uris
    return {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": {_META + "subscriptionId": number}, "notifications": honoured},
    }


def _are_capabilities(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())


def _is_client(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(part), str) for part in ("name", "version")
    )
