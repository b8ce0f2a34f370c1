"""A world to break: a home, the real server on it with a real client, the library beside it."""

import logging
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.types import CallToolResult, Implementation, Prompt, TextContent, Tool

from bench.fuzz.judge import Problem
from memoria.app import Memoria, open_memoria
from memoria.config import Settings
from memoria.inference.base import Embedder
from memoria.surface.mcp.server import MemoriaServer, build_server

TENANT = "fuzz"
_MARK = "zugvogelkunde"
"""A word nothing else in the world holds."""
_PLANTED = f"The {_MARK} notes are on the third shelf"
_FIRST_WORDS = ("Lin is allergic to peanuts", "我对花生过敏", "the build fails with E1437")
_T = TypeVar("_T")
Serve = Callable[[Settings, Embedder | None], MemoriaServer]


class Crashes(logging.Handler):
    """What the SDK hides from the client and writes into its log."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the exception of a record that has one."""
        if record.exc_info and record.exc_info[1] is not None:
            self.seen.append(record.exc_info[1])

    def taken(self) -> BaseException | None:
        """The cause of the last crash, which is then forgotten."""
        seen, self.seen = self.seen, []
        return (seen[-1].__cause__ or seen[-1]) if seen else None


class World:
    """What a round's steps act on."""

    def __init__(self, client: Client, memory: Memoria, home: Path, crashes: Crashes) -> None:
        self.client = client
        self.memory = memory
        self.home = home
        self.crashes = crashes
        self.portal: BlockingPortal
        self.tools: dict[str, Tool] = {}
        self.uris: list[str] = []
        self.prompts: list[Prompt] = []
        self.ids: list[str] = []
        """Given out by the product: those of the beginning, then those of the present sequence."""
        self.outcomes: Counter[tuple[str, str, str]] = Counter()
        self._planted: list[str] = []
        self._beginning = 0

    async def begin(self) -> None:
        """Learn what there is to call, and plant what must be found ever after."""
        self.tools = {tool.name: tool for tool in (await self.client.list_tools()).tools}
        templates = (await self.client.list_resource_templates()).resource_templates
        resources = (await self.client.list_resources()).resources
        self.uris = [one.uri for one in resources] + [one.uri_template for one in templates]
        self.prompts = (await self.client.list_prompts()).prompts
        turn = {"role": "user", "content": _PLANTED}
        receipt = await self.memory.record_conversation([turn], session_id="planted")
        kept = await self.memory.remember(f"{_PLANTED} (remembered)")
        self._planted = [*(one.id for one in receipt.turns if one.id), kept.id]
        said = [{"role": "user", "content": words} for words in _FIRST_WORDS]
        first = await self.memory.record_conversation(said, session_id="s")
        known = [await self.memory.remember(words) for words in _FIRST_WORDS]
        self.ids = [*(one.id for one in first.turns if one.id), *(one.id for one in known)]
        self._beginning = len(self.ids)

    def forget_ids(self) -> None:
        """Back to the ids of the beginning, so that a sequence depends on itself alone."""
        del self.ids[self._beginning :]

    def do(self, work: Callable[[], Awaitable[_T]]) -> tuple[_T | BaseException, float]:
        """Run work where the server lives; gives its result or what it raised, and the seconds."""
        began = time.perf_counter()
        try:
            result: _T | BaseException = self.portal.call(work)
        except Exception as error:  # noqa: BLE001  (whatever it is, it is what we look for)
            result = error
        return result, time.perf_counter() - began

    def alive(self, tool: str = "search_memory") -> Iterator[Problem]:
        """That the server answers, and finds what was planted."""
        result, _ = self.do(lambda: self.client.call_tool(tool, {"query": _MARK}))
        if isinstance(result, BaseException):
            yield Problem("no answer afterwards", tool, f"{type(result).__name__}: {result}")
        elif missing := self._missing(result, tool):
            yield Problem("what was recorded is lost", tool, f"{missing}; {said(result)[:300]}")

    def _missing(self, found: CallToolResult, tool: str) -> list[str]:
        """Planted ids the answer lacks. The second level knows no memories."""
        expected = self._planted if tool == "search_memory" else self._planted[:1]
        hits = (found.structured_content or {}).get("hits", [])
        ids = {hit["id"] for hit in hits}
        return [one for one in expected if one not in ids]

    def sound(self) -> Iterator[Problem]:
        """What the second level finds at the end, and what doctor says."""
        yield from self.alive("search_conversation_traces")
        health, _ = self.do(self.memory.health)
        if isinstance(health, BaseException):
            yield Problem("doctor can't look", "doctor", f"{type(health).__name__}: {health}")
        else:
            for finding in health.findings:
                if finding.state == "error":
                    yield Problem("doctor: unsound", finding.check, finding.detail)


def said(result: CallToolResult) -> str:
    """All that an answer says as text."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def usual_server(settings: Settings, embedder: Embedder | None) -> MemoriaServer:
    """The server as `memoria serve` builds it."""
    return build_server(lambda: open_memoria(settings=settings, embedder=embedder))


@contextmanager
def world(mode: str, embedder: Embedder | None, serve: Serve = usual_server) -> Iterator[World]:
    """A world of its own, gone afterwards.

    Its event loop runs in a thread, so that hypothesis and the command line, which are not
    asynchronous, can use it.
    """
    with (
        tempfile.TemporaryDirectory(prefix="memoria-fuzz-", ignore_cleanup_errors=True) as folder,
        start_blocking_portal("asyncio") as portal,
        portal.wrap_async_context_manager(
            _opened(Path(folder) / "home", mode, embedder, serve)
        ) as opened,
    ):
        opened.portal = portal
        yield opened


@asynccontextmanager
async def _opened(
    home: Path, mode: str, embedder: Embedder | None, serve: Serve
) -> AsyncIterator[World]:
    settings = Settings.from_values(
        home=home, tenant=TENANT, embedder="bundled" if embedder else "off"
    )
    crashes = Crashes()
    info = Implementation(name="fuzz", version="1")
    loggers = [logging.getLogger(name) for name in ("mcp", "memoria")]
    for logger in loggers:
        logger.addHandler(crashes)
    try:
        async with (
            Client(serve(settings, embedder), mode=mode, client_info=info) as client,
            open_memoria(settings=settings, embedder=embedder) as memory,
        ):
            opened = World(client, memory, home, crashes)
            await opened.begin()
            yield opened
    finally:
        for logger in loggers:
            logger.removeHandler(crashes)
