"""Addresses at which a server listens."""

import socket
from urllib.parse import urlsplit

from memoria.errors import InvalidInputError, quote_value

_LAST_PORT = 65_535


def parse_address(address: str, option: str = "--http") -> tuple[str, int]:
    """Parse where to listen.

    >>> parse_address("127.0.0.1:8420"), parse_address("[::1]:80")
    (('127.0.0.1', 8420), ('::1', 80))

    Args:
        address: as it was given.
        option: what gave it, for the error.

    Raises:
        InvalidInputError: it is no host with a port.
    """
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > _LAST_PORT:
        raise InvalidInputError(
            f"{option}: {quote_value(address)} is no address. Give a host and a port, such as "
            "127.0.0.1:8420."
        )
    return host.removeprefix("[").removesuffix("]"), int(port)


def parse_name(name: str) -> str:
    """Return the name by which callers may address the server, also out of a whole address.

    >>> parse_name("memory.example.com"), parse_name("https://memory.example.com:8443/mcp")
    ('memory.example.com', 'memory.example.com')

    Raises:
        InvalidInputError: there is none in it.
    """
    try:
        host = urlsplit(name if "://" in name else f"//{name}").hostname or ""
    except ValueError:
        host = ""
    if not host or not host.isprintable() or set(host) & set(" ,*"):
        raise InvalidInputError(
            f"--name: {quote_value(name)} is no name of a server. Give the name alone, such as "
            "memory.example.com."
        )
    return f"[{host}]" if ":" in host else host


def require_free(host: str, port: int) -> None:
    """Check that somebody can listen there, before anything says that it is served.

    Raises:
        InvalidInputError: another program listens there, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((host, port))
        except OSError as error:
            raise InvalidInputError(
                f"--http: nobody can listen at {host} on port {port}: {error.strerror or error}. "
                "End the program that listens there, or name another port."
            ) from error


def strip_port(host: str) -> str:
    """Return the name of a host without its port.

    >>> strip_port("localhost:8420"), strip_port("[::1]:8420")
    ('localhost', '[::1]')
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isascii() and port.isdigit() else host).lower()
