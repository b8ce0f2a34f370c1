"""`memoria serve --http`: runs the application, in one process or several, until told to stop."""

import hashlib
import logging
import secrets
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import anyio
import uvicorn
from starlette.applications import Starlette

from memoria.app.compose import open_home
from memoria.app.engine import open_store
from memoria.app.homes import TenantHomes
from memoria.app.open_home import OpenHome, SharedParts
from memoria.app.tokens import has_way_in
from memoria.bare.remote import is_own_machine
from memoria.config import NO_WORKSPACE, Settings
from memoria.errors import InvalidInputError, MemoriaError
from memoria.ingest.rounds import SharedRounds
from memoria.model.access import Access
from memoria.surface.http.addresses import parse_address, parse_name, require_free
from memoria.surface.http.app import HttpOptions, build_app
from memoria.surface.http.callers import CALLERS_CHANNEL
from memoria.surface.http.connections import FewerWarnings, PatientConnection
from memoria.surface.http.logs import LogForm
from memoria.surface.http.observing import Observation
from memoria.surface.http.telemetry import show_metrics, start_observing
from memoria.surface.http.workers import (
    READY_WITHIN_S,
    SERVING,
    Workers,
    end_with_parent,
    keep_on_hangup,
)

_STOPS_AFTER_S = 5
"""Seconds that calls have to end in when the server is told to stop."""
_IDLE_S = 65
"""Seconds for which a connection is kept between two calls: longer than clients and proxies keep it
by default, or one of their calls could meet its end."""
_MOST_CALLS = 1_000
"""Number of calls at once beyond which a caller is told to come back."""
_SEARCH_THREADS = 4
"""Number of searches at once in a process: more would only take turns with each other."""
_WAITING_SEARCHES = 40
"""Number of searches at once where they wait for another machine most of the time."""
_ENDPOINT_THREADS = 4
"""Number of threads that embed where that is another machine's work."""
_SEAL_BYTES = 32
_SEAL_PURPOSE = b"what clients echo"


@dataclass(frozen=True, slots=True)
class Service:
    """Settings, options and observation of a server, as its one process gets them."""

    settings: Settings
    options: HttpOptions
    says: str
    log: LogForm | None
    """Form of the lines that are written for requests; None for none."""
    counts: bool
    """True if requests are counted, for metrics."""

    def build(self) -> Starlette:
        """Build the application in the process that runs it."""
        return build_app(self._open, self.options, self._start_observing())

    def _start_observing(self) -> Observation:
        observation = start_observing(self.log, counts=self.counts)
        logging.getLogger("uvicorn.error").addFilter(FewerWarnings())
        return observation

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[OpenHome | TenantHomes]:
        """Open the home, or the tenants' homes, and begin to load the embedder."""
        keep_on_hangup()
        async with open_served(self.settings) as opened:
            _tell(self.says, self.log)
            yield opened


class WorkerService(Service):
    """The same for each of several workers; their supervisor says when all of them serve."""

    def build(self) -> Starlette:
        """Build the application in a worker, with the settings as the home's file has them."""
        end_with_parent()
        observation = self._start_observing()
        try:
            settings = _load_again(self.settings)
        except MemoriaError as error:
            SERVING.error("a worker can't start: %s", error)
            sys.exit(1)
        return build_app(partial(open_served, settings), self.options, observation)


@asynccontextmanager
async def open_served(settings: Settings) -> AsyncIterator[OpenHome | TenantHomes]:
    """Open what a server over HTTP serves: a home, or the homes of tenants who have one each."""
    embeds_elsewhere = settings.embedder == "endpoint"
    waits = embeds_elsewhere or settings.rerank_base_url is not None
    rounds = SharedRounds(_ENDPOINT_THREADS if embeds_elsewhere else 1, settings.llm_concurrency)
    turns = anyio.CapacityLimiter(_WAITING_SEARCHES if waits else _SEARCH_THREADS)
    shared = SharedParts(rounds, turns)
    embedder = shared.choose_embedder(settings)
    if embedder is not None:
        embedder.start_loading()
    if settings.homes is not None:
        load = partial(_load_tenant, type(settings))
        async with TenantHomes.open(settings, load, shared, CALLERS_CHANNEL) as homes:
            yield homes
    else:
        try:
            async with open_home(settings, shared=shared) as home:
                yield home
        finally:
            rounds.stop()


def _load_again(settings: Settings) -> Settings:
    home = None if settings.homes is not None else settings.home_path
    named = settings.workspace or NO_WORKSPACE
    return type(settings).load(home=home, tenant=settings.tenant, workspace=named)


def _load_tenant(settings: type[Settings], tenant: str) -> Settings:
    """Load the settings of a tenant's home: the environment's, and those of its file."""
    return settings.load(tenant=tenant, workspace=NO_WORKSPACE)


def serve_http(
    settings: Settings,
    address: str,
    *,
    names: tuple[str, ...] = (),
    is_read_only: bool = False,
    workers: int = 1,
    metrics: str | None = None,
    log: LogForm | None = None,
) -> None:
    """Serve all tenants over HTTP, until SIGTERM or Ctrl-C.

    Args:
        settings: those of the home, or of the folder with the tenants' homes.
        address: where to listen: `127.0.0.1:8420`, `[::1]:8420`.
        names: names by which callers may address the server, beside loopback's and the address.
        is_read_only: True if nobody may change anything.
        workers: number of processes that answer.
        metrics: the address at which metrics are shown; None for nowhere.
        log: form of the lines that are written for requests; None for none.

    Raises:
        InvalidInputError: an address or name can't be read or had, or is one that other machines
            reach and nobody has a token; or what sends spans is missing.
    """
    host, port = parse_address(address)
    require_free(host, port)
    if not is_own_machine(host):
        _require_way_in(settings, address)
    options = HttpOptions(
        names=(*map(parse_name, names), f"[{host}]" if ":" in host else host),
        most=Access.READ if is_read_only else Access.ADMIN,
    )
    says = _describe(settings, address, host)
    kind = Service
    if workers > 1:
        kind = WorkerService
    if workers > 1 or settings.database_url is not None:
        options = replace(options, keeps_sessions=False, seal=_make_seal(settings))
    service = kind(settings, options, says, log, metrics is not None)
    config = _configure(service, host, port, workers)
    with show_metrics(metrics, settings, workers):
        if workers > 1:
            start_observing(log, counts=False).stop()  # what is missing is told once, and here
            Workers(config, [bind_at_once(config)], lambda: _tell(says, log)).run()
        else:
            uvicorn.Server(config).run()


def _make_seal(settings: Settings) -> bytes:
    """Return the key that seals what clients echo: the same for all who answer the next call.

    Servers of one database have one key in common; processes of one server get theirs from it.
    """
    if settings.database_url is None:
        return secrets.token_bytes(_SEAL_BYTES)
    key = settings.tombstone_key_bytes or b""
    return hashlib.blake2b(_SEAL_PURPOSE, key=key, digest_size=_SEAL_BYTES).digest()


def bind_at_once(config: uvicorn.Config) -> socket.socket:
    """Bind the socket that workers share, whose connections send each packet at once.

    Otherwise the last packet of each answer waits some 40 ms until the caller has acknowledged the
    first. asyncio sees to that by itself only where it binds the socket.
    """
    bound = config.bind_socket()
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound


def _configure(service: Service, host: str, port: int, workers: int) -> uvicorn.Config:
    """Return how the service is run."""
    return uvicorn.Config(
        service.build,
        factory=True,
        host=host,
        port=port,
        log_config=None,  # the root's handler leaves out what exceptions quote
        http=PatientConnection,
        ws="none",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_CALLS,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_STOPS_AFTER_S,
        timeout_worker_healthcheck=READY_WITHIN_S,
        workers=workers,
    )


def _require_way_in(settings: Settings, address: str) -> None:
    """Refuse to listen where others reach it while nobody may come in: that is a mistake.

    Raises:
        InvalidInputError: there is neither a token that holds nor an issuer.
    """
    if settings.jwt_issuer is not None:
        return
    if settings.homes is not None:  # to look into each would take too long
        is_open = any(Path(settings.homes).expanduser().glob("*/"))
    else:
        with closing(open_store(settings)) as store:
            is_open = has_way_in(store)
    if not is_open:
        raise InvalidInputError(
            f"--http: other machines reach {address}, and nobody has a token that holds. Make one "
            "with `memoria token create`, or listen on 127.0.0.1."
        )


def _describe(settings: Settings, address: str, host: str) -> str:
    """Describe what is served and where, and what to mind."""
    place = settings.homes or settings.home_path
    said = f"Memoria serves {place} at http://{address}/mcp"
    if is_own_machine(host):
        return said
    return (
        f"{said}\nOther machines can reach it. Tokens and memories travel as they are: put TLS "
        "in front."
    )


def _tell(text: str, form: LogForm | None) -> None:
    """Say what is served: on standard error, in the form that the log has."""
    if form == "json":
        SERVING.info(text)
    else:
        print(text, file=sys.stderr, flush=True)  # noqa: T201
