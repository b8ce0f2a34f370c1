"""Nothing is sent to an address inside of a network unless it is configured."""

import ipaddress
import socket
import ssl
from collections.abc import Sequence

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surface.http.events.conftest import HERE, receiving

from memoria.app.outward import (
    CheckedTransport,
    RefusedAddressError,
    is_public,
    networks_of,
    open_client,
)
from memoria.app.webhooks import check_webhook_url
from memoria.errors import InvalidInputError
from memoria.surface.http.issuer_keys import IssuerKeys, KeysUnavailableError

# The registries of special-purpose addresses, as IANA lists them, and multicast.
SPECIAL_4 = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
192.0.0.0/24 192.0.2.0/24
192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
""".split()
SPECIAL_6 = """
::/128 ::1/128 64:ff9b:1::/48 100::/64 2001:2::/48 2001:db8::/32 2002::/16 fc00::/7 fe80::/10
fec0::/10 ff00::/8
""".split()
SPECIAL = [ipaddress.ip_network(one) for one in SPECIAL_4 + SPECIAL_6]
FORMS = ["{}", "::ffff:{}", "64:ff9b::{}"]
"""Ways to write an address of version 4."""


def addresses_in(network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> st.SearchStrategy[str]:
    return st.ip_addresses(network=network).map(str)


@given(st.sampled_from(SPECIAL).flatmap(addresses_in), st.sampled_from(FORMS))
def test_nothing_is_sent_to_an_address_of_a_special_purpose_however_it_is_written(
    address: str, form: str
) -> None:
    written = form.format(address) if "." in address else address
    assert not is_public(ipaddress.ip_address(written))
    host = f"[{written}]" if ":" in written else written
    with pytest.raises(InvalidInputError, match="MEMORIA_PRIVATE_NETWORKS"):
        check_webhook_url(f"https://{host}/events", ())
    single = ipaddress.ip_network(address)
    check_webhook_url(f"http://{host}/events", (single,))


@given(st.ip_addresses(v=4).map(str), st.sampled_from(FORMS))
def test_whatever_is_of_no_special_purpose_is_public(address: str, form: str) -> None:
    plain = ipaddress.ip_address(address)
    is_special = any(plain in one for one in SPECIAL if one.version == 4)
    assert is_public(ipaddress.ip_address(form.format(address))) is not is_special


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.example/x", "https://", "a.example", "https://ann:pw@a.example/", "https://a.example/#x",
        f"https://a.example/{'x' * 2000}", "https://ä.example/", "https://a.example/a b", "http://a.example/",
        "http://9.9.9.9/", "http://localhost/", "https://localhost./",
    ],
)  # fmt: skip
def test_what_is_no_address_for_events_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError):
        check_webhook_url(url, ())


class Names:
    """Answers questions of names, each time with the next of some answers."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)

    async def resolve(self, _host: str, _port: int) -> Sequence[str]:
        return self.answers.pop(0)


@pytest.mark.anyio
async def test_a_name_that_points_elsewhere_a_moment_later_gains_nothing() -> None:
    names = Names(["9.9.9.9"], ["9.9.9.9", "127.0.0.1"], ["::ffff:10.0.0.1"], ["169.254.169.254"])
    sent = list[httpx2.Request]()

    async def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(204)

    transport = CheckedTransport(httpx2.MockTransport(answer), (), names.resolve)
    async with httpx2.AsyncClient(transport=transport) as client:
        assert (await client.post("https://rebinding.example/events")).status_code == 204
        for _ in range(3):
            with pytest.raises(RefusedAddressError):
                await client.post("https://rebinding.example/events")
    assert names.answers == []
    (only,) = sent
    assert only.url.host == "9.9.9.9"  # and so nobody resolves the name a second time
    assert only.headers["host"] == "rebinding.example"
    assert only.extensions["sni_hostname"] == "rebinding.example"


@pytest.mark.anyio
@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "0177.0.0.1"])
async def test_other_ways_to_write_loopback_are_loopback(host: str) -> None:
    async with await open_client(()) as client:
        with pytest.raises((RefusedAddressError, httpx2.ConnectError, httpx2.InvalidURL)):
            await client.post(f"https://{host}:9/")


@pytest.mark.anyio
async def test_a_name_goes_on_to_its_next_address_and_keeps_its_name() -> None:
    async with receiving() as receiver:
        port = httpx2.URL(receiver.url).port
        names = Names(["127.9.9.9", HERE])
        networks = [ipaddress.ip_network("127.0.0.0/8")]
        receiver.secret = ""
        async with await open_client(networks, names.resolve) as client:
            headers = dict.fromkeys(("webhook-id", "webhook-timestamp", "webhook-signature"), "1")
            answer = await client.post(
                f"http://events.example:{port}/events",
                json={"type": "memory.test", "data": {"events": []}},
                headers=headers,
            )
        assert answer.status_code == 204
        assert receiver.asked == [f"events.example:{port}"]


@pytest.mark.anyio
async def test_metadata_of_an_issuer_leads_to_no_address_inside() -> None:
    async with receiving() as receiver:
        inside = receiver.url.replace("127.0.0.1", "127.0.0.2")
        keys = IssuerKeys("https://9.9.9.9/", f"{inside}/keys", lambda: 0.0)
        assert ipaddress.ip_address("127.0.0.2") in networks_of((inside,))[0]
        keys = IssuerKeys(receiver.url, None, lambda: 0.0)
        with pytest.raises(KeysUnavailableError):
            await keys._fetch(f"{inside}/keys")  # noqa: SLF001
        with pytest.raises(KeysUnavailableError, match="status 404"):
            await keys._fetch(f"{receiver.url}/keys")  # noqa: SLF001
        allowed = IssuerKeys(receiver.url, None, lambda: 0.0, networks_of((inside,)))
        with pytest.raises(KeysUnavailableError, match=r"reached|status"):
            await allowed._fetch(f"{inside}/keys")  # noqa: SLF001


@pytest.mark.anyio
async def test_a_certificate_is_checked_for_the_name_and_not_for_the_address() -> None:
    asked = list[str]()

    class Context(ssl.SSLContext):
        def wrap_bio(self, *args: object, **kwargs: object) -> ssl.SSLObject:
            asked.append(str(args[3]))
            return super().wrap_bio(*args, **kwargs)  # type: ignore[arg-type]

    context = Context(ssl.PROTOCOL_TLS_CLIENT)
    inner = httpx2.AsyncHTTPTransport(verify=context)
    with socket.socket() as listening:
        listening.bind((HERE, 0))
        listening.listen()
        port = listening.getsockname()[1]
        networks = [ipaddress.ip_network(HERE)]
        transport = CheckedTransport(inner, networks, Names([HERE]).resolve)
        async with httpx2.AsyncClient(transport=transport, timeout=0.5) as client:
            with pytest.raises(httpx2.HTTPError):
                await client.post(f"https://events.example:{port}/")
    assert asked == ["b'events.example'"]
