"""A memory that a server elsewhere has: its address and token, and calls to it over HTTP.

Whoever is connected to one has a folder for it below the home, `servers/NAME`. It has the form of a
home: hooks lay into its spool what is to be sent, and how far transcripts were sent stands in its
database. No memory is in it. `server.json` has address and token, for the user alone.
"""

import os

from memoria.bare.home import make_folder, open_new, read_regular, slug, write_all
from memoria.bare.plain_json import read_json, write_json

SERVERS = "servers"
"""The folder of a home with a folder for each server elsewhere."""
SERVER_FILE = "server.json"
RECORD, ASK, ABOUT = "/hooks/record", "/hooks/ask", "/hooks"
"""Paths for what hooks have heard, for what they ask, and for what a token may do."""
_MOST_FILE_BYTES = 1 << 16
_MOST_ANSWER_BYTES = 1 << 20
_OK = 200
_REDIRECTS, _ERRORS = 300, 400


class ServerRefusalError(Exception):
    """Raised where a server refuses a call; `status` and `reason` say why."""

    def __init__(self, status: int, reason: str) -> None:
        """Create the error from the status of HTTP and the server's own words."""
        super().__init__(f"the server answers {status}: {reason}" if reason else f"{status}")
        self.status = status
        self.reason = reason


class ClearTextError(OSError):
    """Raised before a call that would take token and words over a network in clear text."""


class RemoteServer:
    """A server, as its folder names it."""

    def __init__(self, folder: str, url: str, token: str) -> None:
        """Keep the folder, the address without `/mcp`, and the token."""
        self.folder = folder
        self.url = url
        self.token = token
        self.is_calling = False
        """True while a call is under way."""

    @property
    def mcp_url(self) -> str:
        """Address at which clients speak MCP."""
        return f"{self.url}/mcp"

    def call(self, path: str, fields: object = None, wait_s: float = 10.0) -> dict[str, object]:
        """Return the answer to a call: GET without fields, else POST with the fields as JSON.

        No redirect is followed, as it would take the token elsewhere. Certificates are checked as
        the system does; `SSL_CERT_FILE` names others.

        Args:
            path: from the server's address.
            fields: what is sent.
            wait_s: seconds to wait at each step of the call.

        Raises:
            ServerRefusalError: it does not answer with 200.
            ClearTextError: the address is neither https nor this machine; nothing was sent.
            OSError: it can't be reached, or does not answer in time.
            ValueError: it answers with something else than an object.
        """
        check_way(self.url)
        from http.client import HTTPConnection, HTTPException, HTTPSConnection
        from urllib.parse import urlsplit

        place = urlsplit(self.url)
        kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
        connection = kind(place.hostname or "", place.port, timeout=wait_s)
        body = None if fields is None else write_json(fields).encode("ascii")
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.is_calling = True
        try:
            connection.request("GET" if body is None else "POST", place.path + path, body, headers)
            response = connection.getresponse()
            said = response.read(_MOST_ANSWER_BYTES)
        except HTTPException as error:
            raise OSError(f"it does not speak HTTP: {type(error).__name__}") from error
        finally:
            self.is_calling = False
            connection.close()
        if response.status != _OK:
            raise ServerRefusalError(response.status, _read_reason(response.status, said))
        answer = read_json(said.decode("utf-8"))
        if not isinstance(answer, dict):
            raise ValueError("it answers with something else than an object")  # noqa: TRY004  (what it said)
        return answer


def check_way(url: str) -> None:
    """Check that nobody on the way can read what is sent to an address: https, or this machine.

    Raises:
        ClearTextError: anybody could.
    """
    from urllib.parse import urlsplit

    place = urlsplit(url)
    host = place.hostname or ""
    if place.scheme != "https" and not is_own_machine(host):
        raise ClearTextError(
            f"{url} would take the token and what you say over the network in clear text. Use "
            "https; http is for this machine alone. Nothing was sent"
        )


def is_own_machine(host: str) -> bool:
    """Check whether the host of an address is this machine, by its loopback names and addresses.

    >>> is_own_machine("localhost"), is_own_machine("127.0.0.2"), is_own_machine("192.168.1.2")
    (True, True, False)
    """
    from ipaddress import ip_address

    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_remote(home: str) -> bool:
    """Check whether a home is the folder of a server elsewhere."""
    return os.path.exists(os.path.join(home, SERVER_FILE))


def own_home(folder: str) -> str:
    """Return the home that the folder of a server elsewhere lies in."""
    return os.path.dirname(os.path.dirname(folder))


def read_server(folder: str) -> RemoteServer | None:
    """Return the server of a folder; None where the folder is no server's.

    Raises:
        OSError: the file can't be read.
        ValueError: the file does not say address and token.
    """
    try:
        content = read_regular(os.path.join(folder, SERVER_FILE), _MOST_FILE_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    said = read_json(content.decode("utf-8"))
    url, token = (said.get("url"), said.get("token")) if isinstance(said, dict) else (None, None)
    if not isinstance(url, str) or not isinstance(token, str):
        raise ValueError(f"{SERVER_FILE} does not say address and token")  # noqa: TRY004  (what it says)
    return RemoteServer(folder, url, token)


def list_servers(home: str) -> list[RemoteServer]:
    """List the servers elsewhere that a home has folders for; unreadable ones are left out."""
    above = os.path.join(home, SERVERS)
    found: list[RemoteServer] = []
    try:
        names = sorted(os.listdir(above))
    except OSError:
        return found
    for name in names:
        try:
            server = read_server(os.path.join(above, name))
        except (OSError, ValueError):
            continue
        if server is not None:
            found.append(server)
    return found


def server_folder(home: str, url: str, tenant: str) -> str:
    """Return the folder for a server and a tenant of it, whether it is there or not.

    What waits for one tenant never goes to another, so each has a folder.
    """
    return os.path.join(home, SERVERS, slug(url.partition("://")[2], f"{url}\n{tenant}"))


def write_server(home: str, server: RemoteServer) -> None:
    """Write address and token into the server's folder, for the user alone.

    Raises:
        OSError: it can't be written.
    """
    make_folder(home, server.folder)
    draft = os.path.join(server.folder, f".{SERVER_FILE}.{os.urandom(8).hex()}")
    said = write_json({"v": 1, "url": server.url, "token": server.token})
    try:
        descriptor = open_new(draft)
        try:
            write_all(descriptor, said.encode("ascii") + b"\n")
        finally:
            os.close(descriptor)
        os.replace(draft, os.path.join(server.folder, SERVER_FILE))
    except OSError:
        if os.path.lexists(draft):
            os.unlink(draft)
        raise


def ask_remote(server: RemoteServer, request: dict[str, object], wait_s: float) -> str | None:
    """Return a server's text for a hook; None if there is no answer in time, or a refusal.

    The call runs in a thread: looking up a name may take longer than any limit of a connection.

    Args:
        server: whom to ask.
        request: the question, such as `{"ask": "briefing", "workspace": "/home/ann/work"}`.
        wait_s: seconds that all of it may take.
    """
    import _thread

    answers: list[str] = []
    is_done = _thread.allocate_lock()
    is_done.acquire()

    def ask() -> None:
        try:
            text = server.call(ASK, request, wait_s).get("text")
            if isinstance(text, str):
                answers.append(text)
        except (OSError, ValueError, ServerRefusalError):
            return  # the session begins without; the collector notes why
        finally:
            is_done.release()

    _thread.start_new_thread(ask, ())
    is_done.acquire(timeout=max(wait_s, 0.0))
    return answers[0] if answers else None


def _read_reason(status: int, said: bytes) -> str:
    if _REDIRECTS <= status < _ERRORS:
        return "it points elsewhere, which is not followed; give the address itself"
    try:
        problem = read_json(said.decode("utf-8", "replace"))
    except ValueError:
        return ""
    reason = problem.get("detail") if isinstance(problem, dict) else None
    return reason if isinstance(reason, str) else ""
