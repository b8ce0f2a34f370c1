"""What rules once concluded becomes a quote in a night, and an undo gives it back."""

import json
import zipfile
from pathlib import Path

import pytest

import memoria
from memoria import Settings
from memoria.app.nightly import run_nightly, undo_nightly
from memoria.model import Memory

HERE = Path(__file__).parent
QUOTED = {"plain", "zh", "wish"}
"""What nobody has touched, asked for or relied on."""


def unpacked(folder: Path) -> Settings:
    with zipfile.ZipFile(HERE / "rules.zip") as packed:
        packed.extractall(folder / "home")
    return Settings.from_values(home=folder / "home", embedder="off")


async def memories(settings: Settings) -> dict[str, Memory]:
    made: dict[str, tuple[str, str]] = json.loads((HERE / "rules.json").read_text("utf-8"))
    async with memoria.open(settings=settings) as m:
        return {name: await m.get_memory(memory_id) for name, (memory_id, _) in made.items()}


async def wishes(settings: Settings) -> str:
    async with memoria.open(settings=settings) as m:
        return "\n".join(await m.wishes())


@pytest.mark.sqlite("a home of an earlier version")
async def test_what_nobody_touched_becomes_a_quote_and_all_else_stays_a_memory(
    tmp_path: Path,
) -> None:
    settings = unpacked(tmp_path)
    before = await memories(settings)
    run_nightly(settings)
    after = await memories(settings)
    archived = {name for name, memory in after.items() if memory.validity == "archived"}
    assert archived == QUOTED
    assert {name: one.versions for name, one in after.items()} == {
        name: one.versions for name, one in before.items()
    }
    assert "以后都用中文回答我。" in await wishes(settings)


@pytest.mark.sqlite("a home of an earlier version")
async def test_an_undone_night_gives_them_back_for_good(tmp_path: Path) -> None:
    settings = unpacked(tmp_path)
    before = await memories(settings)
    run = run_nightly(settings, ["quotes"])
    undo_nightly(settings, run.id, lambda _: None)
    assert await memories(settings) == before
    run_nightly(settings, ["quotes"])
    assert await memories(settings) == before
