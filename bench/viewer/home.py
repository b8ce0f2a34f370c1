"""The home that the viewer is looked at with: the story, and what its user did since."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import anyio

import memoria
from bench.chat_server import serve_requests
from bench.extraction.lived import live_through
from bench.viewer.story import StoryAnswers, load_story
from memoria import Memoria, Settings
from memoria.app.nightly import run_nightly
from memoria.model import COMMAND_LINE, DAY_MS, Channel, MemoryType, Trust, now_millis
from memoria.model.access import Access
from memoria.model.listing import MOST_ON_PAGE
from memoria.model.provenance import hook_channel

_IDLE_S = 300
_AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="codex")
_TODAY = (
    {"role": "user", "content": "Does the cache hold on heron?"},
    {"role": "assistant", "content": "It does: 100 of 128 MB at the busiest hour."},
    {"role": "assistant", "content": "Tests of ferry-times are run with tox on heron."},
)
"""A conversation that the last night reads."""
_UNREAD = (
    {"role": "user", "content": "From now on use uv, never pip."},
    {"role": "user", "content": "From now on, always answer me in English."},
)
"""Wishes that nobody has read yet, which agents are told as quotes."""
_NAMESAKES: tuple[tuple[str, dict[str, object]], ...] = (
    ("Tomek plays chess on Mondays.", {"name": "Tomek", "kind": "person"}),
    ("Tomasz plays chess, too.", {"name": "Tomasz", "kind": "person"}),
    (
        "Tomasz, whom all call Tomek, is from Gdynia.",
        {"name": "Tomasz", "kind": "person", "aliases": ["Tomek"]},
    ),
)
"""Statements after which two names may be one person's."""
_FERRY, _CHOIR = "/home/mei/src/ferry-times", "/home/mei/notes/choir"


def make_home(folder: Path, embedder: str = "bundled") -> Path:
    """Make the home in an empty folder; return where it is."""
    story = load_story()
    today = datetime.now(UTC)
    live_through(story.to_labelled(today), "live", StoryAnswers(story), folder, embedder)
    with serve_model() as url:
        settings = settings_of(folder / "home", url, embedder)
        anyio.run(_live_on, settings)
        run_nightly(settings)
        anyio.run(_leave_open, settings)
    return folder / "home"


@contextmanager
def serve_model() -> Iterator[str]:
    """Serve the scripted model on loopback while the block runs; yield its URL."""
    with serve_requests(StoryAnswers(load_story()).answer) as url:
        yield url


def settings_of(home: Path, url: str, embedder: str, tenant: str = "default") -> Settings:
    """Return the settings of the home with the scripted model."""
    return Settings.from_values(
        home=home,
        tenant=tenant,
        embedder=embedder,
        llm_base_url=url,
        llm_model="recorded",
        llm_attempts=1,
        llm_input_price=1.0,
        llm_output_price=4.0,
        extraction_wait_minutes=0,
        forget_grace_days=7,
    )


async def _live_on(settings: Settings) -> None:
    """Do what a user does in a shell and what agents report, before the last night."""
    async with memoria.open(settings=settings, channel=COMMAND_LINE, reads_queue=False) as m:
        known = await _list_statements(m)
        rehearsal = "The choir rehearses on Wednesdays at half past seven in St Anne's hall."
        await m.revise_memory(_find(known, "rehearses on Wednesdays"), "correct", rehearsal)
        await m.revise_memory(_find(known, "安安六岁"), "confirm")
        await m.revise_memory(_find(known, "pytest -q"), "pin")
        await m.revise_memory(_find(known, "plays the piano"), "archive")
        lock = await m.remember("The bicycle lock at the hall opens with okapi five eight two.")
        preview = await m.preview_forget(ids=[lock.id], include_source=True)
        await m.forget_memory(ids=[lock.id], include_source=True, token=preview.token)
        await m.tokens.create(Access.READ, "phone")
        laptop = await m.tokens.create(Access.WRITE, "laptop", now_millis() + 90 * DAY_MS)
        old = await m.tokens.create(Access.ADMIN, "old machine")
        await m.tokens.revoke(old.token.id)
        await m.record_conversation(_TODAY, "session_end", session_id="ferry-6", workspace=_FERRY)
        assert laptop.token.expires_at is not None  # noqa: S101  (it was given)
        await m.wait_until_idle(_IDLE_S)


async def _leave_open(settings: Settings) -> None:
    """Have agents report what nobody has looked at yet."""
    async with memoria.open(settings=settings, channel=_AGENT, reads_queue=False) as m:
        await m.remember("Tomasz leaves the ferry company in spring.", workspace=_FERRY)
        for words, names in _NAMESAKES:
            await m.remember(words, entities=[names], workspace=_FERRY)
        await m.remember("The choir rehearses on Thursdays at eight.", workspace=_CHOIR)
        await m.update_scratchpad(current_focus="Watch the cache on heron", session_id="ferry-6")
        await m.search_memory("Which port does ferry-times listen on?", workspace=_FERRY)
        await m.wait_until_idle(_IDLE_S)
    unread = settings.model_copy(update={"llm_base_url": None, "llm_model": None})
    hook = hook_channel("claude-code")
    async with memoria.open(settings=unread, channel=hook) as m:
        await m.record_conversation(_UNREAD, session_id="ferry-7", workspace=_FERRY)
        await m.record_conversation(_UNREAD, session_id="home-4")
        await m.wait_until_idle(_IDLE_S)


async def _list_statements(m: Memoria) -> dict[str, str]:
    """Map the wordings of memories to their ids, but for summaries of conversations."""
    page = await m.list_memories(state="any", workspace="*", limit=MOST_ON_PAGE)
    return {
        one.current.content: one.id for one in page.memories if one.type is not MemoryType.EPISODE
    }


def _find(known: dict[str, str], words: str) -> str:
    found = [memory_id for content, memory_id in known.items() if words in content]
    if not found:
        sys.stderr.write("".join(f"{content}\n" for content in known))
        raise LookupError(f"no memory says: {words}")
    return found[0]
