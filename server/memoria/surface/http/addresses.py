"""Addresses at which a server listens."""

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
