"""A home in which everything has happened: talk, nights, edits by hand, forgetting."""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import anyio
from tests.empty_home import lay_empty_home
from tests.ingest.files import part, picture
from tests.store.tenant_life import SAID, live

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.app.engine import open_store
from memoria.config import Settings

ANN = "ann"
TEA = "The user prefers tea"
LOCKER = "The combination of the user's locker is zanzibar"
_BERGEN = "The user lives in Bergen"
_BY_HAND = "walks the dog at noon"
_CHAT: list[dict[str, object]] = [
    {"role": "user", "content": "Remember: the harbour closes at six.", "session_id": "s1"},
    {"role": "assistant", "content": "Noted. 会议改到星期四。", "session_id": "s1"},
    {
        "role": "user",
        "content": [{"type": "text", "text": "The ship's name is Seagull."}, part(picture())],
        "session_id": "s2",
    },
]


class LivedHome(NamedTuple):
    """A home, and what has happened there."""

    home: Path
    night: str
    """The run that wrote the core files, the first one."""
    hidden: str
    """The forget that can still be taken back: of `TEA`."""
    forgotten: tuple[str, ...]
    """What was forgotten, for good or not."""


def live_in(home: Path) -> LivedHome:
    """Make such a home, which has other tenants as well."""
    settings = Settings.from_values(
        home=lay_empty_home(home), embedder="off", forget_grace_days=7, workspace="none"
    )
    with closing(open_store(settings)) as store:
        for tenant in (ANN, "bob"):
            live(store, tenant, SAID)
    ids = anyio.run(_tell, settings)
    night = nights.run_nightly(settings, ["core"])
    file = home / "USER.md"
    file.write_text(file.read_text("utf-8") + f"- {_BY_HAND}\n", "utf-8")
    nights.run_nightly(settings)
    hidden = anyio.run(_forget, settings, ids)
    return LivedHome(home, night.id, hidden, (TEA, LOCKER))


async def _tell(settings: Settings) -> dict[str, str]:
    async with open_memoria(settings=settings) as m:
        await m.record_conversation(_CHAT)
        return {text: (await m.remember(text)).id for text in (_BERGEN, TEA, LOCKER)}


async def _forget(settings: Settings, ids: dict[str, str]) -> str:
    at_once = settings.model_copy(update={"forget_grace_days": 0})
    async with open_memoria(settings=at_once) as m:
        await m.forget_memory([ids[LOCKER]])
    async with open_memoria(settings=settings) as m:
        report = (await m.forget_memory([ids[TEA]])).report
    assert report is not None
    assert report.state == "hidden"
    return report.id
