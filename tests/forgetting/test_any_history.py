"""Whatever was written, by whichever path, and whatever is forgotten: nothing outlives its sources.

What is left is looked for twice: by `erasure.verify`, and by a checker that reads every table and
file by itself. ERASURE_EXAMPLES in the environment plays more histories.
"""

import os
import re
import shutil
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import HealthCheck, Phase, event, example, given, settings
from tests.databases import engine_settings, opened_files
from tests.forgetting.checker import read_tables, rows_without_sources
from tests.forgetting.histories import FACTS, HISTORIES, Forget, History, Player, Step, script, word
from tests.forgetting.remains import remaining
from tests.ingest.play import memories, opened

from memoria import Memoria
from memoria.app.upkeep import back_up, restore
from memoria.erasure.verify import verify
from memoria.language.words.document import full_text
from memoria.model.core import CORE_FILES

BACKUP = "before.zip"
EXAMPLES = int(os.environ.get("ERASURE_EXAMPLES", "4"))

NAMED_IN_A_FORMER_WORDING: History = [
    Step(verb="edit", fact=4, pick=20, kind="rule"),
    Step(verb="say", fact=0, pick=12, kind="rule"),
    Step(verb="edit", fact=0, pick=15, kind="preference"),
    Forget(target="habit", pick=17, include_source=True),
]
"""A memory stays, and a former wording of it goes with the name that only that one had."""


@settings(
    deadline=None,
    max_examples=EXAMPLES,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # a history takes seconds
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(HISTORIES)
@example(NAMED_IN_A_FORMER_WORDING)
def test_after_any_history_and_any_forget_nothing_is_left_without_a_source(
    tmp_path_factory: pytest.TempPathFactory, history: History
) -> None:
    anyio.run(play, tmp_path_factory.mktemp("lived"), history)


async def play(folder: Path, history: History) -> None:
    home = folder / "home"
    has_file = not engine_settings(home)
    with script() as model:
        async with opened(home, model, llm_attempts=1) as m:
            player = Player(m, folder)
            await player.begin()
            if has_file:
                await anyio.to_thread.run_sync(back_up, m.settings, folder / BACKUP, no_progress)
            for step in history:
                if isinstance(step, Forget):
                    await forget(player, step)
                    await check(m, home)
                else:
                    event(step.verb)
                    await player.take(step)
            await player._night()  # noqa: SLF001
            await check(m, home)
        if not has_file:
            return
        restore(m.settings, folder / BACKUP, no_progress)
        shutil.rmtree(next(home.glob("before-restore-*")))
        async with opened(home, model) as m:
            await check(m, home)


def no_progress(_done: int, _total: int) -> None:
    pass


async def forget(player: Player, step: Forget) -> None:
    record_id = await player.choose(step)
    if record_id is None:
        return
    event(f"forget {step.target}, {'with' if step.include_source else 'without'} its source")
    forgotten = await player.m.forget_memory([record_id], include_source=step.include_source)
    assert forgotten.scrubbed is (not engine_settings(player.settings.home_path))
    left = {one.id for one in await memories(player.m)}
    assert not left & set(forgotten.memories)
    assert not {turn.id for turn in await player.turns()} & set(forgotten.turns_erased)
    await player.m.wait_until_idle(60)


async def check(m: Memoria, home: Path) -> None:
    assert verify(m._store) == {}  # noqa: SLF001
    assert rows_without_sources(home) == []
    live = await live_words(m, home)
    assert remaining(home, map(word, FACTS)) <= live


def lines_by_hand(m: Memoria) -> list[str]:
    with opened_files(m.settings) as files:
        texts = [(files.read(place) or b"").decode() for place in CORE_FILES]
    return [line for text in texts for line in text.splitlines() if "<!-- m:" not in line]


async def live_words(m: Memoria, home: Path) -> set[str]:
    """The words that a memory, a turn, or a line by hand still says."""
    texts = [version.content for one in await memories(m) for version in one.versions]
    with m._store.read(m.tenant) as tx:  # noqa: SLF001
        turns = tx.conversations.turns(tx.documents.page("turn", 0, 10_000)).values()
    texts += map(full_text, turns)
    texts += lines_by_hand(m)
    assert len(read_tables(home)["turns"]) == len(turns)
    return {found for text in texts for found in re.findall(r"zeta\d+", text)}
