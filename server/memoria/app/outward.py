"""Outward requests: to addresses that somebody named, and to none inside of a network unasked.

A name is resolved for each request, every address that it has is checked, and the connection is
made to an address that was checked: a name that points elsewhere a moment later gains nothing.
"""

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx2
from anyio.to_thread import run_sync

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Function that returns the addresses of a name."""
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""Addresses of IPv6 that a translator turns into the IPv4 address in their last 32 bits (NAT64)."""
_RESERVED = ipaddress.IPv4Network("192.0.0.0/24")
"""Addresses of protocols, of which versions of Python know more or fewer."""
_TUNNELLED = (ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("2001::/23"))
"""Addresses of tunnels, which lead to other addresses, and of other special purposes."""
_PROXIED = frozenset(("http", "https", "all"))
"""Schemes for which the environment may name a proxy."""
_MOST_ADDRESSES = 4
"""Number of a name's addresses that are tried."""
_SETTING = "MEMORIA_PRIVATE_NETWORKS"
_NEEDS_TLS = f"http is for networks in {_SETTING} alone. Write a URL that begins with https://."


class RefusedAddressError(Exception):
    """An address that nothing may be sent to; says why."""


def unwrap_address(address: IPAddress) -> IPAddress:
    """Return the IPv4 address that an address of IPv6 stands for; any other as it is.

    >>> unwrap_address(ipaddress.ip_address("::ffff:127.0.0.1"))
    IPv4Address('127.0.0.1')
    """
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def is_public(address: IPAddress) -> bool:
    """Check whether an address is one of the public internet, for one receiver.

    >>> [is_public(ipaddress.ip_address(one)) for one in ("9.9.9.9", "10.0.0.1", "100.64.0.1")]
    [True, False, False]
    """
    meant = unwrap_address(address)
    if isinstance(meant, ipaddress.IPv6Address) and (
        meant not in _GLOBAL_UNICAST or any(meant in one for one in _TUNNELLED)
    ):
        return False
    return meant.is_global and not (
        meant.is_multicast or meant.is_reserved or is_within(meant, (_RESERVED,))
    )


def is_within(address: IPAddress, networks: Iterable[IPNetwork]) -> bool:
    """Check whether an address is in one of some networks."""
    meant = unwrap_address(address)
    return any(meant in one for one in networks if one.version == meant.version)


def read_address(host: str) -> IPAddress | None:
    """Return the address that a host of a URL is; None for a name. `localhost` is 127.0.0.1."""
    if host.rstrip(".").lower() == "localhost":
        return ipaddress.IPv4Address("127.0.0.1")
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def require_allowed(address: IPAddress, scheme: str, networks: Iterable[IPNetwork]) -> None:
    """Check that something may be sent to an address.

    Args:
        address: where the connection goes.
        scheme: `https`, or `http` for a configured network.
        networks: those that are configured.

    Raises:
        RefusedAddressError: it is not public and not configured, or everybody on the way could read
            what is sent.
    """
    if is_within(address, networks):
        return
    if not is_public(address):
        raise RefusedAddressError(
            f"{address} is no address of the public internet. If it is meant, add it or its "
            f"network to {_SETTING}."
        )
    if scheme != "https":
        raise RefusedAddressError(_NEEDS_TLS)


def require_allowed_url(scheme: str, host: str, networks: Sequence[IPNetwork]) -> None:
    """Check what a URL tells by itself; of a name the addresses decide, at each request.

    Raises:
        RefusedAddressError: nothing may be sent there.
    """
    address = read_address(host)
    if address is not None:
        require_allowed(address, scheme, networks)
    elif scheme != "https" and not networks:
        raise RefusedAddressError(_NEEDS_TLS)


def networks_of(urls: Iterable[str | None]) -> tuple[IPNetwork, ...]:
    """Return networks of the single addresses that stand in URLs, which somebody has configured."""
    hosts = (urlsplit(url).hostname or "" for url in urls if url)
    found = [(host, read_address(host)) for host in hosts]
    single = [ipaddress.ip_network(address) for _, address in found if address is not None]
    is_local = any(host.rstrip(".").lower() == "localhost" for host, _ in found)
    return (*single, ipaddress.ip_network("::1/128")) if is_local else tuple(single)


async def resolve_name(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name, as this machine resolves it.

    Raises:
        OSError: there are none.
    """
    ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    found = await run_sync(ask, abandon_on_cancel=True)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Sends requests to allowed addresses alone. It follows no proxy of the environment."""

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        networks: Sequence[IPNetwork],
        resolve: Resolve = resolve_name,
    ) -> None:
        """Check requests before a transport.

        Args:
            inner: makes the connections.
            networks: private ones to which requests may go, also without TLS.
            resolve: returns the addresses of a name.
        """
        self._inner = inner
        self._networks = networks
        self._resolve = resolve

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to the first address of its host that can be reached.

        Raises:
            RefusedAddressError: one of the addresses is not allowed.
            httpx2.HTTPError: none of them can be reached.
        """
        addresses = await self._list_addresses(request.url)
        for address in addresses:
            require_allowed(address, request.url.scheme, self._networks)
        *others, last = addresses[:_MOST_ADDRESSES]
        for address in others:
            try:
                return await self._send(request, address)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue  # nothing was sent yet
        return await self._send(request, last)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def _list_addresses(self, url: httpx2.URL) -> list[IPAddress]:
        host = url.raw_host.decode("ascii")
        known = read_address(host)
        if known is not None:
            return [known]
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            found = [ipaddress.ip_address(one) for one in await self._resolve(host, port)]
        except (OSError, ValueError):  # ValueError: a name that DNS has no form for
            found = []
        if not found:
            raise httpx2.ConnectError("the name has no address")
        return found

    async def _send(self, request: httpx2.Request, address: IPAddress) -> httpx2.Response:
        """Send a request to an address; certificates are checked for the name in its URL."""
        name = request.url.raw_host.decode("ascii")
        to_address = httpx2.Request(
            request.method,
            request.url.copy_with(host=str(address)),
            headers=request.headers,  # the name stands in Host
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": name},
        )
        return await self._inner.handle_async_request(to_address)


async def open_client(
    networks: Sequence[IPNetwork], resolve: Resolve = resolve_name, *, takes_proxy: bool = False
) -> httpx2.AsyncClient:
    """Return a client that sends to allowed addresses alone, and follows no redirect.

    It keeps no connection, so that each request is checked.

    Args:
        networks: private ones to which requests may go.
        resolve: returns the addresses of a name.
        takes_proxy: True to leave requests to the proxy that the environment names, if any, which
            resolves names itself.
    """

    def build() -> httpx2.AsyncClient:  # reads the machine's certificates
        if takes_proxy and not _PROXIED.isdisjoint(getproxies()):
            return httpx2.AsyncClient(follow_redirects=False)
        limits = httpx2.Limits(max_keepalive_connections=0)
        inner = httpx2.AsyncHTTPTransport(limits=limits)
        checked = CheckedTransport(inner, networks, resolve)
        return httpx2.AsyncClient(transport=checked, follow_redirects=False, trust_env=False)

    return await run_sync(build)
