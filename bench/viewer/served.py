"""The real server over a copy of the home, and links into its viewer."""

import shutil
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio

import memoria
from bench.http.server import HttpServerProcess, Place
from bench.viewer.home import settings_of
from memoria import Settings
from memoria.app.nightly import list_runs
from memoria.model import COMMAND_LINE
from memoria.model.access import LINK_BEGINS, Access
from memoria.surface.http.rest.table import EXAMPLE_IDS

_T = TypeVar("_T")
_SESSION = "ferry-3"
_TOLD, _OUTDATED = "ferry-times listens on port 7171.", "The choir rehearses on Thursdays at eight."
"""What examples show of the story; of any other home they show what comes first."""


@dataclass(frozen=True, slots=True)
class _ModelPlace(Place):
    """A home that is served with the scripted model."""

    settings: Settings = field(default_factory=Settings)

    def environment(self) -> dict[str, str]:
        """The environment of a process that serves it."""
        chosen = self.settings
        return {
            **Place.environment(self),
            "MEMORIA_LLM_BASE_URL": chosen.llm_base_url or "",
            "MEMORIA_LLM_MODEL": chosen.llm_model or "",
            "MEMORIA_LLM_INPUT_PRICE": str(chosen.llm_input_price),
            "MEMORIA_LLM_OUTPUT_PRICE": str(chosen.llm_output_price),
            "MEMORIA_LLM_ATTEMPTS": str(chosen.llm_attempts),
            "MEMORIA_FORGET_GRACE_DAYS": str(chosen.forget_grace_days),
        }


@dataclass(frozen=True, slots=True)
class ServedViewer:
    """A server that runs, the ids of what its home holds, and whoever makes links."""

    url: str
    settings: Settings
    ids: dict[str, str]
    """Ids by the kinds that examples of pages name."""

    def make_link(self, access: Access = Access.ADMIN) -> str:
        """Make a link that opens the viewer once."""
        return f"{self.url}/ui/enter?link={_run(_make_link, self.settings, access)}"

    def fill(self, text: str) -> str:
        """Return a text with the home's ids in place of those of examples."""
        for kind, stands_for in EXAMPLE_IDS.items():
            text = text.replace(stands_for, self.ids.get(kind, stands_for))
        return text


@contextmanager
def serve_viewer(
    home: Path, folder: Path, model_url: str, tenant: str = "default"
) -> Iterator[ServedViewer]:
    """Serve a copy of a home until the block ends.

    Args:
        home: what is copied.
        folder: where the copy is laid; it must not be there.
        model_url: where the scripted model is.
        tenant: whose memory is visited.
    """
    shutil.copytree(home, folder)
    settings = settings_of(folder, model_url, "bundled", tenant)
    ids = _run(_find_ids, settings)
    place = _ModelPlace(folder, has_home_each=False, embedder="bundled", settings=settings)
    server = HttpServerProcess(place)
    try:
        server.wait_until_ready()
        yield ServedViewer(server.url, settings, ids)
    finally:
        if server.process.poll() is None:
            server.stop()


def _run(work: Callable[..., Awaitable[_T]], *arguments: object) -> _T:
    """Return what a coroutine returns, in a thread of its own: Playwright has this one's loop."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(lambda: anyio.run(work, *arguments)).result()


async def _make_link(settings: Settings, access: Access) -> str:
    async with memoria.open(settings=settings, channel=COMMAND_LINE, reads_queue=False) as m:
        return (await m.tokens.create(access, "viewer", None, LINK_BEGINS)).text


async def _find_ids(settings: Settings) -> dict[str, str]:
    """Find an id of each kind that an example names."""
    async with memoria.open(settings=settings, channel=COMMAND_LINE, reads_queue=False) as m:
        page = await m.list_memories(state="any", workspace="*", limit=100)
        known = {one.current.content: one.id for one in page.memories}
        first, second = [*known.values()][:2]
        sessions = await m.list_sessions(limit=100)
        ids = [one.session_id for one in sessions.sessions]
        session = await m.get_session(_SESSION if _SESSION in ids else ids[0], limit=1)
        reports = await m.list_forget_reports(1)
        preview = await m.preview_forget(ids=[known.get(_OUTDATED, second)])
    return {
        "memory": known.get(_TOLD, first),
        "outdated": known.get(_OUTDATED, second),
        "turn": session.turns[0].id,
        "report": reports[0].id,
        "night": list_runs(settings, 1)[0].id,
        "forget_token": preview.token,
        "session": session.session_id,
    }
