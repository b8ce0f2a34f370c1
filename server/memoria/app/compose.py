"""Composition: from settings to an opened Memoria."""

from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, overload

import anyio
from pydantic import SkipValidation

from memoria.app.arguments import Text, check_arguments, check_settings
from memoria.app.engine import open_store
from memoria.app.memory import Memoria
from memoria.app.open_home import OpenHome, SharedParts, in_thread
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.inference import LazyEmbedder, calibration_of, choose_embedder
from memoria.inference.base import Embedder
from memoria.inference.chat.base import ChatModel
from memoria.inference.reranker import Reranker, choose_reranker
from memoria.ingest.embedding import EmbeddingLimits, EmbeddingWorker
from memoria.ingest.grounding import GroundingWorker, build_grounding_worker
from memoria.ingest.renewal import RenewalWorker
from memoria.model import LIBRARY, Channel, now_millis
from memoria.policy.questions import HomePolicy, Policy
from memoria.store.engine import Store

if TYPE_CHECKING:
    from memoria.app.remote.memory import RemoteMemoria
    from memoria.ingest.extraction import ExtractionWorker


@overload
def open_memoria(
    home: Path | str | None = None,
    tenant: Text | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    chat: ChatModel | None = None,
    policy: Policy | None = None,
    channel: Channel = LIBRARY,
    reads_queue: bool = True,
) -> AbstractAsyncContextManager[Memoria]: ...


@overload
def open_memoria(
    *, url: str, token: str | None = None
) -> "AbstractAsyncContextManager[RemoteMemoria]": ...


@check_arguments
def open_memoria(
    home: Path | str | None = None,
    tenant: Text | None = None,
    *,
    settings: Settings | None = None,
    embedder: Annotated[Embedder | None, SkipValidation] = None,
    reranker: Annotated[Reranker | None, SkipValidation] = None,
    chat: Annotated[ChatModel | None, SkipValidation] = None,
    policy: Annotated[Policy | None, SkipValidation] = None,
    channel: Channel = LIBRARY,
    reads_queue: bool = True,
    url: Text | None = None,
    token: Text | None = None,
) -> AbstractAsyncContextManager[Any]:
    """Open a home, make it if there is none, and close it at the end of the block.

    With a `url` it is the memory of a token on a server over HTTP instead, as `open_remote`.

    Args:
        home: the data folder; `MEMORIA_HOME` or `~/.memoria` by default.
        tenant: whose memory; `MEMORIA_TENANT` or `default` by default.
        settings: all settings at once, instead of the environment's. `home` and `tenant` still
            come first.
        embedder: an embedder of your own, instead of the configured one.
        reranker: a reranker of your own, instead of the configured one.
        chat: a chat model of your own, instead of the configured one. It stays open.
        policy: your own answers to what is kept, replaced and archived.
        channel: what provenance is stamped with.
        reads_queue: whether a configured chat model reads what waits, while it is open. Who closes
            the memory at once would begin requests and abandon them.
        url: where a server is, such as `https://memory.example.com`; goes with `token` alone.
        token: what `memoria token create` has printed; `MEMORIA_TOKEN` by default.

    Raises:
        InvalidInputError: a setting is out of bounds, or arguments don't go together.
        StoreError: the home can't be opened.
    """
    local = (home, tenant, settings, embedder, reranker, chat, policy)
    if url is not None:
        from memoria.app.remote.memory import open_remote  # noqa: PLC0415  (it brings an HTTP client)

        is_alone = local == (None,) * len(local) and channel == LIBRARY and reads_queue
        if not is_alone:
            raise InvalidInputError(
                "url goes with a token alone: the server has its own home and settings, and the "
                "token names the tenant. Nothing was opened."
            )
        return open_remote(url, token)
    if token is not None:
        raise InvalidInputError("token: it is for a server. Give its url, too. Nothing was opened.")
    chosen = Settings.load(home=home, tenant=tenant) if settings is None else settings
    opened = open_home(
        _override(chosen, home, tenant),
        embedder=embedder,
        reranker=reranker,
        chat=chat,
        policy=policy,
        reads_queue=reads_queue,
    )
    return _open_local(opened, channel)


@asynccontextmanager
async def _open_local(
    opened: AbstractAsyncContextManager[OpenHome], channel: Channel
) -> AsyncIterator[Memoria]:
    """Open a home on this machine, until the end of the block."""
    async with opened as found:
        await in_thread(lambda: purge_hidden(found, found.settings.tenant))
        memory = Memoria(found, channel)
        try:
            yield memory
        finally:
            with anyio.CancelScope(shield=True):
                await in_thread(memory.spool.close)


@asynccontextmanager
async def open_home(
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    chat: ChatModel | None = None,
    policy: Policy | None = None,
    reads_queue: bool = True,
    shared: SharedParts | None = None,
) -> AsyncIterator[OpenHome]:
    """Open what all tenants of a home share: its store, its models and whoever works beside it.

    Args:
        settings: those of the home; `tenant` is the one of whom nobody says whose memory is meant.
        embedder: see `open_memoria`.
        reranker: see `open_memoria`.
        chat: see `open_memoria`.
        policy: see `open_memoria`.
        reads_queue: see `open_memoria`.
        shared: what it has in common with other homes of this process; by default nothing.

    Raises:
        InvalidInputError: a setting is out of bounds.
        StoreError: the home can't be opened.
    """
    check_settings(settings)
    choose = choose_embedder if shared is None else shared.choose_embedder
    lazy = (
        choose(settings) if embedder is None else _wrap_embedder(embedder, settings.embedding_batch)
    )
    store = await in_thread(lambda: open_store(settings))
    worker = None if lazy is None else EmbeddingWorker(store, lazy, _embedding_limits(settings))
    grounds = build_grounding_worker(settings, store)
    own_policy = HomePolicy(policy, settings.personal_data)
    reader = _build_extraction_worker(settings, store, lazy, grounds, own_policy, chat)
    own = choose_reranker(settings) if reranker is None else None
    renewal = RenewalWorker(store)
    rounds = None if shared is None else shared.rounds
    renewal.start(None if rounds is None else rounds.upkeep)
    if worker is not None:
        worker.start(None if rounds is None else rounds.embedding)
    if reader is not None and reads_queue:
        reader.start(rounds)
    if reads_queue and grounds is not None:
        grounds.start(None if rounds is None else rounds.upkeep)
        grounds.want(settings.tenant, settings.workspace)
    try:
        opened = OpenHome(
            settings, store, lazy, reranker or own, worker, reader, grounds, own_policy, chat
        )
        if shared is not None:
            own_turns = shared.make_tenant_turns()
            opened = replace(opened, search_turns=shared.search_turns, tenant_turns=own_turns)
        yield opened
    finally:
        with anyio.CancelScope(shield=True):
            await in_thread(lambda: _close(store, (renewal, grounds, reader, worker)))
            if own is not None:
                await in_thread(own.close)


def purge_hidden(home: OpenHome, tenant: str) -> None:
    """Erase what a tenant forgot and hid, once its period of grace is over."""
    with home.store.read(tenant) as tx:
        is_due = bool(tx.hidden.list_due(now_millis()))
    if is_due:
        from memoria.erasure.grace import purge_due  # noqa: PLC0415  (only then it is paid for)

        purge_due(home.store, tenant, str(home.settings.home_path))


def _override(settings: Settings, home: Path | str | None, tenant: str | None) -> Settings:
    given = {"home": home, "tenant": tenant}
    named: dict[str, object] = {name: one for name, one in given.items() if one is not None}
    if home is not None:
        named["homes"] = None
    own = type(settings)  # with limits of its own, if it has some
    return own.from_values(**{**settings.model_dump(), **named}) if named else settings


def _build_extraction_worker(
    settings: Settings,
    store: Store,
    embedder: LazyEmbedder | None,
    grounds: GroundingWorker | None,
    policy: HomePolicy,
    chat: ChatModel | None,
) -> "ExtractionWorker | None":
    """Build the workers that have a chat model read; None where there is none."""
    if chat is None and not settings.has_chat_model:
        return None
    from memoria.app.reading import build_extraction_worker  # noqa: PLC0415  (who has none pays nothing)

    return build_extraction_worker(settings, store, embedder, grounds, policy, chat)


class _Worker(Protocol):
    """Work in the background of a home."""

    def stop(self) -> None:
        """Stop after what is under way."""
        ...


def _close(store: Store, workers: Iterable[_Worker | None]) -> None:
    for each in workers:
        if each is not None:
            each.stop()
    store.close()


def _wrap_embedder(embedder: Embedder, most_texts: int) -> LazyEmbedder:
    return LazyEmbedder(embedder.name, lambda: embedder, calibration_of(embedder), most_texts)


def _embedding_limits(settings: Settings) -> EmbeddingLimits:
    return EmbeddingLimits(
        batch=settings.embedding_batch,
        lease_ms=settings.lease_ms,
        attempts=settings.embedding_attempts,
    )
