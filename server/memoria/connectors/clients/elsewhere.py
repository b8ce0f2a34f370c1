"""Whether a server elsewhere answers a client, and what to do where it does not."""

from http import HTTPStatus

from memoria.bare.remote import ABOUT, ClearTextError, RemoteServer, ServerRefusalError
from memoria.connectors.clients.probe import ProbeResult

_AWAY = (
    "What hooks hear waits here until it answers. Look whether `memoria serve --http` runs on its "
    "machine, and whether this machine reaches the address."
)


def call_elsewhere(server: RemoteServer, client: str, wait_s: float) -> ProbeResult:
    """Call a server elsewhere as a client would.

    Args:
        server: whom to call, with the token.
        client: name of the client that is connected to it.
        wait_s: longest wait for an answer, in seconds.
    """
    from memoria.connectors.clients.probe_remote import probe_remote  # noqa: PLC0415  (takes long to load)

    try:
        server.call(ABOUT, None, wait_s)  # a refusal says why, which MCP's client keeps back
    except ServerRefusalError as error:
        is_refused = error.status == HTTPStatus.UNAUTHORIZED
        cure = tell_new_token(server.url, client) if is_refused else ""
        return ProbeResult(problem=str(error).rstrip("."), cure=cure)
    except ClearTextError as error:
        return ProbeResult(problem=str(error))
    except (OSError, ValueError) as error:
        return ProbeResult(problem=f"it can't be reached ({type(error).__name__})", cure=_AWAY)
    return probe_remote(server, wait_s)


def tell_new_token(url: str, client: str) -> str:
    """Return a sentence on what to do where a server does not take a token."""
    command = " ".join(filter(None, ("memoria connect", client, "--url", url)))
    return f"Ask whoever runs the server for a new token, then: MEMORIA_TOKEN=… {command}"
