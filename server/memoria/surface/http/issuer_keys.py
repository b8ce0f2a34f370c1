"""Public keys of an issuer: fetched from where it publishes them, and kept.

A token may name any key id, so unknown ones lead to one request in a while at most. Where keys are
is said by the settings or the issuer's metadata, never by a token; and metadata leads to no address
inside of a network that the user has not configured.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import jwt

from memoria.app.outward import IPNetwork, RefusedAddressError, networks_of, open_client
from memoria.model.parse import is_safe_address

_ALGORITHMS = {"RSA": "RS256", "EC": "ES256", "OKP": "EdDSA"}
"""Algorithms that are taken, each with its kind of key. None has a secret that is shared."""
_CURVES = (None, "P-256", "Ed25519")
_PAUSE_S = 10
"""Seconds between two requests for keys, whatever came of the first."""
_RENEWED_AFTER_S = 3_600
_KEPT_S = 86_400
"""Seconds for which keys hold while the issuer can't be reached."""
_TIMEOUT_S = 5
_MOST_BYTES = 262_144
_MOST_KEYS = 100


class KeysUnavailableError(Exception):
    """The issuer's keys can't be had; says why, in words of ours."""


class IssuerKeys:
    """Public keys of one issuer."""

    def __init__(
        self,
        issuer: str,
        url: str | None,
        clock: Callable[[], float],
        networks: Sequence[IPNetwork] = (),
    ) -> None:
        """Bind to an issuer.

        Args:
            issuer: its address.
            url: where its keys are; None if its metadata says it.
            clock: seconds that only grow.
            networks: private ones that may be asked, beside addresses that these two are.
        """
        self._networks = (*networks, *networks_of((issuer, url)))
        self._issuer = issuer
        self._url = url
        self._clock = clock
        self._keys: list[jwt.PyJWK] = []
        self._asked_at: float | None = None
        self._fetched_at: float | None = None
        self._fault = ""
        self._turn = anyio.Lock()

    async def find(self, key_id: object, algorithm: object) -> jwt.PyJWK | None:
        """Return the key that an id and an algorithm name; None if the issuer has no such key.

        A token without an id means the issuer's only key of the algorithm.

        Raises:
            KeysUnavailableError: the issuer can't be asked.
        """
        if algorithm not in _ALGORITHMS.values():
            return None
        found = self._choose(key_id, algorithm)
        is_old = self._age() > _RENEWED_AFTER_S and not self._turn.locked()  # one waits, not all
        if found is None or is_old:
            async with self._turn:
                await self._renew(key_id, algorithm)
            found = self._choose(key_id, algorithm)
        if self._age() > _KEPT_S:
            raise KeysUnavailableError(self._fault)
        return found

    def _age(self) -> float:
        return float("inf") if self._fetched_at is None else self._clock() - self._fetched_at

    def _choose(self, key_id: object, algorithm: object) -> jwt.PyJWK | None:
        fitting = [
            key
            for key in self._keys
            if key.algorithm_name == algorithm and key_id in (None, key.key_id)
        ]
        return fitting[0] if len(fitting) == 1 else None

    async def _renew(self, key_id: object, algorithm: object) -> None:
        """Fetch the keys, unless somebody has just asked for them or has found what is wanted."""
        now = self._clock()
        is_known = self._choose(key_id, algorithm) is not None
        if is_known and self._age() <= _RENEWED_AFTER_S:
            return
        if self._asked_at is not None and now - self._asked_at < _PAUSE_S:
            return
        self._asked_at = now
        try:
            with anyio.fail_after(_TIMEOUT_S):
                url = self._url or await self._discover()
                self._keys = _read_keys(await self._fetch(url))
            self._fetched_at = self._clock()
        except KeysUnavailableError as error:
            self._fault = str(error)
        except TimeoutError:
            self._fault = "the issuer gives no answer in time"

    async def _discover(self) -> str:
        """Return where the issuer's own metadata says that its keys are."""
        parts = urlsplit(self._issuer)
        host, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
        places = (
            f"{host}/.well-known/oauth-authorization-server{path}",
            f"{host}{path}/.well-known/openid-configuration",
        )
        for place in places:
            try:
                found = await self._fetch(place)
            except KeysUnavailableError:
                continue  # the next place may have it
            url = found.get("jwks_uri")
            if found.get("issuer") != self._issuer:
                raise KeysUnavailableError("the issuer's metadata is of another issuer")
            if isinstance(url, str) and is_safe_address(url):
                return url
        raise KeysUnavailableError("the issuer's metadata says of no keys; set jwt_keys_url")

    async def _fetch(self, url: str) -> dict[str, Any]:
        """Fetch a JSON object, without following redirects.

        Raises:
            KeysUnavailableError: there is none, it is too long, or it lies where nothing is asked.
        """
        body = bytearray()
        plain = {"accept": "application/json", "accept-encoding": "identity"}
        client = await open_client(self._networks, takes_proxy=True)
        try:
            async with client, client.stream("GET", url, headers=plain) as came:
                if came.status_code != httpx2.codes.OK:
                    raise KeysUnavailableError(f"the issuer answers with status {came.status_code}")
                async for part in came.aiter_raw():
                    body += part
                    if len(body) > _MOST_BYTES:
                        raise KeysUnavailableError("the issuer's answer goes on without end")
            found = json.loads(body)
        except RefusedAddressError as error:
            raise KeysUnavailableError(f"the issuer is not asked: {error}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            told = f"the issuer can't be reached: {type(error).__name__}"
            raise KeysUnavailableError(told) from None
        except (ValueError, RecursionError):
            raise KeysUnavailableError("the issuer's answer is no JSON") from None
        if not isinstance(found, dict):
            raise KeysUnavailableError("the issuer's answer is no JSON object")
        return found


def _read_keys(found: dict[str, Any]) -> list[jwt.PyJWK]:
    """Read the keys that sign; those of other kinds are left out.

    Raises:
        KeysUnavailableError: there is none.
    """
    listed = found.get("keys")
    keys = [_read_key(one) for one in (listed if isinstance(listed, list) else [])[:_MOST_KEYS]]
    usable = [key for key in keys if key is not None]
    if not usable:
        raise KeysUnavailableError("the issuer has no key of RS256, ES256 or EdDSA")
    return usable


def _read_key(given: object) -> jwt.PyJWK | None:
    if not isinstance(given, dict) or given.get("use") not in (None, "sig"):
        return None
    algorithm = _ALGORITHMS.get(str(given.get("kty")))
    is_fitting = given.get("alg") in (None, algorithm) and given.get("crv") in _CURVES
    if algorithm is None or not is_fitting:
        return None
    try:
        return jwt.PyJWK(given, algorithm)
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
